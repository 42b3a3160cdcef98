// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/live.h"

#include <inttypes.h>
#include <sys/ioctl.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "report/style.h"

#define SLOTS_MAX 1024

/* A job that runs now. */
struct slot {
	char *title; /* NULL: the slot is free */
	enum stage stage;
	uint64_t started_ns;
};

struct live {
	FILE *out;
	bool terminal;
	struct style style;
	struct slot *slots;
	size_t n_slots;
	size_t done, total;
	size_t count[N_OUTCOMES];
	uint64_t eta_ns;
	unsigned int drawn; /* lines of the view that stand on the terminal */
};

/* In one piece, so that nothing of another process comes in between. */
static void emit(struct live *l, const struct buf *text)
{
	fwrite(text->data, 1, text->len, l->out);
	fflush(l->out);
}

/* Moves to where the view begins and clears from there on. */
static void add_erase(struct live *l, struct buf *out)
{
	if (l->drawn)
		buf_addf(out, "\033[%uA", l->drawn);
	if (l->terminal)
		buf_adds(out, "\r\033[J");
	l->drawn = 0;
}

static void add_slot(const struct live *l, const struct slot *s, uint64_t now_ns, struct buf *out)
{
	struct buf right __free_buf = BUF_INIT;
	unsigned int columns;

	buf_addf(&right, "  %-11s %6.1fs", stage_name(s->stage),
		 (double)((now_ns - s->started_ns) / NS_PER_MS) / 1000);
	/* One column stays free: a full line would wrap on some terminals. */
	columns = l->style.width - 1 - (unsigned int)right.len;
	style_add_cut(out, &l->style, TONE_PLAIN, s->title, columns);
	if (style_columns(s->title) < columns)
		style_pad(out, columns - style_columns(s->title));
	style_add(out, &l->style, TONE_DIM, right.data);
	buf_addch(out, '\n');
}

static void add_eta(uint64_t eta_ns, struct buf *out)
{
	uint64_t s = eta_ns / NS_PER_S;

	if (eta_ns == UINT64_MAX)
		return;
	if (s < 60)
		buf_addf(out, ", about %" PRIu64 "s left", s);
	else if (s < 3600)
		buf_addf(out, ", about %" PRIu64 "m%02" PRIu64 "s left", s / 60, s % 60);
	else
		buf_addf(out, ", about %" PRIu64 "h%02" PRIu64 "m left", s / 3600, s / 60 % 60);
}

static void add_status(const struct live *l, struct buf *out)
{
	struct buf text __free_buf = BUF_INIT;
	size_t i;

	buf_addf(&text, "%zu/%zu", l->done, l->total);
	for (i = 0; i < N_OUTCOMES; i++) {
		if (l->count[i])
			buf_addf(&text, ", %zu %s", l->count[i], outcome_name((enum outcome)i));
	}
	add_eta(l->eta_ns, &text);
	style_add_cut(out, &l->style, TONE_TITLE, text.data, l->style.width - 1);
	buf_addch(out, '\n');
}

static unsigned int height_of(FILE *out)
{
	struct winsize size = {0};

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || size.ws_row < 4)
		return 24;
	return size.ws_row;
}

/* What does not fit above the line of totals is left out. */
static void add_view(struct live *l, struct buf *out)
{
	unsigned int room = height_of(l->out) - 2;
	uint64_t now_ns = clock_ns();
	size_t i;

	if (!l->terminal)
		return;
	l->style = style_of(l->out);
	for (i = 0; i < l->n_slots && l->drawn < room; i++) {
		if (!l->slots[i].title)
			continue;
		add_slot(l, &l->slots[i], now_ns, out);
		l->drawn++;
	}
	add_status(l, out);
	l->drawn++;
}

static void redraw(struct live *l)
{
	struct buf text __free_buf = BUF_INIT;

	if (!l->terminal)
		return;
	add_erase(l, &text);
	add_view(l, &text);
	emit(l, &text);
}

/* A line that stays, above the view. @line ends in a newline. */
static void print_above(struct live *l, const struct buf *line)
{
	struct buf text __free_buf = BUF_INIT;

	add_erase(l, &text);
	buf_add(&text, line->data, line->len);
	add_view(l, &text);
	emit(l, &text);
}

static void on_log(enum log_level level, const char *line, void *arg)
{
	static const char *const before[] = {
		"kjump: error: ", "kjump: warning: ", "kjump: ", "kjump: debug: "};
	struct live *l = arg;
	struct buf text __free_buf = BUF_INIT;

	buf_adds(&text, before[level]);
	style_add(&text, &l->style, TONE_PLAIN, line);
	buf_addch(&text, '\n');
	print_above(l, &text);
}

struct live *live_new(FILE *out, size_t total)
{
	struct live *l;

	xnew(l);
	l->out = out;
	l->total = total;
	l->eta_ns = UINT64_MAX;
	l->terminal = style_is_terminal(out);
	l->style = style_of(out);
	if (l->terminal)
		log_set_hook(on_log, l);
	return l;
}

void live_free(struct live *l)
{
	struct buf text __free_buf = BUF_INIT;
	size_t i;

	if (!l)
		return;
	if (l->terminal) {
		log_set_hook(NULL, NULL);
		add_erase(l, &text);
		emit(l, &text);
	}
	for (i = 0; i < l->n_slots; i++)
		free(l->slots[i].title);
	free(l->slots);
	free(l);
}

/* NULL for a number that no run has. */
static struct slot *slot_at(struct live *l, int slot)
{
	if (slot < 0 || slot >= SLOTS_MAX)
		return NULL;
	while ((size_t)slot >= l->n_slots)
		array_push(l->slots, l->n_slots);
	return &l->slots[slot];
}

static void slot_clear(struct slot *s)
{
	free(s->title);
	*s = (struct slot){0};
}

void live_job_started(struct live *l, int slot, const char *title)
{
	struct slot *s = slot_at(l, slot);

	if (!s)
		return;
	slot_clear(s);
	s->title = xstrdup(title);
	s->started_ns = clock_ns();
	redraw(l);
}

void live_stage(struct live *l, int slot, enum stage stage)
{
	struct slot *s = slot_at(l, slot);

	if (s)
		s->stage = stage;
	redraw(l);
}

static void add_result(const struct live *l, const struct verdict *v, const char *title,
		       struct buf *out)
{
	buf_addf(out, "[%zu/%zu] ", l->done, l->total);
	style_add(out, &l->style, style_outcome_tone(v->outcome), outcome_name(v->outcome));
	if (v->userspace_ns != TIME_UNSEEN) {
		buf_addch(out, ' ');
		style_add_ms(out, (int64_t)(v->userspace_ns / NS_PER_MS));
	}
	buf_adds(out, "  ");
	style_add(out, &l->style, TONE_PLAIN, title);
	if (v->signature) {
		buf_adds(out, ": ");
		style_add(out, &l->style, TONE_PLAIN, v->signature);
	}
	buf_addch(out, '\n');
}

void live_job_done(struct live *l, int slot, const struct verdict *v, const char *title)
{
	struct buf line __free_buf = BUF_INIT;
	struct slot *s = slot_at(l, slot);

	if (s)
		slot_clear(s);
	l->done++;
	l->count[v->outcome]++;
	if (!l->terminal || v->outcome != OUTCOME_USERSPACE_REACHED)
		add_result(l, v, title, &line);
	print_above(l, &line);
}

void live_tick(struct live *l, size_t done, size_t total, uint64_t eta_ns)
{
	l->done = done;
	l->total = total;
	l->eta_ns = eta_ns;
	redraw(l);
}
