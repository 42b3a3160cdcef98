/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugged.h - a QEMU machine with a debug port, and requests to it that a test
 * waits for.
 */
#ifndef KJUMP_TEST_BOOT_DEBUGGED_H
#define KJUMP_TEST_BOOT_DEBUGGED_H

#include "test/test.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "image/image.h"
#include "machine/machine.h"
#include "machine/runtime.h"
#include "probe/cpu_state.h"
#include "probe/kernel_map.h"

#define PATIENCE_NS (180 * NS_PER_S)

#define assert_ok(call)                              \
	do {                                         \
		if (call)                            \
			fail_msg("%s", err_msg(&e)); \
	} while (0)

struct bench {
	struct machine_spec spec;
	struct machine_opts opts;
	struct debug_events debug_events;
	struct runtime_dir dir;
	struct machine *m;
	struct image_ctx *images;
	struct kernel_files *files;
	char *initramfs;
	struct buf image, console;
	struct kernel_map *map;
	uint64_t base; /* of the running kernel */
	unsigned int n_up, n_down, n_halted, n_lost, n_stop_notices;
	enum machine_down why_down;
	enum debug_stop why_halted;
	unsigned int halted_cpu;
	/* Of the request asked last. */
	unsigned int n_open;
	int error;
	struct debug_regs regs;
	struct buf data;
	uint64_t done_ns;
};

static inline void on_up(void *arg)
{
	((struct bench *)arg)->n_up++;
}

static inline void on_down(enum machine_down why, const char *text, void *arg)
{
	struct bench *b = arg;

	b->n_down++;
	b->why_down = why;
	assert_null(b->m->debug);
	if (text)
		printf("%s\n", text);
}

static inline void on_notice(const char *json, void *arg)
{
	struct bench *b = arg;

	b->n_stop_notices += !!strstr(json, "\"STOP\"");
}

static inline void on_bytes(const void *data, size_t len, void *arg)
{
	buf_add(&((struct bench *)arg)->console, data, len);
}

static inline void on_halted(enum debug_stop why, unsigned int cpu, void *arg)
{
	struct bench *b = arg;

	b->n_halted++;
	b->why_halted = why;
	b->halted_cpu = cpu;
}

static inline void on_lost(const char *why, void *arg)
{
	struct bench *b = arg;

	assert_int_equal(b->n_down, b->n_lost);
	b->n_lost++;
}

#define run_until(b, cond)                                                      \
	do {                                                                    \
		uint64_t end_ = clock_ns() + PATIENCE_NS;                       \
                                                                                \
		while (!(cond)) {                                               \
			if (clock_ns() > end_)                                  \
				fail_msg("%s: %s", #cond, (b)->console.data);   \
			assert_true(sd_event_run((b)->opts.loop, 100000) >= 0); \
		}                                                               \
	} while (0)

static inline void on_done(const struct debug_reply *reply, void *arg)
{
	struct bench *b = arg;

	b->n_open--;
	b->error = reply->error;
	b->done_ns = clock_ns();
	if (reply->error)
		assert_non_null(reply->text);
	if (!reply->error && reply->registers)
		b->regs = *reply->registers;
	if (!reply->error && reply->data) {
		buf_reset(&b->data);
		buf_add(&b->data, reply->data, reply->len);
	}
}

static inline void submit(struct bench *b, struct debug_request r)
{
	r.done = on_done;
	r.arg = b;
	b->n_open++;
	assert_int_equal(debug_submit(b->m->debug, &r), 0);
}

#define ask(b, ...)                                               \
	({                                                        \
		submit((b), (struct debug_request){__VA_ARGS__}); \
		run_until((b), !(b)->n_open);                     \
		(b)->error;                                       \
	})

static inline int read_all(struct bench *b, unsigned int cpu)
{
	return ask(b, .op = DEBUG_READ_REGISTERS, .cpu = cpu, .names = cpu_all_registers,
		   .n_names = CPU_N_ALL);
}

static inline uint64_t value_of(const struct bench *b, const char *name)
{
	uint64_t value;

	if (!debug_regs_get(&b->regs, name, &value))
		fail_msg("the target has no %s", name);
	return value;
}

static inline void make_machine(struct bench *b, unsigned int cpus)
{
	const struct machine_events events = {
		.up = on_up, .down = on_down, .notice = on_notice, .arg = b};
	const struct console_events console_events = {.bytes = on_bytes, .arg = b};
	struct err e __free_err = ERR_INIT;

	b->spec = (struct machine_spec){.name = (char *)"debugged",
					.board = (char *)"qemu-virt",
					.ram_bytes = 1ULL << 30,
					.cpu = (char *)"max",
					.lpa2 = LPA2_OFF,
					.gic = 3,
					.cpus = cpus};
	b->debug_events = (struct debug_events){on_halted, on_lost, b};
	b->opts.spec = &b->spec;
	b->opts.debug_events = &b->debug_events;
	assert_ok(machine_new(&b->opts, &events, &console_events, &b->m, &e));
}

static inline int set_up(void **state)
{
	struct bench *b;

	xnew(b);
	*state = b;
	buf_init(&b->image);
	buf_init(&b->console);
	buf_init(&b->data);
	assert_true(sd_event_new(&b->opts.loop) >= 0);
	return runtime_dir_init(&b->dir, NULL);
}

static inline int tear_down(void **state)
{
	struct bench *b = *state;

	machine_free(b->m);
	sd_event_unref(b->opts.loop);
	runtime_dir_fini(&b->dir);
	kernel_map_free(b->map);
	kernel_files_free(b->files);
	image_ctx_free(b->images);
	free(b->initramfs);
	buf_fini(&b->image);
	buf_fini(&b->console);
	buf_fini(&b->data);
	free(b);
	return 0;
}

#endif
