/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_rig.h - a console under test, its events counted, and its far end.
 */
#ifndef KJUMP_TEST_MACHINE_LINE_RIG_H
#define KJUMP_TEST_MACHINE_LINE_RIG_H

#include "test/test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <systemd/sd-event.h>

#include "base/buf.h"
#include "base/clock.h"
#include "machine/console/console.h"

#define PATIENCE_NS (20 * NS_PER_S)

struct line_rig {
	sd_event *loop;
	struct console *console;
	struct buf got;
	unsigned int n_hangup, n_back;
	bool free_in_bytes, free_in_hangup, free_in_back;
};

static inline void rig_bytes(const void *data, size_t len, void *arg)
{
	struct line_rig *r = arg;

	buf_add(&r->got, data, len);
	if (r->free_in_bytes)
		console_free(steal_ptr(r->console));
}

static inline void rig_hangup(void *arg)
{
	struct line_rig *r = arg;

	r->n_hangup++;
	if (r->free_in_hangup)
		console_free(steal_ptr(r->console));
}

static inline void rig_back(void *arg)
{
	struct line_rig *r = arg;

	r->n_back++;
	if (r->free_in_back)
		console_free(steal_ptr(r->console));
}

static inline struct console_events rig_events(struct line_rig *r)
{
	return (struct console_events){rig_bytes, rig_hangup, rig_back, r};
}

static inline void rig_init(struct line_rig *r)
{
	signal(SIGPIPE, SIG_IGN);
	*r = (struct line_rig){.got = BUF_INIT};
	assert_true(sd_event_new(&r->loop) >= 0);
}

static inline void rig_fini(struct line_rig *r)
{
	console_free(steal_ptr(r->console));
	sd_event_unref(r->loop);
	buf_fini(&r->got);
}

#define rig_run_until(loop_, cond)                                      \
	do {                                                            \
		uint64_t end_ = clock_ns() + PATIENCE_NS;               \
                                                                        \
		while (!(cond)) {                                       \
			assert_true(clock_ns() < end_);                 \
			assert_true(sd_event_run((loop_), 50000) >= 0); \
		}                                                       \
	} while (0)

/* Reads exactly @len bytes that the console sends to its far end @fd. */
static inline void rig_expect(struct line_rig *r, int fd, const void *expected, size_t len)
{
	struct buf got __free_buf = BUF_INIT;
	uint64_t end = clock_ns() + PATIENCE_NS;
	char block[512];

	while (got.len < len) {
		ssize_t n;

		assert_true(clock_ns() < end);
		assert_true(sd_event_run(r->loop, 10000) >= 0);
		n = read(fd, block, len - got.len < sizeof(block) ? len - got.len : sizeof(block));
		if (n > 0)
			buf_add(&got, block, (size_t)n);
	}
	assert_memory_equal(got.data, expected, len);
}

/* Nothing more comes. */
static inline void rig_expect_silence(struct line_rig *r, int fd)
{
	char c;
	int i;

	for (i = 0; i < 5; i++)
		assert_true(sd_event_run(r->loop, 10000) >= 0);
	assert_true(read(fd, &c, 1) < 0);
	assert_int_equal(errno, EAGAIN);
}

/* A pty's far end, non-blocking; its path in @path. */
static inline int rig_pty(char *path, size_t size)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(grantpt(fd), 0);
	assert_int_equal(unlockpt(fd), 0);
	assert_int_equal(ptsname_r(fd, path, size), 0);
	return fd;
}

#endif
