// SPDX-License-Identifier: GPL-2.0-or-later
/* Several processes on one store, and what is left when one of them dies. */
#include "test/store/made_plan.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "store/sql.h"

#define JOBS 24

/* Two attempts of each job. */
static void made_many(struct made *m)
{
	int i;

	made_init(m);
	for (i = 0; i < JOBS; i++)
		made_add(m, 0, 0, JUMP_KEXEC, 0, 1)->repeat = 2;
}

static int put(struct store *s, const struct job *j, unsigned int attempt, const char *last_lines,
	       struct err *e)
{
	struct verdict v = made_verdict(OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, 1900);

	v.last_lines = (char *)last_lines;
	return store_put_attempt(s, RUN, j->id, attempt, true, &v, "runs/x", e);
}

struct tally {
	size_t rows, done, torn;
};

/* An attempt that is there has all that was put with it. */
static int count(const struct attempt_row *row, void *arg)
{
	struct tally *t = arg;
	int i;

	t->rows++;
	t->done += row->done;
	for (i = 0; row->done && i < N_STAGES; i++)
		t->torn += row->stage_ms[i] < 0;
	return 0;
}

static struct tally tally_of(const char *dir)
{
	struct store *s __free(store) = made_open(dir);
	struct err e __free_err = ERR_INIT;
	struct tally t = {0};

	if (store_each_attempt(s, RUN, NULL, count, &t, &e))
		fail_msg("%s", err_msg(&e));
	return t;
}

static bool is_sound(const char *dir)
{
	char *path __free(str) = file_join(dir, "kjump.db");
	struct err e __free_err = ERR_INIT;
	struct sql *db __free(sql) = NULL;
	struct sql_stmt *st __free(sql_stmt) = NULL;

	return !sql_open(path, &db, &e) && !sql_query(db, &st, &e, "PRAGMA integrity_check", "") &&
	       sql_next(st, &e) == 1 && !strcmp(sql_text(st, 0), "ok");
}

static void make_run(const char *dir, const struct made *m)
{
	struct store *s __free(store) = made_open(dir);

	made_begin(s, RUN, m);
}

/* A child that puts attempt number @attempt of all jobs, in a process of its own. */
static pid_t put_all(const char *dir, const struct made *m, unsigned int attempt)
{
	pid_t pid = fork();
	struct err e = ERR_INIT;
	struct store *s;
	size_t i;

	if (pid)
		return pid;
	if (store_open(dir, &s, &e))
		_exit(1);
	for (i = 0; i < m->plan.n_jobs; i++) {
		if (put(s, &m->jobs[i], attempt, "line", &e)) {
			fprintf(stderr, "%s\n", err_msg(&e));
			_exit(1);
		}
	}
	store_close(s);
	_exit(0);
}

static void two_writers_at_once(void **state)
{
	pid_t pids[2];
	struct tally t;
	struct made m;
	int status, i;

	made_many(&m);
	make_run(*state, &m);
	for (i = 0; i < 2; i++)
		pids[i] = put_all(*state, &m, (unsigned int)i + 1);
	for (i = 0; i < 2; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	t = tally_of(*state);
	assert_int_equal(t.rows, 2 * JOBS);
	assert_int_equal(t.done, 2 * JOBS);
	assert_int_equal(t.torn, 0);
	assert_true(is_sound(*state));
}

/* Half an attempt is written and SQLite's files are open when SIGKILL comes. */
static void child_in_transaction(const char *dir, int ready_fd)
{
	char *path = file_join(dir, "kjump.db");
	struct err e = ERR_INIT;
	struct sql *db;

	if (sql_open(path, &db, &e) || sql_begin(db, &e) ||
	    sql_script(db,
		       "PRAGMA cache_spill = 1; PRAGMA cache_size = 1;"
		       "INSERT INTO attempt (job, number, expected, outcome, stage, proof,"
		       " truncated, last_lines) SELECT n, 1, 1, 'hang', 'entry', 'none', 0,"
		       " hex(randomblob(20000)) FROM job",
		       &e))
		_exit(1);
	if (write(ready_fd, "r", 1) != 1)
		_exit(1);
	pause();
	_exit(1);
}

static void killed_in_a_transaction(void **state)
{
	struct tally t;
	struct made m;
	int ready[2], status;
	pid_t pid;
	char c;

	made_many(&m);
	make_run(*state, &m);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid)
		child_in_transaction(*state, ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	t = tally_of(*state);
	assert_int_equal(t.rows, 2 * JOBS);
	assert_int_equal(t.done, 0);
	assert_true(is_sound(*state));
}

/* Wherever between two puts it is hit, what is there is whole. */
static void killed_while_putting(void **state)
{
	int status, round;
	struct tally t;
	struct made m;

	made_many(&m);
	make_run(*state, &m);
	for (round = 0; round < 8; round++) {
		pid_t pid = put_all(*state, &m, 1);

		usleep(3000 + 4000 * (useconds_t)round);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		t = tally_of(*state);
		assert_int_equal(t.rows, 2 * JOBS);
		assert_int_equal(t.torn, 0);
	}
	assert_true(is_sound(*state));
}

/* In a child cmocka's assertions would return into its parent's tests. */
#define CHILD_CHECK(cond)                                                        \
	do {                                                                     \
		if (!(cond)) {                                                   \
			fprintf(stderr, "line %d: %s\n", __LINE__, err_msg(&e)); \
			_exit(1);                                                \
		}                                                                \
	} while (0)

static void child_on_full_disk(const char *dir, const struct made *m)
{
	char *filler = file_join(dir, "filler");
	static char lines[8192], block[4096];
	struct err e = ERR_INIT;
	struct store *s;
	struct tally t = {0};
	size_t kept = 0;
	FILE *f;
	int rc = 0;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", dir, "tmpfs", 0, "size=1m"))
		_exit(99);
	memset(lines, 'x', sizeof(lines) - 1);
	CHILD_CHECK(!store_open(dir, &s, &e));
	made_begin(s, RUN, m);
	CHILD_CHECK(!put(s, &m->jobs[0], 1, lines, &e));
	f = fopen(filler, "w");
	while (fwrite(block, sizeof(block), 1, f) == 1 && fflush(f) == 0)
		;
	fclose(f);
	for (kept = 1; kept < JOBS && !rc; kept++)
		rc = put(s, &m->jobs[kept], 1, lines, &e);
	CHILD_CHECK(rc == -ENOSPC);
	CHILD_CHECK(strstr(err_msg(&e), "no space"));
	/* What was kept before can still be read. */
	CHILD_CHECK(!store_each_attempt(s, RUN, NULL, count, &t, &e));
	CHILD_CHECK(t.done == kept - 1 && !t.torn);
	/* And with space again it goes on. */
	unlink(filler);
	CHILD_CHECK(!put(s, &m->jobs[kept - 1], 1, lines, &e));
	store_close(s);
	_exit(is_sound(dir) ? 0 : 1);
}

static void full_disk(void **state)
{
	struct made m;
	int status;
	pid_t pid;

	made_many(&m);
	pid = fork();
	if (!pid)
		child_on_full_disk(*state, &m);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
		skip_because("needs a mount namespace of its own (root)");
	assert_int_equal(status, 0);
}

static pid_t claim_and_wait(const char *dir)
{
	struct err e = ERR_INIT;
	struct store *s;
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if (store_open(dir, &s, &e) || store_claim_run(s, RUN, &e) ||
		    write(ready[1], "r", 1) != 1)
			_exit(1);
		pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static bool is_running(struct store *s)
{
	struct json *list __free(json) = NULL;

	assert_int_equal(store_list_runs(s, &list, NULL), 0);
	return json_get_bool(json_at(list, 0), "running", false);
}

static void one_writer_a_run(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct err e __free_err = ERR_INIT;
	char *who __free(str) = NULL;
	struct made m;
	pid_t pid;

	made_many(&m);
	made_begin(s, RUN, &m);
	made_begin(s, "other-run", &m);
	assert_false(is_running(s));
	assert_int_equal(store_claim_run(s, "no-run", &e), -ENOENT);
	pid = claim_and_wait(*state);
	assert_int_equal(store_claim_run(s, RUN, &e), -EBUSY);
	who = xasprintf("still being written by process %d on '", (int)pid);
	assert_non_null(strstr(err_msg(&e), who));
	assert_int_equal(store_claim_run(s, "other-run", &e), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(store_claim_run(s, RUN, &e), 0);
	assert_int_equal(store_claim_run(s, RUN, &e), 0); /* it is ours already */
	assert_int_equal(store_claim_run(s, "other-run", &e), 0);
}

static void closing_gives_the_run_up(void **state)
{
	struct store *s = made_open(*state), *t = made_open(*state);
	struct err e __free_err = ERR_INIT;
	struct made m;

	made_many(&m);
	made_begin(s, RUN, &m);
	assert_int_equal(store_claim_run(s, RUN, &e), 0);
	assert_true(is_running(t));
	assert_int_equal(store_claim_run(t, RUN, &e), -EBUSY);
	store_close(s);
	assert_false(is_running(t));
	assert_int_equal(store_claim_run(t, RUN, &e), 0);
	store_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(two_writers_at_once),	 MADE_TEST(killed_in_a_transaction),
		MADE_TEST(killed_while_putting), MADE_TEST(full_disk),
		MADE_TEST(one_writer_a_run),	 MADE_TEST(closing_gives_the_run_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
