// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_report.c - the words of table_check.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "probe/table_check.h"

const char *const table_role_names[N_TABLE_ROLES] = {
	[TABLE_ROLE_LIST] = "list of copies",
	[TABLE_ROLE_RELOCATION] = "relocation code",
	[TABLE_ROLE_INDIRECTION] = "indirection page",
	[TABLE_ROLE_SOURCE] = "source page",
	[TABLE_ROLE_DESTINATION] = "destination page",
	[TABLE_ROLE_TABLE] = "table page",
	[TABLE_ROLE_ZERO] = "zero page",
	[TABLE_ROLE_VECTORS] = "vectors of EL2",
	[TABLE_ROLE_PURGATORY] = "purgatory's entry",
	[TABLE_ROLE_ENTRY] = "new kernel's entry",
	[TABLE_ROLE_SEGMENT] = "segment",
};

const char *const table_verdict_names[N_TABLE_VERDICTS] = {
	[TABLES_GOOD] = "good",
	[TABLES_LEAKED] = "good, but pages are leaked",
	[TABLES_BAD] = "bad",
	[TABLES_NONE] = "nothing to check",
};

static const char *fault_text(const struct table_check *c, const struct table_finding *f)
{
	switch (f->fault) {
	case TABLE_FAULT_BROKEN:
		return kimage_end_names[c->list.end];
	case TABLE_FAULT_OUTSIDE:
		return "outside of RAM";
	case TABLE_FAULT_UNMAPPED:
		return arm64_walk_names[f->leaf.result];
	case TABLE_FAULT_ELSEWHERE:
		return "mapped to another page";
	case TABLE_FAULT_UNREADABLE:
		return "not readable";
	case TABLE_FAULT_READ_ONLY:
		return "read-only";
	case TABLE_FAULT_NO_EXEC:
		return "not executable";
	case TABLE_FAULT_DEVICE:
		return "mapped as a device";
	case TABLE_FAULT_OVERWRITTEN:
		return "overwritten before its last use";
	case TABLE_FAULT_CONTENT:
		return f->role == TABLE_ROLE_ZERO ? "not empty" : "not what was loaded";
	case TABLE_FAULT_SPINS:
		return "a branch to itself";
	case TABLE_FAULT_UNDEFINED:
		return "an undefined instruction";
	case TABLE_FAULT_INCOMPLETE:
		return "not copied whole";
	}
	return "";
}

static bool is_mapping(const struct table_finding *f)
{
	return f->fault >= TABLE_FAULT_UNMAPPED && f->fault <= TABLE_FAULT_DEVICE;
}

static void describe(const struct table_check *c, const struct table_finding *f, bool addresses,
		     struct buf *out)
{
	buf_adds(out, table_role_names[f->role]);
	if (addresses)
		buf_addf(out, " %#" PRIx64, f->page);
	buf_addf(out, " %s", fault_text(c, f));
	if (is_mapping(f))
		buf_addf(out, " in the %s (level %d)",
			 f->identity ? "identity map" : "transitional table", f->leaf.level);
}

char *table_check_title(const struct table_check *c)
{
	struct buf out __free_buf = BUF_INIT;

	if (c->n_findings)
		describe(c, &c->findings[0], false, &out);
	else
		buf_addf(&out, "tables: %s", table_verdict_names[c->verdict]);
	return buf_steal(&out);
}

static void report_finding(const struct table_check *c, const struct table_finding *f,
			   struct buf *out)
{
	buf_adds(out, "bad: ");
	describe(c, f, true, out);
	if (is_mapping(f))
		buf_addf(out, ": va %#" PRIx64 ", descriptor %#018" PRIx64 " at %#" PRIx64, f->va,
			 f->leaf.descriptor, f->leaf.descriptor_address);
	if (f->fault == TABLE_FAULT_ELSEWHERE)
		buf_addf(out, ", maps %#" PRIx64, f->leaf.pa);
	if (f->fault == TABLE_FAULT_BROKEN)
		buf_addf(out, ": entry %#" PRIx64, c->list.end_entry);
	if (f->copy < c->list.n_copies)
		buf_addf(out, ", copy %zu: %#" PRIx64 " to %#" PRIx64, f->copy,
			 c->list.copies[f->copy].source, c->list.copies[f->copy].destination);
	buf_addch(out, '\n');
}

static void report_tables(const char *name, const struct arm64_tables *t,
			  const struct arm64_census *s, struct buf *out)
{
	int level;

	buf_addf(out, "%s: %uK pages, %u-bit addresses%s, tables", name, 1u << (t->page_shift - 10),
		 t->va_bits, t->ds ? ", LPA2" : "");
	for (level = t->start; level <= 3; level++)
		buf_addf(out, " %" PRIu64 " at level %d%s", s->tables[level + 1], level,
			 level < 3 ? "," : "");
	buf_addf(out, "; %" PRIu64 " blocks, %" PRIu64 " pages\n", s->blocks, s->leaves);
}

static void report_control(const struct table_check *c, const struct kexec_image *i,
			   struct buf *out)
{
	uint64_t reached = table_check_reached(c, i);

	if (c->why_not_counted)
		buf_addf(out, "control pages: not counted, %s\n", c->why_not_counted);
	else
		buf_addf(out, "control pages: %" PRIu64 " taken, %" PRIu64 " of use: %.2f\n",
			 c->control_pages, reached, (double)c->control_pages / (double)reached);
}

void table_check_report(const struct table_check *c, const struct kexec_image *i, struct buf *out)
{
	size_t n = c->n_findings < TABLE_FINDINGS_MAX ? c->n_findings : TABLE_FINDINGS_MAX, f;

	buf_addf(out, "tables: %s\n", table_verdict_names[c->verdict]);
	for (f = 0; f < n; f++)
		report_finding(c, &c->findings[f], out);
	if (n < c->n_findings)
		buf_addf(out, "and %zu more\n", c->n_findings - n);
	if (c->verdict == TABLES_NONE)
		return;
	buf_addf(out, "copies: %zu, on %zu indirection pages\n", c->list.n_copies,
		 c->list.n_indirections);
	report_tables("transitional table", &c->upper, &c->upper_census, out);
	report_tables("identity map", &c->lower, &c->lower_census, out);
	report_control(c, i, out);
	buf_addf(out, "contents: relocation code %s, %" PRIu64 " pages compared\n",
		 c->relocation_compared ? "compared" : "not compared", c->contents_compared);
}
