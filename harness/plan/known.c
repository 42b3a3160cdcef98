// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/known.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "plan/yaml.h"

static const char *const top_keys[] = {"version", "known"};
static const char *const known_keys[] = {"job", "outcome", "signature", "reason", "expires"};
/* Names of the judge's outcomes that are failures of a kernel. */
static const char *const outcomes[] = {
	"degraded", "first-pixel", "load-failed", "panic", "hang", "reset", "wrong-target",
};

static bool is_date(const char *s)
{
	static const char form[] = "dddd-dd-dd";
	unsigned int month, day;
	size_t i;

	if (strlen(s) != sizeof(form) - 1)
		return false;
	for (i = 0; form[i]; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)s[i]) : s[i] != form[i])
			return false;
	return sscanf(s + 5, "%2u-%2u", &month, &day) == 2 && month >= 1 && month <= 12 &&
	       day >= 1 && day <= 31;
}

static void read_expiry(struct diag *diag, const struct yaml_node *map, struct known *k)
{
	const struct yaml_node *node = yaml_need(diag, map, "expires");
	const char *text = node ? yaml_text(diag, node, "expires") : NULL;

	if (!text)
		return;
	if (is_date(text))
		memcpy(k->expires, text, sizeof(k->expires));
	else
		yaml_error(diag, node, "'%s' is no date, expected YYYY-MM-DD", text);
}

static char *read_text(struct diag *diag, const struct yaml_node *map, const char *key)
{
	const struct yaml_node *node = yaml_need(diag, map, key);

	return xstrdup_null(node ? yaml_text(diag, node, key) : NULL);
}

static void read_known(struct diag *diag, const struct yaml_node *map, struct known_set *set)
{
	const struct yaml_node *signature, *outcome;
	struct known *k;
	int i;

	if (!yaml_want(diag, map, YAML_MAP, "an entry"))
		return;
	yaml_check_keys(diag, map, known_keys, ARRAY_SIZE(known_keys));
	k = array_push(set->known, set->n);
	k->job = read_text(diag, map, "job");
	k->reason = read_text(diag, map, "reason");
	read_expiry(diag, map, k);
	signature = yaml_get(map, "signature");
	if (signature)
		k->signature = xstrdup_null(yaml_text(diag, signature, "signature"));
	outcome = yaml_need(diag, map, "outcome");
	i = outcome ? yaml_word(diag, outcome, outcomes, ARRAY_SIZE(outcomes)) : -1;
	if (i >= 0)
		k->outcome = xstrdup(outcomes[i]);
}

static void read_set(struct diag *diag, const struct yaml_node *root, struct known_set *set)
{
	const struct yaml_node *version, *known;
	uint64_t number;
	size_t i;

	if (!yaml_want(diag, root, YAML_MAP, "the file"))
		return;
	yaml_check_keys(diag, root, top_keys, ARRAY_SIZE(top_keys));
	version = yaml_need(diag, root, "version");
	yaml_u64(diag, version, 1, 1, &number);
	known = yaml_need(diag, root, "known");
	if (!known || !yaml_want(diag, known, YAML_LIST, "known"))
		return;
	for (i = 0; i < known->n; i++)
		read_known(diag, known->items[i], set);
}

int known_set_load(const char *path, struct diag *diag, struct known_set **ret)
{
	struct yaml_doc *doc __free(yaml) = NULL;
	struct known_set *set __free(known_set) = NULL;
	size_t before = diag->n;

	*ret = NULL;
	if (yaml_doc_load(path, diag, &doc))
		return -EINVAL;
	xnew(set);
	read_set(diag, doc->root, set);
	if (diag->n != before)
		return -EINVAL;
	*ret = steal_ptr(set);
	return 0;
}

void known_set_free(struct known_set *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n; i++) {
		free(s->known[i].job);
		free(s->known[i].outcome);
		free(s->known[i].signature);
		free(s->known[i].reason);
	}
	free(s->known);
	free(s);
}

static bool matches(const struct known *k, const struct known_query *q)
{
	if (strcmp(k->outcome, q->outcome))
		return false;
	if (!text_match(k->job, q->job_id) && !text_match(k->job, q->job_title))
		return false;
	return !k->signature || (q->signature && text_match(k->signature, q->signature));
}

const struct known *known_find(const struct known_set *s, const struct known_query *q,
			       const char *today, bool *ret_expired)
{
	size_t i;

	*ret_expired = false;
	for (i = 0; i < s->n; i++) {
		if (!matches(&s->known[i], q))
			continue;
		if (strcmp(today, s->known[i].expires) <= 0) {
			*ret_expired = false;
			return &s->known[i];
		}
		*ret_expired = true;
	}
	return NULL;
}
