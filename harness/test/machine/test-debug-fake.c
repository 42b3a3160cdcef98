// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/buf.h"
#include "machine/debug/debug_fake.h"

static const char *const names[] = {"x0", "pc", "ghost"};

struct fixture {
	sd_event *loop;
	struct debug *d;
	struct buf log;
	bool frees;
};

static void on_done(const struct debug_reply *reply, void *arg)
{
	struct fixture *f = arg;

	buf_addf(&f->log, "[%d", reply->error);
	if (!reply->error && reply->registers->n)
		buf_addf(&f->log, " x0=%lx pc=%lx ghost=%d", reply->registers->value[0],
			 reply->registers->value[1], reply->registers->present[2]);
	buf_add(&f->log, reply->data, reply->len);
	buf_adds(&f->log, "]");
	if (f->frees) {
		debug_free(f->d);
		f->d = NULL;
	}
}

static void on_halted(enum debug_stop why, unsigned int cpu, void *arg)
{
	buf_addf(&((struct fixture *)arg)->log, "[halted %d %u]", why, cpu);
}

static void on_lost(const char *why, void *arg)
{
	buf_addf(&((struct fixture *)arg)->log, "[lost %s]", why);
}

static int set_up(void **state)
{
	const struct debug_fake_script script = {.n_cpus = 2};
	struct debug_events events = {on_halted, on_lost, NULL};
	struct fixture *f = calloc(1, sizeof(*f));

	buf_init(&f->log);
	sd_event_new(&f->loop);
	events.arg = f;
	assert_int_equal(debug_fake_new(f->loop, &script, &events, &f->d, NULL), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	debug_free(f->d);
	sd_event_unref(f->loop);
	buf_fini(&f->log);
	free(f);
	return 0;
}

static void ask(struct fixture *f, struct debug_request q)
{
	q.done = on_done;
	q.arg = f;
	assert_int_equal(debug_submit(f->d, &q), 0);
}

/* Runs until nothing is left to do. */
static void expect(struct fixture *f, const char *log)
{
	assert_int_equal(f->log.len, 0); /* nothing comes before the loop runs */
	while (sd_event_run(f->loop, 0) > 0)
		;
	assert_string_equal(f->log.data, log);
	buf_reset(&f->log);
}

static void answers_in_order(void **state)
{
	struct fixture *f = *state;

	debug_fake_set(f->d, 1, "x0", 5);
	debug_fake_set(f->d, 1, "pc", 0x1000);
	ask(f, (struct debug_request){.op = DEBUG_STEP});
	ask(f, (struct debug_request){.op = DEBUG_ATTACH});
	ask(f, (struct debug_request){.op = DEBUG_STEP, .cpu = 1});
	ask(f, (struct debug_request){
		       .op = DEBUG_READ_REGISTERS, .cpu = 1, .names = names, .n_names = 3});
	ask(f, (struct debug_request){
		       .op = DEBUG_WRITE_REGISTER, .cpu = 1, .names = names + 2, .n_names = 1});
	ask(f, (struct debug_request){.op = DEBUG_RESUME});
	ask(f, (struct debug_request){.op = DEBUG_STEP});
	ask(f, (struct debug_request){.op = DEBUG_HALT});
	expect(f, "[-16][0][0][0 x0=5 pc=1004 ghost=0][-5][0][-16][0]");
	assert_int_equal(f->d->n_cpus, 2);
}

static void keeps_memory_apart(void **state)
{
	struct fixture *f = *state;
	struct debug_request q = {.op = DEBUG_READ_MEMORY, .address = 0xffe, .len = 4};

	debug_fake_poke(f->d, DEBUG_PHYSICAL, 0xffe, "abcd", 4);
	ask(f, (struct debug_request){.op = DEBUG_ATTACH});
	ask(f, q);
	q.space = DEBUG_PHYSICAL;
	ask(f, q);
	ask(f, (struct debug_request){.op = DEBUG_WRITE_MEMORY,
				      .space = DEBUG_PHYSICAL,
				      .address = 0xfff,
				      .data = "XY",
				      .len = 2});
	ask(f, q);
	expect(f, "[0][-14][0abcd][0][0aXYd]");
}

static void remembers_breakpoints(void **state)
{
	struct fixture *f = *state;
	struct debug_request q = {.op = DEBUG_SET_BREAKPOINT, .address = 0x40};

	ask(f, (struct debug_request){.op = DEBUG_ATTACH});
	ask(f, q);
	ask(f, q);
	expect(f, "[0][0][0]");
	assert_true(debug_fake_has_breakpoint(f->d, 0x40));
	q.op = DEBUG_CLEAR_BREAKPOINT;
	ask(f, q);
	expect(f, "[0]");
	assert_false(debug_fake_has_breakpoint(f->d, 0x40));
}

static void stops_and_goes_away(void **state)
{
	const struct debug_request halt = {.op = DEBUG_HALT};
	struct fixture *f = *state;

	debug_fake_stop(f->d, DEBUG_STOP_BREAKPOINT, 1);
	expect(f, "[halted 0 1]");
	assert_false(f->d->running);
	ask(f, halt);
	debug_fake_lose(f->d, "gone");
	assert_int_equal(debug_submit(f->d, &halt), -ENOTCONN);
	expect(f, "[-107][lost gone]");
	assert_int_equal(debug_submit(f->d, &halt), -ENOTCONN);
}

static void refuses_what_is_too_much(void **state)
{
	struct debug_request q = {.op = DEBUG_READ_REGISTERS, .cpu = 2};
	struct fixture *f = *state;
	unsigned int i;

	assert_int_equal(debug_submit(f->d, &q), -EINVAL);
	q.cpu = 0;
	q.n_names = DEBUG_REGS_MAX + 1;
	assert_int_equal(debug_submit(f->d, &q), -EINVAL);
	q = (struct debug_request){.op = DEBUG_READ_MEMORY, .address = UINT64_MAX};
	assert_int_equal(debug_submit(f->d, &q), -EINVAL);
	q.len = 2;
	assert_int_equal(debug_submit(f->d, &q), -EINVAL);
	q.address = 0;
	q.len = DEBUG_MEMORY_MAX + 1;
	assert_int_equal(debug_submit(f->d, &q), -EINVAL);
	q = (struct debug_request){.op = DEBUG_WRITE_MEMORY, .len = 1};
	assert_int_equal(debug_submit(f->d, &q), -EINVAL);
	q = (struct debug_request){.op = DEBUG_HALT};
	for (i = 0; i < DEBUG_QUEUE_MAX; i++)
		assert_int_equal(debug_submit(f->d, &q), 0);
	assert_int_equal(debug_submit(f->d, &q), -ENOBUFS);
}

static void may_be_freed_in_an_answer(void **state)
{
	struct fixture *f = *state;

	f->frees = true;
	ask(f, (struct debug_request){.op = DEBUG_HALT});
	ask(f, (struct debug_request){.op = DEBUG_HALT});
	expect(f, "[0]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(answers_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_memory_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(remembers_breakpoints, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stops_and_goes_away, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_is_too_much, set_up, tear_down),
		cmocka_unit_test_setup_teardown(may_be_freed_in_an_answer, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
