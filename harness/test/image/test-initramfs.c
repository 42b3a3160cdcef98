// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/fake_apt.h"

#include "base/process.h"
#include "image/decompress.h"
#include "image/image.h"
#include "test/image/make_archive.h"

/* An ELF file with a header and no more: nothing to need. */
static const char tiny_elf[64] = "\177ELF\2\1\1";

static void add_program(const char *dir, const char *package, const char *path, const char *data,
			size_t len, const char *depends)
{
	const struct tar_item item = {.name = path, .mode = 0755, .content = data, .len = len};

	fake_apt_add(dir, package, "1", depends, &item, 1);
}

/* A program that needs libneed.so.1, which needs libdeep.so.2. */
static void build_chain(const char *dir, struct buf *program, struct buf *need, struct buf *deep)
{
	static const char script[] =
		"cd \"$1\" && echo 'int deep(void) { return 1; }' >d.c &&"
		"echo 'int deep(void); int need(void) { return deep(); }' >n.c &&"
		"echo 'int need(void); int main(void) { return need(); }' >p.c &&"
		"cc -nostdlib -shared -fPIC -Wl,-soname,libdeep.so.2 -o libdeep.so.2 d.c &&"
		"cc -nostdlib -shared -fPIC -Wl,-soname,libneed.so.1 -o libneed.so.1 n.c "
		"libdeep.so.2 &&"
		"cc -nostdlib -Wl,-e,main -Wl,--allow-shlib-undefined -Wl,-I,/lib/ld-tiny.so.1 -o "
		"p p.c "
		"libneed.so.1";
	const char *const argv[] = {"sh", "-c", script, "sh", dir, NULL};
	char *p __free(str) = file_join(dir, "p"), *n __free(str) = file_join(dir, "libneed.so.1");
	char *d __free(str) = file_join(dir, "libdeep.so.2");
	struct err e __free_err = ERR_INIT;

	assert_ok(process_run(argv, 4096, NULL, NULL, &e));
	assert_ok(file_read(p, 1 << 20, program, &e));
	assert_ok(file_read(n, 1 << 20, need, &e));
	assert_ok(file_read(d, 1 << 20, deep, &e));
}

static void add_userland(const char *dir)
{
	struct buf program __free_buf = BUF_INIT, need __free_buf = BUF_INIT;
	struct buf deep __free_buf = BUF_INIT;

	build_chain(dir, &program, &need, &deep);
	add_program(dir, "busybox-static", "./usr/bin/busybox", tiny_elf, sizeof(tiny_elf), "");
	add_program(dir, "kexec-tools", "./sbin/kexec", program.data, program.len,
		    "libloader (>= 2), libneed1, debconf | debconf-2.0");
	add_program(dir, "libloader", "./lib/ld-tiny.so.1", tiny_elf, sizeof(tiny_elf), "");
	add_program(dir, "libneed1", "./usr/lib/aarch64-linux-gnu/libneed.so.1", need.data,
		    need.len, "libloader, libdeep2");
	add_program(dir, "libdeep2", "./usr/lib/libdeep.so.2", deep.data, deep.len, "");
	sandbox_puts(dir, "images/initramfs/init", "#!/bin/sh\n");
	sandbox_puts(dir, "images/initramfs/splash", "#!/bin/sh\n");
}

static int setup(void **state)
{
	int rc = sandbox_setup(state);

	if (!rc)
		fake_apt_install(*state);
	return rc;
}

static struct image_ctx *make_ctx(const char *dir)
{
	char *images __free(str) = file_join(dir, "images");
	const struct image_opts opts = {.images_dir = images, .userland_suite = "trixie"};
	struct image_ctx *c = NULL;
	struct err e __free_err = ERR_INIT;

	if (!file_exists("/usr/share/keyrings/debian-archive-keyring.gpg"))
		skip_because("debian-archive-keyring is not installed");
	assert_ok(image_ctx_new(&opts, &c, &e));
	return c;
}

static int make(struct image_ctx *c, char **modules, size_t n, const char *modules_dir,
		char **ret_path, struct buf *warnings, struct err *e)
{
	const struct profile profile = {
		.id = (char *)"minimal", .modules = modules, .n_modules = n};
	const struct kernel_files kernel = {.release = (char *)"6.1.0-x",
					    .modules_dir = (char *)modules_dir};

	return image_initramfs(c, &profile, &kernel, ret_path, warnings, e);
}

/* Names, sizes and links of an archive, one a line. */
static void list(const char *path, struct buf *out)
{
	struct archive *a = archive_read_new();
	struct archive_entry *entry;

	archive_read_support_format_cpio(a);
	assert_int_equal(archive_read_open_filename(a, path, 65536), ARCHIVE_OK);
	while (archive_read_next_header(a, &entry) == ARCHIVE_OK) {
		char text[256] = "";

		if (archive_entry_filetype(entry) == AE_IFREG && archive_entry_size(entry) < 256)
			assert_true(archive_read_data(a, text, sizeof(text) - 1) >= 0);
		buf_addf(out, "%s=%s\n", archive_entry_pathname(entry),
			 archive_entry_filetype(entry) == AE_IFLNK ? archive_entry_symlink(entry)
								   : text);
	}
	archive_read_free(a);
}

static void all_that_belongs_in(void **state)
{
	struct image_ctx *c __free(image_ctx) = make_ctx(*state);
	char *modules_dir __free(str) = file_join(*state, "modules"), *path __free(str) = NULL;
	char *modules[] = {(char *)"b", (char *)"gone?"};
	struct buf warnings __free_buf = BUF_INIT, listing __free_buf = BUF_INIT;
	struct buf compressed __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	add_userland(*state);
	sandbox_puts(*state, "modules/modules.dep",
		     "kernel/a.ko.xz:\nkernel/b.ko: kernel/a.ko.xz\n");
	sandbox_puts(*state, "modules/kernel/b.ko", "module b");
	make_tar(&compressed, NULL, 0, "xz"); /* any xz file will do */
	sandbox_put(*state, "modules/kernel/a.ko.xz", compressed.data, compressed.len);
	assert_ok(make(c, modules, 2, modules_dir, &path, &warnings, &e));
	assert_string_equal(warnings.data, "kernel 6.1.0-x has no module 'gone': left out\n");
	list(path, &listing);
	assert_contains(listing.data, "\ninit=#!/bin/sh\n");
	assert_contains(listing.data, "\nbin/sh=busybox\n");
	assert_contains(listing.data, "\nbin/setsid=busybox\n");
	assert_contains(listing.data, "\nsbin/kexec=");
	assert_contains(listing.data, "\nlib/libneed.so.1=");
	assert_contains(listing.data, "\nlib/libdeep.so.2=");
	assert_contains(listing.data, "\nlib/ld-tiny.so.1=");
	assert_contains(listing.data, "\netc/kjump/profile=minimal\n");
	assert_contains(listing.data, "\netc/kjump/root=");
	assert_contains(listing.data, "\ndev/console=\n");
	assert_contains(listing.data, "\nlib/modules/6.1.0-x/kernel/b.ko=module b\n");
	assert_contains(listing.data, "\nlib/kjump/modules=/lib/modules/6.1.0-x/kernel/a.ko\n"
				      "/lib/modules/6.1.0-x/kernel/b.ko\n");
	/* Nothing is fetched that holds no library we need. */
	assert_int_equal(fake_apt_calls(*state, "download debconf"), 0);
	assert_int_equal(fake_apt_calls(*state, "download"), 5);
}

static void named_by_its_content(void **state)
{
	struct image_ctx *c __free(image_ctx) = make_ctx(*state);
	char *modules_dir __free(str) = file_join(*state, "modules");
	char *modules[] = {(char *)"b"};
	char *first __free(str) = NULL, *again __free(str) = NULL, *other __free(str) = NULL;
	struct err e __free_err = ERR_INIT;
	size_t calls;

	add_userland(*state);
	sandbox_puts(*state, "modules/modules.dep", "kernel/b.ko:\n");
	sandbox_puts(*state, "modules/kernel/b.ko", "module b");
	assert_ok(make(c, modules, 1, modules_dir, &first, NULL, &e));
	calls = fake_apt_calls(*state, "apt-");
	sandbox_puts(*state, "offline", "");
	assert_ok(make(c, modules, 1, modules_dir, &again, NULL, &e));
	assert_string_equal(first, again);
	assert_int_equal(fake_apt_calls(*state, "apt-"), calls);
	sandbox_puts(*state, "modules/kernel/b.ko", "module b, built again");
	assert_ok(make(c, modules, 1, modules_dir, &other, NULL, &e));
	assert_string_not_equal(first, other);
}

static void two_caches_the_same_bytes(void **state)
{
	struct buf bytes[2] = {BUF_INIT, BUF_INIT};
	struct err e __free_err = ERR_INIT;
	int i;

	add_userland(*state);
	for (i = 0; i < 2; i++) {
		char *cache __free(str) = xasprintf("%s/cache%d", (char *)*state, i);
		char *path __free(str) = NULL;
		struct image_ctx *c __free(image_ctx) = NULL;

		setenv("XDG_CACHE_HOME", cache, 1);
		c = make_ctx(*state);
		assert_ok(make(c, NULL, 0, NULL, &path, NULL, &e));
		assert_ok(file_read(path, 16 << 20, &bytes[i], &e));
	}
	assert_int_equal(bytes[0].len, bytes[1].len);
	assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].len);
	buf_fini(&bytes[0]);
	buf_fini(&bytes[1]);
}

static void says_what_is_missing(void **state)
{
	struct image_ctx *c __free(image_ctx) = make_ctx(*state);
	char *modules[] = {(char *)"absent"}, *path = NULL;
	struct err e __free_err = ERR_INIT;

	add_userland(*state);
	assert_int_equal(make(c, modules, 1, NULL, &path, NULL, &e), -ENOENT);
	assert_contains(err_msg(&e),
			"initramfs of profile 'minimal': kernel 6.1.0-x has no module");
	/* A library that no dependency holds. */
	add_program(*state, "libneed1", "./usr/share/nothing", "x", 1, "");
	assert_int_equal(make(c, NULL, 0, NULL, &path, NULL, &e), -ENOENT);
	assert_null(path);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(all_that_belongs_in),
		T(named_by_its_content),
		T(two_caches_the_same_bytes),
		T(says_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
