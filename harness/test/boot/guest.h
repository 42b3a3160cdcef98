/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.h - a bare guest of a boot test: QEMU with its console in our hands.
 */
#ifndef KJUMP_TEST_BOOT_GUEST_H
#define KJUMP_TEST_BOOT_GUEST_H

#include "test/test.h"

#include <fcntl.h>
#include <poll.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/process.h"

#define GUEST_PATIENCE_NS (180 * NS_PER_S)
#define GUEST_MAX_CONSOLE (8 << 20)

/* For calls whose last argument is the local struct err e. */
#define assert_ok(call)                              \
	do {                                         \
		if (call)                            \
			fail_msg("%s", err_msg(&e)); \
	} while (0)

/* A machine whose console is read and written here. */
struct guest {
	struct process p;
	int in_fd, out_fd;
	struct buf console;
};

/* @argv: a QEMU whose console is stdio. */
static inline void guest_start_program(struct guest *g, const char *const *argv)
{
	struct err e __free_err = ERR_INIT;
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	*g = (struct guest){
		.p = PROCESS_INIT, .in_fd = in[1], .out_fd = out[0], .console = BUF_INIT};
	assert_ok(process_start(
		&g->p,
		&(struct process_opts){
			.argv = argv, .stdin_fd = in[0], .stdout_fd = out[1], .stderr_fd = out[1]},
		&e));
	close(in[0]);
	close(out[1]);
}

static inline void guest_start(struct guest *g, const char *kernel, const char *initrd)
{
	const char *const argv[] = {"qemu-system-aarch64",
				    "-M",
				    "virt,gic-version=3,accel=tcg",
				    "-cpu",
				    "max,lpa2=off",
				    "-m",
				    "2G",
				    "-nodefaults",
				    "-display",
				    "none",
				    "-serial",
				    "stdio",
				    "-no-reboot",
				    "-kernel",
				    kernel,
				    "-initrd",
				    initrd,
				    "-append",
				    "console=ttyAMA0 panic=-1",
				    NULL};

	guest_start_program(g, argv);
}

static inline void guest_stop(struct guest *g)
{
	process_stop(&g->p, 5 * NS_PER_S);
	close(g->in_fd);
	close(g->out_fd);
	buf_fini(&g->console);
}

/* Reads the console until @text has appeared on it. */
static inline void guest_expect(struct guest *g, const char *text)
{
	uint64_t end = clock_ns() + GUEST_PATIENCE_NS;

	while (!memmem(g->console.data, g->console.len, text, strlen(text))) {
		struct pollfd pfd = {.fd = g->out_fd, .events = POLLIN};
		char block[4096];
		ssize_t n = 0;

		if (clock_ns() < end && g->console.len < GUEST_MAX_CONSOLE &&
		    poll(&pfd, 1, 1000) >= 0 &&
		    (!pfd.revents || (n = read(g->out_fd, block, sizeof(block))) > 0)) {
			buf_add(&g->console, block, (size_t)n);
			continue;
		}
		fprintf(stderr, "%.*s\n", (int)g->console.len, g->console.data);
		process_stop(&g->p, NS_PER_S);
		fail_msg("'%s' did not appear on the console", text);
	}
}

static inline void guest_type(struct guest *g, const char *text)
{
	assert_int_equal(file_write_all(g->in_fd, text, strlen(text)), 0);
}

#endif
