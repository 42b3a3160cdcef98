// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "machine/machine_fake.h"

#define PATIENCE_NS (20 * NS_PER_S)

struct fixture {
	struct machine_spec spec;
	struct machine_opts opts;
	struct machine *m;
	/* What happened, in order: "up", "down:WHY", "reset", ... and console bytes. */
	struct buf log;
	unsigned int n_down;
	bool free_in_bytes, free_in_down, free_in_up;
	size_t n_bytes;
};

static void drop_machine(struct fixture *f)
{
	machine_free(steal_ptr(f->m));
}

static void on_up(void *arg)
{
	struct fixture *f = arg;

	buf_adds(&f->log, "[up]");
	if (f->free_in_up)
		drop_machine(f);
}

static void on_down(enum machine_down why, const char *text, void *arg)
{
	struct fixture *f = arg;

	f->n_down++;
	buf_addf(&f->log, "[down %d %s]", why, text ? text : "");
	if (f->free_in_down)
		drop_machine(f);
}

static void on_reset(void *arg)
{
	buf_adds(&((struct fixture *)arg)->log, "[reset]");
}

static void on_notice(const char *json, void *arg)
{
	buf_addf(&((struct fixture *)arg)->log, "[notice %s]", json);
}

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct fixture *f = arg;

	f->n_bytes += len;
	if (f->log.len < 100000)
		buf_add(&f->log, data, len);
	if (f->free_in_bytes)
		drop_machine(f);
}

static void on_hangup(void *arg)
{
	buf_adds(&((struct fixture *)arg)->log, "[hangup]");
}

static void on_back(void *arg)
{
	buf_adds(&((struct fixture *)arg)->log, "[back]");
}

static void make_machine(struct fixture *f)
{
	const struct machine_events events = {on_up, on_down, on_reset, on_notice, f};
	const struct console_events console_events = {on_bytes, on_hangup, on_back, f};

	assert_int_equal(machine_new(&f->opts, &events, &console_events, &f->m, NULL), 0);
}

static int set_up(void **state)
{
	struct fixture *f;

	xnew(f);
	*state = f;
	f->spec = (struct machine_spec){.name = (char *)"test", .board = (char *)"fake"};
	f->opts.spec = &f->spec;
	buf_init(&f->log);
	assert_true(sd_event_new(&f->opts.loop) >= 0);
	make_machine(f);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	machine_fake_set_default_script(NULL);
	drop_machine(f);
	sd_event_unref(f->opts.loop);
	buf_fini(&f->log);
	free(f);
	return 0;
}

#define run_until(f, cond)                                                      \
	do {                                                                    \
		uint64_t end_ = clock_ns() + PATIENCE_NS;                       \
                                                                                \
		while (!(cond)) {                                               \
			assert_true(clock_ns() < end_);                         \
			assert_true(sd_event_run((f)->opts.loop, 100000) >= 0); \
		}                                                               \
	} while (0)

static void run_dry(struct fixture *f)
{
	int n;

	do {
		n = sd_event_run(f->opts.loop, 0);
		assert_true(n >= 0);
	} while (n);
}

static void start(struct fixture *f)
{
	static const struct machine_boot boot = {.kernel = "Image"};

	assert_int_equal(f->m->ops->start(f->m, &boot, NULL), 0);
}

static void silent_by_default(void **state)
{
	struct fixture *f = *state;

	start(f);
	assert_int_equal(f->log.len, 0);
	assert_int_equal(f->m->ops->start(f->m, NULL, NULL), -EBUSY);
	run_dry(f);
	assert_string_equal(f->log.data, "[up]");
	assert_int_equal(f->m->ops->stop(f->m, NULL), 0);
	assert_int_equal(f->m->ops->stop(f->m, NULL), -EALREADY);
	assert_string_equal(f->log.data, "[up]");
	run_dry(f);
	assert_string_equal(f->log.data, "[up][down 0 ]");
	assert_int_equal(f->m->ops->stop(f->m, NULL), -EINVAL);
}

static void plays_its_steps_in_order(void **state)
{
	static const struct machine_fake_step steps[] = {
		{.action = FAKE_PRINT, .text = "boot\n"},
		{.action = FAKE_PRINT, .text = "~ # ", .delay_ms = 1},
		{.expect = "uname\n", .action = FAKE_PRINT, .text = "Linux\n"},
		{.action = FAKE_NOTICE, .text = "{}"},
		{.expect = "jump\n", .action = FAKE_RESET},
		{.action = FAKE_HANGUP},
		{.action = FAKE_BACK},
		{.action = FAKE_PRINT, .text = "bye"},
		{.action = FAKE_GUEST_RESET},
		{.action = FAKE_PRINT, .text = "B"},
		{.action = FAKE_OFF},
		{.action = FAKE_DIE, .text = "no power"},
	};
	static const struct machine_fake_script script = {.steps = steps, .n_steps = 12};
	struct fixture *f = *state;

	machine_fake_set_script(f->m, &script);
	start(f);
	run_until(f, strstr(f->log.data, "# "));
	run_dry(f);
	assert_string_equal(f->log.data, "[up]boot\n~ # ");
	console_write(f->m->console, "una", 3);
	run_dry(f);
	assert_null(strstr(f->log.data, "Linux"));
	console_write(f->m->console, "me\njump\n", 8);
	run_until(f, f->n_down);
	assert_string_equal(f->log.data, "[up]boot\n~ # Linux\n[notice {}][reset][hangup][back]bye"
					 "[down 2 ]");
	buf_reset(&f->log);
	start(f);
	run_until(f, f->n_down == 2);
	assert_string_equal(f->log.data, "[up]B[down 1 ]");
	buf_reset(&f->log);
	start(f);
	run_until(f, f->n_down == 3);
	assert_string_equal(f->log.data, "[up][down 3 no power]");
}

static void floods(void **state)
{
	static const struct machine_fake_step steps[] = {
		{.action = FAKE_FLOOD, .text = "y\n", .n_bytes = 1000001},
		{.action = FAKE_OFF},
	};
	static const struct machine_fake_script script = {.steps = steps, .n_steps = 2};
	struct fixture *f = *state;

	machine_fake_set_script(f->m, &script);
	start(f);
	run_until(f, f->n_down);
	assert_int_equal(f->n_bytes, 1000001);
}

static void may_not_come_up(void **state)
{
	static const struct machine_fake_script never = {.start = FAKE_START_NEVER};
	static const struct machine_fake_script dies = {.start = FAKE_START_DIES};
	struct fixture *f = *state;

	machine_fake_set_default_script(&never);
	drop_machine(f);
	make_machine(f);
	start(f);
	run_dry(f);
	assert_int_equal(f->log.len, 0);
	assert_int_equal(f->m->ops->stop(f->m, NULL), 0);
	run_dry(f);
	assert_string_equal(f->log.data, "[down 0 ]");
	machine_fake_set_script(f->m, &dies);
	start(f);
	run_dry(f);
	assert_non_null(strstr(f->log.data, "[down 3 "));
	assert_null(strstr(f->log.data, "[up]"));
}

static void on_typed(struct machine *m, const void *data, size_t len, void *arg)
{
	const struct machine_fake_step answer = {.action = FAKE_PRINT, .text = "<answer>"};
	const struct machine_fake_step off = {.action = FAKE_OFF};

	machine_fake_do(m, &answer);
	machine_fake_do(m, &off);
	*(size_t *)arg += len;
}

static void on_started(struct machine *m, const struct machine_boot *boot, void *arg)
{
	const struct machine_fake_step hello = {.action = FAKE_PRINT, .text = boot->kernel};

	machine_fake_do(m, &hello);
}

static void callbacks_can_play_the_target(void **state)
{
	struct fixture *f = *state;
	size_t typed = 0;
	const struct machine_fake_script script = {
		.echo = true, .started = on_started, .typed = on_typed, .arg = &typed};

	machine_fake_set_script(f->m, &script);
	start(f);
	run_dry(f);
	assert_string_equal(f->log.data, "[up]Image");
	console_write(f->m->console, "ls\n", 3);
	assert_string_equal(f->log.data, "[up]Image");
	run_until(f, f->n_down);
	assert_string_equal(f->log.data, "[up]Imagels\n<answer>[down 1 ]");
	assert_int_equal(typed, 3);
	drop_machine(f);
}

static void free_is_legal_in_callbacks(void **state)
{
	static const struct machine_fake_step steps[] = {
		{.action = FAKE_FLOOD, .text = "y\n", .n_bytes = 1000},
		{.action = FAKE_OFF},
	};
	static const struct machine_fake_script script = {.steps = steps, .n_steps = 2};
	struct fixture *f = *state;

	machine_fake_set_default_script(&script);
	drop_machine(f);
	make_machine(f);
	start(f);
	f->free_in_up = true;
	run_until(f, !f->m);
	f->free_in_up = false;
	make_machine(f);
	start(f);
	f->free_in_bytes = true;
	run_until(f, !f->m);
	assert_int_equal(f->n_bytes, 2);
	f->free_in_bytes = false;
	make_machine(f);
	start(f);
	f->free_in_down = true;
	run_until(f, !f->m);
	run_dry(f);
	assert_int_equal(f->n_down, 1);
}

static void has_a_tree_and_needs_nothing(void **state)
{
	struct fixture *f = *state;
	struct buf dtb __free_buf = BUF_INIT;
	uint64_t bytes = 1;

	assert_int_equal(machine_base_dtb(&f->opts, &dtb, NULL), 0);
	assert_int_equal(dtb.len, 72);
	assert_memory_equal(dtb.data, "\xd0\x0d\xfe\xed\0\0\0\x48", 8);
	assert_int_equal(machine_preflight(&f->spec, &bytes, NULL), 0);
	assert_int_equal(bytes, 0);
}

#define WITH_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MACHINE(silent_by_default),
		WITH_MACHINE(plays_its_steps_in_order),
		WITH_MACHINE(floods),
		WITH_MACHINE(may_not_come_up),
		WITH_MACHINE(callbacks_can_play_the_target),
		WITH_MACHINE(free_is_legal_in_callbacks),
		WITH_MACHINE(has_a_tree_and_needs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
