// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "evidence/evidence.h"
#include "test/evidence/evidence_dir.h"

/* Memory is measured here: the sanitizer may not hold on to what was freed. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

static const struct evidence_limits small = {1000, 500};
/* A replay as one text: console bytes as they are, all else in angle brackets. */
struct heard {
	struct buf text;
	uint64_t t_ns, gap_bytes;
	size_t events, stop_after;
	bool backwards;
};

static void hear_text(struct buf *b, const char *s)
{
	buf_adds(b, s ? s : "(null)");
}

static int hear(const struct event *ev, void *arg)
{
	struct heard *h = arg;
	struct buf *b = &h->text;

	if (ev->t_ns < h->t_ns)
		h->backwards = true;
	h->t_ns = ev->t_ns;
	if (ev->type != EVENT_CONSOLE)
		buf_addf(b, "<%s ", event_type_name(ev->type));
	switch (ev->type) {
	case EVENT_CONSOLE:
		buf_add(b, ev->bytes.data, ev->bytes.len);
		break;
	case EVENT_INPUT:
		buf_add(b, ev->bytes.data, ev->bytes.len);
		break;
	case EVENT_GAP:
		buf_addf(b, "%llu ", (unsigned long long)ev->gap.bytes);
		hear_text(b, ev->gap.why);
		h->gap_bytes += ev->gap.bytes;
		break;
	case EVENT_MARK:
		buf_addf(b, "%s ", mark_name(ev->mark.mark));
		hear_text(b, ev->mark.text);
		break;
	case EVENT_COMMAND:
		buf_addf(b, "%s %d %llu ", ev->command.line, ev->command.status,
			 (unsigned long long)ev->command.duration_ns);
		buf_add(b, ev->command.output, ev->command.output_len);
		break;
	case EVENT_CHECK:
		buf_addf(b, "%s %d ", ev->check.name, ev->check.ok);
		hear_text(b, ev->check.expected);
		hear_text(b, ev->check.seen);
		break;
	case EVENT_MACHINE:
		buf_addf(b, "%s ", machine_what_name(ev->machine.what));
		hear_text(b, ev->machine.text);
		break;
	case EVENT_FRAME:
		buf_addf(b, "%llu %ux%u %s %u %u %d %d ",
			 (unsigned long long)ev->frame.uncertainty_ns, ev->frame.width,
			 ev->frame.height, ev->frame.digest, ev->frame.lit_ppm,
			 ev->frame.changed_ppm, ev->frame.placeholder, ev->frame.steady);
		hear_text(b, ev->frame.match);
		hear_text(b, ev->frame.file);
		break;
	case EVENT_SIGNAL:
		buf_addf(b, "%d ", ev->signal.present);
		hear_text(b, ev->signal.text);
		break;
	case EVENT_PROBE:
		buf_addf(b, "%s %s ", probe_what_name(ev->probe.what), ev->probe.title);
		hear_text(b, ev->probe.text);
		hear_text(b, ev->probe.file);
		break;
	case EVENT_LIMIT:
		buf_addf(b, "%s %llu", ev->limit.what, (unsigned long long)ev->limit.limit_ms);
		break;
	case EVENT_INFRA:
		hear_text(b, ev->infra.text);
		break;
	}
	if (ev->type != EVENT_CONSOLE)
		buf_adds(b, ">");
	return ++h->events == h->stop_after ? 77 : 0;
}

static struct event console(uint64_t t_ns, const char *data, size_t len)
{
	return (struct event){.t_ns = t_ns, .type = EVENT_CONSOLE, .bytes = {data, len}};
}

static struct event mark(uint64_t t_ns, enum mark m, const char *text)
{
	return (struct event){.t_ns = t_ns, .type = EVENT_MARK, .mark = {m, text}};
}

static void put(struct evidence_writer *w, struct event ev)
{
	assert_int_equal(evidence_write(w, &ev, NULL), 0);
}

static void one_of_each(struct evidence_writer *w, int (*each)(const struct event *ev, void *arg),
			void *arg)
{
	const struct event events[] = {
		mark(0, MARK_POWER_ON, NULL),
		console(10, "a\0b\xff\r\n", 6),
		{.t_ns = 20, .type = EVENT_INPUT, .bytes = {"uname\n\x03", 7}},
		{.t_ns = 20, .type = EVENT_INPUT, .bytes = {"\xff\xfe\0z", 4}},
		console(30, "6.1\n", 4),
		{.t_ns = 40,
		 .type = EVENT_COMMAND,
		 .command = {"uname -r", 3, "6.1\n\0\x80", 6, 123456}},
		{.t_ns = 41, .type = EVENT_COMMAND, .command = {"true", 0, "", 0, 1}},
		{.t_ns = 50, .type = EVENT_CHECK, .check = {"release", "6.1", "\xc3(", false}},
		{.t_ns = 51, .type = EVENT_CHECK, .check = {"cpus", NULL, NULL, true}},
		{.t_ns = 60, .type = EVENT_MACHINE, .machine = {MACHINE_EVENT_QMP, "{\"a\": 1}"}},
		{.t_ns = 61, .type = EVENT_MACHINE, .machine = {MACHINE_EVENT_DIED, NULL}},
		{.t_ns = 62,
		 .type = EVENT_FRAME,
		 .frame = {12000000, 1280, 800, "ab01", 1, 999999, true, false, NULL, NULL}},
		{.t_ns = 63,
		 .type = EVENT_FRAME,
		 .frame = {0, 1, 1, "f", 0, 0, false, true, "spl\xe2sh", "frame-0001.png"}},
		{.t_ns = 64, .type = EVENT_SIGNAL, .signal = {true, "1280x720"}},
		{.t_ns = 65, .type = EVENT_SIGNAL, .signal = {false, NULL}},
		{.t_ns = 70,
		 .type = EVENT_PROBE,
		 .probe = {PROBE_PROVEN, "it spins", "It spins.\nPC\t0x10", "hang.json"}},
		{.t_ns = 70, .type = EVENT_PROBE, .probe = {PROBE_COUNT, "12 times", NULL, NULL}},
		{.t_ns = 70, .type = EVENT_LIMIT, .limit = {"jump", 30000}},
		{.t_ns = 80, .type = EVENT_GAP, .gap = {0, "hangup"}},
		{.t_ns = 90, .type = EVENT_INFRA, .infra = {"no \xe2\x82\xac left"}},
		mark(UINT64_MAX / 4, MARK_LOAD_FAILED, "kexec_load failed:\nno\x80"),
		console(UINT64_MAX / 4, "end", 3),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		put(w, events[i]);
		each(&events[i], arg);
	}
}

static void replay(struct heard *h, size_t expect_skipped)
{
	size_t skipped = 99;

	buf_init(&h->text);
	assert_int_equal(evidence_replay(dir, hear, h, &skipped, NULL), 0);
	assert_int_equal(skipped, expect_skipped);
	assert_false(h->backwards);
}

static void replay_is_the_original(void **state)
{
	const struct evidence_limits limits = EVIDENCE_LIMITS_DEFAULT;
	struct evidence_writer *w = NULL;
	struct heard sent = {.text = BUF_INIT}, heard = {.text = BUF_INIT};

	assert_int_equal(evidence_create(dir, &limits, &w, NULL), 0);
	one_of_each(w, hear, &sent);
	assert_int_equal(evidence_close(w, NULL), 0);
	replay(&heard, 0);
	assert_int_equal(heard.text.len, sent.text.len);
	assert_memory_equal(heard.text.data, sent.text.data, sent.text.len);
	assert_int_equal(heard.t_ns, sent.t_ns);
	buf_fini(&sent.text);
	buf_fini(&heard.text);
}

static void each_can_stop(void **state)
{
	const struct evidence_limits limits = EVIDENCE_LIMITS_DEFAULT;
	struct evidence_writer *w = NULL;
	struct heard sent = {.text = BUF_INIT}, heard = {.text = BUF_INIT, .stop_after = 3};

	assert_int_equal(evidence_create(dir, &limits, &w, NULL), 0);
	one_of_each(w, hear, &sent);
	assert_int_equal(evidence_close(w, NULL), 0);
	assert_int_equal(evidence_replay(dir, hear, &heard, NULL, NULL), 77);
	assert_int_equal(heard.events, 3);
	buf_fini(&sent.text);
	buf_fini(&heard.text);
}

static void existing_dir_is_refused(void **state)
{
	struct evidence_writer *w = NULL;
	struct err e __free_err = ERR_INIT;

	assert_int_equal(mkdir(dir, 0755), 0);
	assert_int_equal(evidence_create(dir, &small, &w, &e), -EEXIST);
	assert_non_null(strstr(err_msg(&e), dir));
}

/* Chunks close in time share a line; a mark between two of them parts them. */
static void chunks_are_coalesced(void **state)
{
	char *path __free(str) = NULL;
	struct buf events __free_buf = BUF_INIT;
	struct evidence_writer *w = NULL;
	struct heard heard = {.text = BUF_INIT};
	size_t i, lines = 0;

	assert_int_equal(evidence_create(dir, &small, &w, NULL), 0);
	for (i = 0; i < 200; i++)
		put(w, console(i, "x", 1));
	put(w, mark(200, MARK_JUMP, NULL));
	for (i = 0; i < 200; i++)
		put(w, console(NS_PER_MS * i, "y", 1));
	assert_int_equal(evidence_close(w, NULL), 0);
	path = file_join(dir, "events.jsonl");
	assert_int_equal(file_read(path, 1 << 20, &events, NULL), 0);
	for (i = 0; i < events.len; i++)
		lines += events.data[i] == '\n';
	assert_int_equal(lines, 1 + 1 + 200);
	replay(&heard, 0);
	assert_non_null(strstr(heard.text.data, "xx<mark jump (null)>yy"));
	buf_fini(&heard.text);
}

static void head_and_tail_are_kept(void **state)
{
	struct evidence_writer *w = NULL;
	struct heard heard = {.text = BUF_INIT};
	struct buf all __free_buf = BUF_INIT;
	uint64_t t = 0;
	size_t i;

	assert_int_equal(evidence_create(dir, &small, &w, NULL), 0);
	for (i = 0; i < 40000; i++) {
		char line[32];
		int n = snprintf(line, sizeof(line), "line %zu\n", i);

		buf_add(&all, line, (size_t)n);
		put(w, console(t += NS_PER_MS, line, (size_t)n));
		if (i == 20000)
			put(w, mark(t, MARK_JUMP, NULL));
	}
	assert_int_equal(evidence_close(w, NULL), 0);
	replay(&heard, 0);
	assert_memory_equal(heard.text.data, all.data, 1000);
	assert_memory_equal(heard.text.data + heard.text.len - 500, all.data + all.len - 500, 500);
	/* What is missing is said, before and after the mark, and nothing else. */
	assert_int_equal(heard.gap_bytes, all.len - 1500);
	assert_non_null(strstr(heard.text.data, "over the size limit><mark jump (null)><gap "));
	buf_fini(&heard.text);
}

static void torn_and_foreign_lines_are_skipped(void **state)
{
	const struct evidence_limits limits = EVIDENCE_LIMITS_DEFAULT;
	struct evidence_writer *w = NULL;
	struct heard heard = {.text = BUF_INIT};
	char *path __free(str) = NULL;
	static const char extra[] = "not json\n[1]\n{\"t\":1,\"type\":\"news\"}\n"
				    "{\"t\":1,\"type\":\"console\",\"off\":-4,\"len\":9}\n"
				    "{\"t\":1,\"type\":\"console\",\"off\":0,\"len\":1}\n"
				    "{\"t\":1,\"type\":\"input\",\"data_hex\":\"0g\"}\n"
				    "{\"t\":9,\"type\":\"infra\",\"text\":\"seen\"}\n"
				    "{\"t\":9,\"type\":\"infra\",\"text\":\"torn";
	int fd;

	assert_int_equal(evidence_create(dir, &limits, &w, NULL), 0);
	put(w, console(5, "abc", 3));
	assert_int_equal(evidence_close(w, NULL), 0);
	path = file_join(dir, "events.jsonl");
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(file_write_all(fd, extra, sizeof(extra) - 1), 0);
	close(fd);
	replay(&heard, 7);
	assert_string_equal(heard.text.data, "abc<infra seen>");
	buf_fini(&heard.text);
}

static void no_evidence_is_an_error(void **state)
{
	struct err e __free_err = ERR_INIT;
	struct heard heard = {.text = BUF_INIT};

	assert_int_equal(evidence_replay(dir, hear, &heard, NULL, &e), -ENOENT);
	assert_non_null(strstr(err_msg(&e), "console.log"));
}

/* A writer that dies leaves all that it was given, also what no line names yet. */
static void crash_leaves_all(void **state)
{
	struct heard heard = {.text = BUF_INIT};
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct evidence_writer *w = NULL;
		size_t i;

		if (evidence_create(dir, &small, &w, NULL))
			_exit(1);
		for (i = 0; i < 300; i++) {
			struct event ev = console(i, "0123456789", 10);

			if (evidence_write(w, &ev, NULL))
				_exit(2);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	replay(&heard, 0);
	assert_non_null(strstr(heard.text.data, "789<gap 1500 over the size limit>012"));
	assert_int_equal(heard.gap_bytes, 1500);
	buf_fini(&heard.text);
}

static uint64_t disk_bytes(void)
{
	static const char *const names[] = {"console.log", "console.tail", "events.jsonl"};
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *path __free(str) = file_join(dir, names[i]);
		struct stat st;

		if (!stat(path, &st))
			sum += (uint64_t)st.st_size;
	}
	return sum;
}

static int count_only(const struct event *ev, void *arg)
{
	struct heard *h = arg;

	if (ev->type == EVENT_CONSOLE)
		h->events += ev->bytes.len;
	if (ev->type == EVENT_GAP)
		h->gap_bytes += ev->gap.bytes;
	return 0;
}

static void flood_is_bounded(void **state)
{
	const struct evidence_limits limits = {4 << 20, 1 << 20};
	const uint64_t flood = 100 << 20;
	struct evidence_writer *w = NULL;
	static char chunk[4096];
	struct rusage before, after;
	struct heard heard = {.text = BUF_INIT};
	uint64_t sent;

	memset(chunk, 'x', sizeof(chunk));
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(evidence_create(dir, &limits, &w, NULL), 0);
	for (sent = 0; sent < flood; sent += sizeof(chunk))
		put(w, console(sent * 1000, chunk, sizeof(chunk)));
	assert_int_equal(evidence_close(w, NULL), 0);
	assert_true(disk_bytes() < (7 << 20));
	assert_int_equal(evidence_replay(dir, count_only, &heard, NULL, NULL), 0);
	getrusage(RUSAGE_SELF, &after);
	assert_int_equal(heard.events + heard.gap_bytes, flood);
	assert_int_equal(heard.events, 5 << 20);
	assert_true(after.ru_maxrss - before.ru_maxrss < 32 << 10);
}

/* In a child, with mounts of its own: 0 if all went as it should. */
static int read_full_disk(void)
{
	const struct evidence_limits limits = EVIDENCE_LIMITS_DEFAULT;
	struct evidence_writer *w = NULL;
	struct event ev = mark(0, MARK_POWER_ON, NULL);
	static char chunk[10000];
	struct heard heard = {.text = BUF_INIT};
	size_t kept = 0;
	int rc = 0;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", top, "tmpfs", 0, "size=128k"))
		return 2;
	if (evidence_create(dir, &limits, &w, NULL) || evidence_write(w, &ev, NULL))
		return 3;
	memset(chunk, 'y', sizeof(chunk));
	while (!rc && kept < 1000) {
		ev = console(NS_PER_MS * kept, chunk, sizeof(chunk));
		rc = evidence_write(w, &ev, NULL);
		kept += !rc;
	}
	if (rc != -ENOSPC || evidence_write(w, &ev, NULL) != -ENOSPC ||
	    evidence_close(w, NULL) != -ENOSPC)
		return 4;
	if (evidence_replay(dir, hear, &heard, NULL, NULL))
		return 5;
	if (strncmp(heard.text.data, "<mark power-on (null)>yyyy", 26) ||
	    heard.text.len < kept * sizeof(chunk))
		return 6;
	buf_fini(&heard.text);
	return 0;
}

static void full_disk_leaves_it_readable(void **state)
{
	pid_t pid;
	int status;

	if (geteuid())
		skip_because("needs root for a small tmpfs");
	pid = fork();
	if (!pid)
		_exit(read_full_disk());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2)
		skip_because("no private mounts here");
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define WITH_DIR(t) cmocka_unit_test_setup_teardown(t, make_dir, drop_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(replay_is_the_original),  WITH_DIR(each_can_stop),
		WITH_DIR(existing_dir_is_refused), WITH_DIR(chunks_are_coalesced),
		WITH_DIR(head_and_tail_are_kept),  WITH_DIR(torn_and_foreign_lines_are_skipped),
		WITH_DIR(no_evidence_is_an_error), WITH_DIR(crash_leaves_all),
		WITH_DIR(flood_is_bounded),	   WITH_DIR(full_disk_leaves_it_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
