// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/sandbox.h"

#include "image/arm64.h"
#include "image/kernel.h"
#include "test/image/make_archive.h"

/* The first 64 bytes of an Image and a banner; what else there is matters to no one here. */
static void make_image(struct buf *out, const char *release)
{
	char header[64] = "MZ";

	memcpy(header + 0x38, "ARM\x64", 4);
	buf_add(out, header, sizeof(header));
	buf_addf(out, "Linux version %s (someone@somewhere) #1", release);
	buf_addch(out, '\0');
}

static struct cache *open_cache(void)
{
	struct err e __free_err = ERR_INIT;
	struct cache *c = NULL;

	assert_ok(cache_open(&c, &e));
	return c;
}

/* Two packages' content as one list of packages, and their files. */
struct made {
	struct packages list;
	char *debs[2];
};

static void made_fini(struct made *m)
{
	packages_fini(&m->list);
	free(m->debs[0]);
	free(m->debs[1]);
}

static void add_deb(struct made *m, const char *dir, const struct tar_item *items, size_t n)
{
	struct buf deb __free_buf = BUF_INIT;
	size_t i = m->list.n;
	char *file __free(str) = xasprintf("%zu.deb", i);
	const struct apt_package from = {(char *)"linux-image-7.2.6+x-arm64", (char *)"7.2.6-1",
					 file, (char *)""};
	struct apt_package p;

	make_deb(&deb, items, n, "xz");
	sandbox_put(dir, file, deb.data, deb.len);
	m->debs[i] = file_join(dir, file);
	apt_package_copy(&p, &from);
	packages_add(&m->list, &p);
}

static void since_the_split(void **state)
{
	struct cache *c __free(cache) = open_cache();
	struct made m __cleanup(made_fini) = {PACKAGES_INIT, {NULL, NULL}};
	struct kernel_files *k __free(kernel_files) = NULL;
	struct buf image __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	make_image(&image, "7.2.6+x-arm64");
	const struct tar_item binary[] = {{.name = "./usr/lib/modules/7.2.6+x-arm64/vmlinuz",
					   .content = image.data,
					   .len = image.len}};
	const struct tar_item base[] = {
		{.name = "./usr/lib/modules/7.2.6+x-arm64/config", .content = "CONFIG_ARM64=y\n"},
		{.name = "./usr/lib/modules/7.2.6+x-arm64/System.map", .content = "a stub"},
		{.name = "./usr/lib/modules/7.2.6+x-arm64/modules.order", .content = ""},
		{.name = "./usr/lib/modules/7.2.6+x-arm64/modules.builtin",
		 .content = "kernel/a.ko\n"},
		{.name = "./usr/lib/modules/7.2.6+x-arm64/dtb/a/b.dtb", .content = "tree"},
		{.name = "./usr/share/doc/readme", .content = "text"}};

	add_deb(&m, *state, binary, ARRAY_SIZE(binary));
	add_deb(&m, *state, base, ARRAY_SIZE(base));
	assert_ok(kernel_from_packages(c, "k1", &m.list, m.debs, &e));
	assert_ok(kernel_load(c, "k1", &k, &e));
	assert_string_equal(k->release, "7.2.6+x-arm64");
	assert_string_equal(k->provenance, "linux-image-7.2.6+x-arm64 7.2.6-1");
	assert_int_equal(strlen(k->digest), 64);
	assert_non_null(k->config);
	assert_null(k->system_map);
	assert_true(sandbox_has(k->modules_dir, "modules.dep"));
	assert_false(sandbox_has(k->modules_dir, "dtb"));
	/* Again: what is there stays. */
	assert_ok(kernel_from_packages(c, "k1", &m.list, m.debs, &e));
}

static void in_one_package_without_modules(void **state)
{
	struct cache *c __free(cache) = open_cache();
	struct made m __cleanup(made_fini) = {PACKAGES_INIT, {NULL, NULL}};
	struct kernel_files *k __free(kernel_files) = NULL;
	struct buf image __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	char *map __free(str) = xmalloc(70000);

	memset(map, 'm', 70000);
	make_image(&image, "6.1.0-50-arm64");
	const struct tar_item items[] = {
		{.name = "./boot/vmlinuz-6.1.0-50-arm64", .content = image.data, .len = image.len},
		{.name = "./boot/System.map-6.1.0-50-arm64", .content = map, .len = 70000}};

	add_deb(&m, *state, items, ARRAY_SIZE(items));
	assert_ok(kernel_from_packages(c, "k", &m.list, m.debs, &e));
	assert_ok(kernel_load(c, "k", &k, &e));
	assert_string_equal(k->release, "6.1.0-50-arm64");
	assert_non_null(k->system_map);
	assert_null(k->config);
	assert_null(k->modules_dir);
}

static void refuses(const char *dir, const struct tar_item *items, size_t n, int code,
		    const char *why)
{
	struct cache *c __free(cache) = open_cache();
	struct made m __cleanup(made_fini) = {PACKAGES_INIT, {NULL, NULL}};
	struct kernel_files *k = NULL;
	struct err e __free_err = ERR_INIT;

	add_deb(&m, dir, items, n);
	assert_int_equal(kernel_from_packages(c, "bad", &m.list, m.debs, &e), code);
	assert_contains(err_msg(&e), why);
	assert_int_equal(kernel_load(c, "bad", &k, &e), -ENOENT);
}

static void packages_that_are_no_kernel(void **state)
{
	struct buf image __free_buf = BUF_INIT;

	make_image(&image, "6.1.0-50-arm64");
	const struct tar_item no_image[] = {{.name = "./boot/config-6.1", .content = "x"}};
	const struct tar_item no_magic[] = {{.name = "./boot/vmlinuz-6.1", .content = "\x1f\x8b"}};
	const struct tar_item others[] = {
		{.name = "./boot/vmlinuz-6.1", .content = image.data, .len = image.len},
		{.name = "./lib/modules/5.10/modules.order", .content = ""}};

	refuses(*state, no_image, 1, -ENOENT, "image");
	refuses(*state, no_magic, 1, -EBADMSG, "gzip");
	refuses(*state, others, 2, -EBADMSG, "not those of 6.1.0-50-arm64");
}

static struct kernel_spec file_spec(char *image)
{
	return (struct kernel_spec){
		.name = (char *)"mine", .source = KERNEL_FILE, .file = {.image = image}};
}

static struct kernel_files *from_files(const struct kernel_spec *spec, int code, struct err *e)
{
	struct cache *c __free(cache) = open_cache();
	struct kernel_files *k = NULL;
	char id[DIGEST_HEX_SIZE];

	int rc = kernel_files_id(spec, id, e);

	assert_int_equal(rc ? rc : kernel_from_files(c, id, spec, e), code);
	if (!code && kernel_load(c, id, &k, e))
		fail_msg("%s", err_msg(e));
	return k;
}

static void a_built_kernel(void **state)
{
	char *path __free(str) = file_join(*state, "build/Image"), *root __free(str) = NULL;
	struct kernel_spec spec = file_spec(path);
	struct kernel_files *k __free(kernel_files) = NULL, *again __free(kernel_files) = NULL;
	struct buf image __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	make_image(&image, "7.3.0-rc1-mine");
	sandbox_put(*state, "build/Image", image.data, image.len);
	root = file_join(*state, "root");
	spec.file.modules = root;
	from_files(&spec, -ENOENT, &e);
	assert_contains(err_msg(&e), "modules.dep");
	sandbox_puts(*state, "root/lib/modules/7.3.0-rc1-mine/modules.dep", "");
	k = from_files(&spec, 0, &e);
	assert_string_equal(k->release, "7.3.0-rc1-mine");
	assert_string_equal(k->provenance, path);
	assert_true(sandbox_has(k->modules_dir, "modules.dep"));
	/* Built again: another kernel, and the old one's files stay what they were. */
	make_image(&image, "7.3.0-rc1-mine");
	sandbox_put(*state, "build/Image", image.data, image.len);
	again = from_files(&spec, 0, &e);
	assert_string_not_equal(k->image, again->image);
	assert_true(file_exists(k->image));
}

static void a_compressed_one(void **state)
{
	char *path __free(str) = file_join(*state, "Image.gz");
	struct kernel_spec spec = file_spec(path);
	struct kernel_files *k __free(kernel_files) = NULL;
	struct buf image __free_buf = BUF_INIT, got __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	struct archive *a = archive_write_new();

	make_image(&image, "6.12.0");
	archive_write_set_format_raw(a);
	archive_write_add_filter_gzip(a);
	assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
	add_item(a, &(struct tar_item){.name = "x", .content = image.data, .len = image.len});
	archive_write_free(a);
	k = from_files(&spec, 0, &e);
	assert_int_equal(file_read(k->image, 1 << 20, &got, &e), 0);
	assert_int_equal(got.len, image.len);
	assert_memory_equal(got.data, image.data, got.len);
}

static void files_that_are_not_there(void **state)
{
	struct kernel_spec spec = file_spec((char *)"/nonexistent/Image");
	char *path __free(str) = file_join(*state, "vmlinux");
	struct err e __free_err = ERR_INIT;

	from_files(&spec, -ENOENT, &e);
	assert_contains(err_msg(&e), "/nonexistent/Image");
	sandbox_puts(*state, "vmlinux", "\177ELF and so on");
	spec.file.image = path;
	from_files(&spec, -EBADMSG, &e);
	assert_contains(err_msg(&e), "ELF");
}

#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(since_the_split),
		T(in_one_package_without_modules),
		T(packages_that_are_no_kernel),
		T(a_built_kernel),
		T(a_compressed_one),
		T(files_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
