// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/console/console_fake.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

#define WRITTEN_MAX (4 * CONSOLE_QUEUE_MAX)

enum happening_kind { HAPPENING_BYTES, HAPPENING_HANGUP, HAPPENING_BACK };

struct happening {
	enum happening_kind kind;
	struct buf bytes;
};

struct console_fake {
	struct console console;
	sd_event_source *defer;
	struct happening *queue;
	size_t n_queue;
	struct buf written;
	void (*hook)(const void *data, size_t len, void *arg);
	void *hook_arg;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
};

static const struct console_ops console_fake_ops;

static struct console_fake *to_fake(struct console *c)
{
	return container_of(c, struct console_fake, console);
}

static void destroy(struct console_fake *f)
{
	size_t i;

	for (i = 0; i < f->n_queue; i++)
		buf_fini(&f->queue[i].bytes);
	free(f->queue);
	buf_fini(&f->written);
	free(f);
}

static void deliver(struct console_fake *f, const struct happening *h)
{
	const struct console_events *ev = &f->console.events;

	switch (h->kind) {
	case HAPPENING_BYTES:
		ev->bytes(h->bytes.data, h->bytes.len, ev->arg);
		break;
	case HAPPENING_HANGUP:
		if (ev->hangup)
			ev->hangup(ev->arg);
		break;
	case HAPPENING_BACK:
		if (ev->back)
			ev->back(ev->arg);
		break;
	}
}

void console_fake_flush(struct console *c)
{
	struct console_fake *f = to_fake(c);

	f->busy++;
	while (f->n_queue && !f->dead) {
		struct happening h = f->queue[0];

		memmove(f->queue, f->queue + 1, --f->n_queue * sizeof(h));
		deliver(f, &h);
		buf_fini(&h.bytes);
	}
	if (!--f->busy && f->dead)
		destroy(f);
}

static int on_defer(sd_event_source *source, void *userdata)
{
	console_fake_flush(userdata);
	return 0;
}

static struct happening *enqueue(struct console *c, enum happening_kind kind)
{
	struct console_fake *f = to_fake(c);
	struct happening *h = array_push(f->queue, f->n_queue);

	h->kind = kind;
	buf_init(&h->bytes);
	sd_event_source_set_enabled(f->defer, SD_EVENT_ONESHOT);
	return h;
}

void console_fake_feed(struct console *c, const void *data, size_t len)
{
	buf_add(&enqueue(c, HAPPENING_BYTES)->bytes, data, len);
}

void console_fake_hangup(struct console *c)
{
	enqueue(c, HAPPENING_HANGUP);
}

void console_fake_back(struct console *c)
{
	enqueue(c, HAPPENING_BACK);
}

struct buf *console_fake_written(struct console *c)
{
	return &to_fake(c)->written;
}

void console_fake_on_write(struct console *c, void (*hook)(const void *data, size_t len, void *arg),
			   void *arg)
{
	to_fake(c)->hook = hook;
	to_fake(c)->hook_arg = arg;
}

static int console_fake_write(struct console *c, const void *data, size_t len)
{
	struct console_fake *f = to_fake(c);

	if (len > CONSOLE_QUEUE_MAX)
		return -ENOBUFS;
	if (f->written.len + len > WRITTEN_MAX)
		buf_consume(&f->written, f->written.len / 2);
	buf_add(&f->written, data, len);
	if (f->hook)
		f->hook(data, len, f->hook_arg);
	return 0;
}

static void console_fake_free(struct console *c)
{
	struct console_fake *f = to_fake(c);

	f->defer = sd_event_source_disable_unref(f->defer);
	f->dead = true;
	if (!f->busy)
		destroy(f);
}

static const struct console_ops console_fake_ops = {
	.name = "fake",
	.write = console_fake_write,
	.free = console_fake_free,
};

int console_fake_new(sd_event *loop, const struct console_events *events, struct console **ret,
		     struct err *e)
{
	struct console_fake *f;
	int rc;

	xnew(f);
	f->console.ops = &console_fake_ops;
	f->console.events = *events;
	buf_init(&f->written);
	rc = sd_event_add_defer(loop, &f->defer, on_defer, &f->console);
	if (rc < 0) {
		destroy(f);
		return err_errno(e, -rc, "console");
	}
	sd_event_source_set_enabled(f->defer, SD_EVENT_OFF);
	*ret = &f->console;
	return 0;
}
