// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/paths.h"

static const char usage_text[] =
	"usage: kjump judge --console FILE [--rules FILE] [--json]\n"
	"\n"
	"Says what happened on a console, from the log alone. FILE may be - for\n"
	"standard input. Rules come from cases/symptoms.yaml unless named.\n";

struct judge_args {
	const char *console, *rules;
	bool json;
};

static int usage(FILE *out)
{
	fputs(usage_text, out);
	return out == stdout ? EXIT_EXPECTED : EXIT_USAGE;
}

/* 0, or an exit status plus one. */
static int parse(int argc, char **argv, struct judge_args *args)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			args->json = true;
		else if (!strcmp(argv[i], "--console") && i + 1 < argc)
			args->console = argv[++i];
		else if (!strcmp(argv[i], "--rules") && i + 1 < argc)
			args->rules = argv[++i];
		else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return usage(stdout) + 1;
		else
			return usage(stderr) + 1;
	}
	return args->console ? 0 : usage(stderr) + 1;
}

static int feed_file(struct judge *j, const char *path, struct err *e)
{
	bool is_stdin = !strcmp(path, "-");
	int opened __free(fd) = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	int fd = is_stdin ? STDIN_FILENO : opened;
	char *chunk __free(str) = xmalloc(65536);

	if (fd < 0)
		return err_errno(e, errno, "cannot open '%s'", path);
	for (;;) {
		struct event ev = {.type = EVENT_CONSOLE};
		ssize_t n = read(fd, chunk, 65536);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, errno, "cannot read '%s'", path);
		if (!n)
			return 0;
		ev.bytes.data = chunk;
		ev.bytes.len = (size_t)n;
		judge_feed(j, &ev);
	}
}

static void print_list(const char *head, char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		printf("%-12s %s\n", i ? "" : head, list[i]);
}

static void print_text(const struct verdict *v)
{
	size_t i;

	printf("%-12s %s\n", "outcome", outcome_name(v->outcome));
	printf("%-12s %s\n", "stage", stage_name(v->stage));
	if (v->proof != PROOF_NONE)
		printf("%-12s %s\n", "proof", proof_name(v->proof));
	if (v->signature)
		printf("%-12s %s\n", "signature", v->signature);
	if (v->detail)
		printf("%-12s %s\n", "detail", v->detail);
	print_list("then", v->consequences, v->n_consequences);
	print_list("degraded by", v->degradations, v->n_degradations);
	for (i = 0; i < v->n_ranges; i++)
		printf("%-12s %s, bytes %llu to %llu\n", i ? "" : "decided by", v->ranges[i].rule,
		       (unsigned long long)v->ranges[i].start,
		       (unsigned long long)v->ranges[i].end);
	if (v->truncated)
		printf("%-12s the report lost its end\n", "truncated");
}

static void print(const struct verdict *v, bool as_json)
{
	struct json *j __free(json) = NULL;
	struct buf text __free_buf = BUF_INIT;

	if (!as_json) {
		print_text(v);
		return;
	}
	j = verdict_json(v);
	json_print(j, true, &text);
	puts(text.data);
}

static bool is_good(enum outcome o)
{
	return o == OUTCOME_USERSPACE_REACHED;
}

static int judge_console(const struct judge_args *args, const struct rule_set *rules, struct err *e)
{
	const struct judge_opts opts = {.bare = true};
	struct judge *j __free(judge) = NULL;
	struct verdict *v __free(verdict) = NULL;

	if (judge_new(rules, &opts, &j, e) || feed_file(j, args->console, e))
		return EXIT_USAGE;
	v = judge_finish(j);
	print(v, args->json);
	if (v->outcome == OUTCOME_INFRA_ERROR)
		return EXIT_INFRA;
	return is_good(v->outcome) ? EXIT_EXPECTED : EXIT_SURPRISE;
}

int cmd_judge(int argc, char **argv)
{
	struct judge_args args = {0};
	struct paths *paths __free(paths) = NULL;
	struct diag diag __free_diag = DIAG_INIT;
	struct rule_set *rules __free(rule_set) = NULL;
	struct err e __free_err = ERR_INIT;
	int rc = parse(argc, argv, &args);

	if (rc)
		return rc - 1;
	if (!args.rules && paths_find(&paths, &e)) {
		fprintf(stderr, "kjump: %s\n", err_msg(&e));
		return EXIT_USAGE;
	}
	if (rule_set_load(args.rules ? args.rules : paths->symptoms, &diag, &rules)) {
		diag_print(&diag, stderr);
		return EXIT_USAGE;
	}
	rc = judge_console(&args, rules, &e);
	if (e.msg)
		fprintf(stderr, "kjump: %s\n", e.msg);
	return rc;
}
