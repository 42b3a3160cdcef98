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

/* One map's values, before they are crossed. */
struct machine_lists {
	const struct yaml_node *node;
	struct board *board;
	const char *name;
	uint64_t *ram;
	const char **cpu;
	enum lpa2 *lpa2;
	bool *el2;
	unsigned int *cpus;
	size_t n_ram, n_cpu, n_lpa2, n_el2, n_cpus;
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

static void read_cpu(struct case_reader *r, struct machine_lists *m, const struct yaml_node *node)
{
	size_t i;
	int k;

	for (i = 0; i < yaml_len(node); i++) {
		k = yaml_word(r->diag, yaml_item(node, i), (const char *const *)m->board->cpus,
			      m->board->n_cpus);
		if (k >= 0)
			*array_push(m->cpu, m->n_cpu) = m->board->cpus[k];
	}
	if (!node)
		*array_push(m->cpu, m->n_cpu) = m->board->cpus[0];
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
}

static char *machine_name(const struct machine_lists *m, const struct machine_spec *s)
{
	struct buf b = BUF_INIT;
	char ram[24];

	text_format_size(s->ram_bytes, ram, sizeof(ram));
	buf_addf(&b, "%s%s%s-%s", m->name ? m->name : "", m->name ? "-" : "", s->cpu, ram);
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

	if (s->lpa2 != LPA2_DEFAULT && strcmp(s->cpu, "max")) {
		yaml_error(r->diag, m->node, "lpa2 can be chosen only for cpu max, not for %s",
			   s->cpu);
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
	s->cpu = xstrdup(s->cpu);
	*array_push(r->plan->machines, r->plan->n_machines) = *s;
}

static void cross_machine(struct case_reader *r, const struct machine_lists *m)
{
	size_t n = m->n_ram * m->n_cpu * m->n_lpa2 * m->n_el2 * m->n_cpus, i;

	for (i = 0; i < n; i++) {
		size_t k = i;
		struct machine_spec s = {0};

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

static void read_machine(struct case_reader *r, const struct yaml_node *map)
{
	static const char *const keys[] = {"name", "board", "ram", "cpu", "lpa2", "el2", "cpus"};
	const struct yaml_node *board, *ram;
	struct machine_lists m = {.node = map};
	const char *name;

	if (!yaml_want(r->diag, map, YAML_MAP, "a machine"))
		return;
	yaml_check_keys(r->diag, map, keys, ARRAY_SIZE(keys));
	board = yaml_need(r->diag, map, "board");
	ram = yaml_need(r->diag, map, "ram");
	name = yaml_text(r->diag, board, "board");
	if (!name || !ram)
		return;
	if (strchr(name, '/') || board_load(r->paths->boards, name, r->diag, &m.board) == -ENOENT) {
		yaml_error(r->diag, board, "no board '%s' in '%s'", name, r->paths->boards);
		return;
	}
	if (!m.board || !m.board->n_cpus) {
		board_free(m.board);
		return;
	}
	m.name = yaml_text(r->diag, yaml_get(map, "name"), "name");
	read_ram(r, &m, ram);
	read_cpu(r, &m, yaml_get(map, "cpu"));
	read_switches(r, &m, map);
	cross_machine(r, &m);
	board_free(m.board);
	free(m.ram);
	free(m.cpu);
	free(m.lpa2);
	free(m.el2);
	free(m.cpus);
}

void case_read_machines(struct case_reader *r, const struct yaml_node *list)
{
	size_t i;

	for (i = 0; i < yaml_len(list); i++)
		read_machine(r, yaml_item(list, i));
	/* Only now: the array moved while it grew. */
	for (i = 0; i < r->plan->n_machines; i++) {
		const struct machine_spec *s = &r->plan->machines[i];

		case_axis_add(r, AXIS_MACHINE, s->name, s, 0);
	}
}
