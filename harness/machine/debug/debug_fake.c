// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/debug/debug_fake.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "machine/debug/debug_queue.h"

#define PAGE		4096
#define BREAKPOINTS_MAX 64

struct page {
	enum debug_space space;
	uint64_t address;
	unsigned char data[PAGE];
};

struct reg {
	char name[16];
	uint64_t value;
};

struct cpu {
	struct reg *regs;
	size_t n_regs;
};

struct debug_fake {
	struct debug debug;
	struct debug_fake_script script;
	sd_event_source *source;
	struct debug_queue queue;
	struct cpu *cpus;
	struct page **pages;
	size_t n_pages;
	uint64_t breakpoints[BREAKPOINTS_MAX];
	size_t n_breakpoints;
	bool stops; /* halted() is due: */
	enum debug_stop why;
	unsigned int stopped_cpu;
	char *lost_why; /* lost() is due */
	bool lost;
	bool *freed; /* on the stack of who calls out; NULL: nobody does */
};

static struct debug_fake *fake_of(const struct debug *d)
{
	return container_of(d, struct debug_fake, debug);
}

static void wake(struct debug_fake *f)
{
	sd_event_source_set_enabled(f->source, SD_EVENT_ONESHOT);
}

/* --- the target ----------------------------------------------------------- */

static struct reg *find_reg(struct debug_fake *f, unsigned int cpu, const char *name)
{
	struct cpu *c = &f->cpus[cpu];
	size_t i;

	for (i = 0; i < c->n_regs; i++) {
		if (!strcmp(c->regs[i].name, name))
			return &c->regs[i];
	}
	return NULL;
}

void debug_fake_set(struct debug *d, unsigned int cpu, const char *name, uint64_t value)
{
	struct debug_fake *f = fake_of(d);
	struct cpu *c = &f->cpus[cpu];
	struct reg *r = find_reg(f, cpu, name);

	if (!r) {
		r = array_push(c->regs, c->n_regs);
		strncpy(r->name, name, sizeof(r->name) - 1);
	}
	r->value = value;
}

uint64_t debug_fake_get(struct debug *d, unsigned int cpu, const char *name)
{
	const struct reg *r = find_reg(fake_of(d), cpu, name);

	return r ? r->value : 0;
}

static struct page *find_page(struct debug_fake *f, enum debug_space space, uint64_t address)
{
	size_t i;

	for (i = 0; i < f->n_pages; i++) {
		if (f->pages[i]->space == space && f->pages[i]->address == address)
			return f->pages[i];
	}
	return NULL;
}

/* Byte by byte: a request may cross pages, and nobody counts a fake's cycles. */
static unsigned char *find_byte(struct debug_fake *f, enum debug_space space, uint64_t address)
{
	struct page *p = find_page(f, space, address & ~(uint64_t)(PAGE - 1));

	return p ? &p->data[address % PAGE] : NULL;
}

void debug_fake_poke(struct debug *d, enum debug_space space, uint64_t address, const void *data,
		     size_t len)
{
	struct debug_fake *f = fake_of(d);
	size_t i;

	for (i = 0; i < len; i++) {
		if (!find_byte(f, space, address + i)) {
			struct page *p;

			xnew(p);
			p->space = space;
			p->address = (address + i) & ~(uint64_t)(PAGE - 1);
			*array_push(f->pages, f->n_pages) = p;
		}
		*find_byte(f, space, address + i) = ((const unsigned char *)data)[i];
	}
}

static size_t find_breakpoint(const struct debug_fake *f, uint64_t address)
{
	size_t i;

	for (i = 0; i < f->n_breakpoints && f->breakpoints[i] != address; i++)
		;
	return i;
}

bool debug_fake_has_breakpoint(const struct debug *d, uint64_t address)
{
	const struct debug_fake *f = fake_of(d);

	return find_breakpoint(f, address) < f->n_breakpoints;
}

/* --- requests ---------------------------------------------------------------- */

static void read_registers(struct debug_fake *f, const struct debug_request *q,
			   struct debug_regs *regs)
{
	unsigned int i;

	regs->names = q->names;
	regs->n = q->n_names;
	for (i = 0; i < q->n_names; i++) {
		const struct reg *r = find_reg(f, q->cpu, q->names[i]);

		regs->present[i] = r;
		regs->value[i] = r ? r->value : 0;
	}
}

static int read_memory(struct debug_fake *f, const struct debug_request *q, struct buf *out)
{
	size_t i;

	for (i = 0; i < q->len; i++) {
		const unsigned char *at = find_byte(f, q->space, q->address + i);

		if (!at)
			return -EFAULT;
		buf_addch(out, (char)*at);
	}
	return 0;
}

static int write_memory(struct debug_fake *f, const struct debug_request *q)
{
	size_t i;

	for (i = 0; i < q->len; i++) {
		if (!find_byte(f, q->space, q->address + i))
			return -EFAULT;
	}
	debug_fake_poke(&f->debug, q->space, q->address, q->data, q->len);
	return 0;
}

static int set_breakpoint(struct debug_fake *f, uint64_t address)
{
	if (find_breakpoint(f, address) < f->n_breakpoints)
		return 0;
	if (f->n_breakpoints == BREAKPOINTS_MAX)
		return -ENOSPC;
	f->breakpoints[f->n_breakpoints++] = address;
	return 0;
}

static void clear_breakpoint(struct debug_fake *f, uint64_t address)
{
	size_t i = find_breakpoint(f, address);

	if (i < f->n_breakpoints)
		f->breakpoints[i] = f->breakpoints[--f->n_breakpoints];
}

static int step(struct debug_fake *f, unsigned int cpu)
{
	if (f->script.step)
		return f->script.step(&f->debug, cpu, f->script.arg);
	debug_fake_set(&f->debug, cpu, "pc", debug_fake_get(&f->debug, cpu, "pc") + 4);
	return 0;
}

static int halt(struct debug_fake *f, const struct debug_request *q)
{
	if (f->debug.running && q->op == DEBUG_HALT && f->script.ran)
		f->script.ran(&f->debug, f->script.arg);
	f->debug.running = false;
	f->debug.n_cpus = f->script.n_cpus;
	return 0;
}

static int perform(struct debug_fake *f, const struct debug_request *q, struct debug_regs *regs,
		   struct buf *bytes)
{
	int rc = f->script.fails ? f->script.fails(q, f->script.arg) : 0;

	if (rc)
		return rc;
	if (f->debug.running && q->op != DEBUG_HALT && q->op != DEBUG_ATTACH)
		return -EBUSY;
	switch (q->op) {
	case DEBUG_ATTACH:
	case DEBUG_HALT:
		return halt(f, q);
	case DEBUG_RESUME:
		f->debug.running = true;
		return 0;
	case DEBUG_STEP:
		return step(f, q->cpu);
	case DEBUG_READ_REGISTERS:
		read_registers(f, q, regs);
		return 0;
	case DEBUG_WRITE_REGISTER:
		if (!find_reg(f, q->cpu, q->names[0]))
			return -EIO;
		debug_fake_set(&f->debug, q->cpu, q->names[0], q->value);
		return 0;
	case DEBUG_READ_MEMORY:
		return read_memory(f, q, bytes);
	case DEBUG_WRITE_MEMORY:
		return write_memory(f, q);
	case DEBUG_SET_BREAKPOINT:
		return set_breakpoint(f, q->address);
	case DEBUG_CLEAR_BREAKPOINT:
		clear_breakpoint(f, q->address);
		return 0;
	}
	return -EINVAL;
}

/* Takes the oldest request out of the queue and answers it; false: the port was freed in it. */
static bool answer(struct debug_fake *f, int error, const char *text)
{
	const struct debug_request q = debug_queue_pop(&f->queue);
	struct debug_regs regs = {0};
	struct buf bytes __free_buf = BUF_INIT;
	struct debug_reply reply = {.error = error, .text = text};
	bool freed = false;

	if (!error)
		reply.error = perform(f, &q, &regs, &bytes);
	if (reply.error && !reply.text)
		reply.text = "the fake target refuses";
	reply.registers = &regs;
	reply.data = bytes.data;
	reply.len = bytes.len;
	f->freed = &freed;
	debug_queue_done(&q, &reply);
	if (!freed)
		f->freed = NULL;
	return !freed;
}

static void be_lost(struct debug_fake *f)
{
	char *why __free(str) = steal_ptr(f->lost_why);

	f->lost = true;
	f->debug.running = false;
	while (f->queue.n) {
		if (!answer(f, -ENOTCONN, why))
			return;
	}
	if (f->debug.events.lost)
		f->debug.events.lost(why, f->debug.events.arg);
}

static int on_work(sd_event_source *source, void *arg)
{
	struct debug_fake *f = arg;

	if (f->lost_why) {
		be_lost(f);
	} else if (f->stops) {
		f->stops = false;
		if (f->queue.n || f->lost_why)
			wake(f);
		f->debug.running = false;
		if (f->debug.events.halted)
			f->debug.events.halted(f->why, f->stopped_cpu, f->debug.events.arg);
	} else if (f->queue.n && answer(f, 0, NULL) && (f->queue.n || f->stops || f->lost_why)) {
		wake(f);
	}
	return 0;
}

static int submit(struct debug *d, const struct debug_request *q)
{
	struct debug_fake *f = fake_of(d);
	int rc;

	if (f->lost || f->lost_why)
		return -ENOTCONN;
	rc = debug_queue_push(&f->queue, f->script.n_cpus, q);
	if (!rc)
		wake(f);
	return rc;
}

/* --- life ---------------------------------------------------------------------- */

static void fake_free(struct debug *d)
{
	struct debug_fake *f = fake_of(d);
	size_t i;

	if (f->freed)
		*f->freed = true;
	sd_event_source_disable_unref(f->source);
	debug_queue_fini(&f->queue);
	for (i = 0; i < f->script.n_cpus; i++)
		free(f->cpus[i].regs);
	free(f->cpus);
	for (i = 0; i < f->n_pages; i++)
		free(f->pages[i]);
	free(f->pages);
	free(f->lost_why);
	free(f);
}

static const struct debug_ops ops = {.name = "fake", .submit = submit, .free = fake_free};

int debug_fake_new(sd_event *loop, const struct debug_fake_script *script,
		   const struct debug_events *events, struct debug **ret, struct err *e)
{
	struct debug_fake *f;
	int rc;

	xnew(f);
	f->debug.ops = &ops;
	f->debug.events = *events;
	f->debug.running = true;
	f->script = *script;
	f->cpus = xcalloc(script->n_cpus, sizeof(*f->cpus));
	rc = sd_event_add_defer(loop, &f->source, on_work, f);
	if (rc < 0) {
		fake_free(&f->debug);
		return err_errno(e, -rc, "cannot set up a debug port");
	}
	sd_event_source_set_enabled(f->source, SD_EVENT_OFF);
	*ret = &f->debug;
	return 0;
}

void debug_fake_stop(struct debug *d, enum debug_stop why, unsigned int cpu)
{
	struct debug_fake *f = fake_of(d);

	if (!d->running)
		return;
	f->stops = true;
	f->why = why;
	f->stopped_cpu = cpu;
	wake(f);
}

void debug_fake_lose(struct debug *d, const char *why)
{
	struct debug_fake *f = fake_of(d);

	if (f->lost || f->lost_why)
		return;
	f->lost_why = xstrdup(why);
	wake(f);
}
