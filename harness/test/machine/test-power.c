// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-power.c - relays byte for byte, against a scripted peer; commands; leases.
 */
#include "test/machine/line_rig.h"

#include "base/alloc.h"
#include "base/file.h"
#include "machine/lease.h"
#include "machine/power/power.h"
#include "machine/runtime.h"

struct fixture {
	struct line_rig rig;
	struct runtime_dir dir;
	char path[64];
	int far;
	struct yaml_doc *doc;
	struct diag diag;
	struct power *power;
	unsigned int n_settled, n_failed;
	enum power_state state;
	char *text;
};

static void on_settled(enum power_state state, void *arg)
{
	struct fixture *f = arg;

	f->n_settled++;
	f->state = state;
}

static void on_failed(const char *text, void *arg)
{
	struct fixture *f = arg;

	f->n_failed++;
	free(f->text);
	f->text = xstrdup(text);
}

static int set_up(void **state)
{
	struct fixture *f;

	xnew(f);
	*state = f;
	rig_init(&f->rig);
	assert_int_equal(runtime_dir_init(&f->dir, NULL), 0);
	f->far = rig_pty(f->path, sizeof(f->path));
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	power_free(f->power);
	yaml_doc_free(f->doc);
	diag_fini(&f->diag);
	if (f->far >= 0)
		close(f->far);
	rig_fini(&f->rig);
	runtime_dir_fini(&f->dir);
	free(f->text);
	free(f);
	return 0;
}

/* @fmt may have one %s: the pty's path. */
static int make(struct fixture *f, const char *fmt)
{
	const struct power_events events = {on_settled, on_failed, f};
	struct buf text __free_buf = BUF_INIT;
	const char *at = strstr(fmt, "%s");

	buf_add(&text, fmt, at ? (size_t)(at - fmt) : strlen(fmt));
	if (at)
		buf_addf(&text, "%s%s", f->path, at + 2);
	assert_int_equal(yaml_doc_parse("lab.yaml", text.data, text.len, &f->diag, &f->doc), 0);
	return power_new(f->rig.loop, f->doc->root, &events, &f->power, &f->diag);
}

static void expect(struct fixture *f, const char *bytes, size_t len)
{
	rig_expect(&f->rig, f->far, bytes, len);
}

static void answer(struct fixture *f, const char *bytes, size_t len)
{
	assert_int_equal(write(f->far, bytes, len), len);
}

static void lcus_frames(void **state)
{
	struct fixture *f = *state;
	char c;

	assert_int_equal(make(f, "{driver: lcus, path: %s, channel: 1}"), 0);
	assert_int_equal(power_set(f->power, true, NULL), 0);
	assert_int_equal(power_set(f->power, true, NULL), -EBUSY);
	expect(f, "\xa0\x01\x01\xa2", 4);
	rig_run_until(f->rig.loop, f->n_settled == 1);
	/* It does not answer: unknown is not off. */
	assert_int_equal(f->state, POWER_UNKNOWN);
	assert_int_equal(power_set(f->power, false, NULL), 0);
	expect(f, "\xa0\x01\x00\xa1", 4);
	rig_run_until(f->rig.loop, f->n_settled == 2);
	assert_int_equal(power_get(f->power, NULL), 0);
	assert_int_equal(f->n_settled, 2);
	rig_run_until(f->rig.loop, f->n_settled == 3);
	assert_int_equal(f->state, POWER_UNKNOWN);
	/* Nothing was sent to ask. */
	assert_true(read(f->far, &c, 1) < 0);
}

static void modbus_frames(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(make(f, "{driver: modbus, path: %s, channel: 1}"), 0);
	assert_int_equal(power_set(f->power, true, NULL), 0);
	expect(f, "\x01\x05\x00\x00\xff\x00\x8c\x3a", 8);
	answer(f, "\x01\x05\x00\x00\xff\x00\x8c\x3a", 8);
	/* and asks what has become of it */
	expect(f, "\x01\x01\x00\x00\x00\x01\xfd\xca", 8);
	answer(f, "\x01\x01\x01\x01\x90\x48", 6);
	rig_run_until(f->rig.loop, f->n_settled == 1);
	assert_int_equal(f->state, POWER_ON);
	assert_int_equal(power_set(f->power, false, NULL), 0);
	expect(f, "\x01\x05\x00\x00\x00\x00\xcd\xca", 8);
	answer(f, "\x01\x05\x00\x00\x00\x00\xcd\xca", 8);
	expect(f, "\x01\x01\x00\x00\x00\x01\xfd\xca", 8);
	/* It says that it is still on. */
	answer(f, "\x01\x01\x01\x01\x90\x48", 6);
	rig_run_until(f->rig.loop, f->n_failed == 1);
	assert_string_equal(f->text, "it was switched off and says that it is on");
}

static void modbus_answers_are_checked(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(make(f, "{driver: modbus, path: %s, channel: 1}"), 0);
	assert_int_equal(power_get(f->power, NULL), 0);
	expect(f, "\x01\x01\x00\x00\x00\x01\xfd\xca", 8);
	answer(f, "\x01\x01\x01\x01\x90\x49", 6);
	rig_run_until(f->rig.loop, f->n_failed == 1);
	assert_string_equal(f->text, "the relay board's answer is damaged");
	assert_int_equal(power_get(f->power, NULL), 0);
	expect(f, "\x01\x01\x00\x00\x00\x01\xfd\xca", 8);
	answer(f, "\x01\x81", 2);
	rig_run_until(f->rig.loop, f->n_failed == 2);
	assert_string_equal(f->text, "it answered 2 of 6 bytes");
	assert_int_equal(f->n_settled, 0);
}

static void an_adapter_that_is_gone_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct err e __free_err = ERR_INIT;

	assert_int_equal(make(f, "{driver: lcus, by-id: usb-nobody, channel: 2}"), 0);
	assert_int_equal(power_set(f->power, true, &e), -ENODEV);
	assert_string_equal(err_msg(&e), "no serial adapter with id 'usb-nobody' is plugged in");
}

static void commands_of_the_users(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		make(f, "{driver: command, on: ['true'], off: [sh, -c, 'echo no >&2; exit 3'], "
			"get: [echo, 'ON']}"),
		0);
	assert_int_equal(power_set(f->power, true, NULL), 0);
	rig_run_until(f->rig.loop, f->n_settled == 1);
	assert_int_equal(f->state, POWER_ON);
	assert_int_equal(power_set(f->power, false, NULL), 0);
	rig_run_until(f->rig.loop, f->n_failed == 1);
	assert_non_null(strstr(f->text, "sh"));
	assert_non_null(strstr(f->text, "exit status 3"));
}

static void mistakes_have_a_place(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(make(f, "{driver: lcos, channel: 1}"), -EINVAL);
	assert_int_equal(f->diag.n, 1);
	assert_string_equal(f->diag.messages[0].file, "lab.yaml");
	assert_int_equal(f->diag.messages[0].col, 10);
	assert_non_null(strstr(f->diag.messages[0].text, "lcus"));
}

static void one_user_a_board(void **state)
{
	struct fixture *f = *state;
	struct lease a = LEASE_INIT, b = LEASE_INIT;
	struct err e __free_err = ERR_INIT;
	char *dead = NULL;

	assert_int_equal(lease_take(&a, f->dir.path, "desk-1", false, &dead, NULL), 0);
	assert_null(dead);
	assert_int_equal(lease_take(&b, f->dir.path, "desk-1", false, &dead, &e), -EBUSY);
	assert_non_null(strstr(err_msg(&e), "board 'desk-1' is in use: process "));
	lease_give(&a);
	assert_int_equal(lease_take(&b, f->dir.path, "desk-1", false, &dead, NULL), 0);
	assert_null(dead);
	/* Dies with it: the kernel drops the lock, the name stays. */
	close(b.fd);
	assert_int_equal(lease_take(&a, f->dir.path, "desk-1", true, &dead, NULL), 0);
	assert_non_null(dead);
	assert_non_null(strstr(dead, "process "));
	free(dead);
	lease_give(&a);
}

#define WITH_POWER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_POWER(lcus_frames),
		WITH_POWER(modbus_frames),
		WITH_POWER(modbus_answers_are_checked),
		WITH_POWER(an_adapter_that_is_gone_is_an_error),
		WITH_POWER(commands_of_the_users),
		WITH_POWER(mistakes_have_a_place),
		WITH_POWER(one_user_a_board),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
