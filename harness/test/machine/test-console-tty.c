// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/machine/line_rig.h"

#include <asm/termbits.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "machine/console/console_tty.h"
#include "machine/runtime.h"
#include "machine/serial/serial.h"

struct fixture {
	struct line_rig rig;
	struct runtime_dir dir;
	char *link;
	struct tty_address address;
	int far; /* the target's end of the line */
};

/* A stable name for a number that changes, as udev keeps one. */
static void plug_in(struct fixture *f)
{
	char path[64];

	f->far = rig_pty(path, sizeof(path));
	unlink(f->link);
	assert_int_equal(symlink(path, f->link), 0);
}

static void unplug(struct fixture *f)
{
	unlink(f->link);
	close(steal_fd(&f->far));
}

static int set_up(void **state)
{
	struct console_events events;
	struct fixture *f;

	xnew(f);
	*state = f;
	rig_init(&f->rig);
	assert_int_equal(runtime_dir_init(&f->dir, NULL), 0);
	f->link = file_join(f->dir.path, "tty");
	f->address = (struct tty_address){TTY_BY_PATH, f->link, 0};
	plug_in(f);
	events = rig_events(&f->rig);
	assert_int_equal(console_tty_new(f->rig.loop, &f->address, NULL, 1500000, &events,
					 &f->rig.console, NULL),
			 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	rig_fini(&f->rig);
	if (f->far >= 0)
		close(f->far);
	runtime_dir_fini(&f->dir);
	free(f->link);
	free(f);
	return 0;
}

static void is_a_plain_line_of_any_speed(void **state)
{
	struct fixture *f = *state;
	struct termios2 t;
	unsigned int baud;

	assert_int_equal(ioctl(f->far, TCGETS2, &t), 0);
	assert_int_equal(t.c_ospeed, 1500000);
	assert_int_equal(t.c_ispeed, 1500000);
	assert_true(t.c_cflag & CLOCAL);
	assert_true(t.c_cflag & CREAD);
	assert_int_equal(t.c_cflag & (HUPCL | CRTSCTS | PARENB | CSTOPB), 0);
	assert_int_equal(t.c_cflag & CSIZE, CS8);
	assert_int_equal(t.c_lflag | t.c_oflag, 0);
	assert_int_equal(t.c_iflag, IGNBRK);
	assert_int_equal(f->rig.console->ops->set_baud(f->rig.console, 1234567), 0);
	assert_int_equal(serial_get_baud(f->far, &baud), 0);
	assert_int_equal(baud, 1234567);
}

static void carries_any_byte_both_ways(void **state)
{
	struct fixture *f = *state;
	unsigned char all[256];
	size_t i;

	for (i = 0; i < sizeof(all); i++)
		all[i] = (unsigned char)i;
	rig_run_until(f->rig.loop, f->rig.n_back == 1);
	assert_int_equal(write(f->far, all, sizeof(all)), sizeof(all));
	rig_run_until(f->rig.loop, f->rig.got.len >= sizeof(all));
	assert_int_equal(f->rig.got.len, sizeof(all));
	assert_memory_equal(f->rig.got.data, all, sizeof(all));
	assert_int_equal(console_write(f->rig.console, all, sizeof(all)), 0);
	rig_expect(&f->rig, f->far, all, sizeof(all));
}

static void comes_back_under_another_number(void **state)
{
	struct fixture *f = *state;
	char first[64], second[64];

	assert_true(readlink(f->link, first, sizeof(first)) > 0);
	rig_run_until(f->rig.loop, f->rig.n_back == 1);
	{
		/* Its number is taken by somebody else while it is away. */
		int old = dup(f->far);

		unplug(f);
		plug_in(f);
		assert_true(readlink(f->link, second, sizeof(second)) > 0);
		assert_true(strncmp(first, second, sizeof(first)));
		close(old);
	}
	rig_run_until(f->rig.loop, f->rig.n_hangup == 1);
	rig_run_until(f->rig.loop, f->rig.n_back == 2);
	assert_int_equal(write(f->far, "again", 5), 5);
	rig_run_until(f->rig.loop, f->rig.got.len == 5);
	assert_string_equal(f->rig.got.data, "again");
}

static void what_is_typed_in_a_gap_is_lost(void **state)
{
	struct fixture *f = *state;

	rig_run_until(f->rig.loop, f->rig.n_back == 1);
	unplug(f);
	rig_run_until(f->rig.loop, f->rig.n_hangup == 1);
	assert_int_equal(console_write(f->rig.console, "lost", 4), 0);
	plug_in(f);
	rig_run_until(f->rig.loop, f->rig.n_back == 2);
	rig_expect_silence(&f->rig, f->far);
}

static void free_is_legal_in_callbacks(void **state)
{
	struct fixture *f = *state;

	f->rig.free_in_hangup = true;
	rig_run_until(f->rig.loop, f->rig.n_back == 1);
	unplug(f);
	rig_run_until(f->rig.loop, !f->rig.console);
}

static void free_is_legal_in_bytes(void **state)
{
	struct fixture *f = *state;

	f->rig.free_in_bytes = true;
	assert_int_equal(write(f->far, "x", 1), 1);
	rig_run_until(f->rig.loop, !f->rig.console);
	assert_int_equal(f->rig.n_hangup, 0);
}

static void free_is_legal_in_back(void **state)
{
	struct fixture *f = *state;

	f->rig.free_in_back = true;
	rig_run_until(f->rig.loop, !f->rig.console);
}

static void needs_its_adapter_at_first(void **state)
{
	struct fixture *f = *state;
	struct tty_address absent = {TTY_BY_ID, (char *)"usb-nobody-if00", 0};
	const struct console_events events = rig_events(&f->rig);
	const struct tty_roots roots = {.dev = f->dir.path};
	struct err e __free_err = ERR_INIT;
	struct console *c = NULL;

	assert_int_equal(console_tty_new(f->rig.loop, &absent, &roots, 115200, &events, &c, &e),
			 -ENODEV);
	assert_string_equal(err_msg(&e),
			    "console: no serial adapter with id 'usb-nobody-if00' is plugged in");
	assert_null(c);
}

/* --- by what it is found ---------------------------------------------------- */

static void put(const char *dir, const char *name, const char *text)
{
	char *path __free(str) = file_join(dir, name);

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
}

/* As sysfs shows an adapter with two ports: .../1-2/1-2:1.N/ttyUSBn */
static void make_port(const char *root, unsigned int interface, const char *tty)
{
	char *usb __free(str) = xasprintf("%s/devices/usb1/1-2", root);
	char *port __free(str) = xasprintf("%s/1-2:1.%u", usb, interface);
	char *device __free(str) = file_join(port, tty);
	char *class __free(str) = xasprintf("%s/class/tty/%s", root, tty);
	char *link __free(str) = file_join(class, "device");
	char number[8];

	assert_int_equal(file_mkdir(device, 0755, NULL), 0);
	assert_int_equal(file_mkdir(class, 0755, NULL), 0);
	put(usb, "serial", "FT4XQ7\n");
	snprintf(number, sizeof(number), "%02x\n", interface);
	put(port, "bInterfaceNumber", number);
	assert_int_equal(symlink(device, link), 0);
	put(root, tty, "");
}

static void is_found_by_serial_number_and_port(void **state)
{
	struct fixture *f = *state;
	const struct tty_roots roots = {.dev = f->dir.path, .sys = f->dir.path};
	struct tty_address a = {TTY_BY_SERIAL, (char *)"FT4XQ7", 1};
	char *path __free(str) = NULL, *expected __free(str) = file_join(f->dir.path, "ttyUSB4");
	struct err e __free_err = ERR_INIT;

	make_port(f->dir.path, 0, "ttyUSB3");
	make_port(f->dir.path, 1, "ttyUSB4");
	assert_int_equal(tty_find(&a, &roots, &path, NULL), 0);
	assert_string_equal(path, expected);
	a.interface = 2;
	assert_int_equal(tty_find(&a, &roots, &path, &e), -ENODEV);
	assert_string_equal(
		err_msg(&e),
		"no serial adapter with serial number 'FT4XQ7', interface 2 is plugged in");
	a = (struct tty_address){TTY_BY_SERIAL, (char *)"FT4XQ", 0};
	assert_int_equal(tty_find(&a, &roots, &path, NULL), -ENODEV);
}

static void is_found_by_names_of_udev(void **state)
{
	struct fixture *f = *state;
	const struct tty_roots roots = {.dev = f->dir.path};
	struct tty_address by_id = {TTY_BY_ID, (char *)"usb-x", 0};
	struct tty_address by_port = {TTY_BY_PORT, (char *)"pci-y", 0};
	char *id_dir __free(str) = file_join(f->dir.path, "serial/by-id");
	char *port_dir __free(str) = file_join(f->dir.path, "serial/by-path");
	char *id __free(str) = file_join(id_dir, "usb-x");
	char *port __free(str) = file_join(port_dir, "pci-y");
	char *got_id __free(str) = NULL, *got_port __free(str) = NULL;

	assert_int_equal(file_mkdir(id_dir, 0755, NULL), 0);
	assert_int_equal(file_mkdir(port_dir, 0755, NULL), 0);
	put(id_dir, "usb-x", "");
	put(port_dir, "pci-y", "");
	assert_int_equal(tty_find(&by_id, &roots, &got_id, NULL), 0);
	assert_string_equal(got_id, id);
	assert_int_equal(tty_find(&by_port, &roots, &got_port, NULL), 0);
	assert_string_equal(got_port, port);
}

#define WITH_TTY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TTY(is_a_plain_line_of_any_speed),
		WITH_TTY(carries_any_byte_both_ways),
		WITH_TTY(comes_back_under_another_number),
		WITH_TTY(what_is_typed_in_a_gap_is_lost),
		WITH_TTY(free_is_legal_in_callbacks),
		WITH_TTY(free_is_legal_in_bytes),
		WITH_TTY(free_is_legal_in_back),
		WITH_TTY(needs_its_adapter_at_first),
		WITH_TTY(is_found_by_serial_number_and_port),
		WITH_TTY(is_found_by_names_of_udev),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
