// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "machine/bare_guest.h"
#include "machine/machine.h"
#include "machine/runtime.h"

/*
 * The loop's turns (this times 65536: 134 million), and how long the reference
 * host, 2 cores of a Xeon in a virtual machine with QEMU 10.0.2, takes from up
 * to SHUTDOWN: the least of 60 runs. It boots Debian's 7.2 kernel with CPU
 * "max" to userspace in about 5 s.
 */
#define LOOP_TURNS_HIGH 0x0800u
#define REFERENCE_NS	(212 * NS_PER_MS)
#define RUNS		3
#define FACTOR_MIN	0.25 /* limits are never cut to less than this */
#define RUN_TIMEOUT_NS	(60 * NS_PER_S)

/* mov x1, #turns_high, lsl 16; 1: subs x1, x1, #1; b.ne 1b; mov x0, SYSTEM_OFF; hvc #0; b . */
static const uint32_t loop_code[] = {
	A64_MOVZ(1, LOOP_TURNS_HIGH, 16),
	A64_SUBS_IMM(1, 1, 1),
	A64_B_NE(-1),
	A64_MOVZ(0, PSCI_SYSTEM_OFF & 0xffff, 0),
	A64_MOVK(0, PSCI_SYSTEM_OFF >> 16, 16),
	A64_HVC_0,
	A64_B(0),
};

struct calibration {
	sd_event *loop;
	uint64_t up_ns, off_ns;
	int error;
	char *text;
};

static void on_up(void *arg)
{
	struct calibration *c = arg;

	c->up_ns = clock_ns();
}

static void on_notice(const char *line, void *arg)
{
	struct calibration *c = arg;
	struct json *event __free(json) = NULL;
	const char *name;

	if (json_parse(line, strlen(line), &event, NULL))
		return;
	name = json_get_str(event, "event");
	if (name && !strcmp(name, "SHUTDOWN"))
		c->off_ns = clock_ns();
}

static void on_down(enum machine_down why, const char *text, void *arg)
{
	struct calibration *c = arg;

	if (why != MACHINE_DOWN_GUEST_OFF || !c->off_ns) {
		c->error = -EIO;
		c->text = xstrdup(text ? text : "the guest did not power off");
	}
	sd_event_exit(c->loop, 0);
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct calibration *c = userdata;

	c->error = -ETIMEDOUT;
	c->text = xstrdup("the guest did not come to its end");
	return sd_event_exit(c->loop, 0);
}

static void ignore_bytes(const void *data, size_t len, void *arg)
{
}

static int run_once(const char *image, uint64_t *ret_ns, struct err *e)
{
	static const struct machine_spec spec = {
		.name = (char *)"calibration",
		.board = (char *)"qemu-virt",
		.ram_bytes = 128 << 20,
		.cpu = (char *)"max",
		.cpus = 1,
	};
	struct calibration c = {0};
	const struct machine_events events = {
		.up = on_up, .down = on_down, .notice = on_notice, .arg = &c};
	const struct console_events console_events = {.bytes = ignore_bytes};
	const struct machine_boot boot = {.kernel = image};
	struct machine_opts opts = {.spec = &spec};
	struct machine *m = NULL;
	int rc = sd_event_new(&c.loop);

	if (rc < 0)
		return err_errno(e, -rc, "cannot make an event loop");
	opts.loop = c.loop;
	rc = machine_new(&opts, &events, &console_events, &m, e);
	if (!rc)
		rc = m->ops->start(m, &boot, e);
	if (!rc)
		rc = sd_event_add_time_relative(c.loop, NULL, CLOCK_MONOTONIC,
						RUN_TIMEOUT_NS / 1000, 0, on_timeout, &c);
	if (rc >= 0)
		rc = sd_event_loop(c.loop);
	machine_free(m);
	sd_event_unref(c.loop);
	if (!rc && c.error)
		rc = err_set(e, -c.error, "%s", c.text);
	free(c.text);
	*ret_ns = c.off_ns - c.up_ns;
	return rc;
}

int machine_calibrate(double *ret_factor, struct err *e)
{
	struct runtime_dir dir __free_runtime_dir = RUNTIME_DIR_INIT;
	struct buf image __free_buf = BUF_INIT;
	char *path __free(str) = NULL;
	uint64_t best_ns = UINT64_MAX, ns = 0;
	int i, rc = runtime_dir_init(&dir, e);

	if (rc)
		return rc;
	path = file_join(dir.path, "Image");
	bare_guest_image(&image, loop_code, ARRAY_SIZE(loop_code));
	rc = file_write(path, image.data, image.len, e);
	for (i = 0; i < RUNS && !rc; i++) {
		rc = run_once(path, &ns, e);
		if (!rc && ns < best_ns)
			best_ns = ns;
	}
	if (rc)
		return err_prefix(e, rc, "calibration");
	*ret_factor = (double)best_ns / REFERENCE_NS;
	if (*ret_factor < FACTOR_MIN)
		*ret_factor = FACTOR_MIN;
	return 0;
}
