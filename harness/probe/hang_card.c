// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/hang_card.h"

#include <string.h>

#include "base/alloc.h"
#include "base/esr.h"

#define VECTORS_BYTES 0x800
#define TTBR_ADDRESS  0x0000fffffffffffeull
#define PAGE_MASK     0xfffull

/* --- places ---------------------------------------------------------------- */

static bool inside(struct hang_range r, uint64_t address)
{
	return r.bytes && address >= r.start && address - r.start < r.bytes;
}

struct place {
	const char *who; /* "the relocation code" */
	char at[160];	 /* "primary_entry+0x0", or empty */
};

/* A physical address counts only while PC can be one: MMU off, or an identity map. */
static struct place place_of(const struct hang_scene *s, uint64_t pc)
{
	struct place p = {.who = "code at an unknown place"};

	if (inside(s->relocation, pc)) {
		p.who = "the relocation code";
		snprintf(p.at, sizeof(p.at), "+0x%llx",
			 (unsigned long long)(pc - s->relocation.start));
	} else if (inside(s->purgatory, pc)) {
		p.who = "the purgatory";
		snprintf(p.at, sizeof(p.at), "+0x%llx",
			 (unsigned long long)(pc - s->purgatory.start));
	} else if (inside(s->b_image, pc)) {
		p.who = "the new kernel";
		if (!s->b || !kernel_map_name(s->b, s->b_image.start, pc, p.at, sizeof(p.at)))
			snprintf(p.at, sizeof(p.at), "+0x%llx",
				 (unsigned long long)(pc - s->b_image.start));
	} else if (s->b && s->b_base && kernel_map_name(s->b, s->b_base, pc, p.at, sizeof(p.at))) {
		p.who = "the new kernel";
	} else if (s->a && s->a_base && kernel_map_name(s->a, s->a_base, pc, p.at, sizeof(p.at))) {
		p.who = "the old kernel";
	}
	return p;
}

static void add_place(struct buf *out, struct place p)
{
	buf_adds(out, p.who);
	if (*p.at)
		buf_addf(out, "%s%s", *p.at == '+' ? "" : " at ", p.at);
}

/* --- the first exception ----------------------------------------------------- */

static const char *verb(enum esr_access access)
{
	switch (access) {
	case ESR_FETCH:
		return "jumps to";
	case ESR_READ:
		return "reads";
	case ESR_WRITE:
		return "writes";
	case ESR_OTHER:
		break;
	}
	return NULL;
}

static const char *fault_words(uint64_t esr)
{
	const char *fault = esr_fault(esr);

	if (!fault)
		return "refused";
	if (!strcmp(fault, "translation fault"))
		return "not mapped";
	if (!strcmp(fault, "permission fault"))
		return esr_access(esr) == ESR_WRITE   ? "read-only"
		       : esr_access(esr) == ESR_FETCH ? "not executable"
						      : "not readable";
	return fault;
}

/* A TTBR carries an ASID and flags beside the address. */
static bool same_table(uint64_t ttbr, uint64_t table)
{
	return table && !((ttbr ^ table) & TTBR_ADDRESS & ~PAGE_MASK);
}

static const char *table_name(const struct hang_scene *s, const struct cpu_state *c)
{
	uint64_t table = (c->far >> 55) & 1 ? c->ttbr1 : c->ttbr0;

	if (same_table(table, s->ttbr1))
		return "the transitional table";
	if (same_table(table, s->ttbr0))
		return "the transitional identity map";
	return "its tables";
}

static const char *role_of(const struct hang_scene *s, uint64_t va)
{
	const char *role = NULL;

	if (s->role)
		role = s->role(va + s->phys_offset, s->arg);
	if (!role && s->role)
		role = s->role(va, s->arg);
	return role;
}

static void add_access(struct buf *out, const struct hang_scene *s, const struct cpu_state *c)
{
	const char *role = role_of(s, c->far);
	int level = esr_fault_level(c->esr);

	buf_addf(out, " %s %s%s, %s", verb(esr_access(c->esr)), role ? "a " : "an address",
		 role ? role : "", fault_words(c->esr));
	if (!c->mmu_on)
		buf_adds(out, " with the MMU off");
	else
		buf_addf(out, " in %s", table_name(s, c));
	if (level != ESR_NO_LEVEL && c->mmu_on)
		buf_addf(out, " (level %d)", level);
}

static void add_exception(struct buf *out, const struct hang_scene *s, const struct cpu_state *c)
{
	struct place p = place_of(s, c->elr);
	char text[96];

	/* The offset in a page of code that a kernel brings along is a place; an address is not. */
	if (esr_access(c->esr) != ESR_OTHER) {
		buf_adds(out, p.who);
		add_access(out, s, c);
		return;
	}
	esr_format(c->esr, text, sizeof(text));
	buf_addf(out, "%s in ", text);
	add_place(out, p);
}

char *hang_card_exception(const struct hang_scene *s)
{
	struct buf out = BUF_INIT;
	struct cpu_state c;

	if (!s->exception.n || cpu_state_read(&s->exception, &c) || !c.knows_system)
		return xstrdup("an exception whose registers cannot be read");
	add_exception(&out, s, &c);
	return buf_steal(&out);
}

/* --- title --------------------------------------------------------------------- */

/* The CPU that says most: one that loops, before one that only repeats or stands. */
static const struct cpu_evidence *protagonist(const struct hang_evidence *e, unsigned int *ret_i)
{
	static const enum cpu_finding order[] = {CPU_LOOPS, CPU_REPEATS, CPU_STANDS, CPU_PARKED,
						 CPU_IDLE};
	unsigned int i, o;

	for (o = 0; o < ARRAY_SIZE(order); o++) {
		for (i = 0; i < e->n_cpus; i++) {
			if (e->cpus[i].finding == order[o]) {
				*ret_i = i;
				return &e->cpus[i];
			}
		}
	}
	*ret_i = 0;
	return e->n_cpus ? &e->cpus[0] : NULL;
}

static bool in_vectors(const struct cpu_state *c)
{
	return c->knows_system && c->vbar && c->pc >= c->vbar && c->pc - c->vbar < VECTORS_BYTES;
}

static const char *does(enum cpu_finding f)
{
	switch (f) {
	case CPU_LOOPS:
	case CPU_REPEATS:
		return "loops";
	case CPU_STANDS:
		return "stands still";
	case CPU_PARKED:
	case CPU_IDLE:
		return "waits";
	case CPU_OFF:
		return "is off";
	case CPU_UNSEEN:
	case CPU_MOVES:
		break;
	}
	return "goes on";
}

char *hang_card_title(const struct hang_scene *s, const struct hang_evidence *e)
{
	unsigned int i;
	const struct cpu_evidence *cpu = protagonist(e, &i);
	struct buf out = BUF_INIT;
	struct cpu_state c;

	if (s->exception.n)
		return hang_card_exception(s);
	if (!cpu || cpu_state_read(&cpu->registers, &c))
		return xstrdup("a CPU whose registers cannot be read");
	if (cpu_state_vector_faults(&c) || in_vectors(&c)) {
		struct place p = place_of(s, c.pc);

		buf_adds(&out, "exceptions without end on the vectors");
		if (*p.at && *p.at != '+')
			buf_addf(&out, " at %s", p.at);
	} else {
		add_place(&out, place_of(s, c.pc));
		buf_addf(&out, " %s", does(cpu->finding));
		if (c.knows_system && !c.mmu_on)
			buf_adds(&out, ", MMU off");
	}
	return buf_steal(&out);
}

/* --- text ------------------------------------------------------------------------ */

static void add_state(struct buf *out, const struct hang_scene *s, const struct cpu_state *c)
{
	buf_addf(out, "PC 0x%llx, ", (unsigned long long)c->pc);
	add_place(out, place_of(s, c->pc));
	buf_addf(out, "; EL%u", c->el);
	if (c->knows_system)
		buf_addf(out, ", MMU %s", c->mmu_on ? "on" : "off");
	buf_addf(out, ", %s", c->masked ? "SError, IRQ and FIQ masked" : "can be interrupted");
}

static void add_how(struct buf *out, const struct cpu_evidence *cpu)
{
	switch (cpu->finding) {
	case CPU_LOOPS:
		buf_addf(out, "goes round in a circle of %u instruction%s: ", cpu->period,
			 cpu->period == 1 ? "" : "s");
		break;
	case CPU_REPEATS:
		buf_addf(out, "repeats %u instruction%s, but the loop %s: ", cpu->period,
			 cpu->period == 1 ? "" : "s", cpu->doubt);
		break;
	case CPU_UNSEEN:
	case CPU_MOVES:
	case CPU_STANDS:
	case CPU_PARKED:
	case CPU_IDLE:
	case CPU_OFF:
		buf_addf(out, "%s: ", cpu_finding_name(cpu->finding));
		break;
	}
}

static void add_cpus(struct buf *out, const struct hang_scene *s, const struct hang_evidence *e)
{
	unsigned int i;

	for (i = 0; i < e->n_cpus; i++) {
		struct cpu_state c;

		buf_addf(out, "CPU %u\t", i);
		if (e->cpus[i].finding == CPU_OFF || e->cpus[i].finding == CPU_UNSEEN ||
		    cpu_state_read(&e->cpus[i].registers, &c)) {
			buf_addf(out, "%s\n", cpu_finding_name(e->cpus[i].finding));
			continue;
		}
		add_how(out, &e->cpus[i]);
		add_state(out, s, &c);
		buf_addch(out, '\n');
	}
}

static void add_first_exception(struct buf *out, const struct hang_scene *s)
{
	const char *role;
	struct cpu_state c;
	char class[96];

	if (!s->exception.n || cpu_state_read(&s->exception, &c) || !c.knows_system)
		return;
	esr_format(c.esr, class, sizeof(class));
	buf_addf(out, "first exception\tCPU %u, EL%u: %s; ESR 0x%llx, ELR 0x%llx (",
		 s->exception_cpu, c.el, class, (unsigned long long)c.esr,
		 (unsigned long long)c.elr);
	add_place(out, place_of(s, c.elr));
	buf_addch(out, ')');
	if (esr_access(c.esr) != ESR_OTHER) {
		buf_addf(out, ", FAR 0x%llx", (unsigned long long)c.far);
		role = role_of(s, c.far);
		if (role)
			buf_addf(out, " (a %s)", role);
	}
	buf_addch(out, '\n');
}

static void add_tables(struct buf *out, const struct hang_scene *s, const struct cpu_state *c)
{
	const struct {
		const char *name;
		uint64_t value, own;
	} rows[] = {{"TTBR0", c->ttbr0, s->ttbr0}, {"TTBR1", c->ttbr1, s->ttbr1}};
	size_t i;

	if (!c->knows_system || !c->mmu_on)
		return;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		buf_addf(out, "%s\t0x%llx%s\n", rows[i].name, (unsigned long long)rows[i].value,
			 same_table(rows[i].value, rows[i].own) ? ", the transitional one" : "");
	}
}

void hang_card_text(const struct hang_scene *s, const struct hang_evidence *e, struct buf *out)
{
	unsigned int i;
	const struct cpu_evidence *cpu = protagonist(e, &i);
	char *title __free(str) = hang_card_title(s, e);
	struct cpu_state c;

	buf_addf(out, "%s: %s\n",
		 e->verdict == HANG_PROVEN ? "nothing but a reset ends this"
					   : "no CPU makes progress",
		 title);
	if (cpu && !cpu_state_read(&cpu->registers, &c)) {
		buf_addf(out, "place\tCPU %u, ", i);
		add_state(out, s, &c);
		buf_addch(out, '\n');
		add_first_exception(out, s);
		add_tables(out, s, &c);
	}
	add_cpus(out, s, e);
	buf_addf(out, "known by\t%u instructions stepped, halted for %.1f ms in all\n", e->n_steps,
		 (double)e->halted_ns / 1e6);
}
