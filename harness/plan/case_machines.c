// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * case_machines.c - machines of a case: maps whose lists are crossed.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "plan/board.h"
#include "plan/case_read.h"
#include "plan/name.h"

#define PROPERTY_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,=._-"

/* One map's values, before they are crossed. */
struct machine_lists {
	const struct yaml_node *node;
	struct board *board;
	const char *name;
	bool many_boards;
	uint64_t *ram;
	const char **cpu;
	enum lpa2 *lpa2;
	bool *el2;
	unsigned int *cpus;
	unsigned int *gic;
	size_t n_ram, n_cpu, n_lpa2, n_el2, n_cpus, n_gic;
};

static void read_ram(struct case_reader *r, struct machine_lists *m, const struct yaml_node *node)
{
	char least[24], most[24];
	size_t i;

	for (i = 0; i < yaml_len(node); i++) {
		const struct yaml_node *item = yaml_item(node, i);
		uint64_t bytes = 0;

		if (!yaml_size(r->diag, item, &bytes))
			continue;
		if (bytes % (1 << 20)) {
			yaml_error(r->diag, item, "'%s' is not a whole number of MiB", item->text);
			continue;
		}
		if (bytes < m->board->ram_min_bytes || bytes > m->board->ram_max_bytes) {
			text_format_size(m->board->ram_min_bytes, least, sizeof(least));
			text_format_size(m->board->ram_max_bytes, most, sizeof(most));
			yaml_error(r->diag, item, "board '%s' has %s to %s of RAM, not %s",
				   m->board->name, least, most, item->text);
			continue;
		}
		*array_push(m->ram, m->n_ram) = bytes;
	}
}

/* A model of the board, perhaps with properties behind a comma: "max,sve=off". */
static void read_cpu(struct case_reader *r, struct machine_lists *m, const struct yaml_node *node)
{
	size_t i;
	int k;

	for (i = 0; i < yaml_len(node); i++) {
		const struct yaml_node *item = yaml_item(node, i);
		const char *text = yaml_text(r->diag, item, "cpu");
		size_t len = text ? strcspn(text, ",") : 0;
		char *model __free(str) = text ? xstrndup(text, len) : NULL;
		struct yaml_node only_model;

		if (!text)
			continue;
		only_model = *item;
		only_model.text = model;
		k = yaml_word(r->diag, &only_model, (const char *const *)m->board->cpus,
			      m->board->n_cpus);
		if (strspn(text + len, PROPERTY_CHARS) != strlen(text + len))
			yaml_error(r->diag, item, "cpu '%s': expected MODEL,NAME=VALUE", text);
		else if (k >= 0)
			*array_push(m->cpu, m->n_cpu) = text;
	}
	if (!node)
		*array_push(m->cpu, m->n_cpu) = m->board->cpus[0];
}

static void read_gic(struct case_reader *r, struct machine_lists *m, const struct yaml_node *node)
{
	uint64_t gic = 2;
	size_t i;

	for (i = 0; i < yaml_len(node); i++) {
		if (yaml_u64(r->diag, yaml_item(node, i), 2, 3, &gic))
			*array_push(m->gic, m->n_gic) = (unsigned int)gic;
	}
	if (!node)
		*array_push(m->gic, m->n_gic) = 2;
}

static void read_switches(struct case_reader *r, struct machine_lists *m,
			  const struct yaml_node *map)
{
	const struct yaml_node *lpa2 = yaml_get(map, "lpa2"), *el2 = yaml_get(map, "el2");
	const struct yaml_node *cpus = yaml_get(map, "cpus");
	uint64_t n = 1;
	bool on = false;
	size_t i;

	for (i = 0; i < yaml_len(lpa2); i++) {
		if (yaml_bool(r->diag, yaml_item(lpa2, i), &on))
			*array_push(m->lpa2, m->n_lpa2) = on ? LPA2_ON : LPA2_OFF;
	}
	for (i = 0; i < yaml_len(el2); i++) {
		if (yaml_bool(r->diag, yaml_item(el2, i), &on))
			*array_push(m->el2, m->n_el2) = on;
	}
	for (i = 0; i < yaml_len(cpus); i++) {
		if (yaml_u64(r->diag, yaml_item(cpus, i), 1, m->board->cpus_max, &n))
			*array_push(m->cpus, m->n_cpus) = (unsigned int)n;
	}
	if (!lpa2)
		*array_push(m->lpa2, m->n_lpa2) = LPA2_DEFAULT;
	if (!el2)
		*array_push(m->el2, m->n_el2) = false;
	if (!cpus)
		*array_push(m->cpus, m->n_cpus) = 1;
	read_gic(r, m, yaml_get(map, "gic"));
}

static char *machine_name(const struct machine_lists *m, const struct machine_spec *s)
{
	struct buf b = BUF_INIT;
	char ram[24];

	text_format_size(s->ram_bytes, ram, sizeof(ram));
	if (m->name)
		buf_addf(&b, "%s-", m->name);
	if (m->many_boards)
		buf_addf(&b, "%s-", m->board->name);
	buf_addf(&b, "%s-%s", s->cpu, ram);
	if (s->gic == 3)
		buf_adds(&b, "-gic3");
	if (s->cpus > 1)
		buf_addf(&b, "-%ucpu", s->cpus);
	if (s->lpa2 != LPA2_DEFAULT)
		buf_addf(&b, "-lpa2=%s", lpa2_name(s->lpa2));
	if (s->el2)
		buf_adds(&b, "-el2");
	return buf_steal(&b);
}

static void add_machine(struct case_reader *r, const struct machine_lists *m,
			struct machine_spec *s)
{
	size_t i;

	if (s->lpa2 != LPA2_DEFAULT && strcmp(s->cpu, "max") && strncmp(s->cpu, "max,", 4)) {
		yaml_error(r->diag, yaml_get(m->node, "lpa2"),
			   "lpa2 can be chosen only for cpu max, not for %s", s->cpu);
		return;
	}
	if (s->gic == 2 && s->cpus > 8) {
		yaml_error(r->diag, m->node, "a GICv2 serves at most 8 CPUs: for %u, say gic: 3",
			   s->cpus);
		return;
	}
	if (r->plan->n_machines == CASE_MAX_MACHINES) {
		yaml_error(r->diag, m->node, "more than %d machines", CASE_MAX_MACHINES);
		return;
	}
	s->name = machine_name(m, s);
	for (i = 0; i < r->plan->n_machines; i++) {
		if (!strcmp(r->plan->machines[i].name, s->name)) {
			yaml_error(r->diag, m->node, "machine '%s' is listed twice", s->name);
			free(s->name);
			return;
		}
	}
	s->board = xstrdup(m->board->name);
	s->hardware = m->board->hardware;
	s->cpu = xstrdup(s->cpu);
	*array_push(r->plan->machines, r->plan->n_machines) = *s;
}

static void cross_machine(struct case_reader *r, const struct machine_lists *m)
{
	size_t n = m->n_ram * m->n_cpu * m->n_lpa2 * m->n_el2 * m->n_cpus * m->n_gic, i;

	for (i = 0; i < n && i <= CASE_MAX_MACHINES; i++) {
		size_t k = i;
		struct machine_spec s = {0};

		s.gic = m->gic[k % m->n_gic];
		k /= m->n_gic;
		s.cpus = m->cpus[k % m->n_cpus];
		k /= m->n_cpus;
		s.el2 = m->el2[k % m->n_el2];
		k /= m->n_el2;
		s.lpa2 = m->lpa2[k % m->n_lpa2];
		k /= m->n_lpa2;
		s.cpu = (char *)(uintptr_t)m->cpu[k % m->n_cpu];
		k /= m->n_cpu;
		s.ram_bytes = m->ram[k];
		add_machine(r, m, &s);
	}
}

static void lists_fini(struct machine_lists *m)
{
	board_free(m->board);
	free(m->ram);
	free(m->cpu);
	free(m->lpa2);
	free(m->el2);
	free(m->cpus);
	free(m->gic);
}

/* The map once more for each of its boards: bounds and CPU models are the board's. */
static void read_on_board(struct case_reader *r, const struct yaml_node *map,
			  const struct yaml_node *board)
{
	const struct yaml_node *name = yaml_get(map, "name");
	struct machine_lists m = {.node = map};
	const char *text = yaml_text(r->diag, board, "board");
	char *path __free(str) = NULL;

	if (!text)
		return;
	path = xasprintf("%s/%s.yaml", r->paths->boards, text);
	if (!name_is_plain(text) || board_load(path, text, r->diag, &m.board) == -ENOENT) {
		yaml_error(r->diag, board, "no board '%s' in '%s'", text, r->paths->boards);
		return;
	}
	if (!m.board)
		return;
	case_note_file(r, path);
	m.name = name ? yaml_text(r->diag, name, "name") : NULL;
	m.many_boards = yaml_len(yaml_get(map, "board")) > 1;
	read_ram(r, &m, yaml_get(map, "ram"));
	read_cpu(r, &m, yaml_get(map, "cpu"));
	read_switches(r, &m, map);
	cross_machine(r, &m);
	if (m.board->hardware)
		*array_push(r->plan->boards, r->plan->n_boards) = steal_ptr(m.board);
	lists_fini(&m);
}

static void read_machine(struct case_reader *r, const struct yaml_node *map)
{
	static const char *const keys[] = {"name", "board", "ram",  "cpu",
					   "lpa2", "el2",   "cpus", "gic"};
	const struct yaml_node *board;
	size_t i;

	if (!yaml_want(r->diag, map, YAML_MAP, "a machine"))
		return;
	yaml_check_keys(r->diag, map, keys, ARRAY_SIZE(keys));
	board = yaml_need(r->diag, map, "board");
	yaml_need(r->diag, map, "ram");
	for (i = 0; i < yaml_len(board); i++)
		read_on_board(r, map, yaml_item(board, i));
}

void case_read_machines(struct case_reader *r, const struct yaml_node *list)
{
	size_t i;

	if (!yaml_len(list))
		yaml_error(r->diag, list, "an empty list: nothing to cross");
	for (i = 0; i < yaml_len(list); i++)
		read_machine(r, yaml_item(list, i));
	/* Only now: the array moved while it grew. */
	for (i = 0; i < r->plan->n_machines; i++) {
		const struct machine_spec *s = &r->plan->machines[i];
		const struct axis_value v = {.word = s->name, .object = s};

		case_axis_add(r, AXIS_MACHINE, &v);
	}
}
