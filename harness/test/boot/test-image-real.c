// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-image-real.c - kernels and roots from the real Debian archive, booted.
 *
 * What is fetched stays in $XDG_CACHE_HOME, so that a second run is quick; the
 * tests of interrupted and concurrent fetches use caches of their own.
 */
#include "test/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/process.h"
#include "image/image.h"
#include "test/boot/guest.h"
#include "test/boot/kernels.h"

static char *scratch;
static char *given_cache; /* XDG_CACHE_HOME as it was */

static const struct kernel_spec latest = KERNEL_LATEST;
static const struct kernel_spec oldest = KERNEL_OLDEST;

static void use_cache(const char *dir)
{
	if (dir)
		setenv("XDG_CACHE_HOME", dir, 1);
	else
		unsetenv("XDG_CACHE_HOME");
}

static struct image_ctx *new_ctx(void)
{
	const struct image_opts opts = {.images_dir = "images", .userland_suite = "trixie"};
	struct err e __free_err = ERR_INIT;
	struct image_ctx *c = NULL;

	assert_ok(image_ctx_new(&opts, &c, &e));
	return c;
}

static struct kernel_files *get_kernel(struct image_ctx *c, const struct kernel_spec *spec)
{
	struct kernel_files *k = NULL;
	struct err e __free_err = ERR_INIT;

	assert_ok(image_kernel(c, spec, &k, &e));
	return k;
}

static char *get_initramfs(struct image_ctx *c, const char *id, const struct kernel_files *k)
{
	char *modules[] = {(char *)"virtio_balloon", (char *)"virtio_gpu?"};
	const struct profile p = {.id = (char *)id, .modules = modules, .n_modules = 2};
	struct buf warnings __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	char *path = NULL;

	assert_ok(image_initramfs(c, &p, k, &path, &warnings, &e));
	assert_non_null(
		strstr(warnings.data, "no module 'virtio_gpu'")); /* it is the cloud flavour */
	return path;
}

static void boots_and_pivots(void **state)
{
	static const char broken[] = "/lib/modules/not-there.ko\n";
	struct image_ctx *c __free(image_ctx) = new_ctx();
	struct kernel_files *k __free(kernel_files) = get_kernel(c, &latest);
	char *a __free(str) = get_initramfs(c, "first", k), *b __free(str) = NULL;
	char *both __free(str) = file_join(scratch, "both.cpio"), *line __free(str) = NULL;
	struct err e __free_err = ERR_INIT;
	struct guest g;

	b = get_initramfs(c, "second", k);
	const struct payload_file files[] = {
		{.name = "boot-b/initrd", .path = b},
		{.name = "lib/kjump/modules", .data = broken, .len = sizeof(broken) - 1}};

	assert_ok(image_with_payload(a, files, ARRAY_SIZE(files), both, &e));
	guest_start(&g, k->image, both);
	guest_expect(&g, "kjump: module not_there: ");
	line = xasprintf("kjump: userspace of profile first on %s", k->release);
	guest_expect(&g, line);
	guest_expect(&g, "built-in shell");
	guest_type(&g, "tty; kexec -v; mkdir /run/nextroot; mount -t tmpfs b /run/nextroot;"
		       " cd /run/nextroot; cpio -i </boot-b/initrd; exit\n");
	guest_expect(&g, "/dev/ttyAMA0"); /* the shell has a controlling terminal */
	guest_expect(&g, "kexec-tools 2.");
	guest_expect(&g, "kjump: userspace of profile second on");
	guest_type(&g,
		   "echo mounts=$(cut -d' ' -f3 /proc/mounts | tr '\\n' ,); cat /proc/modules\n");
	/* Once each: nothing of the first root is left behind. */
	guest_expect(&g, "mounts=tmpfs,proc,sysfs,devtmpfs,tmpfs,");
	guest_expect(&g, "virtio_balloon");
	guest_stop(&g);
}

/* A cache with nothing but the packages and the index of the given one. */
static char *cache_with_packages(const char *name)
{
	char *home __free(str) = file_join(scratch, name), *dir __free(str) = NULL;
	char *from __free(str) = NULL;
	const char *const subs[] = {"debs", "index"};
	struct err e __free_err = ERR_INIT;
	size_t i;

	use_cache(given_cache);
	assert_ok(file_cache_dir(&from, &e));
	use_cache(home);
	assert_ok(file_cache_dir(&dir, &e));
	assert_ok(file_mkdir(dir, 0755, &e));
	for (i = 0; i < ARRAY_SIZE(subs); i++) {
		char *target __free(str) = file_join(from, subs[i]);
		char *link __free(str) = file_join(dir, subs[i]);

		assert_int_equal(symlink(target, link), 0);
	}
	return steal_ptr(home);
}

static void the_same_bytes_in_two_caches(void **state)
{
	struct buf bytes[2] = {BUF_INIT, BUF_INIT};
	struct err e __free_err = ERR_INIT;
	int i;

	for (i = 0; i < 2; i++) {
		char *home __free(str) = i ? cache_with_packages("second-cache") : NULL;
		struct image_ctx *c __free(image_ctx) = new_ctx();
		struct kernel_files *k __free(kernel_files) = get_kernel(c, &latest);
		char *path __free(str) = get_initramfs(c, "minimal", k);

		assert_true(!i || !strncmp(path, home, strlen(home)));
		assert_ok(file_read(path, 64 << 20, &bytes[i], &e));
	}
	assert_true(bytes[0].len > 1 << 20);
	assert_int_equal(bytes[0].len, bytes[1].len);
	assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].len);
	buf_fini(&bytes[0]);
	buf_fini(&bytes[1]);
}

/* Fetches in a child of its own process group; the exit status is 0 if it worked. */
static pid_t fetch_in_child(const struct kernel_spec *spec)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		const struct image_opts opts = {.images_dir = "images"};
		struct image_ctx *c = NULL;
		struct kernel_files *k = NULL;
		struct err e = ERR_INIT;
		int rc;

		setpgid(0, 0);
		rc = image_ctx_new(&opts, &c, &e);
		if (!rc)
			rc = image_kernel(c, spec, &k, &e);
		if (rc)
			fprintf(stderr, "fetch: %s\n", err_msg(&e));
		_exit(rc ? 1 : 0);
	}
	return pid;
}

/* Is there an entry in a directory of tmp/ whose name ends in @ending? */
static bool being_made(const char *home, const char *ending)
{
	char *command __free(str) =
		xasprintf("ls -d %s/kjump/tmp/*/*%s >/dev/null 2>&1", home, ending);
	const char *const argv[] = {"sh", "-c", command, NULL};

	return !process_run(argv, 4096, NULL, NULL, NULL);
}

static void kill_while(const char *home, const char *ending)
{
	uint64_t end = clock_ns() + GUEST_PATIENCE_NS;
	pid_t pid = fetch_in_child(&oldest);
	int status = 0;

	while (!being_made(home, ending)) {
		assert_true(clock_ns() < end);
		assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static size_t entries(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	size_t n = 0;

	assert_non_null(dir);
	while ((d = readdir(dir)))
		n += d->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void killed_half_way(void **state)
{
	char *home __free(str) = file_join(scratch, "killed"), *tmp __free(str) = NULL;
	struct kernel_files *want __free(kernel_files) = NULL, *got __free(kernel_files) = NULL;
	struct image_ctx *c __free(image_ctx) = new_ctx(), *c2 __free(image_ctx) = NULL;
	struct guest g;
	char *initrd __free(str) = NULL, *line __free(str) = NULL;

	want = get_kernel(c, &oldest);
	use_cache(home);
	kill_while(home, ".deb");   /* apt was downloading */
	kill_while(home, "kernel"); /* we were unpacking */
	tmp = xasprintf("%s/kjump/tmp", home);
	assert_true(entries(tmp) > 0);
	c2 = new_ctx();
	assert_int_equal(entries(tmp), 0);
	got = get_kernel(c2, &oldest);
	assert_string_equal(got->digest, want->digest);
	assert_string_equal(got->release, want->release);
	assert_int_equal(entries(tmp), 0);
	initrd = get_initramfs(c, "old", got);
	guest_start(&g, got->image, initrd);
	line = xasprintf("kjump: userspace of profile old on %s", got->release);
	guest_expect(&g, line);
	guest_stop(&g);
}

static void two_at_once(void **state)
{
	char *home __free(str) = file_join(scratch, "at-once"), *dir __free(str) = NULL;
	pid_t pids[2];
	int i, status;

	use_cache(home);
	for (i = 0; i < 2; i++)
		pids[i] = fetch_in_child(&oldest);
	for (i = 0; i < 2; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	dir = xasprintf("%s/kjump/kernels", home);
	assert_int_equal(entries(dir), 1);
}

static int given(void **state)
{
	use_cache(given_cache);
	return 0;
}

static int group_setup(void **state)
{
	given_cache = xstrdup_null(getenv("XDG_CACHE_HOME"));
	scratch = xstrdup("/tmp/kjump-image.XXXXXX");
	return mkdtemp(scratch) ? 0 : -1;
}

static int group_teardown(void **state)
{
	int rc = file_remove_tree(scratch, NULL);

	free(scratch);
	free(given_cache);
	return rc;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(boots_and_pivots, given),
		cmocka_unit_test_setup(the_same_bytes_in_two_caches, given),
		cmocka_unit_test_setup(killed_half_way, given),
		cmocka_unit_test_setup(two_at_once, given),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
