// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/board_power.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

struct board_power {
	struct power *relays[LAB_N_ROLES]; /* NULL: not wired */
	bool inverted[LAB_N_ROLES];
	struct board_power_step steps[BOARD_POWER_STEPS_MAX];
	size_t n, next;
	enum power_state state; /* of the last step, as its relay says */
	board_power_done_fn done;
	void *arg;
	sd_event_source *defer;
};

static void finish(struct board_power *b, const char *error)
{
	b->n = 0;
	b->done(error, b->arg);
}

static void fail(struct board_power *b, const char *text)
{
	char *error __free(str) = xasprintf("%s: %s", lab_role_name(b->steps[b->next].role), text);

	finish(b, error);
}

static void take_step(struct board_power *b)
{
	struct err e __free_err = ERR_INIT;
	const struct board_power_step *s;

	while (b->next < b->n && !b->relays[b->steps[b->next].role])
		b->next++;
	if (b->next == b->n) {
		finish(b, NULL);
		return;
	}
	s = &b->steps[b->next];
	if (power_set(b->relays[s->role], s->on != b->inverted[s->role], &e))
		fail(b, err_msg(&e));
}

static void on_settled(enum power_state state, void *arg)
{
	struct board_power *b = arg;

	b->state = state;
	b->next++;
	take_step(b);
}

static void on_failed(const char *text, void *arg)
{
	fail(arg, text);
}

static int on_defer(sd_event_source *source, void *userdata)
{
	take_step(userdata);
	return 0;
}

int board_power_new(sd_event *loop, const struct lab_place *place, struct board_power **ret,
		    struct diag *diag)
{
	struct power_events events = {on_settled, on_failed, NULL};
	struct board_power *b;
	size_t before = diag->n;
	int i;

	xnew(b);
	events.arg = b;
	for (i = 0; i < LAB_N_ROLES; i++) {
		const struct yaml_node *node = place->roles[i];

		if (!node || power_new(loop, node, &events, &b->relays[i], diag))
			continue;
		yaml_bool(diag, yaml_get(node, "inverted"), &b->inverted[i]);
	}
	if (diag->n == before && sd_event_add_defer(loop, &b->defer, on_defer, b) < 0)
		abort();
	if (diag->n != before) {
		board_power_free(b);
		return -EINVAL;
	}
	sd_event_source_set_enabled(b->defer, SD_EVENT_OFF);
	*ret = b;
	return 0;
}

void board_power_free(struct board_power *b)
{
	int i;

	if (!b)
		return;
	sd_event_source_disable_unref(b->defer);
	for (i = 0; i < LAB_N_ROLES; i++)
		power_free(b->relays[i]);
	free(b);
}

void board_power_apply(struct board_power *b, const struct board_power_step *steps, size_t n,
		       board_power_done_fn done, void *arg)
{
	memcpy(b->steps, steps, n * sizeof(*steps));
	b->n = n;
	b->next = 0;
	b->done = done;
	b->arg = arg;
	sd_event_source_set_enabled(b->defer, SD_EVENT_ONESHOT);
}

/* --- with a loop of their own ------------------------------------------------- */

struct blocking {
	sd_event *loop;
	struct board_power *power;
	struct diag diag;
	bool done;
	char *error;
};

static void on_done(const char *error, void *arg)
{
	struct blocking *w = arg;

	w->done = true;
	w->error = xstrdup_null(error);
}

static void blocking_fini(struct blocking *w)
{
	board_power_free(w->power);
	sd_event_unref(w->loop);
	diag_fini(&w->diag);
	free(w->error);
}

static int blocking_init(struct blocking *w, const struct lab_place *place, struct err *e)
{
	int rc = sd_event_new(&w->loop);

	if (rc < 0)
		return err_errno(e, -rc, "cannot make an event loop");
	if (board_power_new(w->loop, place, &w->power, &w->diag))
		return err_set(e, EINVAL, "%s:%u:%u: %s", w->diag.messages[0].file,
			       w->diag.messages[0].line, w->diag.messages[0].col,
			       w->diag.messages[0].text);
	return 0;
}

static int wait_done(struct blocking *w, struct err *e)
{
	int rc = 0;

	while (!w->done && rc >= 0)
		rc = sd_event_run(w->loop, UINT64_MAX);
	if (w->error)
		return err_set(e, EIO, "%s", w->error);
	return rc < 0 ? err_errno(e, -rc, "the event loop failed") : 0;
}

static int apply(const struct lab_place *place, const struct board_power_step *steps, size_t n,
		 struct err *e)
{
	struct blocking w __cleanup(blocking_fini) = {.diag = DIAG_INIT};
	int rc = blocking_init(&w, place, e);

	if (rc)
		return rc;
	board_power_apply(w.power, steps, n, on_done, &w);
	return wait_done(&w, e);
}

int board_power_rest(const struct lab_place *place, struct err *e)
{
	const struct board_power_step steps[] = {
		{LAB_RESET, false}, {LAB_MASKROM, false}, {LAB_POWER, place->rests_on}};

	return apply(place, steps, ARRAY_SIZE(steps), e);
}

int board_power_switch(const struct lab_place *place, enum lab_role role, bool on, struct err *e)
{
	const struct board_power_step step = {role, on};

	if (!place->roles[role])
		return err_set(e, ENOTSUP, "place '%s' has no %s", place->name,
			       lab_role_name(role));
	return apply(place, &step, 1, e);
}

int board_power_ask(const struct lab_place *place, enum lab_role role, enum power_state *ret,
		    struct err *e)
{
	struct blocking w __cleanup(blocking_fini) = {.diag = DIAG_INIT};
	int rc = blocking_init(&w, place, e);

	if (rc)
		return rc;
	if (!w.power->relays[role])
		return err_set(e, ENOTSUP, "not wired");
	w.power->steps[0].role = role;
	w.power->next = 0;
	w.power->n = 1;
	w.power->done = on_done;
	w.power->arg = &w;
	rc = power_get(w.power->relays[role], e);
	if (!rc)
		rc = wait_done(&w, e);
	*ret = w.power->state;
	if (w.power->inverted[role] && *ret != POWER_UNKNOWN)
		*ret = *ret == POWER_ON ? POWER_OFF : POWER_ON;
	return rc;
}
