// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/failure.h"

#include <string.h>

#include "base/alloc.h"
#include "base/esr.h"
#include "judge/signature.h"

#define GROUP_BYTES 256

/* Functions that every trace passes through on its way to where it is stuck or dies. */
static const char *const passages[] = {
	"__alloc_frozen_pages_noprof",
	"__alloc_pages",
	"__alloc_pages_noprof",
	"__alloc_pages_slowpath",
	"alloc_pages_mpol",
	"folio_alloc_mpol_noprof",
	"warn_alloc",
	"__delay",
	"__might_sleep",
	"__schedule",
	"__switch_to",
	"__udelay",
	"__wait_for_common",
	"__warn",
	"arch_cpu_idle",
	"arch_local_irq_enable",
	"bit_wait",
	"bug_handler",
	"call_on_irq_stack",
	"console_unlock",
	"cpu_startup_entry",
	"cpuidle_idle_call",
	"default_idle_call",
	"die",
	"do_idle",
	"do_interrupt_handler",
	"do_mem_abort",
	"do_softirq",
	"__flush_work",
	"flush_work",
	"do_wait_for_common",
	"dump_backtrace",
	"dump_stack",
	"dump_stack_lvl",
	"el1_abort",
	"el1_interrupt",
	"el1_irq",
	"el1_sync",
	"el1h_64_irq",
	"el1h_64_irq_handler",
	"el1h_64_sync",
	"el1h_64_sync_handler",
	"gic_handle_irq",
	"io_schedule",
	"kasan_report",
	"kthread",
	"mutex_lock",
	"nmi_panic",
	"panic",
	"panic_other_cpu",
	"print_report",
	"rcu_dump_cpu_stacks",
	"rcu_sched_clock_irq",
	"report_bug",
	"ret_from_fork",
	"schedule",
	"schedule_preempt_disabled",
	"schedule_timeout",
	"schedule_timeout_uninterruptible",
	"show_stack",
	"synchronize_rcu",
	"sysrq_handle_crash",
	"update_process_times",
	"vpanic",
	"wait_for_common",
	"wait_for_completion",
	"wait_for_completion_timeout",
	"warn_slowpath_fmt",
};

static char *copy_group(const char *text, const struct symptom_match *m, size_t i)
{
	size_t len = m->end[i] - m->start[i];

	return len ? xstrndup(text + m->start[i], len < GROUP_BYTES ? len : GROUP_BYTES) : NULL;
}

void failure_init(struct failure *f, const struct rule *rule, const char *text,
		  const struct symptom_match *m)
{
	size_t i;

	memset(f, 0, sizeof(*f));
	f->rule = rule;
	for (i = 0; i < SYMPTOM_GROUPS; i++)
		f->groups[i] = copy_group(text, m, i);
}

void failure_fini(struct failure *f)
{
	size_t i;

	for (i = 0; i < SYMPTOM_GROUPS; i++)
		free(f->groups[i]);
	free(f->pc);
	free(f->frame);
	free(f->lock);
}

static bool is_passage(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(passages); i++)
		if (!strcmp(passages[i], name))
			return true;
	return false;
}

/* The first one stays, unless @skip_passages and it only leads elsewhere. */
static void take(char **to, const char *text, const struct symptom_match *m, bool skip_passages)
{
	char *name __free(str) = *to ? NULL : copy_group(text, m, 1);

	if (name && !(skip_passages && is_passage(name)))
		*to = steal_ptr(name);
}

void failure_detail(struct failure *f, enum detail d, const char *text,
		    const struct symptom_match *m)
{
	char *hex __free(str) = NULL;

	switch (d) {
	case DETAIL_PC:
		take(&f->pc, text, m, false);
		break;
	case DETAIL_FRAME:
		take(&f->frame, text, m, true);
		break;
	case DETAIL_LOCK:
		take(&f->lock, text, m, false);
		break;
	case DETAIL_ESR:
		hex = f->has_esr ? NULL : copy_group(text, m, 1);
		if (hex) {
			f->esr = strtoull(hex, NULL, 16);
			f->has_esr = true;
		}
		break;
	case DETAIL_END:
		f->ended = true;
		break;
	}
}

/* A lock report is about who takes it; a CPU caught in a passage is about its caller. */
static const char *where(const struct failure *f)
{
	if (f->lock)
		return f->lock;
	if (f->pc && (!is_passage(f->pc) || !f->frame))
		return f->pc;
	return f->frame;
}

char *failure_function(const struct failure *f)
{
	struct buf name = BUF_INIT;
	const char *function = where(f);

	if (!function)
		return NULL;
	signature_function(&name, function);
	return buf_steal(&name);
}

char *failure_title(const struct failure *f)
{
	struct signature_parts parts = {.function = where(f)};
	char class[64];
	size_t i;

	for (i = 0; i < SYMPTOM_GROUPS; i++)
		parts.groups[i] = f->groups[i];
	if (f->has_esr) {
		esr_format(f->esr, class, sizeof(class));
		parts.class = class;
	}
	return signature_expand(f->rule->title ? f->rule->title : "\\0", &parts);
}
