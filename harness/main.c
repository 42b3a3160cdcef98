// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - the command table, nothing else.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/cmd.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} commands[] = {
	{"run", cmd_run, "run a case and print the matrix"},
	{"plan", cmd_plan, "what a case would run, in order"},
	{"show", cmd_show, "runs, their tables, one job's evidence"},
	{"judge", cmd_judge, "judge a run again, or a bare console log"},
	{"report", cmd_report, "write a run down to pass it on: html, text"},
	{"profile", cmd_profile, "how a boot entry is read"},
	{"images", cmd_images, "list, fetch and clean up kernels"},
	{"board", cmd_board, "what is plugged in on this bench"},
	{"doctor", cmd_doctor, "what is missing on this host"},
};

static int usage(FILE *out)
{
	size_t i;

	fputs("usage: kjump COMMAND [ARGUMENT...]\n\n", out);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].what);
	fputs("\nkjump COMMAND --help tells more.\n", out);
	return out == stdout ? EXIT_EXPECTED : EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const char *names[ARRAY_SIZE(commands)], *near;
	size_t i;

	/* A reader of our output that goes away is an error of write, not a death. */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2)
		return usage(stderr);
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage(stdout);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		names[i] = commands[i].name;
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	near = text_nearest(argv[1], names, ARRAY_SIZE(names));
	fprintf(stderr, "kjump: no command '%s'%s%s%s\n", argv[1], near ? "; did you mean '" : "",
		near ? near : "", near ? "'?" : "");
	return usage(stderr);
}
