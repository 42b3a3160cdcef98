/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flood.h - a hostile console without end, made as it is read.
 *
 * Stretches of half a megabyte, each of one kind, no two alike: boots, lines
 * that say nothing, failures that settle nothing and are never twice the same,
 * lines that almost match, lines of one byte, no line end at all, terminal
 * control, lines that look wrapped, noise. The same bytes for each reader.
 */
#ifndef KJUMP_TEST_BENCH_FLOOD_H
#define KJUMP_TEST_BENCH_FLOOD_H

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"

#define FLOOD_STRETCH (512UL << 10)

/* {88172645463325252, 0} to begin with: the seed of a xorshift, and how many stretches came. */
struct flood {
	uint64_t x;
	unsigned int n;
};

#define FLOOD_INIT                   \
	{                            \
		88172645463325252, 0 \
	}

static inline uint64_t flood_next(struct flood *f)
{
	f->x ^= f->x << 13;
	f->x ^= f->x >> 7;
	f->x ^= f->x << 17;
	return f->x;
}

/* '%' stands for a number that is another one each time. */
static const char *const flood_boot[] = {
	"[    0.%] Linux version 7.2.6 (builder@host) (gcc 14.2.0) #1 SMP PREEMPT\r\n",
	"[    0.%] efi: UEFI not found.\r\n",
	"[    0.%] Memory: %K/%K available (%K kernel code, %K rwdata, %K rodata)\r\n",
	"[    0.%] GICv2m: range[mem 0x%-0x%], SPI[80:143]\r\n",
	"[    1.%] virtio_blk virtio1: [vda] % 512-byte logical blocks (10.7 GB)\r\n",
	"[  OK  ] Started systemd-journald.service - Journal Service.\r\n",
};
static const char *const flood_dull[] = {
	"y and again y, for ever and ever, as yes would do it\n",
};
static const char *const flood_failures[] = {
	"[   22.%] watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [x:%]\n",
	"[   22.%] Unable to handle kernel paging request at virtual address ffff%\n",
	"[   22.%] WARNING: CPU: 0 PID: % at kernel/foo.c:% foo%+0x1/0x2\n",
	"[   22.%] pc : foo%+0x1/0x2\n",
	"[   22.%]  bar%+0x10/0x20\n",
};
static const char *const flood_almost[] = {
	"Kernel panik - not synching: VFS: Unable to mount root fs on unknown-block\n",
	"WARNING: CPU: PID: at kernel/foo.c\n",
	"BUG: soft lockup - CPU#x stuck for s\n",
	"INFO: task blocked for more than seconds, % of them\n",
	"Internal error: Oops without an end %\n",
	"Unable to handle kernel anything at virtual address %\n",
	"rcu: INFO: rcu_% detected stall on no CPU\n",
};
static const char *const flood_short[] = {"y\n"};
static const char *const flood_endless[] = {"AAAAAAAAAAAAAAAA%"};
static const char *const flood_control[] = {"\x1b[0;32m\x1b[2K\b\x1b]0;t\x07"};
static const char *const flood_wrapped[] = {
	"0123456789 23456789 123456789 123456789 123456789 123456789 123456789 1234567890\n",
};

static inline void flood_line(struct flood *f, const char *line, struct buf *out)
{
	const char *p;

	for (; (p = strchr(line, '%')); line = p + 1) {
		buf_add(out, line, (size_t)(p - line));
		buf_addf(out, "%u", (unsigned int)(flood_next(f) >> 44));
	}
	buf_adds(out, line);
}

/* Appends the next stretch to @out. */
static inline void flood_stretch(struct flood *f, struct buf *out)
{
	static const struct {
		const char *const *lines;
		size_t n;
	} kinds[] = {
		{flood_boot, ARRAY_SIZE(flood_boot)},
		{flood_dull, ARRAY_SIZE(flood_dull)},
		{flood_failures, ARRAY_SIZE(flood_failures)},
		{flood_almost, ARRAY_SIZE(flood_almost)},
		{flood_short, ARRAY_SIZE(flood_short)},
		{flood_endless, ARRAY_SIZE(flood_endless)},
		{flood_control, ARRAY_SIZE(flood_control)},
		{flood_wrapped, ARRAY_SIZE(flood_wrapped)},
		{NULL, 0}, /* noise */
	};
	size_t kind = f->n++ % ARRAY_SIZE(kinds), end = out->len + FLOOD_STRETCH, i;

	for (i = 0; out->len < end; i++) {
		uint64_t noise = flood_next(f);

		if (kinds[kind].lines)
			flood_line(f, kinds[kind].lines[i % kinds[kind].n], out);
		else
			buf_add(out, &noise, sizeof(noise));
	}
	buf_addch(out, '\n');
}

#endif
