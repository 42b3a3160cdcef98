// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-debug-rsp-hostile.c - the gdb client against stubs that are broken, mean
 * or gone.
 */
#include "test/test.h"

#include "test/machine/rsp_peer.h"

/* All that waits is answered, then the loss is told, with @why in its text. */
static void assert_lost(struct peer *p, const char *answers, const char *why)
{
	size_t n = strlen(answers);

	peer_run_dry(p);
	assert_true(p->log.len > n);
	assert_memory_equal(p->log.data, answers, n);
	assert_memory_equal(p->log.data + n, "[lost: ", 7);
	if (!strstr(p->log.data + n, why))
		fail_msg("'%s' does not tell '%s'", p->log.data, why);
	assert_int_equal(peer_ask(p, (struct debug_request){.op = DEBUG_HALT}), -ENOTCONN);
	buf_reset(&p->log);
	peer_expect(p, "");
}

static void attach_fails(struct peer *p, const char *ask, const char *say, const char *log)
{
	p->quiet = true;
	peer_will(p, ask, say, 0);
	ask_for(p, .op = DEBUG_ATTACH);
	peer_expect(p, log);
	/* What could not be attached is not lost, and not attached. */
	ask_for(p, .op = DEBUG_STEP);
	peer_expect(p, "[-16]");
}

#define UNATTACHABLE(name, ask, say, log)                           \
	static void name(void **state)                              \
	{                                                           \
		attach_fails((struct peer *)*state, ask, say, log); \
	}

UNATTACHABLE(no_features, "qSupported", "", "[-95]")
UNATTACHABLE(no_stepping, "vCont?", "vCont;c;t", "[-95]")
UNATTACHABLE(no_cpus, "qfThreadInfo", "l", "[-95]")
UNATTACHABLE(no_description, "qXfer:features:read:target.xml", "E00", "[-95]")
UNATTACHABLE(no_set, "g", "E01", "[-95]")
UNATTACHABLE(another_architecture, "qXfer:features:read:target.xml",
	     "l<target><architecture>i386</architecture><reg name=\"a\" bitsize=\"32\"/></target>",
	     "[-95]")
UNATTACHABLE(no_registers, "qXfer:features:read:target.xml", "l<target/>", "[-74]")
UNATTACHABLE(no_xml, "qXfer:features:read:target.xml", "l<target>", "[-74]")
UNATTACHABLE(circular_description, "qXfer:features:read:core.xml",
	     "l<f><xi:include href=\"core.xml\"/></f>", "[-7]")

static void endless_cpus(void **state)
{
	struct peer *p = *state;

	peer_will(p, "qsThreadInfo", "m1,2,3,4,5,6,7,8", 0);
	p->quiet = true;
	ask_for(p, .op = DEBUG_ATTACH);
	peer_expect(p, "[-7]");
}

static void endless_description(void **state)
{
	struct peer *p = *state;
	char block[8001];

	block[0] = 'm';
	memset(block + 1, ' ', sizeof(block) - 2);
	block[sizeof(block) - 1] = '\0';
	attach_fails(p, "qXfer:features:read:target.xml", block, "[-7]");
}

/* A later attach may find what an earlier one did not. */
static void attaching_again(void **state)
{
	struct peer *p = *state;

	peer_will(p, "vCont?", "", 1);
	p->quiet = true;
	ask_for(p, .op = DEBUG_ATTACH);
	peer_expect(p, "[-95]");
	peer_attach(p);
	assert_int_equal(p->debug->n_cpus, 2);
}

static void lost_while_attaching(struct peer *p, const char *ask, const char *say, const char *why)
{
	p->quiet = true;
	peer_will(p, ask, say, 0);
	ask_for(p, .op = DEBUG_ATTACH);
	ask_for(p, .op = DEBUG_RESUME);
	assert_lost(p, "[-107][-107]", why);
}

#define LOST_ATTACHING(name, ask, say, why)                                 \
	static void name(void **state)                                      \
	{                                                                   \
		lost_while_attaching((struct peer *)*state, ask, say, why); \
	}

LOST_ATTACHING(hangup_at_once, "qSupported", HANGUP, "closed")
LOST_ATTACHING(hangup_in_the_description, "qXfer:features:read:core.xml", HANGUP, "closed")
LOST_ATTACHING(a_cpu_that_is_none, "qfThreadInfo", "mp01", "CPU")
LOST_ATTACHING(a_cpu_beyond_numbers, "qfThreadInfo", "m11112222333344445", "CPU")
LOST_ATTACHING(an_empty_piece, "qXfer:features:read:core.xml", "m", "description")
LOST_ATTACHING(a_piece_of_another_kind, "qXfer:features:read:core.xml", "x<a/>", "description")
LOST_ATTACHING(no_state, "?", "OK", "stands")
LOST_ATTACHING(an_ended_program, "?", "W00", "ended")

static void lost_while_attached(struct peer *p, const char *say, const char *why)
{
	peer_attach(p);
	p->quiet = true;
	peer_will(p, "m", say, 0);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x40, .len = 2);
	ask_for(p, .op = DEBUG_WRITE_MEMORY, .address = 0x40, .data = "x", .len = 1);
	assert_lost(p, "[-107][-107]", why);
}

#define LOST_ATTACHED(name, say, why)                                 \
	static void name(void **state)                                \
	{                                                             \
		lost_while_attached((struct peer *)*state, say, why); \
	}

LOST_ATTACHED(memory_with_half_a_byte, "010", "memory")
LOST_ATTACHED(memory_beyond_what_was_asked, "010203", "memory")
LOST_ATTACHED(memory_without_digits, "zz", "memory")
LOST_ATTACHED(damaged_for_ever, RAW "$01#00$01#00$01#00$01#00$01#00$01#00$01#00$01#00$01#00",
	      "damaged")
LOST_ATTACHED(a_run_of_nothing, RAW "$* #4a$* #4a$* #4a$* #4a$* #4a$* #4a$* #4a$* #4a$* #4a",
	      "damaged")
LOST_ATTACHED(never_understood, NAK, "cannot read")
LOST_ATTACHED(an_answer_and_an_end, RAW "$W00#b7", "ended")

static void send_all(struct peer *p, const char *data, size_t len, size_t times)
{
	for (; times && !strstr(p->log.data, "[lost"); times--) {
		peer_send(p, data, len);
		peer_run_dry(p);
	}
}

static void a_packet_without_end(void **state)
{
	struct peer *p = *state;
	char block[4096];

	peer_attach(p);
	memset(block, 'a', sizeof(block));
	block[0] = '$';
	peer_send(p, block, 1);
	send_all(p, block + 1, sizeof(block) - 1, 100);
	assert_lost(p, "", "without an end");
}

static void runs_are_no_way_around_it(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	peer_send(p, "$a", 2);
	send_all(p, "*~*~*~*~*~*~*~*~", 16, 1000);
	assert_lost(p, "", "without an end");
}

static void noise(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	send_all(p, "SSH-2.0-OpenSSH_9.2\r\n", 21, 1000);
	assert_lost(p, "", "not the gdb");
}

static void stops_without_end(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	send_all(p, "$S05#b8", 7, 1000);
	assert_lost(p, "", "without end");
}

/* Each is a fact while it runs, but a stopped target cannot stop again. */
static void stops_while_it_runs(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0]");
	peer_say(p, "T05thread:p99.77;");
	peer_say(p, "T05thread:p01.02;");
	peer_expect(p, "[halted breakpoint 0]");
}

static void an_answer_while_it_runs(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0]");
	ask_for(p, .op = DEBUG_HALT);
	peer_will(p, "\x03", "OK", 0);
	p->quiet = true;
	assert_lost(p, "[-107]", "asked for");
	assert_false(p->debug->running);
}

static void two_answers(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	peer_will(p, "m", RAW "$0102#c3$0102#c3", 0);
	p->quiet = true;
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x40, .len = 2);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x40, .len = 2);
	assert_lost(p, "[0][-107]", "asked for");
}

static void refusing_to_run(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	peer_will(p, "vCont;c", RAW "$E01#a6", 1);
	peer_will(p, "vCont;c", "E01", 0);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [-5]");
	assert_false(p->debug->running);
	/* To take it and refuse it then is too late. */
	p->quiet = true;
	ask_for(p, .op = DEBUG_RESUME);
	assert_lost(p, "[0]", "asked for");
}

static void hangup_while_it_runs(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0]");
	ask_for(p, .op = DEBUG_HALT);
	peer_hang_up(p);
	p->quiet = true;
	peer_run_dry(p);
	assert_lost(p, "[-107]", "closed");
}

static void what_was_said_before_the_end_is_heard(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0]");
	peer_say(p, "T05thread:p01.02;");
	debug_rsp_finish(p->debug);
	peer_expect(p, "[halted breakpoint 1][lost: the stub's program has ended]");
	debug_rsp_finish(p->debug);
	peer_expect(p, "");
}

static void free_in_the_last_words(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0]");
	peer_say(p, "T05thread:p01.02;");
	p->free_in_halted = true;
	debug_rsp_finish(p->debug);
	peer_expect(p, "[halted breakpoint 1]");
	assert_null(p->debug);
}

static void free_while_it_is_lost(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	peer_will(p, "m", HANGUP, 0);
	p->free_in_done = true;
	p->quiet = true;
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x40, .len = 2);
	ask_for(p, .op = DEBUG_WRITE_MEMORY, .address = 0x40, .data = "x", .len = 1);
	peer_expect(p, "[-107]");
	assert_null(p->debug);
}

static void free_when_lost(void **state)
{
	struct peer *p = *state;

	p->free_in_lost = true;
	peer_hang_up(p);
	peer_expect(p, "[lost: the stub closed the connection]");
	assert_null(p->debug);
}

/* It never waits for ever, whatever is not answered; side by side, as waiting takes its time. */
static void silence(void **state)
{
	static const char *const silent[] = {"qSupported", "qfThreadInfo", "g"};
	struct peer *first = *state, *p[ARRAY_SIZE(silent) + 3];
	size_t i, n = ARRAY_SIZE(p);

	for (i = 0; i < n; i++) {
		p[i] = peer_new(first->loop);
		p[i]->quiet = true;
		if (i < ARRAY_SIZE(silent)) {
			peer_will(p[i], silent[i], SILENCE, 0);
			ask_for(p[i], .op = DEBUG_ATTACH);
		} else {
			peer_attach(p[i]);
			p[i]->quiet = true;
		}
	}
	/* Answers, an acknowledgement, a stop. */
	peer_will(p[3], "m", NO_ACK, 0);
	ask_for(p[3], .op = DEBUG_READ_MEMORY, .address = 0x40, .len = 2);
	peer_will(p[4], "vCont;c", NO_ACK, 0);
	ask_for(p[4], .op = DEBUG_RESUME);
	peer_will(p[5], "vCont;s", SILENCE, 0);
	peer_will(p[5], "\x03", SILENCE, 0);
	ask_for(p[5], .op = DEBUG_STEP);
	for (i = 0; i < n; i++) {
		run_until(p[i], strstr(p[i]->log.data, "[lost"));
		assert_lost(p[i], "[-107]", "does not answer");
		peer_free(p[i]);
	}
}

#define WITH_PEER(test) cmocka_unit_test_setup_teardown(test, peer_set_up, peer_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PEER(no_features),
		WITH_PEER(no_stepping),
		WITH_PEER(no_cpus),
		WITH_PEER(no_description),
		WITH_PEER(no_set),
		WITH_PEER(another_architecture),
		WITH_PEER(no_registers),
		WITH_PEER(no_xml),
		WITH_PEER(circular_description),
		WITH_PEER(endless_cpus),
		WITH_PEER(endless_description),
		WITH_PEER(attaching_again),
		WITH_PEER(hangup_at_once),
		WITH_PEER(hangup_in_the_description),
		WITH_PEER(a_cpu_that_is_none),
		WITH_PEER(a_cpu_beyond_numbers),
		WITH_PEER(an_empty_piece),
		WITH_PEER(a_piece_of_another_kind),
		WITH_PEER(no_state),
		WITH_PEER(an_ended_program),
		WITH_PEER(memory_with_half_a_byte),
		WITH_PEER(memory_beyond_what_was_asked),
		WITH_PEER(memory_without_digits),
		WITH_PEER(damaged_for_ever),
		WITH_PEER(a_run_of_nothing),
		WITH_PEER(never_understood),
		WITH_PEER(two_answers),
		WITH_PEER(an_answer_and_an_end),
		WITH_PEER(a_packet_without_end),
		WITH_PEER(runs_are_no_way_around_it),
		WITH_PEER(noise),
		WITH_PEER(stops_without_end),
		WITH_PEER(stops_while_it_runs),
		WITH_PEER(an_answer_while_it_runs),
		WITH_PEER(refusing_to_run),
		WITH_PEER(hangup_while_it_runs),
		WITH_PEER(what_was_said_before_the_end_is_heard),
		WITH_PEER(free_in_the_last_words),
		WITH_PEER(free_while_it_is_lost),
		WITH_PEER(free_when_lost),
		WITH_PEER(silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
