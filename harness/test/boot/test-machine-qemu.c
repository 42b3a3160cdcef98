// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-machine-qemu.c - the QEMU driver against the real program.
 *
 * The guests are a few instructions each; no kernel is needed.
 */
#include "test/test.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "machine/bare_guest.h"
#include "machine/machine.h"
#include "machine/qemu_dry.h"
#include "machine/runtime.h"

#define PATIENCE_NS		    (60 * NS_PER_S)
#define PL011			    0x0900u /* << 16: the console of QEMU's virt machine */

/* Encodings that only these guests need. */
#define A64_STRB(rt, rn)	    (0x39000000u | (rn) << 5 | (rt))
#define A64_LDRB(rt, rn)	    (0x39400000u | (rn) << 5 | (rt))
#define A64_LDRB_IMM(rt, rn, imm12) (0x39400000u | (imm12) << 10 | (rn) << 5 | (rt))
#define A64_ADD_IMM(rd, rn, imm12)  (0x91000000u | (imm12) << 10 | (rn) << 5 | (rd))
#define A64_TBNZ(rt, bit, words) \
	(0x37000000u | (bit) << 19 | ((uint32_t)(words)&0x3fffu) << 5 | (rt))

#define PSCI_CALL(function) \
	A64_MOVZ(0, (function)&0xffff, 0), A64_MOVK(0, (function) >> 16, 16), A64_HVC_0, A64_B(0)

static const uint32_t spins[] = {A64_B(0)};
static const uint32_t powers_off[] = {PSCI_CALL(PSCI_SYSTEM_OFF)};
static const uint32_t resets[] = {PSCI_CALL(PSCI_SYSTEM_RESET)};
static const uint32_t resets_by_smc[] = {A64_MOVZ(0, PSCI_SYSTEM_RESET & 0xffff, 0),
					 A64_MOVK(0, PSCI_SYSTEM_RESET >> 16, 16), A64_SMC_0,
					 A64_B(0)};

/* Prints TURNS bytes 0, 1, 2 ... 255, 0 ... and powers off. */
#define PRINTS(turns_high, turns_low)                                            \
	A64_MOVZ(1, PL011, 16), A64_MOVZ(2, 0, 0), A64_MOVZ(3, turns_high, 16),  \
		A64_MOVK(3, turns_low, 0), A64_STRB(2, 1), A64_ADD_IMM(2, 2, 1), \
		A64_SUBS_IMM(3, 3, 1), A64_B_NE(-3), PSCI_CALL(PSCI_SYSTEM_OFF)
static const uint32_t prints_1000[] = {PRINTS(0, 1000)};
static const uint32_t prints_4m[] = {PRINTS(64, 0)};

/* Sends every byte back that it gets: until the receive FIFO is not empty, loop. */
static const uint32_t echoes[] = {
	A64_MOVZ(1, PL011, 16), A64_LDRB_IMM(2, 1, 0x18), A64_TBNZ(2, 4, -1),
	A64_LDRB(2, 1),		A64_STRB(2, 1),		  A64_B(-4),
};

struct fixture {
	struct machine_spec spec;
	struct machine_opts opts;
	struct runtime_dir dir;
	struct machine *m;
	char *kernel;
	unsigned int n_up, n_down, n_hangup;
	enum machine_down why;
	char *text;
	struct buf console;
	struct buf notices;
	size_t pause_after; /* bytes; stops reading for a while, once */
	bool free_in_down, free_in_up, free_in_bytes;
	const struct machine_boot *restart_in_down;
};

static void drop_machine(struct fixture *f)
{
	machine_free(steal_ptr(f->m));
}

static void on_up(void *arg)
{
	struct fixture *f = arg;

	f->n_up++;
	if (f->free_in_up)
		drop_machine(f);
}

static void on_down(enum machine_down why, const char *text, void *arg)
{
	struct fixture *f = arg;

	f->n_down++;
	f->why = why;
	free(f->text);
	f->text = xstrdup_null(text);
	if (f->free_in_down)
		drop_machine(f);
	else if (f->restart_in_down)
		assert_int_equal(f->m->ops->start(f->m, steal_ptr(f->restart_in_down), NULL), 0);
}

static void on_notice(const char *json, void *arg)
{
	struct fixture *f = arg;

	assert_null(strchr(json, '\n'));
	buf_adds(&f->notices, json);
	buf_addch(&f->notices, '\n');
}

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(f->n_down, 0);
	buf_add(&f->console, data, len);
	if (f->pause_after && f->console.len > f->pause_after) {
		/* Long enough for the guest to fill what lies between us. */
		f->pause_after = 0;
		poll(NULL, 0, 300);
	}
	if (f->free_in_bytes)
		drop_machine(f);
}

static void on_hangup(void *arg)
{
	((struct fixture *)arg)->n_hangup++;
}

static void make_machine(struct fixture *f)
{
	const struct machine_events events = {
		.up = on_up, .down = on_down, .notice = on_notice, .arg = f};
	const struct console_events console_events = {
		.bytes = on_bytes, .hangup = on_hangup, .arg = f};
	struct err e __free_err = ERR_INIT;

	assert_int_equal(machine_new(&f->opts, &events, &console_events, &f->m, &e), 0);
}

static int set_up(void **state)
{
	struct fixture *f;
	int major, minor;

	xnew(f);
	*state = f;
	f->spec = (struct machine_spec){
		.name = (char *)"test",
		.board = (char *)"qemu-virt",
		.ram_bytes = 64 << 20,
		.cpu = (char *)"cortex-a72",
		.cpus = 1,
	};
	f->opts.spec = &f->spec;
	buf_init(&f->console);
	buf_init(&f->notices);
	assert_true(sd_event_new(&f->opts.loop) >= 0);
	assert_int_equal(runtime_dir_init(&f->dir, NULL), 0);
	assert_int_equal(qemu_version(&major, &minor, NULL), 0);
	make_machine(f);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	drop_machine(f);
	sd_event_unref(f->opts.loop);
	runtime_dir_fini(&f->dir);
	free(f->kernel);
	free(f->text);
	buf_fini(&f->console);
	buf_fini(&f->notices);
	free(f);
	return 0;
}

static void write_guest(struct fixture *f, const uint32_t *code, size_t n)
{
	struct buf image __free_buf = BUF_INIT;

	bare_guest_image(&image, code, n);
	free(f->kernel);
	f->kernel = file_join(f->dir.path, "Image");
	assert_int_equal(file_write(f->kernel, image.data, image.len, NULL), 0);
}

static void start_kernel(struct fixture *f, const char *kernel)
{
	const struct machine_boot boot = {.kernel = kernel};
	struct err e __free_err = ERR_INIT;

	assert_int_equal(f->m->ops->start(f->m, &boot, &e), 0);
}

#define start_guest(f, code)                            \
	do {                                            \
		write_guest(f, code, ARRAY_SIZE(code)); \
		start_kernel(f, (f)->kernel);           \
	} while (0)

/* Runs the loop until @cond holds; fails when it takes too long. */
#define run_until(f, cond)                                                      \
	do {                                                                    \
		uint64_t end_ = clock_ns() + PATIENCE_NS;                       \
                                                                                \
		while (!(cond)) {                                               \
			assert_true(clock_ns() < end_);                         \
			assert_true(sd_event_run((f)->opts.loop, 100000) >= 0); \
		}                                                               \
	} while (0)

/* The one child of process @pid, or 0. */
static pid_t child_of(pid_t pid)
{
	char *path __free(str) = xasprintf("/proc/%d/task/%d/children", pid, pid);
	struct buf text __free_buf = BUF_INIT;

	assert_int_equal(file_read(path, 4096, &text, NULL), 0);
	return (pid_t)atoi(text.data);
}

static void assert_no_qemu(void)
{
	assert_int_equal(child_of(getpid()), 0);
}

static void check_pattern(const struct buf *b, size_t n)
{
	size_t i;

	assert_int_equal(b->len, n);
	for (i = 0; i < n; i++)
		assert_int_equal((uint8_t)b->data[i], (uint8_t)i);
}

static void stops_when_asked(void **state)
{
	struct fixture *f = *state;

	start_guest(f, spins);
	assert_int_equal(f->n_up, 0);
	run_until(f, f->n_up);
	assert_int_equal(f->n_down, 0);
	assert_int_equal(f->m->ops->stop(f->m, NULL), 0);
	assert_int_equal(f->n_down, 0);
	assert_int_equal(f->m->ops->stop(f->m, NULL), -EALREADY);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_ASKED);
	assert_int_equal(f->n_up, 1);
	assert_int_equal(f->m->ops->stop(f->m, NULL), -EINVAL);
	assert_no_qemu();
}

static void stops_before_it_is_up(void **state)
{
	struct fixture *f = *state;

	start_guest(f, spins);
	assert_int_equal(f->m->ops->stop(f->m, NULL), 0);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_ASKED);
	assert_int_equal(f->n_up, 0);
	assert_no_qemu();
}

static void refuses_a_second_start(void **state)
{
	struct fixture *f = *state;
	const struct machine_boot boot = {.kernel = "x"};

	start_guest(f, spins);
	assert_int_equal(f->m->ops->start(f->m, &boot, NULL), -EBUSY);
	run_until(f, f->n_up);
	assert_int_equal(f->m->ops->start(f->m, &boot, NULL), -EBUSY);
}

static void tells_reset_from_power_off(void **state)
{
	struct fixture *f = *state;
	struct console *console = f->m->console;

	start_guest(f, resets);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_RESET);
	assert_int_equal(f->n_up, 1);
	assert_non_null(strstr(f->notices.data, "guest-reset"));
	start_guest(f, powers_off);
	run_until(f, f->n_down == 2);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_OFF);
	assert_int_equal(f->n_up, 2);
	assert_ptr_equal(f->m->console, console);
	assert_int_equal(f->n_hangup, 0);
}

static void runs_at_el2_when_asked(void **state)
{
	struct fixture *f = *state;

	/* With EL2 the guest owns HVC; PSCI answers to SMC. */
	f->spec.el2 = true;
	start_guest(f, resets_by_smc);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_RESET);
}

static void console_is_exact_from_byte_0(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		start_guest(f, prints_1000);
		run_until(f, f->n_down);
		assert_int_equal(f->why, MACHINE_DOWN_GUEST_OFF);
		check_pattern(&f->console, 1000);
		buf_reset(&f->console);
		f->n_down = 0;
	}
}

static void flood_is_slowed_not_lost(void **state)
{
	struct fixture *f = *state;

	f->pause_after = 100000;
	start_guest(f, prints_4m);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_OFF);
	check_pattern(&f->console, 4 << 20);
}

static void typed_bytes_arrive(void **state)
{
	struct fixture *f = *state;
	uint8_t typed[2000];
	size_t i;

	for (i = 0; i < sizeof(typed); i++)
		typed[i] = (uint8_t)i;
	start_guest(f, echoes);
	/* Nobody is there yet: like a cable to a machine that is off. */
	assert_int_equal(console_write(f->m->console, "lost", 4), 0);
	run_until(f, f->n_up);
	assert_int_equal(console_write(f->m->console, typed, sizeof(typed)), 0);
	run_until(f, f->console.len >= sizeof(typed));
	check_pattern(&f->console, sizeof(typed));
}

static void restarts_inside_down(void **state)
{
	struct fixture *f = *state;
	char *second __free(str) = NULL;
	struct machine_boot boot = {0};

	write_guest(f, spins, ARRAY_SIZE(spins));
	second = file_join(f->dir.path, "second");
	assert_int_equal(rename(f->kernel, second), 0);
	boot.kernel = second;
	f->restart_in_down = &boot;
	start_guest(f, resets);
	run_until(f, f->n_up == 2);
	assert_int_equal(f->n_down, 1);
}

static void killed_qemu_is_a_death(void **state)
{
	struct fixture *f = *state;
	pid_t pid;

	start_guest(f, spins);
	run_until(f, f->n_up);
	pid = child_of(getpid());
	assert_true(pid > 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_DIED);
	assert_non_null(strstr(f->text, "SIGKILL"));
	assert_non_null(strstr(f->text, "memory"));
}

static void terminated_qemu_is_a_death(void **state)
{
	struct fixture *f = *state;

	start_guest(f, spins);
	run_until(f, f->n_up);
	assert_int_equal(kill(child_of(getpid()), SIGTERM), 0);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_DIED);
	assert_non_null(strstr(f->text, "host-signal"));
}

static void stopped_qemu_can_be_ended(void **state)
{
	struct fixture *f = *state;

	/* It answers neither QMP nor SIGTERM; only SIGKILL is left. */
	start_guest(f, spins);
	run_until(f, f->n_up);
	assert_int_equal(kill(child_of(getpid()), SIGSTOP), 0);
	assert_int_equal(f->m->ops->stop(f->m, NULL), 0);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_ASKED);
	assert_no_qemu();
}

static void bad_cpu_is_told(void **state)
{
	struct fixture *f = *state;

	f->spec.cpu = (char *)"cortex-z99";
	start_guest(f, spins);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_DIED);
	assert_int_equal(f->n_up, 0);
	assert_non_null(strstr(f->text, "cortex-z99"));
}

static void missing_kernel_is_told(void **state)
{
	struct fixture *f = *state;

	start_kernel(f, "/nonexistent/\033Image");
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_DIED);
	assert_non_null(strstr(f->text, "/nonexistent/\\x1bImage"));
	/* What it left behind does not disturb the next start. */
	start_guest(f, prints_1000);
	f->n_down = 0;
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_OFF);
	check_pattern(&f->console, 1000);
}

static void missing_qemu_is_told(void **state)
{
	struct fixture *f = *state;
	char *path = xstrdup(getenv("PATH"));

	setenv("PATH", f->dir.path, 1);
	start_kernel(f, "x");
	setenv("PATH", path, 1);
	free(path);
	assert_int_equal(f->n_down, 0);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_DIED);
	assert_non_null(strstr(f->text, "qemu-system-aarch64"));
}

static void lpa2_is_set_and_verified(void **state)
{
	struct fixture *f = *state;
	struct err e __free_err = ERR_INIT;
	const struct machine_boot boot = {.kernel = "x"};

	f->spec.cpu = (char *)"max";
	f->spec.lpa2 = LPA2_ON;
	start_guest(f, powers_off);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_OFF);
	f->spec.lpa2 = LPA2_OFF;
	start_guest(f, powers_off);
	run_until(f, f->n_down == 2);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_OFF);
	f->spec.cpu = (char *)"cortex-a72";
	start_guest(f, powers_off);
	run_until(f, f->n_down == 3);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_OFF);
	f->spec.lpa2 = LPA2_ON;
	assert_int_equal(f->m->ops->start(f->m, &boot, &e), -ENOTSUP);
	assert_non_null(strstr(err_msg(&e), "LPA2"));
}

static void wrong_lpa2_is_refused(void **state)
{
	struct fixture *f = *state;

	/* The later property wins in QEMU; here it wins over what was asked for. */
	f->spec.cpu = (char *)"max";
	f->spec.lpa2 = LPA2_ON;
	start_guest(f, spins);
	f->spec.lpa2 = LPA2_OFF;
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_DIED);
	assert_int_equal(f->n_up, 0);
	assert_non_null(strstr(f->text, "lpa2=off"));
}

static void starts_with_more_ram_than_the_host(void **state)
{
	struct fixture *f = *state;

	f->spec.cpu = (char *)"max";
	f->spec.ram_bytes = 512ULL << 30;
	start_guest(f, prints_1000);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_OFF);
	check_pattern(&f->console, 1000);
}

static void has_the_optional_devices(void **state)
{
	struct fixture *f = *state;

	f->opts.display = true;
	f->opts.network = true;
	drop_machine(f);
	make_machine(f);
	start_guest(f, powers_off);
	run_until(f, f->n_down);
	assert_int_equal(f->why, MACHINE_DOWN_GUEST_OFF);
}

static void free_is_legal_in_any_state(void **state)
{
	struct fixture *f = *state;

	drop_machine(f); /* never started */
	make_machine(f);
	start_guest(f, spins); /* just started */
	drop_machine(f);
	assert_no_qemu();
	make_machine(f);
	start_guest(f, spins); /* up */
	run_until(f, f->n_up);
	drop_machine(f);
	assert_no_qemu();
	make_machine(f);
	start_guest(f, spins); /* being stopped */
	run_until(f, f->n_up == 2);
	assert_int_equal(f->m->ops->stop(f->m, NULL), 0);
	drop_machine(f);
	assert_no_qemu();
	assert_int_equal(f->n_down, 0);
}

static void free_is_legal_in_callbacks(void **state)
{
	struct fixture *f = *state;

	f->free_in_up = true;
	start_guest(f, spins);
	run_until(f, !f->m);
	assert_no_qemu();
	f->free_in_up = false;
	f->free_in_bytes = true;
	make_machine(f);
	start_guest(f, prints_4m);
	run_until(f, !f->m);
	assert_no_qemu();
	assert_int_equal(f->n_down, 0);
	f->free_in_bytes = false;
	f->free_in_down = true;
	make_machine(f);
	start_guest(f, powers_off);
	run_until(f, !f->m);
	assert_int_equal(f->n_down, 1);
}

/* Pid of a QEMU whose harness, a child of ours, was killed without a warning. */
static void nothing_survives_the_harness(void **state)
{
	struct fixture *f = *state;
	struct pollfd pfd = {.events = POLLIN};
	pid_t harness, qemu;
	int fds[2];
	char c;

	drop_machine(f);
	write_guest(f, spins, ARRAY_SIZE(spins));
	assert_int_equal(pipe(fds), 0);
	harness = fork();
	if (!harness) {
		sd_event_new(&f->opts.loop);
		make_machine(f);
		start_kernel(f, f->kernel);
		run_until(f, f->n_up);
		if (write(fds[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &c, 1), 1);
	close(fds[0]);
	qemu = child_of(harness);
	assert_true(qemu > 0);
	pfd.fd = (int)syscall(SYS_pidfd_open, qemu, 0);
	assert_true(pfd.fd >= 0);
	kill(harness, SIGKILL);
	assert_int_equal(waitpid(harness, NULL, 0), harness);
	assert_int_equal(poll(&pfd, 1, PATIENCE_NS / NS_PER_MS), 1);
	close(pfd.fd);
	/* And its directory is swept away at the next start. */
	assert_true(machine_runtime_gc() >= 1);
}

static void prints_its_device_tree(void **state)
{
	struct fixture *f = *state;
	struct buf dtb __free_buf = BUF_INIT, again __free_buf = BUF_INIT;

	f->spec.cpu = (char *)"max";
	f->spec.ram_bytes = 512ULL << 30;
	assert_int_equal(machine_base_dtb(&f->opts, &dtb, NULL), 0);
	assert_true(dtb.len > 1000);
	assert_memory_equal(dtb.data, "\xd0\x0d\xfe\xed", 4);
	assert_int_equal(machine_base_dtb(&f->opts, &again, NULL), 0);
	assert_int_equal(dtb.len, again.len);
	assert_memory_equal(dtb.data, again.data, dtb.len);
}

static void preflight_knows_the_limits(void **state)
{
	struct fixture *f = *state;
	struct err e __free_err = ERR_INIT;
	uint64_t bytes;

	assert_int_equal(machine_preflight(&f->spec, &bytes, &e), 0);
	assert_int_equal(bytes, qemu_jump_bytes(&f->spec));
	f->spec.cpu = (char *)"cortex-a53"; /* 40 bits of physical address */
	f->spec.ram_bytes = 2ULL << 40;
	assert_int_equal(machine_preflight(&f->spec, &bytes, &e), -ENOTSUP);
	assert_non_null(strstr(err_msg(&e), "40 bits"));
	f->spec.cpu = (char *)"cortex-z99";
	assert_int_equal(machine_preflight(&f->spec, &bytes, &e), -ENOTSUP);
	f->spec.cpu = (char *)"max";
	f->spec.ram_bytes = 64ULL << 40;
	assert_int_equal(machine_preflight(&f->spec, &bytes, &e), -ENOMEM);
	assert_non_null(strstr(err_msg(&e), "host memory"));
}

static void calibrates(void **state)
{
	struct err e __free_err = ERR_INIT;
	double factor = 0;

	assert_int_equal(machine_calibrate(&factor, &e), 0);
	assert_true(factor >= 0.25);
	printf("NOTE this host runs guests %.2f times as slow as the reference\n", factor);
}

#define WITH_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MACHINE(stops_when_asked),
		WITH_MACHINE(stops_before_it_is_up),
		WITH_MACHINE(refuses_a_second_start),
		WITH_MACHINE(tells_reset_from_power_off),
		WITH_MACHINE(runs_at_el2_when_asked),
		WITH_MACHINE(console_is_exact_from_byte_0),
		WITH_MACHINE(flood_is_slowed_not_lost),
		WITH_MACHINE(typed_bytes_arrive),
		WITH_MACHINE(restarts_inside_down),
		WITH_MACHINE(killed_qemu_is_a_death),
		WITH_MACHINE(terminated_qemu_is_a_death),
		WITH_MACHINE(stopped_qemu_can_be_ended),
		WITH_MACHINE(bad_cpu_is_told),
		WITH_MACHINE(missing_kernel_is_told),
		WITH_MACHINE(missing_qemu_is_told),
		WITH_MACHINE(lpa2_is_set_and_verified),
		WITH_MACHINE(wrong_lpa2_is_refused),
		WITH_MACHINE(starts_with_more_ram_than_the_host),
		WITH_MACHINE(has_the_optional_devices),
		WITH_MACHINE(free_is_legal_in_any_state),
		WITH_MACHINE(free_is_legal_in_callbacks),
		WITH_MACHINE(nothing_survives_the_harness),
		WITH_MACHINE(prints_its_device_tree),
		WITH_MACHINE(preflight_knows_the_limits),
		cmocka_unit_test(calibrates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
