// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/file.h"
#include "machine/runtime.h"

/* A base directory of our own, so that other runs on this host are left alone. */
static int set_up(void **state)
{
	char *base = xstrdup("/tmp/test-runtime-XXXXXX");

	assert_non_null(mkdtemp(base));
	setenv("XDG_RUNTIME_DIR", base, 1);
	*state = base;
	return 0;
}

static int tear_down(void **state)
{
	unsetenv("XDG_RUNTIME_DIR");
	file_remove_tree(*state, NULL);
	free(*state);
	return 0;
}

static void is_private_and_goes_away(void **state)
{
	struct runtime_dir r = RUNTIME_DIR_INIT;
	char *path __free(str) = NULL, *inside __free(str) = NULL;
	struct stat st;

	assert_int_equal(runtime_dir_init(&r, NULL), 0);
	assert_int_equal(strncmp(r.path, *state, strlen(*state)), 0);
	assert_int_equal(stat(r.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	path = xstrdup(r.path);
	inside = file_join(path, "socket");
	assert_int_equal(file_write(inside, "x", 1, NULL), 0);
	runtime_dir_fini(&r);
	assert_false(file_exists(path));
	runtime_dir_fini(&r);
}

static void the_living_are_kept(void **state)
{
	struct runtime_dir r __free_runtime_dir = RUNTIME_DIR_INIT;

	assert_int_equal(runtime_dir_init(&r, NULL), 0);
	machine_runtime_gc();
	assert_true(file_exists(r.path));
}

/* A directory whose owner was killed; returns its path. */
static char *orphan(void)
{
	struct runtime_dir r = RUNTIME_DIR_INIT;
	char *path;
	int fds[2], status;
	char name[200] = {0};
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		if (runtime_dir_init(&r, NULL) || write(fds[1], r.path, strlen(r.path)) < 0)
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_true(read(fds[0], name, sizeof(name) - 1) > 0);
	close(fds[0]);
	close(fds[1]);
	path = xstrdup(name);
	assert_true(file_exists(path));
	return path;
}

static void the_dead_are_swept(void **state)
{
	char *a __free(str) = orphan();
	char *b __free(str) = orphan();

	assert_true(machine_runtime_stale() >= 2);
	assert_true(file_exists(a) && file_exists(b));
	assert_true(machine_runtime_gc() >= 2);
	assert_false(file_exists(a) || file_exists(b));
}

static void what_is_not_ours_is_left_alone(void **state)
{
	char *named_alike __free(str) = file_join(*state, "kjump-backup");
	char *inside __free(str) = file_join(named_alike, "thesis");
	char *link __free(str) = file_join(*state, "kjump-abcdef");
	char *victim __free(str) = file_join(*state, "victim");
	char *lock __free(str) = file_join(victim, "lock");

	assert_int_equal(file_mkdir(named_alike, 0700, NULL), 0);
	assert_int_equal(file_write(inside, "x", 1, NULL), 0);
	assert_int_equal(file_mkdir(victim, 0700, NULL), 0);
	assert_int_equal(file_write(lock, "", 0, NULL), 0);
	assert_int_equal(symlink(victim, link), 0);
	machine_runtime_gc();
	assert_true(file_exists(inside));
	assert_true(file_exists(lock));
	assert_true(file_exists(link));
}

static void tells_where_it_cannot(void **state)
{
	struct runtime_dir r = RUNTIME_DIR_INIT;
	struct err e __free_err = ERR_INIT;

	/* A file, and nothing at all: both fall back to /tmp. */
	setenv("XDG_RUNTIME_DIR", "/dev/null", 1);
	assert_int_equal(runtime_dir_init(&r, &e), 0);
	assert_int_equal(strncmp(r.path, "/tmp/", 5), 0);
	runtime_dir_fini(&r);
	/* A directory where nobody may create anything. */
	setenv("XDG_RUNTIME_DIR", "/proc", 1);
	assert_true(runtime_dir_init(&r, &e) < 0);
	assert_non_null(strstr(err_msg(&e), "/proc"));
	assert_null(r.path);
}

#define WITH_BASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BASE(is_private_and_goes_away), WITH_BASE(the_living_are_kept),
		WITH_BASE(the_dead_are_swept),	     WITH_BASE(what_is_not_ours_is_left_alone),
		WITH_BASE(tells_where_it_cannot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
