// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-sched.c - admission, and the queue in front of it.
 */
#include "test/test.h"

#include "base/clock.h"
#include "run/sched.h"
#include "run/slots.h"

static void test_slots(void **state)
{
	struct slots s;
	int a, b;

	slots_init(&s, 2, 100);
	assert_true(slots_idle(&s));
	a = slots_take(&s, 60);
	assert_true(a >= 0);
	assert_int_equal(slots_take(&s, 41), -EAGAIN);
	b = slots_take(&s, 40);
	assert_true(b >= 0 && b != a);
	assert_int_equal(slots_take(&s, 0), -EAGAIN); /* no slot is left */
	slots_give(&s, a);
	assert_false(slots_idle(&s));
	assert_int_equal(slots_take(&s, 60), a);
	slots_give(&s, a);
	slots_give(&s, b);
	assert_true(slots_idle(&s));
	/* Larger than all that there is: alone. */
	a = slots_take(&s, 1000);
	assert_true(a >= 0);
	assert_int_equal(slots_take(&s, 1), -EAGAIN);
	slots_give(&s, a);
	assert_true(slots_idle(&s));
	slots_fini(&s);
}

struct bench {
	sd_event *loop;
	struct slots slots;
	struct sched *sched;
	struct job jobs[6];
	struct sched_item *running[6];
	char log[256];
	unsigned int n_idle, n_running, most_running;
	size_t fail_at;
	bool nested, at_once;
};

static void note(struct bench *b, const char *what, const struct sched_item *item)
{
	snprintf(b->log + strlen(b->log), sizeof(b->log) - strlen(b->log), "%s%zu.%u ", what,
		 (size_t)(item->job - b->jobs), item->attempt);
}

static int start(struct sched_item *item, void *arg)
{
	struct bench *b = arg;
	size_t i = (size_t)(item->job - b->jobs);

	assert_false(b->nested);
	assert_true(item->slot >= 0);
	note(b, "+", item);
	if (i == b->fail_at)
		return -EIO;
	b->running[i] = item;
	if (++b->n_running > b->most_running)
		b->most_running = b->n_running;
	if (b->at_once) { /* an attempt that ends within its start */
		b->nested = true;
		b->n_running--;
		sched_done(b->sched, item);
		b->nested = false;
	}
	return 0;
}

static void idle(void *arg)
{
	((struct bench *)arg)->n_idle++;
}

static void end(struct bench *b, size_t i)
{
	b->n_running--;
	note(b, "-", b->running[i]);
	sched_done(b->sched, b->running[i]);
}

static void turn(struct bench *b)
{
	while (sd_event_run(b->loop, 0) > 0)
		;
}

static void setup(struct bench *b, size_t n_slots, uint64_t budget)
{
	const struct sched_opts opts = {.slots = &b->slots, .start = start, .idle = idle, .arg = b};
	struct sched_opts own = opts;

	b->fail_at = 99;
	assert_true(sd_event_new(&b->loop) >= 0);
	own.loop = b->loop;
	slots_init(&b->slots, n_slots, budget);
	assert_int_equal(sched_new(&own, &b->sched, NULL), 0);
}

static void teardown(struct bench *b)
{
	sched_free(b->sched);
	slots_fini(&b->slots);
	sd_event_unref(b->loop);
}

static void test_order(void **state)
{
	struct bench b = {0};
	size_t i;

	setup(&b, 2, 100);
	for (i = 0; i < 4; i++)
		sched_add(b.sched, &b.jobs[i], 1 + (unsigned int)i, i == 2 ? 80 : 30);
	sched_go(b.sched);
	assert_string_equal(b.log, ""); /* only from the loop */
	turn(&b);
	assert_string_equal(b.log, "+0.1 +1.2 ");
	end(&b, 0);
	turn(&b);
	/* The large one waits, and nobody overtakes it. */
	assert_string_equal(b.log, "+0.1 +1.2 -0.1 ");
	end(&b, 1);
	turn(&b);
	assert_string_equal(b.log, "+0.1 +1.2 -0.1 -1.2 +2.3 ");
	end(&b, 2);
	turn(&b);
	assert_int_equal(b.n_idle, 0);
	end(&b, 3);
	turn(&b);
	assert_string_equal(b.log, "+0.1 +1.2 -0.1 -1.2 +2.3 -2.3 +3.4 -3.4 ");
	assert_int_equal(b.n_idle, 1);
	assert_int_equal(sched_total(b.sched), 4);
	assert_int_equal(sched_finished(b.sched), 4);
	teardown(&b);
}

static void test_nothing_to_do(void **state)
{
	struct bench b = {0};

	setup(&b, 1, 100);
	sched_go(b.sched);
	turn(&b);
	sched_go(b.sched);
	turn(&b);
	assert_int_equal(b.n_idle, 1);
	teardown(&b);
}

static void test_start_fails_or_ends_at_once(void **state)
{
	struct bench b = {0};
	size_t i;

	setup(&b, 1, 100);
	b.fail_at = 1;
	b.at_once = true;
	for (i = 0; i < 3; i++)
		sched_add(b.sched, &b.jobs[i], 1, 30);
	sched_go(b.sched);
	turn(&b);
	assert_string_equal(b.log, "+0.1 +1.1 +2.1 ");
	assert_int_equal(sched_finished(b.sched), 3);
	assert_int_equal(b.n_idle, 1);
	assert_true(slots_idle(&b.slots));
	teardown(&b);
}

static void count(struct sched_item *item, void *arg)
{
	++*(unsigned int *)arg;
}

static void test_stop_accepting(void **state)
{
	struct bench b = {0};
	unsigned int n = 0;
	size_t i;

	setup(&b, 2, 100);
	for (i = 0; i < 6; i++)
		sched_add(b.sched, &b.jobs[i], 1, 10);
	sched_go(b.sched);
	turn(&b);
	sched_each_running(b.sched, count, &n);
	assert_int_equal(n, 2);
	sched_drop_queue(b.sched);
	turn(&b);
	assert_int_equal(b.n_idle, 0); /* two still run */
	assert_int_equal(sched_total(b.sched), 2);
	end(&b, 0);
	end(&b, 1);
	turn(&b);
	assert_string_equal(b.log, "+0.1 +1.1 -0.1 -1.1 ");
	assert_int_equal(b.n_idle, 1);
	teardown(&b);
}

static void test_eta(void **state)
{
	struct bench b = {0};
	uint64_t now, eta, mean;
	size_t i;

	setup(&b, 1, 100);
	for (i = 0; i < 4; i++)
		sched_add(b.sched, &b.jobs[i], 1, 10);
	sched_go(b.sched);
	turn(&b);
	assert_true(sched_eta_ns(b.sched, clock_ns()) == UINT64_MAX);
	/* As if the first had taken a second. */
	b.running[0]->started_ns -= NS_PER_S;
	end(&b, 0);
	turn(&b);
	now = b.running[1]->started_ns;
	eta = sched_eta_ns(b.sched, now);
	mean = eta / 3; /* the one that just began, and two that wait */
	assert_true(mean >= NS_PER_S);
	assert_int_equal(sched_eta_ns(b.sched, now + mean / 2), eta - mean / 2);
	/* One that takes longer than the others does not make time run backwards. */
	assert_int_equal(sched_eta_ns(b.sched, now + 10 * mean), 2 * mean);
	teardown(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_start_fails_or_ends_at_once),
		cmocka_unit_test(test_stop_accepting),
		cmocka_unit_test(test_eta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
