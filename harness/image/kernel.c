// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/kernel.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/process.h"
#include "image/arm64.h"
#include "image/deb.h"
#include "image/decompress.h"

#define MODULES		     "usr/lib/modules/"
#define MIN_SYSTEM_MAP_BYTES 65536 /* Debian puts a note of 90 bytes in its place */
#define MAX_JSON_BYTES	     65536

void kernel_files_free(struct kernel_files *k)
{
	if (!k)
		return;
	free(k->image);
	free(k->config);
	free(k->system_map);
	free(k->modules_dir);
	free(k->release);
	free(k->provenance);
	free(k->digest);
	free(k);
}

/* DIR/NAME if that is there, else NULL. */
static char *existing(const char *dir, const char *name)
{
	char *path __free(str) = file_join(dir, name);

	return file_exists(path) ? steal_ptr(path) : NULL;
}

static char *find_modules(const char *dir, const struct json *j, const char *release)
{
	const char *elsewhere = json_get_str(j, "modules_dir");
	char *below __free(str) = xasprintf("root/lib/modules/%s", release);

	return elsewhere ? xstrdup(elsewhere) : existing(dir, below);
}

int kernel_load(const struct cache *c, const char *id, struct kernel_files **ret, struct err *e)
{
	struct kernel_files *k __free(kernel_files) = NULL;
	char *dir __free(str) = cache_path(c, "kernels", id);
	char *path __free(str) = file_join(dir, "kernel.json");
	struct buf text __free_buf = BUF_INIT;
	struct json *j __free(json) = NULL;
	int rc;

	if (!file_exists(path))
		return err_set(e, ENOENT, "kernel '%s' is not in the cache", id);
	rc = file_read(path, MAX_JSON_BYTES, &text, e);
	if (!rc)
		rc = json_parse(text.data, text.len, &j, e);
	if (rc)
		return rc;
	xnew(k);
	k->image = existing(dir, "image");
	k->config = existing(dir, "config");
	k->system_map = existing(dir, "System.map");
	k->release = xstrdup_null(json_get_str(j, "release"));
	k->provenance = xstrdup_null(json_get_str(j, "provenance"));
	k->digest = xstrdup_null(json_get_str(j, "digest"));
	if (!k->image || !k->release || !k->provenance || !k->digest)
		return err_set(e, EBADMSG, "'%s' is damaged: remove it", dir);
	k->modules_dir = find_modules(dir, j, k->release);
	*ret = steal_ptr(k);
	return 0;
}

/* What DIR/image says about itself. */
static int inspect(const char *dir, char **ret_release, char ret_hex[DIGEST_HEX_SIZE],
		   struct err *e)
{
	char *image __free(str) = file_join(dir, "image");
	struct buf data __free_buf = BUF_INIT;
	int rc = file_read(image, KERNEL_MAX_IMAGE_BYTES, &data, e);

	if (!rc)
		rc = arm64_check_image(data.data, data.len, e);
	if (rc)
		return rc;
	digest_of(data.data, data.len, ret_hex);
	return arm64_release(data.data, data.len, ret_release, e);
}

/* Writes DIR/kernel.json; @modules_dir: where modules outside of it are, or NULL. */
static int describe(const char *dir, const char *release, const char *digest,
		    const char *provenance, const char *modules_dir, struct err *e)
{
	char *path __free(str) = file_join(dir, "kernel.json");
	struct json *j __free(json) = json_new_object();
	struct buf text __free_buf = BUF_INIT;

	json_set_str(j, "release", release);
	json_set_str(j, "provenance", provenance);
	json_set_str(j, "digest", digest);
	if (modules_dir)
		json_set_str(j, "modules_dir", modules_dir);
	json_print(j, true, &text);
	return file_write(path, text.data, text.len, e);
}

/* Where a file of a kernel package goes in kernels/<id>; see deb_place_fn. */
static char *place(const char *path, void *arg)
{
	const char *rest;

	if (!strncmp(path, "boot/vmlinuz-", 13))
		return xstrdup("image");
	if (!strncmp(path, "boot/config-", 12))
		return xstrdup("config");
	if (!strncmp(path, "boot/System.map-", 16))
		return xstrdup("System.map");
	if (strncmp(path, MODULES, strlen(MODULES)))
		return NULL;
	rest = strchr(path + strlen(MODULES), '/');
	if (!rest)
		return NULL;
	if (!strcmp(rest, "/vmlinuz"))
		return xstrdup("image");
	if (!strcmp(rest, "/config") || !strcmp(rest, "/System.map"))
		return xstrdup(rest + 1);
	if (!strncmp(rest, "/dtb/", 5) || !strcmp(rest, "/build") || !strcmp(rest, "/source"))
		return NULL;
	return xasprintf("root/%s", path + strlen("usr/"));
}

static void drop_stub(const char *dir, const char *name)
{
	char *path __free(str) = file_join(dir, name);
	struct stat st;

	if (!lstat(path, &st) && st.st_size < MIN_SYSTEM_MAP_BYTES)
		unlink(path);
}

/* The packages leave modules.dep to be made where they are installed. */
static int run_depmod(const char *dir, const char *release, struct err *e)
{
	char *root __free(str) = file_join(dir, "root");
	char *modules __free(str) = xasprintf("%s/lib/modules/%s", root, release);
	char *usr __free(str) = file_join(root, "usr");
	const char *const argv[] = {
		"env", "PATH=/usr/sbin:/sbin:/usr/bin:/bin", "depmod", "-b", root, release, NULL};

	if (!file_exists(root))
		return 0; /* a kernel without modules */
	if (!file_exists(modules))
		return err_set(e, EBADMSG, "the modules are not those of %s", release);
	/* kmod is built to look in either /lib/modules or /usr/lib/modules. */
	if (symlink(".", usr))
		return err_errno(e, errno, "cannot create '%s'", usr);
	return process_run(argv, 65536, NULL, NULL, e);
}

int kernel_from_packages(const struct cache *c, const char *id, const struct packages *l,
			 char *const *debs, struct err *e)
{
	char *to __free(str) = cache_path(c, "kernels", id);
	char *provenance __free(str) = xasprintf("%s %s", l->p[0].name, l->p[0].version);
	char *release __free(str) = NULL, *made __free(str) = NULL;
	char digest[DIGEST_HEX_SIZE];
	struct cache_tmp tmp __free_cache_tmp = CACHE_TMP_INIT;
	size_t i;
	int rc = cache_tmp_init(&tmp, c, e);

	if (rc)
		return rc;
	log_info("unpacking %s", provenance);
	made = file_join(tmp.path, "kernel");
	rc = file_mkdir(made, 0755, e);
	for (i = 0; !rc && i < l->n; i++)
		rc = deb_unpack(debs[i], made, place, NULL, e);
	if (rc)
		return rc;
	drop_stub(made, "System.map");
	rc = inspect(made, &release, digest, e);
	if (!rc)
		rc = run_depmod(made, release, e);
	if (!rc)
		rc = describe(made, release, digest, provenance, NULL, e);
	if (!rc)
		rc = cache_publish(made, to, e);
	return rc ? err_prefix(e, rc, "%s", provenance) : 0;
}

/* DIR may be what holds modules.dep, or the root that modules were installed to. */
static int locate_modules(const char *dir, const char *release, char **ret, struct err *e)
{
	const char *const below[] = {"", "/lib/modules/", "/usr/lib/modules/"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(below); i++) {
		char *path __free(str) = xasprintf("%s%s%s", dir, below[i], i ? release : "");
		char *dep __free(str) = file_join(path, "modules.dep");

		if (file_exists(dep)) {
			*ret = steal_ptr(path);
			return 0;
		}
	}
	return err_set(e, ENOENT,
		       "modules '%s': no modules.dep there nor in lib/modules/%s below it", dir,
		       release);
}

static int copy_file(const char *from, const char *dir, const char *name, struct err *e)
{
	char *to __free(str) = NULL;
	struct buf data __free_buf = BUF_INIT;
	int rc;

	if (!from)
		return 0;
	to = file_join(dir, name);
	rc = decompress_file(from, KERNEL_MAX_IMAGE_BYTES, &data, e);
	return rc ? rc : file_write(to, data.data, data.len, e);
}

int kernel_files_id(const struct kernel_spec *spec, char ret_id[DIGEST_HEX_SIZE], struct err *e)
{
	const char *const paths[] = {spec->file.image, spec->file.config, spec->file.system_map};
	struct digest *d __free(digest) = digest_new();
	size_t i;

	digest_update_str(d, KERNEL_FORMAT " from files");
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		char hex[DIGEST_HEX_SIZE] = "";
		int rc = paths[i] ? digest_of_file(paths[i], hex, e) : 0;

		if (rc)
			return rc;
		digest_update_str(d, hex);
	}
	/* The modules stay where they are, as does the name people know it by. */
	digest_update_str(d, spec->file.image);
	digest_update_str(d, spec->file.modules ? spec->file.modules : "");
	digest_hex(d, ret_id);
	return 0;
}

static int make_from_files(const char *dir, const struct kernel_spec *spec, struct err *e)
{
	char *release __free(str) = NULL, *modules __free(str) = NULL;
	char digest[DIGEST_HEX_SIZE];
	int rc = copy_file(spec->file.image, dir, "image", e);

	if (!rc)
		rc = copy_file(spec->file.config, dir, "config", e);
	if (!rc)
		rc = copy_file(spec->file.system_map, dir, "System.map", e);
	if (!rc)
		rc = inspect(dir, &release, digest, e);
	if (!rc && spec->file.modules)
		rc = locate_modules(spec->file.modules, release, &modules, e);
	return rc ? rc : describe(dir, release, digest, spec->file.image, modules, e);
}

int kernel_from_files(const struct cache *c, const char *id, const struct kernel_spec *spec,
		      struct err *e)
{
	char *to __free(str) = cache_path(c, "kernels", id), *made __free(str) = NULL;
	struct cache_tmp tmp __free_cache_tmp = CACHE_TMP_INIT;
	int rc = cache_tmp_init(&tmp, c, e);

	if (rc)
		return rc;
	made = file_join(tmp.path, "kernel");
	rc = file_mkdir(made, 0755, e);
	if (!rc)
		rc = make_from_files(made, spec, e);
	return rc ? rc : cache_publish(made, to, e);
}

/* modules_install leaves links to where it was built. */
static void drop_links(const char *made, const char *release)
{
	static const char *const names[] = {"build", "source"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *path __free(str) =
			xasprintf("%s/root/lib/modules/%s/%s", made, release, names[i]);

		unlink(path);
	}
}

int kernel_from_build(const struct cache *c, const char *id, const char *obj, const char *log,
		      const char *made, const char *provenance, struct err *e)
{
	char *to __free(str) = cache_path(c, "kernels", id);
	char *image __free(str) = file_join(obj, "arch/arm64/boot/Image");
	char *config __free(str) = file_join(obj, ".config");
	char *map __free(str) = file_join(obj, "System.map"), *release __free(str) = NULL;
	char digest[DIGEST_HEX_SIZE];
	int rc = copy_file(image, made, "image", e);

	if (!rc)
		rc = copy_file(config, made, "config", e);
	if (!rc)
		rc = copy_file(map, made, "System.map", e);
	if (!rc)
		rc = copy_file(log, made, "build.log", e);
	if (!rc)
		rc = inspect(made, &release, digest, e);
	if (rc)
		return rc;
	drop_links(made, release);
	rc = run_depmod(made, release, e);
	if (!rc)
		rc = describe(made, release, digest, provenance, NULL, e);
	return rc ? rc : cache_publish(made, to, e);
}
