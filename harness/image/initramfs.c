// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * initramfs.c - the root that every profile boots into, and payloads behind it.
 */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "image/cpio.h"
#include "image/ctx.h"
#include "image/decompress.h"
#include "image/modules.h"
#include "image/userland.h"

/* Raise it when what is put in changes. */
#define FORMAT		 "initramfs 1"
#define MAX_SCRIPT_BYTES 65536
#define MAX_MODULE_BYTES (128u << 20)

/* What init, the harness and a person at the shell use of busybox. */
static const char *const applets[] = {
	"[",	     "ash",    "awk",	"base64", "basename", "blockdev", "cat",	 "chmod",
	"chroot",    "clear",  "cmp",	"cp",	  "cpio",     "cttyhack", "cut",	 "date",
	"dd",	     "devmem", "df",	"diff",	  "dirname",  "dmesg",	  "du",		 "echo",
	"env",	     "expr",   "false", "fdisk",  "find",     "free",	  "fsync",	 "grep",
	"gunzip",    "gzip",   "halt",	"head",	  "hexdump",  "hostname", "hwclock",	 "id",
	"insmod",    "ip",     "kill",	"less",	  "ln",	      "losetup",  "ls",		 "lsmod",
	"lspci",     "md5sum", "mdev",	"mkdir",  "mkfifo",   "mknod",	  "mktemp",	 "modprobe",
	"more",	     "mount",  "mv",	"nproc",  "od",	      "pidof",	  "ping",	 "poweroff",
	"printenv",  "printf", "ps",	"pwd",	  "readlink", "realpath", "reboot",	 "renice",
	"reset",     "rm",     "rmdir", "rmmod",  "sed",      "seq",	  "setsid",	 "sh",
	"sha256sum", "sleep",  "sort",	"stat",	  "strings",  "stty",	  "switch_root", "sync",
	"sysctl",    "tail",   "tar",	"tee",	  "test",     "time",	  "timeout",	 "top",
	"touch",     "tr",     "true",	"tty",	  "umount",   "uname",	  "uniq",	 "unxz",
	"uptime",    "usleep", "vi",	"watch",  "wc",	      "which",	  "xargs",	 "xxd",
	"xz",	     "yes",    "zcat",
};

/* What an initramfs is made of. */
struct recipe {
	const struct profile *profile;
	const struct kernel_files *kernel;
	struct userland *userland;
	struct modules modules;
	struct buf init, splash; /* scripts of images/initramfs/ */
	char id[DIGEST_HEX_SIZE];
};

static void recipe_fini(struct recipe *r)
{
	userland_free(r->userland);
	modules_fini(&r->modules);
	buf_fini(&r->init);
	buf_fini(&r->splash);
}

static char *module_file(const struct recipe *r, size_t i)
{
	return file_join(r->kernel->modules_dir, r->modules.paths[i]);
}

/* Where it lies in the root, uncompressed: insmod there needs no decompressor. */
static char *module_target(const struct recipe *r, size_t i)
{
	const char *path = r->modules.paths[i];
	const char *end = strstr(path, ".ko");

	return xasprintf("lib/modules/%s/%.*s.ko", r->kernel->release,
			 (int)(end ? end - path : (long)strlen(path)), path);
}

static int name_recipe(struct recipe *r, struct err *e)
{
	struct digest *d __free(digest) = digest_new();
	size_t i;

	digest_update_str(d, FORMAT);
	digest_update_str(d, r->profile->id);
	digest_update_str(d, r->userland->id);
	digest_update_str(d, r->init.data);
	digest_update_str(d, r->splash.data);
	for (i = 0; i < r->profile->n_run; i++)
		digest_update_str(d, r->profile->run[i]);
	for (i = 0; i < r->modules.n; i++) {
		char *file __free(str) = module_file(r, i),
			   *target __free(str) = module_target(r, i);
		char hex[DIGEST_HEX_SIZE];
		int rc = digest_of_file(file, hex, e);

		if (rc)
			return rc;
		digest_update_str(d, target);
		digest_update_str(d, hex);
	}
	digest_hex(d, r->id);
	return 0;
}

static int read_script(struct image_ctx *c, const char *name, struct buf *out, struct err *e)
{
	char *path __free(str) = xasprintf("%s/initramfs/%s", c->images_dir, name);

	return file_read(path, MAX_SCRIPT_BYTES, out, e);
}

static int collect(struct image_ctx *c, struct recipe *r, struct buf *warnings, struct err *e)
{
	int rc = read_script(c, "init", &r->init, e);

	if (!rc)
		rc = read_script(c, "splash", &r->splash, e);
	if (!rc)
		rc = modules_closure(r->kernel->modules_dir, r->kernel->release,
				     r->profile->modules, r->profile->n_modules, &r->modules,
				     warnings, e);
	if (!rc)
		rc = userland_get(c, &r->userland, e);
	return rc ? rc : name_recipe(r, e);
}

static void add_skeleton(struct cpio *cpio)
{
	static const char *const dirs[] = {"dev", "etc", "mnt", "proc", "run", "sys"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dirs); i++)
		cpio_add_dir(cpio, dirs[i], 0755);
	cpio_add_dir(cpio, "root", 0700);
	cpio_add_dir(cpio, "tmp", 01777);
	/* Before init mounts /dev there must be a console to complain on. */
	cpio_add_char_device(cpio, "dev/console", 0600, 5, 1);
	cpio_add_char_device(cpio, "dev/null", 0666, 1, 3);
}

static void add_programs(struct cpio *cpio, const struct userland *u)
{
	size_t i;

	cpio_add_file(cpio, "bin/busybox", 0755, u->busybox);
	for (i = 0; i < ARRAY_SIZE(applets); i++) {
		char *name __free(str) = file_join("bin", applets[i]);

		cpio_add_link(cpio, name, "busybox");
	}
	cpio_add_file(cpio, "sbin/kexec", 0755, u->kexec);
	for (i = 0; i < u->libs.n; i++) {
		char *name __free(str) = file_join("lib", u->libs.libs[i].name);

		cpio_add_file(cpio, name, 0755, u->libs.libs[i].path);
	}
}

/* Lines of shell, which init reads before it starts the shell of the console. */
static void add_run(struct cpio *cpio, const struct profile *profile)
{
	struct buf text __free_buf = BUF_INIT;
	size_t i;

	if (!profile->n_run)
		return;
	for (i = 0; i < profile->n_run; i++)
		buf_addf(&text, "%s\n", profile->run[i]);
	cpio_add_data(cpio, "etc/kjump/run", 0644, text.data, text.len);
}

static void add_identity(struct cpio *cpio, const struct recipe *r)
{
	char *profile __free(str) = xasprintf("%s\n", r->profile->id);
	char *root __free(str) = xasprintf("%s\n", r->id);

	cpio_add_data(cpio, "etc/kjump/profile", 0644, profile, strlen(profile));
	cpio_add_data(cpio, "etc/kjump/root", 0644, root, strlen(root));
	cpio_add_data(cpio, "init", 0755, r->init.data, r->init.len);
	cpio_add_data(cpio, "sbin/splash", 0755, r->splash.data, r->splash.len);
	add_run(cpio, r->profile);
}

static int add_modules(struct cpio *cpio, const struct recipe *r, struct err *e)
{
	struct buf list __free_buf = BUF_INIT;
	size_t i;

	for (i = 0; i < r->modules.n; i++) {
		char *file __free(str) = module_file(r, i),
			   *target __free(str) = module_target(r, i);
		struct buf data __free_buf = BUF_INIT;
		int rc = decompress_file(file, MAX_MODULE_BYTES, &data, e);

		if (rc)
			return rc;
		cpio_add_data(cpio, target, 0644, data.data, data.len);
		buf_addf(&list, "/%s\n", target);
	}
	cpio_add_data(cpio, "lib/kjump/modules", 0644, list.data, list.len);
	return 0;
}

static int compose(struct image_ctx *c, const struct recipe *r, const char *to, struct err *e)
{
	struct cpio *cpio __free(cpio) = cpio_new();
	struct cache_tmp tmp __free_cache_tmp = CACHE_TMP_INIT;
	char *made __free(str) = NULL;
	int fd __free(fd) = -1;
	int rc;

	add_skeleton(cpio);
	add_programs(cpio, r->userland);
	add_identity(cpio, r);
	rc = add_modules(cpio, r, e);
	if (!rc)
		rc = cache_tmp_init(&tmp, c->cache, e);
	if (rc)
		return rc;
	made = file_join(tmp.path, "cpio");
	fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, errno, "cannot create '%s'", made);
	rc = cpio_write(cpio, fd, e);
	return rc ? rc : cache_publish(made, to, e);
}

int image_initramfs(struct image_ctx *c, const struct profile *profile,
		    const struct kernel_files *kernel, char **ret_path, struct buf *warnings,
		    struct err *e)
{
	struct recipe r __cleanup(recipe_fini) = {
		.profile = profile, .kernel = kernel, .init = BUF_INIT};
	char *name __free(str) = NULL, *path __free(str) = NULL;
	int rc = collect(c, &r, warnings, e);

	if (!rc) {
		name = xasprintf("%s.cpio", r.id);
		path = cache_path(c->cache, "initramfs", name);
		if (!file_exists(path))
			rc = compose(c, &r, path, e);
	}
	if (rc)
		return err_prefix(e, rc, "initramfs of profile '%s'", profile->id);
	*ret_path = steal_ptr(path);
	return 0;
}
