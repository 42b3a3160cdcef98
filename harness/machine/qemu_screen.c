// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/qemu_screen.h"

#include "base/alloc.h"
#include "base/file.h"
#include "machine/display/display_qmp.h"
#include "machine/display/display_ram.h"

static void on_trace(enum qemu_trace_event event, void *arg)
{
	struct qemu_screen *s = arg;

	switch (event) {
	case QEMU_TRACE_FLUSH:
	case QEMU_TRACE_SCANOUT:
		display_qmp_scanout(s->display, true);
		break;
	case QEMU_TRACE_BLANK:
		display_qmp_scanout(s->display, false);
		break;
	case QEMU_TRACE_OTHER:
		break;
	}
	display_qmp_hint(s->display);
}

int qemu_screen_init(struct qemu_screen *s, const struct machine_opts *opts, const char *dir,
		     const struct display_events *events, struct err *e)
{
	char *file __free(str) = NULL;

	if (!opts->display_events)
		return 0;
	if (opts->framebuffer)
		return display_ram_new(opts->loop, opts->framebuffer, events, &s->display, e);
	if (opts->display) {
		file = file_join(dir, "screen.ppm");
		s->display = display_qmp_new(opts->loop, file, events);
		s->by_monitor = true;
		s->trace_path = file_join(dir, "trace");
		return qemu_trace_open(&s->trace, opts->loop, s->trace_path, on_trace, s, e);
	}
	return 0;
}

void qemu_screen_fini(struct qemu_screen *s)
{
	qemu_trace_close(&s->trace);
	free(steal_ptr(s->trace_path));
	display_free(steal_ptr(s->display));
}

bool qemu_screen_sees_ram(const struct qemu_screen *s)
{
	return s->display && !s->by_monitor;
}

int qemu_screen_attach_ram(struct qemu_screen *s, const struct ram *ram, struct err *e)
{
	return display_ram_attach(s->display, ram, e);
}

void qemu_screen_run(struct qemu_screen *s)
{
	if (s->by_monitor)
		display_qmp_run(s->display);
}

void qemu_screen_down(struct qemu_screen *s)
{
	if (s->display && s->by_monitor)
		display_qmp_detach(s->display);
	else if (s->display)
		display_ram_detach(s->display);
}
