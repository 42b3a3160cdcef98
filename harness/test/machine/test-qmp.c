// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-qmp.c - the monitor client against a scripted peer.
 *
 * The peer has a list of commands that it expects, in order, each with what it
 * says to it; any other command fails the test.
 */
#include "test/test.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "machine/qmp.h"

#define PATIENCE_NS (20 * NS_PER_S)
#define GREETING                                                                  \
	"{\"QMP\":{\"version\":{\"qemu\":{\"micro\":2,\"minor\":0,\"major\":10}," \
	"\"package\":\"\"},\"capabilities\":[]}}\r\n"
#define OK(id) "{\"return\":{},\"id\":" #id "}\r\n"
#define EVENT  "{\"timestamp\":{},\"event\":\"RESUME\"}\r\n"
#define NEGOTIATE                         \
	{                                 \
		"qmp_capabilities", OK(0) \
	}

struct exchange {
	const char *command; /* NULL: end of the script */
	const char *answer;  /* NULL: hangs up instead */
};

struct fixture {
	sd_event *loop;
	struct qmp *qmp;
	int peer;
	sd_event_source *peer_io;
	struct json_stream *peer_in;
	const struct exchange *script;
	unsigned int n_ready, n_events, n_closed, n_done;
	int major;
	int closed_error;
	char *closed_text, *done_error;
	int64_t returned;
	bool free_in_event, free_in_ready, free_in_closed, free_in_done;
};

static void drop_qmp(struct fixture *f)
{
	qmp_free(steal_ptr(f->qmp));
}

static void on_ready(int major, int minor, void *arg)
{
	struct fixture *f = arg;

	f->n_ready++;
	f->major = major;
	if (f->free_in_ready)
		drop_qmp(f);
}

static void on_event(const char *name, const struct json *event, void *arg)
{
	struct fixture *f = arg;

	f->n_events++;
	assert_string_equal(name, json_get_str(event, "event"));
	if (f->free_in_event)
		drop_qmp(f);
}

static void on_closed(int error, const char *text, void *arg)
{
	struct fixture *f = arg;

	f->n_closed++;
	f->closed_error = error;
	f->closed_text = xstrdup(text);
	if (f->free_in_closed)
		drop_qmp(f);
}

static void on_done(const char *error, const struct json *reply, void *arg)
{
	struct fixture *f = arg;

	f->n_done++;
	f->done_error = xstrdup_null(error);
	f->returned = json_get_int(reply, "return", -1);
	if (f->free_in_done)
		drop_qmp(f);
}

static void say(struct fixture *f, const char *text)
{
	assert_int_equal(send(f->peer, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static void hang_up(struct fixture *f)
{
	f->peer_io = sd_event_source_disable_unref(f->peer_io);
	close(steal_fd(&f->peer));
}

static void on_command(struct json *command, void *arg)
{
	struct fixture *f = arg;
	const struct exchange *x = f->script;

	assert_true(x && x->command);
	assert_string_equal(json_get_str(command, "execute"), x->command);
	f->script++;
	if (x->answer)
		say(f, x->answer);
	else
		hang_up(f);
}

static int on_peer(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct fixture *f = userdata;
	char block[4096];
	ssize_t n = read(fd, block, sizeof(block));

	if (n <= 0)
		f->peer_io = sd_event_source_disable_unref(f->peer_io);
	else
		assert_int_equal(
			json_stream_feed(f->peer_in, block, (size_t)n, on_command, f, NULL), 0);
	return 0;
}

static int set_up(void **state)
{
	struct fixture *f;
	struct qmp_events events = {on_ready, on_event, on_closed, NULL};
	int fds[2];

	xnew(f);
	*state = f;
	events.arg = f;
	assert_true(sd_event_new(&f->loop) >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
	f->peer = fds[1];
	f->peer_in = json_stream_new(65536);
	assert_true(sd_event_add_io(f->loop, &f->peer_io, f->peer, EPOLLIN, on_peer, f) >= 0);
	assert_int_equal(qmp_new(f->loop, fds[0], &events, &f->qmp, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	drop_qmp(f);
	if (f->peer >= 0)
		hang_up(f);
	json_stream_free(f->peer_in);
	sd_event_unref(f->loop);
	free(f->closed_text);
	free(f->done_error);
	free(f);
	return 0;
}

#define run_until(f, cond)                                                 \
	do {                                                               \
		uint64_t end_ = clock_ns() + PATIENCE_NS;                  \
                                                                           \
		while (!(cond)) {                                          \
			assert_true(clock_ns() < end_);                    \
			assert_true(sd_event_run((f)->loop, 100000) >= 0); \
		}                                                          \
	} while (0)

/* Runs until nothing is left to do. */
static void run_dry(struct fixture *f)
{
	int n;

	do {
		n = sd_event_run(f->loop, 0);
		assert_true(n >= 0);
	} while (n);
}

static void make_ready(struct fixture *f, const struct exchange *script)
{
	f->script = script;
	say(f, GREETING);
	run_until(f, f->n_ready);
}

static void negotiates_and_commands(void **state)
{
	static const struct exchange script[] = {
		NEGOTIATE,
		{"query", EVENT "{\"return\":7,\"id\":1}\r\n" EVENT},
		{"cont", "{\"error\":{\"class\":\"GenericError\",\"desc\":\"no\"},\"id\":2}\r\n"},
		{NULL, NULL},
	};
	struct fixture *f = *state;
	struct json *args = json_new_object();

	assert_int_equal(qmp_command(f->qmp, "cont", NULL, on_done, f), -ENOTCONN);
	make_ready(f, script);
	assert_int_equal(f->major, 10);
	json_set_str(args, "path", "/machine");
	assert_int_equal(qmp_command(f->qmp, "query", args, on_done, f), 0);
	assert_int_equal(f->n_done, 0);
	run_until(f, f->n_done == 1);
	assert_null(f->done_error);
	assert_int_equal(f->returned, 7);
	assert_int_equal(qmp_command(f->qmp, "cont", NULL, on_done, f), 0);
	run_until(f, f->n_done == 2);
	assert_string_equal(f->done_error, "no");
	run_dry(f);
	assert_int_equal(f->n_events, 2);
	assert_int_equal(f->n_closed, 0);
}

static void answers_may_come_out_of_order(void **state)
{
	static const struct exchange script[] = {
		NEGOTIATE,
		{"first", ""},
		{"second", "{\"return\":2,\"id\":2}\n{\"return\":1,\"id\":1}\n"},
		{NULL, NULL},
	};
	struct fixture *f = *state;

	make_ready(f, script);
	qmp_command(f->qmp, "first", NULL, on_done, f);
	qmp_command(f->qmp, "second", NULL, on_done, f);
	run_until(f, f->n_done == 2);
	assert_int_equal(f->returned, 1);
}

static void any_chunking_will_do(void **state)
{
	static const struct exchange script[] = {NEGOTIATE, {NULL, NULL}};
	struct fixture *f = *state;
	size_t i;

	f->script = script;
	for (i = 0; i < sizeof(GREETING) - 1; i++) {
		const char one[2] = {GREETING[i], '\0'};

		say(f, one);
		run_dry(f);
	}
	run_until(f, f->n_ready);
}

static void pending_commands_are_bounded(void **state)
{
	static const struct exchange script[] = {NEGOTIATE, {NULL, NULL}};
	struct fixture *f = *state;
	int i;

	make_ready(f, script);
	for (i = 0; i < QMP_PENDING_MAX; i++)
		assert_int_equal(qmp_command(f->qmp, "stop", NULL, NULL, NULL), 0);
	assert_int_equal(qmp_command(f->qmp, "stop", NULL, NULL, NULL), -ENOBUFS);
}

static void assert_closed(struct fixture *f, int error, const char *text)
{
	run_until(f, f->n_closed);
	assert_int_equal(f->closed_error, error);
	assert_non_null(strstr(f->closed_text, text));
	run_dry(f);
	assert_int_equal(f->n_closed, 1);
	assert_int_equal(qmp_command(f->qmp, "cont", NULL, NULL, NULL), -ENOTCONN);
}

static void garbage_ends_it(void **state)
{
	struct fixture *f = *state;

	say(f, "\x01\xff SSH-2.0-hello\r\n");
	assert_closed(f, -EBADMSG, "JSON");
}

static void garbage_after_the_greeting_ends_it(void **state)
{
	static const struct exchange script[] = {NEGOTIATE, {NULL, NULL}};
	struct fixture *f = *state;

	make_ready(f, script);
	say(f, EVENT "}}}}");
	assert_closed(f, -EBADMSG, "JSON");
	assert_int_equal(f->n_events, 1);
}

static void another_greeting_ends_it(void **state)
{
	struct fixture *f = *state;

	say(f, "{\"hello\":[1,2,3]}");
	assert_closed(f, -EBADMSG, "greeting");
}

static void refused_negotiation_ends_it(void **state)
{
	static const struct exchange script[] = {
		{"qmp_capabilities", "{\"error\":{\"desc\":\"no\"},\"id\":0}"},
		{NULL, NULL},
	};
	struct fixture *f = *state;

	f->script = script;
	say(f, GREETING);
	assert_closed(f, -EBADMSG, "negotiation");
	assert_int_equal(f->n_ready, 0);
}

static void unknown_answer_ends_it(void **state)
{
	static const struct exchange script[] = {
		NEGOTIATE, {"cont", "{\"return\":{},\"id\":99}"}, {NULL, NULL}};
	struct fixture *f = *state;

	make_ready(f, script);
	qmp_command(f->qmp, "cont", NULL, on_done, f);
	assert_closed(f, -EBADMSG, "not sent");
	assert_int_equal(f->n_done, 0);
}

static void no_object_ends_it(void **state)
{
	static const struct exchange script[] = {NEGOTIATE, {NULL, NULL}};
	struct fixture *f = *state;

	make_ready(f, script);
	say(f, "[1,2]\n");
	assert_closed(f, -EBADMSG, "object");
}

static void endless_document_ends_it(void **state)
{
	struct fixture *f = *state;
	char block[4097];
	size_t sent = 0;

	memset(block, 'x', sizeof(block) - 1);
	block[sizeof(block) - 1] = '\0';
	say(f, "{\"event\":\"");
	while (!f->n_closed && sent < 2 * QMP_DOCUMENT_MAX) {
		say(f, block);
		sent += sizeof(block) - 1;
		run_dry(f);
	}
	assert_closed(f, -EBADMSG, "more than");
}

static void hangup_before_the_greeting(void **state)
{
	struct fixture *f = *state;

	hang_up(f);
	assert_closed(f, -EPIPE, "closed");
}

static void hangup_inside_the_greeting(void **state)
{
	struct fixture *f = *state;

	say(f, "{\"QMP\":{\"vers");
	hang_up(f);
	assert_closed(f, -EPIPE, "closed");
}

static void hangup_in_the_negotiation(void **state)
{
	static const struct exchange script[] = {{"qmp_capabilities", NULL}, {NULL, NULL}};
	struct fixture *f = *state;

	f->script = script;
	say(f, GREETING);
	assert_closed(f, -EPIPE, "");
	assert_int_equal(f->n_ready, 0);
}

static void hangup_instead_of_an_answer(void **state)
{
	static const struct exchange script[] = {NEGOTIATE, {"cont", NULL}, {NULL, NULL}};
	struct fixture *f = *state;

	make_ready(f, script);
	qmp_command(f->qmp, "cont", NULL, on_done, f);
	assert_closed(f, -EPIPE, "");
	assert_int_equal(f->n_done, 0);
}

static void last_words_are_heard(void **state)
{
	static const struct exchange script[] = {NEGOTIATE, {NULL, NULL}};
	struct fixture *f = *state;

	make_ready(f, script);
	say(f, EVENT EVENT);
	hang_up(f);
	qmp_finish(f->qmp);
	assert_int_equal(f->n_events, 2);
	assert_int_equal(f->n_closed, 1);
	qmp_finish(f->qmp);
	assert_int_equal(f->n_closed, 1);
}

static void free_is_legal_in_callbacks(void **state)
{
	static const struct exchange script[] = {NEGOTIATE, {"cont", OK(1) EVENT}, {NULL, NULL}};
	struct fixture *f = *state;

	make_ready(f, script);
	f->free_in_done = true;
	qmp_command(f->qmp, "cont", NULL, on_done, f);
	run_until(f, !f->qmp);
	run_dry(f);
	assert_int_equal(f->n_events, 0);
}

static void free_is_legal_in_ready(void **state)
{
	static const struct exchange script[] = {{"qmp_capabilities", OK(0) EVENT}, {NULL, NULL}};
	struct fixture *f = *state;

	f->free_in_ready = true;
	make_ready(f, script);
	run_dry(f);
	assert_int_equal(f->n_events, 0);
}

static void free_is_legal_in_event_and_closed(void **state)
{
	static const struct exchange script[] = {{"qmp_capabilities", OK(0)}, {NULL, NULL}};
	struct fixture *f = *state;

	make_ready(f, script);
	f->free_in_event = true;
	say(f, EVENT EVENT);
	run_until(f, !f->qmp);
	run_dry(f);
	assert_int_equal(f->n_events, 1);
	assert_int_equal(f->n_closed, 0);
}

static void free_is_legal_in_closed(void **state)
{
	struct fixture *f = *state;

	f->free_in_closed = true;
	say(f, "x");
	run_until(f, !f->qmp);
	assert_int_equal(f->n_closed, 1);
}

#define WITH_PEER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PEER(negotiates_and_commands),
		WITH_PEER(answers_may_come_out_of_order),
		WITH_PEER(any_chunking_will_do),
		WITH_PEER(pending_commands_are_bounded),
		WITH_PEER(garbage_ends_it),
		WITH_PEER(garbage_after_the_greeting_ends_it),
		WITH_PEER(another_greeting_ends_it),
		WITH_PEER(refused_negotiation_ends_it),
		WITH_PEER(unknown_answer_ends_it),
		WITH_PEER(no_object_ends_it),
		WITH_PEER(endless_document_ends_it),
		WITH_PEER(hangup_before_the_greeting),
		WITH_PEER(hangup_inside_the_greeting),
		WITH_PEER(hangup_in_the_negotiation),
		WITH_PEER(hangup_instead_of_an_answer),
		WITH_PEER(last_words_are_heard),
		WITH_PEER(free_is_legal_in_callbacks),
		WITH_PEER(free_is_legal_in_ready),
		WITH_PEER(free_is_legal_in_event_and_closed),
		WITH_PEER(free_is_legal_in_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
