// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/sched.h"

#include "base/alloc.h"
#include "base/clock.h"

enum item_state { ITEM_QUEUED, ITEM_RUNNING, ITEM_DONE };

struct entry {
	struct sched_item item; /* first: an item is its entry */
	enum item_state state;
};

struct sched {
	struct sched_opts opts;
	sd_event_source *defer;
	struct entry **entries; /* each allocated: items are borrowed by starters */
	size_t n, next, finished, running;
	uint64_t busy_ns; /* durations of what has finished, summed */
	bool idle_told;
};

static void start_entry(struct sched *s, struct entry *entry, int slot)
{
	entry->item.slot = slot;
	entry->item.started_ns = clock_ns();
	entry->state = ITEM_RUNNING;
	s->running++;
	if (s->opts.start(&entry->item, s->opts.arg) < 0 && entry->state == ITEM_RUNNING)
		sched_done(s, &entry->item);
}

/* Starts what fits. Always from the loop, so a starter never nests in another. */
static int pump(sd_event_source *source, void *userdata)
{
	struct sched *s = userdata;

	sd_event_source_set_enabled(source, SD_EVENT_OFF);
	while (s->next < s->n) {
		struct entry *entry = s->entries[s->next];
		int slot = slots_take(s->opts.slots, entry->item.host_bytes);

		if (slot < 0)
			break;
		s->next++;
		start_entry(s, entry, slot);
	}
	if (s->next == s->n && !s->running && !s->idle_told) {
		s->idle_told = true;
		s->opts.idle(s->opts.arg);
	}
	return 0;
}

int sched_new(const struct sched_opts *opts, struct sched **ret, struct err *e)
{
	struct sched *s;
	int rc;

	xnew(s);
	s->opts = *opts;
	rc = sd_event_add_defer(opts->loop, &s->defer, pump, s);
	if (rc >= 0)
		rc = sd_event_source_set_enabled(s->defer, SD_EVENT_OFF);
	if (rc < 0) {
		sched_free(s);
		return err_errno(e, -rc, "cannot make the schedule");
	}
	*ret = s;
	return 0;
}

void sched_free(struct sched *s)
{
	size_t i;

	if (!s)
		return;
	sd_event_source_disable_unref(s->defer);
	for (i = 0; i < s->n; i++)
		free(s->entries[i]);
	free(s->entries);
	free(s);
}

void sched_add(struct sched *s, const struct job *job, unsigned int attempt, uint64_t host_bytes)
{
	struct entry *entry;

	xnew(entry);
	entry->item = (struct sched_item){
		.job = job,
		.attempt = attempt,
		.host_bytes = host_bytes,
		.slot = -1,
	};
	*array_push(s->entries, s->n) = entry;
}

void sched_go(struct sched *s)
{
	sd_event_source_set_enabled(s->defer, SD_EVENT_ONESHOT);
}

void sched_done(struct sched *s, struct sched_item *item)
{
	struct entry *entry = (struct entry *)item;

	if (entry->state != ITEM_RUNNING)
		return;
	entry->state = ITEM_DONE;
	slots_give(s->opts.slots, item->slot);
	item->slot = -1;
	s->running--;
	s->finished++;
	s->busy_ns += clock_ns() - item->started_ns;
	sched_go(s);
}

void sched_drop_queue(struct sched *s)
{
	size_t i;

	for (i = s->next; i < s->n; i++)
		free(s->entries[i]);
	s->n = s->next;
	sched_go(s);
}

size_t sched_total(const struct sched *s)
{
	return s->n;
}

size_t sched_finished(const struct sched *s)
{
	return s->finished;
}

void sched_each_running(struct sched *s, void (*each)(struct sched_item *item, void *arg),
			void *arg)
{
	size_t i;

	for (i = 0; i < s->next; i++) {
		if (s->entries[i]->state == ITEM_RUNNING)
			each(&s->entries[i]->item, arg);
	}
}

uint64_t sched_eta_ns(const struct sched *s, uint64_t now_ns)
{
	uint64_t mean, left;
	size_t at_once = s->running ? s->running : 1, i;

	if (!s->finished)
		return UINT64_MAX;
	mean = s->busy_ns / s->finished;
	left = mean * (s->n - s->next);
	for (i = 0; i < s->next; i++) {
		const struct entry *entry = s->entries[i];
		uint64_t spent = now_ns - entry->item.started_ns;

		if (entry->state == ITEM_RUNNING && spent < mean)
			left += mean - spent;
	}
	return left / at_once;
}
