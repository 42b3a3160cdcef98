// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-machine-qemu.c - the QEMU driver against programs that are not QEMU.
 *
 * This program is its own stand-in: called as qemu-system-aarch64 it connects
 * to the sockets of its command line and plays the part that QEMU_PART names.
 * What the real one does is tested where kernels are booted.
 */
#include "test/test.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "machine/machine.h"
#include "machine/runtime.h"

#define PATIENCE_NS (20 * NS_PER_S)
#define GREETING(major)                                                                    \
	"{\"QMP\":{\"version\":{\"qemu\":{\"micro\":0,\"minor\":2,\"major\":" #major "}}," \
	"\"capabilities\":[]}}\n"

/* The stand-in. */

static int connect_to(int argc, char **argv, const char *id)
{
	char *prefix __free(str) = xasprintf("socket,id=%s,path=", id);
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), i;

	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], prefix, strlen(prefix)))
			break;
	}
	if (i == argc)
		exit(50);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.*s",
		 (int)strcspn(argv[i] + strlen(prefix), ","), argv[i] + strlen(prefix));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		exit(51);
	return fd;
}

static void say(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		exit(52);
}

/* Waits for a command and answers it. */
static void answer(int fd, const char *command, const char *text)
{
	char block[4096] = {0};

	if (read(fd, block, sizeof(block) - 1) <= 0 || !strstr(block, command))
		exit(53);
	say(fd, text);
}

static void wait_for_death(void)
{
	for (;;)
		pause();
}

static int play(int argc, char **argv, const char *part)
{
	int console, monitor, debug = -1;

	if (!strcmp(part, "refuses")) {
		fputs("qemu: first\nqemu: \033[1mno\n", stderr);
		return 3;
	}
	if (!strcmp(part, "deaf")) {
		signal(SIGTERM, SIG_IGN);
		wait_for_death();
	}
	console = connect_to(argc, argv, "console");
	monitor = connect_to(argc, argv, "monitor");
	if (!strncmp(part, "debug", 5))
		debug = connect_to(argc, argv, "debug");
	if (!strcmp(part, "talkative")) {
		char *noise = xmalloc(100001);

		/* More than anybody wants to keep, and without a line's end. */
		memset(noise, 'n', 100000);
		noise[100000] = '\0';
		fputs(noise, stderr);
		fputs("THE END", stderr);
		free(noise);
		say(console, "last words");
		return 1;
	}
	if (!strcmp(part, "garbage")) {
		say(monitor, "220 smtp ready\r\n");
		wait_for_death();
	}
	if (!strcmp(part, "old")) {
		say(monitor, GREETING(8));
		answer(monitor, "qmp_capabilities", "{\"return\":{},\"id\":0}\n");
		wait_for_death();
	}
	say(monitor, GREETING(9));
	answer(monitor, "qmp_capabilities", "{\"return\":{},\"id\":0}\n");
	if (!strcmp(part, "stuck")) {
		answer(monitor, "cont", "{\"error\":{\"desc\":\"no way\"},\"id\":1}\n");
		wait_for_death();
	}
	answer(monitor, "cont", "{\"return\":{},\"id\":1}\n");
	if (!strcmp(part, "debug-drops")) {
		/* Whoever it halted has to go on without it. */
		close(debug);
		answer(monitor, "cont", "{\"event\":\"STOP\"}\n{\"return\":{},\"id\":2}\n");
	}
	if (!strcmp(part, "babbles")) {
		say(monitor, "{\"event\":\"STOP\"}\nwhat?");
		wait_for_death();
	}
	if (!strcmp(part, "noisy")) {
		int i;

		for (i = 0; i < 5000; i++)
			say(monitor, "{\"event\":\"GUEST_PANICKED\"}\n");
	}
	say(console, "last words");
	say(monitor, "{\"event\":\"SHUTDOWN\",\"data\":{\"guest\":true,\"reason\":\"");
	say(monitor, !strcmp(part, "strange") ? "boredom\"}}\n" : "guest-reset\"}}\n");
	return 0;
}

/* The tests. */

struct fixture {
	struct machine_spec spec;
	struct machine_opts opts;
	struct runtime_dir dir;
	struct machine *m;
	struct debug_events debug_events;
	unsigned int n_up, n_down, n_notices, n_hangup, n_lost;
	bool free_in_lost;
	enum machine_down why;
	char *text;
	struct buf console;
	char *path; /* of the environment */
};

static void on_up(void *arg)
{
	((struct fixture *)arg)->n_up++;
}

static void on_down(enum machine_down why, const char *text, void *arg)
{
	struct fixture *f = arg;

	f->n_down++;
	f->why = why;
	f->text = xstrdup_null(text);
}

static void on_notice(const char *json, void *arg)
{
	((struct fixture *)arg)->n_notices++;
}

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(f->n_down, 0);
	buf_add(&f->console, data, len);
}

static void on_hangup(void *arg)
{
	((struct fixture *)arg)->n_hangup++;
}

static void on_lost(const char *why, void *arg)
{
	struct fixture *f = arg;

	assert_non_null(why);
	assert_int_equal(f->n_up, 1);
	assert_int_equal(f->n_down, 0);
	assert_null(f->m->debug);
	f->n_lost++;
	if (f->free_in_lost)
		machine_free(steal_ptr(f->m));
}

static void make_machine(struct fixture *f)
{
	const struct machine_events events = {
		.up = on_up, .down = on_down, .notice = on_notice, .arg = f};
	const struct console_events console_events = {
		.bytes = on_bytes, .hangup = on_hangup, .arg = f};

	machine_free(steal_ptr(f->m));
	assert_int_equal(machine_new(&f->opts, &events, &console_events, &f->m, NULL), 0);
}

static void make_debugged_machine(struct fixture *f)
{
	f->debug_events = (struct debug_events){.lost = on_lost, .arg = f};
	f->opts.debug_events = &f->debug_events;
	make_machine(f);
}

static int set_up(void **state)
{
	char *link __free(str) = NULL, *self __free(str) = NULL;
	struct fixture *f;

	xnew(f);
	*state = f;
	f->spec = (struct machine_spec){.name = (char *)"test",
					.board = (char *)"qemu-virt",
					.ram_bytes = 64 << 20,
					.cpu = (char *)"max",
					.cpus = 1};
	f->opts.spec = &f->spec;
	buf_init(&f->console);
	assert_true(sd_event_new(&f->opts.loop) >= 0);
	assert_int_equal(runtime_dir_init(&f->dir, NULL), 0);
	link = file_join(f->dir.path, "qemu-system-aarch64");
	self = realpath("/proc/self/exe", NULL);
	assert_int_equal(symlink(self, link), 0);
	f->path = xstrdup_null(getenv("PATH"));
	setenv("PATH", f->dir.path, 1);
	make_machine(f);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->path)
		setenv("PATH", f->path, 1);
	free(f->path);
	machine_free(f->m);
	sd_event_unref(f->opts.loop);
	runtime_dir_fini(&f->dir);
	free(f->text);
	buf_fini(&f->console);
	free(f);
	return 0;
}

static void start(struct fixture *f, const char *part)
{
	const struct machine_boot boot = {.kernel = "Image"};

	setenv("QEMU_PART", part, 1);
	assert_int_equal(f->m->ops->start(f->m, &boot, NULL), 0);
	assert_int_equal(f->n_up + f->n_down, 0);
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

static void assert_dies(struct fixture *f, const char *part, unsigned int n_up, const char *text)
{
	start(f, part);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_DIED);
	assert_int_equal(f->n_up, n_up);
	assert_int_equal(f->n_hangup, 0);
	if (!strstr(f->text, text))
		fail_msg("'%s' is not in '%s'", text, f->text);
}

static void a_healthy_one_passes(void **state)
{
	struct fixture *f = *state;

	start(f, "healthy");
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_RESET);
	assert_null(f->text);
	assert_int_equal(f->n_up, 1);
	assert_string_equal(f->console.data, "last words");
	assert_int_equal(f->n_hangup, 0);
}

static void refusal_is_told_and_escaped(void **state)
{
	assert_dies(*state, "refuses", 0,
		    "QEMU ended: exit status 3; qemu: first; qemu: \\x1b[1mno");
}

static void its_last_words_are_kept(void **state)
{
	struct fixture *f = *state;

	assert_dies(f, "talkative", 0, "nnnTHE END");
	assert_true(strlen(f->text) < 5000);
	assert_string_equal(f->console.data, "last words");
}

static void garbage_ends_it(void **state)
{
	assert_dies(*state, "garbage", 0, "QEMU's monitor failed");
}

static void later_garbage_ends_it(void **state)
{
	struct fixture *f = *state;

	assert_dies(f, "babbles", 1, "QEMU's monitor failed");
	assert_int_equal(f->n_notices, 1);
}

static void old_version_is_refused(void **state)
{
	assert_dies(*state, "old", 0, "QEMU 8.2 is too old");
}

static void refused_cont_ends_it(void **state)
{
	assert_dies(*state, "stuck", 0, "no way");
}

static void unknown_end_is_a_death(void **state)
{
	assert_dies(*state, "strange", 1, "exit status 0 (boredom)");
}

static void notices_are_bounded(void **state)
{
	struct fixture *f = *state;

	start(f, "noisy");
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_RESET);
	assert_in_range(f->n_notices, 100, 2000);
}

static void debug_port_comes_and_goes_with_it(void **state)
{
	struct fixture *f = *state;

	make_debugged_machine(f);
	start(f, "debug-ends");
	run_until(f, f->n_up);
	assert_non_null(f->m->debug);
	assert_int_equal(f->m->ram->size_bytes, f->spec.ram_bytes);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_RESET);
	assert_int_equal(f->n_lost, 1);
	assert_null(f->m->ram);
}

static void lost_debug_port_leaves_it_running(void **state)
{
	struct fixture *f = *state;

	make_debugged_machine(f);
	start(f, "debug-drops");
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_RESET);
	assert_int_equal(f->n_lost, 1);
	assert_string_equal(f->console.data, "last words");
}

static void free_is_legal_when_the_port_is_lost(void **state)
{
	struct fixture *f = *state;

	make_debugged_machine(f);
	f->free_in_lost = true;
	start(f, "debug-drops");
	run_until(f, !f->m);
	assert_int_equal(f->n_lost, 1);
	assert_int_equal(f->n_down, 0);
}

static void no_debug_port_unless_asked(void **state)
{
	struct fixture *f = *state;

	start(f, "healthy");
	run_until(f, f->n_up);
	assert_null(f->m->debug);
	assert_null(f->m->ram);
	run_until(f, f->n_down);
}

static void free_ends_the_deaf(void **state)
{
	struct fixture *f = *state;

	start(f, "deaf");
	assert_true(sd_event_run(f->opts.loop, 0) >= 0);
	machine_free(steal_ptr(f->m));
	assert_int_equal(f->n_down, 0);
}

#define WITH_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		WITH_MACHINE(a_healthy_one_passes),
		WITH_MACHINE(refusal_is_told_and_escaped),
		WITH_MACHINE(its_last_words_are_kept),
		WITH_MACHINE(garbage_ends_it),
		WITH_MACHINE(later_garbage_ends_it),
		WITH_MACHINE(old_version_is_refused),
		WITH_MACHINE(refused_cont_ends_it),
		WITH_MACHINE(unknown_end_is_a_death),
		WITH_MACHINE(notices_are_bounded),
		WITH_MACHINE(free_ends_the_deaf),
		WITH_MACHINE(debug_port_comes_and_goes_with_it),
		WITH_MACHINE(lost_debug_port_leaves_it_running),
		WITH_MACHINE(free_is_legal_when_the_port_is_lost),
		WITH_MACHINE(no_debug_port_unless_asked),
	};
	const char *part = getenv("QEMU_PART");

	if (!strcmp(argv[0], "qemu-system-aarch64"))
		return play(argc, argv, part ? part : "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
