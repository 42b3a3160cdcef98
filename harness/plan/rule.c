// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/rule.h"

#include <errno.h>
#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "plan/name.h"
#include "plan/yaml.h"

#define MAX_BYTES    (1 << 20)
#define DIGEST_SHOWN 6

static const char *const top_keys[] = {"version", "rules"};
static const char *const rule_keys[] = {"id", "means", "match", "value", "title", "example"};
static const char *const means_names[] = {
	[RULE_STAGE] = "stage",		[RULE_PANIC] = "panic",
	[RULE_FAULT] = "fault",		[RULE_LOAD_FAILED] = "load-failed",
	[RULE_DEGRADED] = "degraded",	[RULE_RESET] = "reset",
	[RULE_REQUESTED] = "requested", [RULE_HUNG] = "hung",
	[RULE_INFRA] = "infra",		[RULE_NOT_USERSPACE] = "not-userspace",
	[RULE_HARMLESS] = "harmless",
};
/* Names of the judge's stages, which are part of what reports promise. */
static const char *const stages[] = {
	"power",     "firmware", "boot-a", "userspace-a", "load",	 "shutdown",  "relocate",
	"purgatory", "entry",	 "early",  "kernel-init", "first-pixel", "initramfs", "userspace-b",
};

DEFINE_FREE(pattern, pcre2_code *, pcre2_code_free(_v));
DEFINE_FREE(match, pcre2_match_data *, pcre2_match_data_free(_v));

static bool needs_title(enum rule_means means)
{
	switch (means) {
	case RULE_PANIC:
	case RULE_FAULT:
	case RULE_LOAD_FAILED:
	case RULE_DEGRADED:
	case RULE_RESET:
	case RULE_HUNG:
	case RULE_INFRA:
	case RULE_NOT_USERSPACE:
		return true;
	case RULE_STAGE:
	case RULE_REQUESTED:
	case RULE_HARMLESS:
		return false;
	}
	return false;
}

static pcre2_code *compile(struct diag *diag, const struct yaml_node *node)
{
	PCRE2_UCHAR reason[128];
	PCRE2_SIZE offset = 0;
	pcre2_code *code;
	int error = 0;

	code = pcre2_compile((PCRE2_SPTR)node->text, PCRE2_ZERO_TERMINATED, 0, &error, &offset,
			     NULL);
	if (code)
		return code;
	pcre2_get_error_message(error, reason, sizeof(reason));
	yaml_error(diag, node, "not a pattern: %s, after '%.*s'", (const char *)reason, (int)offset,
		   node->text);
	return NULL;
}

static void check_example(struct diag *diag, const pcre2_code *code, const struct yaml_node *node)
{
	pcre2_match_data *data __free(match) = pcre2_match_data_create_from_pattern(code, NULL);
	int rc = pcre2_match(code, (PCRE2_SPTR)node->text, strlen(node->text), 0, 0, data, NULL);
	PCRE2_UCHAR reason[128];

	if (rc == PCRE2_ERROR_NOMATCH) {
		yaml_error(diag, node, "the example does not match its own pattern");
	} else if (rc < 0) {
		pcre2_get_error_message(rc, reason, sizeof(reason));
		yaml_error(diag, node, "the example cannot be matched: %s", (const char *)reason);
	}
}

/* A title may name only groups that the pattern has. */
static void check_title(struct diag *diag, const pcre2_code *code, const struct yaml_node *node)
{
	const char *p = node->text;
	uint32_t groups = 0;

	pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
	while ((p = strchr(p, '\\'))) {
		p++;
		if (*p < '1' || *p > '9')
			yaml_error(diag, node, "'\\' in a title, expected a group after it: \\1");
		else if ((uint32_t)(*p - '0') > groups)
			yaml_error(diag, node, "\\%c in the title, but the pattern has %u group%s",
				   *p, groups, groups == 1 ? "" : "s");
	}
}

static void read_pattern(struct diag *diag, const struct yaml_node *map, struct rule *rule)
{
	const struct yaml_node *match = yaml_need(diag, map, "match");
	const struct yaml_node *example = yaml_need(diag, map, "example");
	const struct yaml_node *title = yaml_get(map, "title");
	pcre2_code *code __free(pattern) = NULL;

	rule->match = xstrdup_null(yaml_text(diag, match, "match"));
	rule->example = xstrdup_null(yaml_text(diag, example, "example"));
	rule->title = xstrdup_null(title ? yaml_text(diag, title, "title") : NULL);
	if (!rule->match)
		return;
	code = compile(diag, match);
	if (!code)
		return;
	if (rule->example)
		check_example(diag, code, example);
	if (rule->title)
		check_title(diag, code, title);
}

static void read_value(struct diag *diag, const struct yaml_node *map, struct rule *rule)
{
	const struct yaml_node *value = yaml_get(map, "value");
	int i;

	if (rule->means != RULE_STAGE) {
		if (value)
			yaml_error(diag, value, "only a rule that means 'stage' has a value");
		return;
	}
	value = yaml_need(diag, map, "value");
	i = value ? yaml_word(diag, value, stages, ARRAY_SIZE(stages)) : -1;
	if (i >= 0)
		rule->value = xstrdup(stages[i]);
}

static void read_id(struct diag *diag, const struct yaml_node *map, const struct rule_set *set,
		    struct rule *rule)
{
	const struct yaml_node *node = yaml_need(diag, map, "id");
	const char *id = yaml_text(diag, node, "id");
	size_t i;

	if (!id)
		return;
	if (!name_is_plain(id))
		yaml_error(diag, node, "id '%s': expected letters, digits and . _ + ~ -", id);
	for (i = 0; i + 1 < set->n; i++) {
		if (set->rules[i].id && !strcmp(set->rules[i].id, id)) {
			yaml_error(diag, node, "duplicate id '%s', first on line %u", id,
				   set->rules[i].line);
			break;
		}
	}
	rule->id = xstrdup(id);
}

static void read_rule(struct diag *diag, const struct yaml_node *map, struct rule_set *set)
{
	const struct yaml_node *means;
	struct rule *rule;
	int i;

	if (!yaml_want(diag, map, YAML_MAP, "a rule"))
		return;
	yaml_check_keys(diag, map, rule_keys, ARRAY_SIZE(rule_keys));
	rule = array_push(set->rules, set->n);
	rule->file = xstrdup(map->file);
	rule->line = map->line;
	rule->col = map->col;
	read_id(diag, map, set, rule);
	read_pattern(diag, map, rule);
	means = yaml_need(diag, map, "means");
	i = means ? yaml_word(diag, means, means_names, ARRAY_SIZE(means_names)) : -1;
	if (i < 0)
		return;
	rule->means = (enum rule_means)i;
	read_value(diag, map, rule);
	if (needs_title(rule->means))
		yaml_need(diag, map, "title");
}

static void read_set(struct diag *diag, const struct yaml_node *root, const char *digest,
		     struct rule_set *set)
{
	const struct yaml_node *rules, *version;
	const char *text;
	size_t i;

	if (!yaml_want(diag, root, YAML_MAP, "the file"))
		return;
	yaml_check_keys(diag, root, top_keys, ARRAY_SIZE(top_keys));
	version = yaml_need(diag, root, "version");
	text = yaml_text(diag, version, "version");
	if (text)
		set->version = xasprintf("%s+%.*s", text, DIGEST_SHOWN, digest);
	rules = yaml_need(diag, root, "rules");
	if (!rules || !yaml_want(diag, rules, YAML_LIST, "rules"))
		return;
	for (i = 0; i < rules->n; i++)
		read_rule(diag, rules->items[i], set);
}

int rule_set_load(const char *path, struct diag *diag, struct rule_set **ret)
{
	struct yaml_doc *doc __free(yaml) = NULL;
	struct rule_set *set __free(rule_set) = NULL;
	struct buf text __free_buf = BUF_INIT;
	char digest[DIGEST_HEX_SIZE];
	size_t before = diag->n;

	*ret = NULL;
	if (diag_read_file(diag, path, MAX_BYTES, &text) ||
	    yaml_doc_parse(path, text.data, text.len, diag, &doc))
		return -EINVAL;
	digest_of(text.data, text.len, digest);
	xnew(set);
	read_set(diag, doc->root, digest, set);
	if (diag->n != before)
		return -EINVAL;
	*ret = steal_ptr(set);
	return 0;
}

void rule_set_free(struct rule_set *r)
{
	size_t i;

	if (!r)
		return;
	for (i = 0; i < r->n; i++) {
		free(r->rules[i].id);
		free(r->rules[i].match);
		free(r->rules[i].value);
		free(r->rules[i].title);
		free(r->rules[i].example);
		free(r->rules[i].file);
	}
	free(r->rules);
	free(r->version);
	free(r);
}
