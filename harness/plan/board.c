// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/board.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "plan/name.h"
#include "plan/yaml.h"

/* The chip's file lies in soc/ beside the board's; *returned*, or NULL. */
static char *soc_path(const struct yaml_node *root, struct diag *diag)
{
	const struct yaml_node *soc = yaml_get(root, "soc");
	const char *name = soc ? yaml_text(diag, soc, "soc") : NULL;
	const char *slash = strrchr(root->file, '/');

	if (!name)
		return NULL;
	if (!name_is_plain(name)) {
		yaml_error(diag, soc, "'%s' is not a chip's name", name);
		return NULL;
	}
	return xasprintf("%.*s/soc/%s.yaml", slash ? (int)(slash - root->file) : 1,
			 slash ? root->file : ".", name);
}

static void read_board(struct board *b, const struct yaml_node *root, struct diag *diag)
{
	static const char *const keys[] = {"description", "ram-min", "ram-max", "cpus-max",
					   "cpus",	  "soc",     "hardware"};
	const struct yaml_node *hardware;
	const struct yaml_node *cpus;
	uint64_t cpus_max = 1;
	size_t i;

	if (!yaml_want(diag, root, YAML_MAP, "the file"))
		return;
	yaml_check_keys(diag, root, keys, ARRAY_SIZE(keys));
	yaml_size(diag, yaml_need(diag, root, "ram-min"), &b->ram_min_bytes);
	yaml_size(diag, yaml_need(diag, root, "ram-max"), &b->ram_max_bytes);
	yaml_u64(diag, yaml_need(diag, root, "cpus-max"), 1, 4096, &cpus_max);
	b->cpus_max = (unsigned int)cpus_max;
	cpus = yaml_need(diag, root, "cpus");
	for (i = 0; i < yaml_len(cpus); i++) {
		const char *cpu = yaml_text(diag, yaml_item(cpus, i), "a CPU model");

		if (cpu)
			*array_push(b->cpus, b->n_cpus) = xstrdup(cpu);
	}
	hardware = yaml_get(root, "hardware");
	if (hardware) {
		char *soc __free(str) = soc_path(root, diag);

		hardware_read(hardware, soc, diag, &b->hardware);
	}
}

int board_load(const char *path, const char *name, struct diag *diag, struct board **ret)
{
	struct yaml_doc *doc __free(yaml) = NULL;
	struct board *b __free(board) = NULL;
	size_t before = diag->n;
	int rc;

	*ret = NULL;
	if (!file_exists(path))
		return -ENOENT;
	rc = yaml_doc_load(path, diag, &doc);
	if (rc)
		return rc;
	xnew(b);
	b->name = xstrdup(name);
	read_board(b, doc->root, diag);
	if (diag->n != before)
		return -EINVAL;
	*ret = steal_ptr(b);
	return 0;
}

void board_free(struct board *b)
{
	size_t i;

	if (!b)
		return;
	for (i = 0; i < b->n_cpus; i++)
		free(b->cpus[i]);
	hardware_free(b->hardware);
	free(b->cpus);
	free(b->name);
	free(b);
}
