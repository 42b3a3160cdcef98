// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/exhibit.h"

#include <fnmatch.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "evidence/evidence.h"

#define CHECKS_MAX   64
#define PICTURES_MAX 256

struct collector {
	const struct attempt_row *row;
	struct exhibit *exhibit;
	struct exhibit_picture found[PICTURES_MAX];
	size_t n_found;
};

static void add_check(struct collector *c, const struct event *ev)
{
	struct exhibit_check *check;

	if (c->exhibit->n_checks >= CHECKS_MAX)
		return;
	check = array_push(c->exhibit->checks, c->exhibit->n_checks);
	check->ok = ev->check.ok;
	check->name = xstrdup(ev->check.name);
	check->expected = xstrdup_null(ev->check.expected);
	check->seen = xstrdup_null(ev->check.seen);
}

/* "first-pixel, stable", *returned*; NULL if it is the picture of none. */
static char *milestones_of(const struct attempt_row *row, const char *file)
{
	struct buf text __free_buf = BUF_INIT;
	int i;

	for (i = 0; i < N_MILESTONES; i++) {
		if (!strcmp(row->milestones[i].picture, file))
			buf_addf(&text, "%s%s", text.len ? ", " : "",
				 milestone_name((enum milestone)i));
	}
	return text.len ? buf_steal(&text) : NULL;
}

/* The writer's names: nothing that leads out of the directory. */
static bool is_picture(const char *file)
{
	return file && !strchr(file, '/') && !fnmatch("frame-*.png", file, 0);
}

static void add_picture(struct collector *c, const struct event *ev)
{
	struct exhibit_picture *p;
	size_t i;

	if (!is_picture(ev->frame.file) || c->n_found >= PICTURES_MAX)
		return;
	/* Events that tell of the same picture again. */
	for (i = 0; i < c->n_found; i++)
		if (!strcmp(c->found[i].file, ev->frame.file))
			return;
	p = &c->found[c->n_found++];
	buf_init(&p->png);
	p->ms = (int64_t)(ev->t_ns / NS_PER_MS);
	p->file = xstrdup(ev->frame.file);
	p->milestones = milestones_of(c->row, ev->frame.file);
}

static int on_event(const struct event *ev, void *arg)
{
	struct collector *c = arg;

	if (ev->type == EVENT_CHECK)
		add_check(c, ev);
	else if (ev->type == EVENT_FRAME)
		add_picture(c, ev);
	return 0;
}

/* Keeps those of milestones, then the newest ones; their order stays. */
static void choose_pictures(struct collector *c)
{
	bool chosen[PICTURES_MAX] = {false};
	size_t i, n = 0;

	for (i = 0; i < c->n_found && n < EXHIBIT_PICTURES; i++) {
		chosen[i] = c->found[i].milestones != NULL;
		n += chosen[i];
	}
	for (i = c->n_found; i-- && n < EXHIBIT_PICTURES;) {
		n += !chosen[i];
		chosen[i] = true;
	}
	for (i = 0; i < c->n_found; i++) {
		if (chosen[i]) {
			c->exhibit->pictures[c->exhibit->n_pictures++] = c->found[i];
			continue;
		}
		free(c->found[i].file);
		free(c->found[i].milestones);
	}
	c->exhibit->n_kept = c->n_found;
}

/* A file that is absent, too large or no picture gives no bytes. */
static void read_picture(const char *dir, struct exhibit_picture *p, size_t max_bytes)
{
	static const char magic[8] = "\x89PNG\r\n\x1a\n";
	char *path __free(str) = file_join(dir, p->file);

	if (file_read(path, max_bytes, &p->png, NULL) || p->png.len < sizeof(magic) ||
	    memcmp(p->png.data, magic, sizeof(magic)) != 0)
		buf_reset(&p->png);
}

/* Milestones first, as long as there is room. */
static void read_pictures(const char *dir, struct exhibit *x, size_t left)
{
	size_t i;
	int turn;

	for (turn = 0; turn < 2 && left; turn++) {
		for (i = 0; i < x->n_pictures && left; i++) {
			if ((turn == 0) != (x->pictures[i].milestones != NULL))
				continue;
			read_picture(dir, &x->pictures[i], left);
			left -= x->pictures[i].png.len;
		}
	}
}

int exhibit_read(const char *dir, const struct attempt_row *row, size_t picture_bytes,
		 struct exhibit *ret, struct err *e)
{
	struct collector c = {.row = row, .exhibit = ret};
	size_t skipped = 0;
	int rc = evidence_replay(dir, on_event, &c, &skipped, e);

	choose_pictures(&c);
	read_pictures(dir, ret, picture_bytes);
	return rc;
}
