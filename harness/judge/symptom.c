// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/symptom.h"

#include <errno.h>
#include <hs.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/digest.h"
#include "judge/detail.h"
#include "judge/filter.h"

/* Backtracking steps that one line may cost, whatever a guest printed. */
#define MATCH_LIMIT 20000

/*
 * What stands before a line's text: LAVA's YAML and time stamps, journald and
 * syslogd, the log level, the kernel's time and caller fields, vendors' forms.
 */
#define PREFIX                                                                  \
	"(?:- \\{\"?dt\"?: .{0,80}\"?msg\"?: [\"']"                             \
	"|\\d{4}-\\d\\d-\\d\\d[T "                                              \
	"]\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)?(?:Z|[+-]\\d\\d:?\\d\\d)?[:,]? "     \
	"|\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)? "                                   \
	"|[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)? [^ ]{1,64} " \
	"(?=[^ ]{1,64}: )"                                                      \
	"|(?:kernel|dmesg|klogd): ?"                                            \
	"|<\\d{1,3}>"                                                           \
	"|\\[ *[+]?\\d+(?:\\.\\d+)?[^\\]\\[A-Za-z]{0,32}\\] ?"                  \
	"|\\[ *[TC]\\d+\\] ?"                                                   \
	"|\\[pid:[^\\]]{0,64}\\] ?"                                             \
	"|\\[\\d{4}-\\d\\d-\\d\\d[T ][^\\]]{0,32}\\] ?"                         \
	"|\\(\\d+\\)\\[\\d+:[^\\]]{0,32}\\] ?"                                  \
	"|^ +(?=[\\[<]|kernel:))"

#define STAMP "\\[ *\\d+\\.\\d{6}\\]"

struct symptom_set {
	unsigned int users;
	char key[DIGEST_HEX_SIZE];
	uint32_t n;
	pcre2_code **code;
	pcre2_code *prefix, *stamp;
	pcre2_match_data *groups;
	pcre2_match_context *limits;
	pcre2_jit_stack *stack;
	hs_database_t *filter;
	hs_scratch_t *scratch;

	struct symptom_hit *hits;
	size_t n_hits, size_hits;
	uint32_t *last_line; /* by pattern: one more than the newest line it hit */
	const struct cleaner *batch;
	uint32_t line; /* of the newest hit */

	/* The line whose prefix was looked for last, until the next scan. */
	const char *prefix_line;
	size_t prefix_len;
};

/* The newest set, kept for the next judge of the same rules. */
static struct symptom_set *shared;

static void set_free(struct symptom_set *s)
{
	uint32_t i;

	for (i = 0; i < s->n; i++)
		pcre2_code_free(s->code[i]);
	pcre2_code_free(s->prefix);
	pcre2_code_free(s->stamp);
	pcre2_match_data_free(s->groups);
	pcre2_match_context_free(s->limits);
	pcre2_jit_stack_free(s->stack);
	hs_free_database(s->filter);
	hs_free_scratch(s->scratch);
	free(s->code);
	free(s->hits);
	free(s->last_line);
	free(s);
}

static int compile_one(const char *pattern, pcre2_code **ret, struct err *e)
{
	PCRE2_UCHAR text[128];
	PCRE2_SIZE at;
	int code;

	*ret = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL);
	if (!*ret) {
		pcre2_get_error_message(code, text, sizeof(text));
		return err_set(e, EINVAL, "pattern '%s', at character %zu: %s", pattern, at + 1,
			       text);
	}
	pcre2_jit_compile(*ret, PCRE2_JIT_COMPLETE);
	return 0;
}

/* One expression of the filter; several may stand for one pattern. */
struct expression {
	char *text;
	uint32_t pattern;
	unsigned int flags;
};

struct expressions {
	struct expression *list;
	size_t n;
};

static void expressions_fini(struct expressions *x)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		free(x->list[i].text);
	free(x->list);
}

static void add_expression(struct expressions *x, char *text, uint32_t pattern, unsigned int flags)
{
	*array_push(x->list, x->n) = (struct expression){text, pattern, flags};
}

static void add_literal(struct expressions *x, const char *text, uint32_t id)
{
	struct buf quoted = BUF_INIT;

	for (; *text; text++)
		buf_addf(&quoted, "\\x%02x", (unsigned char)*text);
	add_expression(x, buf_steal(&quoted), id, 0);
}

/*
 * The filter sees whole batches, prefixes and all, so an anchor must go: a
 * pattern that may match anywhere hits at least the lines that it has to.
 */
static int add_pattern(struct expressions *x, const char *pattern, uint32_t id, struct err *e)
{
	static const unsigned int tries[] = {HS_FLAG_MULTILINE,
					     HS_FLAG_MULTILINE | HS_FLAG_PREFILTER};
	const char *anywhere = pattern[0] == '^' ? pattern + 1 : pattern;
	hs_compile_error_t *why = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		hs_expr_info_t *info = NULL;

		hs_free_compile_error(why);
		if (hs_expression_info(anywhere, tries[i], &info, &why) == HS_SUCCESS) {
			free(info);
			add_expression(x, xstrdup(anywhere), id, tries[i]);
			return 0;
		}
	}
	err_set(e, EINVAL, "pattern '%s': %s", pattern, why->message);
	hs_free_compile_error(why);
	return -EINVAL;
}

static int add_filter(struct expressions *x, const char *pattern, uint32_t id, struct err *e)
{
	struct literals literals;
	size_t i;
	int rc = 0;

	literals_of(pattern, &literals);
	for (i = 0; i < literals.n; i++)
		add_literal(x, literals.text[i], id);
	if (!literals.n)
		rc = add_pattern(x, pattern, id, e);
	literals_fini(&literals);
	return rc;
}

static const char *pattern_of(const struct rule_set *rules, uint32_t i)
{
	return i < rules->n ? rules->rules[i].match : detail_patterns[i - rules->n];
}

static int compile_patterns(struct symptom_set *s, const struct rule_set *rules,
			    struct expressions *x, struct err *e)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < s->n && !rc; i++) {
		const char *pattern = pattern_of(rules, i);

		rc = compile_one(pattern, &s->code[i], e);
		if (!rc)
			rc = add_filter(x, pattern, i, e);
		if (rc && i < rules->n)
			err_prefix(e, rc, "%s:%u: rule '%s'", rules->rules[i].file,
				   rules->rules[i].line, rules->rules[i].id);
	}
	return rc;
}

/* Names the rule at fault, if it is one of them that is. */
static int blame(const struct rule_set *rules, const struct expressions *x, hs_compile_error_t *why,
		 struct err *e)
{
	int rc = err_set(e, EINVAL, "%s", why->message);
	uint32_t i = why->expression >= 0 ? x->list[why->expression].pattern : UINT32_MAX;

	hs_free_compile_error(why);
	if (i < rules->n)
		return err_prefix(e, rc, "%s:%u: rule '%s'", rules->rules[i].file,
				  rules->rules[i].line, rules->rules[i].id);
	return err_prefix(e, rc, "the rules' patterns");
}

static int compile_filter(struct symptom_set *s, const struct rule_set *rules,
			  const struct expressions *x, struct err *e)
{
	const char **text = xcalloc(x->n, sizeof(*text));
	unsigned int *flags = xcalloc(x->n, sizeof(*flags)), *ids = xcalloc(x->n, sizeof(*ids));
	hs_compile_error_t *why = NULL;
	size_t i;
	int rc = 0;

	for (i = 0; i < x->n; i++) {
		text[i] = x->list[i].text;
		flags[i] = x->list[i].flags;
		ids[i] = x->list[i].pattern;
	}
	if (hs_compile_multi(text, flags, ids, (unsigned int)x->n, HS_MODE_BLOCK, NULL, &s->filter,
			     &why) != HS_SUCCESS) {
		rc = blame(rules, x, why, e);
	} else if (hs_alloc_scratch(s->filter, &s->scratch) != HS_SUCCESS) {
		rc = err_set(e, ENOMEM, "cannot allocate the pattern matcher's memory");
	}
	free(text);
	free(flags);
	free(ids);
	return rc;
}

static int compile_all(struct symptom_set *s, const struct rule_set *rules, struct err *e)
{
	struct expressions x = {0};
	int rc = compile_one("^(?:" PREFIX ")+", &s->prefix, e);

	if (!rc)
		rc = compile_one(STAMP, &s->stamp, e);
	if (!rc)
		rc = compile_patterns(s, rules, &x, e);
	if (!rc)
		rc = compile_filter(s, rules, &x, e);
	expressions_fini(&x);
	return rc;
}

static void key_of(const struct rule_set *rules, char ret_hex[DIGEST_HEX_SIZE])
{
	struct digest *d __free(digest) = digest_new();
	size_t i;

	for (i = 0; i < rules->n; i++)
		digest_update_str(d, rules->rules[i].match);
	digest_hex(d, ret_hex);
}

int symptom_set_get(const struct rule_set *rules, struct symptom_set **ret, struct err *e)
{
	char key[DIGEST_HEX_SIZE];
	struct symptom_set *s;
	int rc;

	key_of(rules, key);
	if (shared && !strcmp(shared->key, key)) {
		shared->users++;
		*ret = shared;
		return 0;
	}
	xnew(s);
	memcpy(s->key, key, sizeof(key));
	s->users = 1;
	s->n = (uint32_t)rules->n + N_DETAILS;
	s->code = xcalloc(s->n, sizeof(*s->code));
	s->last_line = xcalloc(s->n, sizeof(*s->last_line));
	s->size_hits = 256;
	s->hits = xcalloc(s->size_hits, sizeof(*s->hits));
	s->groups = pcre2_match_data_create(SYMPTOM_GROUPS, NULL);
	s->limits = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(s->limits, MATCH_LIMIT);
	s->stack = pcre2_jit_stack_create(32 << 10, 1 << 20, NULL);
	pcre2_jit_stack_assign(s->limits, NULL, s->stack);
	rc = compile_all(s, rules, e);
	if (rc) {
		set_free(s);
		return rc;
	}
	if (shared && !shared->users)
		set_free(shared);
	shared = s;
	*ret = s;
	return 0;
}

void symptom_set_put(struct symptom_set *s)
{
	if (s && !--s->users && s != shared)
		set_free(s);
}

static uint32_t line_at(const struct symptom_set *s, uint64_t offset)
{
	const struct line *lines = s->batch->lines;
	uint32_t low = 0, high = (uint32_t)s->batch->n_lines, steps;

	/* Nearly always the newest hit's line or one soon after it. */
	if (lines[s->line].start <= offset)
		low = s->line;
	for (steps = 0; steps < 8; steps++, low++)
		if (low + 1 == high || lines[low + 1].start > offset)
			return low;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (lines[mid].start <= offset)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static int on_match(unsigned int id, unsigned long long from, unsigned long long to,
		    unsigned int flags, void *arg)
{
	struct symptom_set *s = arg;
	uint32_t line = line_at(s, to ? to - 1 : 0);
	struct symptom_hit hit = {line, id}, *h;
	size_t i;

	s->line = line;
	if (s->last_line[id] == line + 1)
		return 0;
	s->last_line[id] = line + 1;
	if (s->n_hits == s->size_hits) {
		s->size_hits *= 2;
		s->hits = xreallocarray(s->hits, s->size_hits, sizeof(*s->hits));
	}
	/* They come in order of where they end: nearly sorted. */
	h = s->hits;
	for (i = s->n_hits++; i && (h[i - 1].line > hit.line ||
				    (h[i - 1].line == hit.line && h[i - 1].pattern > id));
	     i--)
		h[i] = h[i - 1];
	h[i] = hit;
	return 0;
}

const struct symptom_hit *symptom_scan(struct symptom_set *s, const struct cleaner *batch,
				       size_t *ret_n)
{
	size_t len = batch->n_lines ? batch->lines[batch->n_lines - 1].start +
					      batch->lines[batch->n_lines - 1].len + 1
				    : 0;

	s->batch = batch;
	s->prefix_line = NULL;
	s->n_hits = 0;
	s->line = 0;
	memset(s->last_line, 0, s->n * sizeof(*s->last_line));
	if (len)
		hs_scan(s->filter, batch->text, (unsigned int)len, 0, s->scratch, on_match, s);
	*ret_n = s->n_hits;
	return s->hits;
}

static int match(struct symptom_set *s, const pcre2_code *code, const char *text, size_t len)
{
	return pcre2_match(code, (PCRE2_SPTR)text, len, 0, 0, s->groups, s->limits);
}

/* Length of what a log tool, the kernel's stamp or its caller field put before the text. */
static size_t prefix_of(struct symptom_set *s, const char *line, size_t len)
{
	if (s->prefix_line == line)
		return s->prefix_len;
	s->prefix_line = line;
	s->prefix_len =
		match(s, s->prefix, line, len) > 0 ? pcre2_get_ovector_pointer(s->groups)[1] : 0;
	return s->prefix_len;
}

bool symptom_is_prefixed(struct symptom_set *s, const char *line, size_t len)
{
	return prefix_of(s, line, len) > 0;
}

bool symptom_is_stamped(struct symptom_set *s, const char *line, size_t len)
{
	return match(s, s->stamp, line, prefix_of(s, line, len)) >= 0;
}

bool symptom_confirm(struct symptom_set *s, uint32_t pattern, const char *line, size_t len,
		     struct symptom_match *ret)
{
	size_t prefix = prefix_of(s, line, len);
	int i, n = match(s, s->code[pattern], line + prefix, len - prefix);
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(s->groups);

	if (n < 0)
		return false;
	memset(ret, 0, sizeof(*ret));
	if (!n)
		n = SYMPTOM_GROUPS;
	for (i = 0; i < n; i++) {
		if (at[2 * i] == PCRE2_UNSET)
			continue;
		ret->start[i] = (uint32_t)(at[2 * i] + prefix);
		ret->end[i] = (uint32_t)(at[2 * i + 1] + prefix);
	}
	return true;
}
