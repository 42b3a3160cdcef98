// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "image/cache.h"

static struct cache *open_cache(void)
{
	struct err e __free_err = ERR_INIT;
	struct cache *c = NULL;

	assert_ok(cache_open(&c, &e));
	return c;
}

static void first_one_stays(void **state)
{
	struct cache *c __free(cache) = open_cache();
	char *to __free(str) = cache_path(c, "kernels", "k");
	const char *const content[] = {"first", "second"};
	size_t i;

	for (i = 0; i < 2; i++) {
		struct cache_tmp t __free_cache_tmp = CACHE_TMP_INIT;
		struct err e __free_err = ERR_INIT;
		char *made __free(str) = NULL;

		assert_ok(cache_tmp_init(&t, c, &e));
		sandbox_puts(t.path, "made/file", content[i]);
		made = file_join(t.path, "made");
		assert_ok(cache_publish(made, to, &e));
	}
	assert_file_is(to, "file", "first");
}

static void nothing_stays_behind(void **state)
{
	struct cache *c __free(cache) = open_cache();
	char *path __free(str) = NULL;

	{
		struct cache_tmp t __free_cache_tmp = CACHE_TMP_INIT;
		struct err e __free_err = ERR_INIT;

		assert_ok(cache_tmp_init(&t, c, &e));
		path = xstrdup(t.path);
		sandbox_puts(path, "half", "x");
		assert_ok(cache_sweep(c, &e)); /* not what is being made */
		assert_true(file_exists(path));
	}
	assert_false(file_exists(path));
}

/* Makes a directory in tmp/, tells us its name, and waits to be killed. */
static pid_t start_maker(struct cache *c, char *ret_path, size_t size)
{
	int fds[2];
	pid_t pid;
	ssize_t n;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct cache_tmp t = CACHE_TMP_INIT;

		if (cache_tmp_init(&t, c, NULL) || write(fds[1], t.path, strlen(t.path)) < 0)
			_exit(1);
		pause();
		_exit(1);
	}
	close(fds[1]);
	n = read(fds[0], ret_path, size - 1);
	close(fds[0]);
	assert_true(n > 0);
	ret_path[n] = '\0';
	return pid;
}

static void sweeps_what_the_dead_left(void **state)
{
	struct cache *c __free(cache) = open_cache();
	struct err e __free_err = ERR_INIT;
	char path[256];
	pid_t pid = start_maker(c, path, sizeof(path));

	sandbox_puts(path, "deep/half", "x");
	assert_ok(cache_sweep(c, &e));
	assert_true(file_exists(path)); /* it lives */
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_ok(cache_sweep(c, &e));
	assert_false(file_exists(path));
}

static void locks_exclude(void **state)
{
	char *path __free(str) = file_join(*state, "lock");
	int fd __free(fd) = -1, other __free(fd) = -1;
	struct err e __free_err = ERR_INIT;

	assert_ok(cache_lock(path, &fd, &e));
	other = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	close(steal_fd(&fd));
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(cache_lock("/nonexistent/lock", &fd, &e), -ENOENT);
}

static void needs_a_home(void **state)
{
	char *home __free(str) = xstrdup_null(getenv("HOME"));
	struct cache *c = NULL;
	struct err e __free_err = ERR_INIT;

	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_int_equal(cache_open(&c, &e), -ENOENT);
	if (home)
		setenv("HOME", home, 1);
}

#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(first_one_stays), T(nothing_stays_behind), T(sweeps_what_the_dead_left),
		T(locks_exclude),   T(needs_a_home),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
