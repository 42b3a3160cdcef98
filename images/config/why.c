// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * why.c - which dependency keeps options of a kernel off.
 *
 * No part of kjump: it is compiled against the Kconfig parser of the kernel that is
 * being built, run by that kernel's own make, and asks the parser itself.
 *
 *   kjump-why Kconfig CONFIG_X...    prints "CONFIG_X: reason" for each
 */
#include <stdio.h>
#include <string.h>

#include "lkc.h"

static void print(void *data, struct symbol *sym, const char *text)
{
	fputs(text, stdout);
	if (sym && sym->type != S_UNKNOWN && sym->name && !(sym->flags & SYMBOL_CONST))
		printf("[=%s]", sym_get_string_value(sym));
}

/* Of "A && B" only what is n. */
static void print_refusal(struct expr *e, int *n)
{
	if (expr_calc_value(e) == yes)
		return;
	if (e->type == E_AND) {
		print_refusal(e->left.expr, n);
		print_refusal(e->right.expr, n);
		return;
	}
	fputs((*n)++ ? " && " : "depends on ", stdout);
	expr_print(e, print, NULL, E_NONE);
}

static void explain(const char *option)
{
	struct symbol *sym = sym_find(option + strlen("CONFIG_"));
	struct property *prompt;
	int n = 0;

	printf("%s: ", option);
	if (!sym || sym->type == S_UNKNOWN) {
		puts("this kernel has no such option");
		return;
	}
	sym_calc_value(sym);
	if (sym->dir_dep.expr)
		print_refusal(sym->dir_dep.expr, &n);
	for_all_prompts(sym, prompt) {
		if (!n && prompt->visible.expr)
			print_refusal(prompt->visible.expr, &n);
	}
	if (!n && sym->rev_dep.expr && expr_calc_value(sym->rev_dep.expr) != no) {
		fputs("selected by ", stdout);
		expr_print(sym->rev_dep.expr, print, NULL, E_NONE);
		n++;
	}
	puts(n ? "" : "it is not visible here, or another member of its choice was taken");
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 2)
		return 2;
	conf_parse(argv[1]);
	conf_read(NULL);
	for (i = 2; i < argc; i++)
		explain(argv[i]);
	return 0;
}
