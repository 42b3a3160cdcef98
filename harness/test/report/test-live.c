// SPDX-License-Identifier: GPL-2.0-or-later
/* The live view as it stands on a terminal, played into a small model of one. */
#include "test/report/made_run.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include "base/log.h"
#include "report/live.h"

#define ROWS 60
#define COLS 100

struct screen {
	char cells[ROWS][COLS + 1];
	int row, col;
	size_t escapes;
};

static void scroll_to_fit(struct screen *s)
{
	if (s->row < ROWS)
		return;
	memmove(s->cells[0], s->cells[1], sizeof(s->cells) - sizeof(s->cells[0]));
	memset(s->cells[ROWS - 1], ' ', COLS);
	s->row = ROWS - 1;
}

/* Cursor up, clear to the end of the screen, colours; nothing else is allowed. */
static const char *play_escape(struct screen *s, const char *p)
{
	int row, n = 0;

	s->escapes++;
	assert_int_equal(*p++, '[');
	for (; *p >= '0' && *p <= '9'; p++)
		n = n * 10 + *p - '0';
	switch (*p) {
	case 'A':
		s->row -= n;
		assert_in_range(s->row, 0, ROWS);
		break;
	case 'J':
		assert_int_equal(n, 0);
		memset(s->cells[s->row] + s->col, ' ', COLS - (size_t)s->col);
		for (row = s->row + 1; row < ROWS; row++)
			memset(s->cells[row], ' ', COLS);
		break;
	case 'm':
		break;
	default:
		fail_msg("unexpected escape sequence ending in '%c'", *p);
	}
	return p + 1;
}

static void play(struct screen *s, const char *text)
{
	const char *p = text;

	while (*p) {
		if (*p == '\033') {
			p = play_escape(s, p + 1);
			continue;
		}
		if (*p == '\r') {
			s->col = 0;
		} else if (*p == '\n') {
			s->row++;
			scroll_to_fit(s);
		} else {
			assert_in_range((unsigned char)*p, 0x20, 0x7e);
			assert_in_range(s->col, 0, COLS - 1); /* nothing may wrap */
			s->cells[s->row][s->col++] = *p;
		}
		p++;
	}
}

struct rig {
	int master;
	FILE *out;
	struct screen screen;
	struct live *live;
};

static int rig_setup(void **state)
{
	struct winsize size = {.ws_row = ROWS, .ws_col = COLS};
	struct rig *r;
	int row, fd;

	xnew(r);
	*state = r;
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	r->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (r->master < 0 || grantpt(r->master) || unlockpt(r->master))
		return -1;
	fd = open(ptsname(r->master), O_RDWR | O_NOCTTY);
	r->out = fd < 0 ? NULL : fdopen(fd, "r+");
	if (!r->out || ioctl(fileno(r->out), TIOCSWINSZ, &size))
		return -1;
	for (row = 0; row < ROWS; row++)
		memset(r->screen.cells[row], ' ', COLS);
	return 0;
}

static int rig_teardown(void **state)
{
	struct rig *r = *state;

	live_free(r->live);
	fclose(r->out);
	close(r->master);
	free(r);
	return 0;
}

/* Plays what was written since the last time. */
static void look(struct rig *r)
{
	struct buf text __free_buf = BUF_INIT;
	char chunk[4096];
	ssize_t n;

	while ((n = read(r->master, chunk, sizeof(chunk))) > 0)
		buf_add(&text, chunk, (size_t)n);
	play(&r->screen, text.data);
}

/* Line @row without the blanks at its end. */
static const char *line(struct rig *r, int row)
{
	static char text[COLS + 1];
	int n = COLS;

	memcpy(text, r->screen.cells[row], COLS);
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	return text;
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool ends_with(const char *s, const char *suffix)
{
	return strlen(s) >= strlen(suffix) && !strcmp(s + strlen(s) - strlen(suffix), suffix);
}

static void a_line_a_running_job(void **state)
{
	struct rig *r = *state;

	r->live = live_new(r->out, 24);
	live_job_started(r->live, 0, "minimal -> recovery kexec");
	live_job_started(r->live, 1, "minimal -> minimal cold");
	live_stage(r->live, 0, STAGE_KERNEL_INIT);
	live_tick(r->live, 0, 24, 130 * NS_PER_S);
	look(r);
	assert_true(starts_with(line(r, 0), "minimal -> recovery kexec "));
	assert_non_null(strstr(line(r, 0), "  kernel-init "));
	assert_true(ends_with(line(r, 0), "s"));
	assert_true(starts_with(line(r, 1), "minimal -> minimal cold "));
	assert_non_null(strstr(line(r, 1), "  power "));
	assert_string_equal(line(r, 2), "0/24, about 2m10s left");
	assert_string_equal(line(r, 3), "");
	assert_int_equal(r->screen.row, 3);
}

static void surprises_stay_and_the_rest_goes(void **state)
{
	struct verdict good = made_verdict(OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, 1900);
	struct verdict bad = made_verdict(OUTCOME_HANG, STAGE_ENTRY, 0);
	struct rig *r = *state;

	bad.signature = (char *)"hang: \033[2J silent";
	r->live = live_new(r->out, 2);
	live_job_started(r->live, 0, "one");
	live_job_started(r->live, 1, "two");
	live_job_done(r->live, 0, &good, "one");
	live_job_done(r->live, 1, &bad, "two");
	look(r);
	assert_string_equal(line(r, 0), "[2/2] hang  two: hang: \\x1b[2J silent");
	assert_string_equal(line(r, 1), "2/2, 1 userspace-reached, 1 hang");
	assert_string_equal(line(r, 2), "");
	live_free(steal_ptr(r->live));
	look(r);
	assert_string_equal(line(r, 0), "[2/2] hang  two: hang: \\x1b[2J silent");
	assert_string_equal(line(r, 1), "");
	assert_int_equal(r->screen.row, 1);
}

static void log_lines_do_not_tear_it(void **state)
{
	struct rig *r = *state;
	int i;

	r->live = live_new(r->out, 2);
	live_job_started(r->live, 0, "one");
	for (i = 0; i < 5; i++) {
		log_warn("line %d \033[31m", i);
		live_tick(r->live, 0, 2, UINT64_MAX);
	}
	look(r);
	assert_string_equal(line(r, 0), "kjump: warning: line 0 \\x1b[31m");
	assert_string_equal(line(r, 4), "kjump: warning: line 4 \\x1b[31m");
	assert_true(starts_with(line(r, 5), "one "));
	assert_string_equal(line(r, 6), "0/2");
	assert_string_equal(line(r, 7), "");
}

static void log_is_given_back(void **state)
{
	struct rig *r = *state;

	live_free(live_new(r->out, 2));
	look(r);
	log_info("to stderr again"); /* would be a use after free */
	look(r);
	assert_string_equal(line(r, 0), "");
}

static void long_titles_are_cut(void **state)
{
	struct rig *r = *state;
	char title[300];

	memset(title, 'x', sizeof(title) - 1);
	title[sizeof(title) - 1] = '\0';
	title[0] = '\033';
	r->live = live_new(r->out, 1);
	live_job_started(r->live, 0, title);
	live_stage(r->live, 0, STAGE_USERSPACE_B);
	look(r); /* play() fails on a line that is too long */
	assert_true(starts_with(line(r, 0), "\\x1bxxx"));
	assert_non_null(strstr(line(r, 0), "x...  userspace-b "));
}

/* More jobs than the terminal has lines: it must not scroll away for good. */
static void more_jobs_than_lines(void **state)
{
	struct rig *r = *state;
	int i;

	r->live = live_new(r->out, 200);
	for (i = 0; i < 200; i++) {
		char title[32];

		snprintf(title, sizeof(title), "job %d", i);
		live_job_started(r->live, i, title);
		look(r);
	}
	assert_true(starts_with(line(r, 0), "job 0 "));
	assert_string_equal(line(r, ROWS - 2), "0/200");
}

static void odd_slots(void **state)
{
	struct verdict v = made_verdict(OUTCOME_PANIC, STAGE_EARLY, 0);
	struct rig *r = *state;

	r->live = live_new(r->out, 1);
	live_job_started(r->live, -1, "no slot");
	live_stage(r->live, 1 << 20, STAGE_EARLY);
	live_job_done(r->live, 7, &v, "never started");
	look(r);
	assert_true(starts_with(line(r, 0), "[1/1] panic  never started"));
}

static void no_color(void **state)
{
	struct verdict v = made_verdict(OUTCOME_PANIC, STAGE_EARLY, 0);
	struct buf text __free_buf = BUF_INIT;
	struct rig *r = *state;
	char chunk[4096];
	ssize_t n;

	setenv("NO_COLOR", "1", 1);
	r->live = live_new(r->out, 1);
	live_job_done(r->live, 0, &v, "t");
	while ((n = read(r->master, chunk, sizeof(chunk))) > 0)
		buf_add(&text, chunk, (size_t)n);
	assert_non_null(strstr(text.data, "panic"));
	assert_null(strstr(text.data, "\033[31m"));
	assert_null(strstr(text.data, "\033[0m"));
}

/* What lands in a file or in a log of CI. */
static char *without_terminal(FILE **ret)
{
	char *path = xstrdup("/tmp/kjump-test.XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	*ret = fdopen(fd, "w+");
	return path;
}

static void plain_lines_elsewhere(void **state)
{
	struct verdict good = made_verdict(OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, 1900);
	struct verdict bad = made_verdict(OUTCOME_PANIC, STAGE_EARLY, 0);
	struct buf text __free_buf = BUF_INIT;
	FILE *out;
	char *path __free(str) = without_terminal(&out);
	struct live *l = live_new(out, 2);

	bad.signature = (char *)"panic: x\033y";
	live_job_started(l, 0, "one");
	live_stage(l, 0, STAGE_EARLY);
	live_tick(l, 0, 2, UINT64_MAX);
	live_job_done(l, 0, &good, "one");
	live_job_done(l, 0, &bad, "two");
	live_tick(l, 2, 2, 0);
	live_free(l);
	assert_int_equal(file_read(path, 1 << 16, &text, NULL), 0);
	assert_string_equal(text.data, "[1/2] userspace-reached 1.9s  one\n"
				       "[2/2] panic  two: panic: x\\x1by\n");
	fclose(out);
	unlink(path);
}

static void dumb_terminal_gets_plain_lines(void **state)
{
	struct verdict v = made_verdict(OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, 1900);
	struct rig *r = *state;

	setenv("TERM", "dumb", 1);
	r->live = live_new(r->out, 1);
	live_job_started(r->live, 0, "one");
	live_job_done(r->live, 0, &v, "one");
	look(r);
	assert_int_equal(r->screen.escapes, 0);
	assert_string_equal(line(r, 0), "[1/1] userspace-reached 1.9s  one");
}

#define RIG_TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_line_a_running_job),
		RIG_TEST(surprises_stay_and_the_rest_goes),
		RIG_TEST(log_lines_do_not_tear_it),
		RIG_TEST(log_is_given_back),
		RIG_TEST(long_titles_are_cut),
		RIG_TEST(more_jobs_than_lines),
		RIG_TEST(odd_slots),
		RIG_TEST(no_color),
		cmocka_unit_test(plain_lines_elsewhere),
		RIG_TEST(dumb_terminal_gets_plain_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
