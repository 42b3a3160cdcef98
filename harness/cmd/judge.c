// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * judge.c - `kjump judge`: a run again, or a bare console log.
 */
#include "judge/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "cmd/options.h"
#include "cmd/paths.h"
#include "cmd/rejudge.h"

static const char usage_text[] =
	"usage: kjump judge RUN [--results DIR] [--rules FILE] [--json]\n"
	"       kjump judge --console FILE [--rules FILE] [--json]\n"
	"\n"
	"Judges a run again from its evidence, without booting anything, and prints\n"
	"what changed; or says what happened on a console, from the log alone. RUN\n"
	"is 'last' or the beginning of an id. FILE may be - for standard input.\n"
	"\n"
	"  --results DIR  where kjump.db is (default: results)\n"
	"  --rules FILE   instead of cases/symptoms.yaml\n"
	"  --json         one JSON document on stdout\n";

struct judge_args {
	const char *console, *run, *rules, *results;
	bool json;
};

/* False: done, exit with *ret_status. */
static bool parse(int argc, char **argv, struct judge_args *args, enum exit_status *ret_status)
{
	const struct option_spec specs[] = {
		{"console", &args->console, NULL},
		{"rules", &args->rules, NULL},
		{"results", &args->results, NULL},
		{"json", NULL, &args->json},
		{NULL, NULL, NULL},
	};

	if (!options_read(argc, argv, specs, usage_text, &args->run, 1, ret_status))
		return false;
	if (!args->run != !args->console)
		return true;
	fputs(usage_text, stderr);
	*ret_status = EXIT_USAGE;
	return false;
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

static enum exit_status judge_console(const struct judge_args *args, const struct rule_set *rules,
				      struct err *e)
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
	return v->outcome == OUTCOME_USERSPACE_REACHED ? EXIT_EXPECTED : EXIT_SURPRISE;
}

static enum exit_status judge_run(const struct judge_args *args, const struct paths *paths,
				  const struct rule_set *rules, struct err *e)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct known_set *known __free(known_set) = NULL;
	struct rejudge_opts opts = {
		.results = args->results ? args->results : paths->results,
		.run = args->run,
		.rules = rules,
		.json = args->json,
	};

	if (known_set_load(paths->known, &diag, &known)) {
		diag_print(&diag, stderr);
		return EXIT_USAGE;
	}
	opts.known = known;
	return rejudge(&opts, e);
}

int cmd_judge(int argc, char **argv)
{
	struct judge_args args = {0};
	struct paths *paths __free(paths) = NULL;
	struct diag diag __free_diag = DIAG_INIT;
	struct rule_set *rules __free(rule_set) = NULL;
	struct err e __free_err = ERR_INIT;
	enum exit_status status;

	if (!parse(argc, argv, &args, &status))
		return status;
	if ((args.run || !args.rules) && paths_find(&paths, &e)) {
		log_error("%s", err_msg(&e));
		return EXIT_USAGE;
	}
	if (rule_set_load(args.rules ? args.rules : paths->symptoms, &diag, &rules)) {
		diag_print(&diag, stderr);
		return EXIT_USAGE;
	}
	status = args.run ? judge_run(&args, paths, rules, &e) : judge_console(&args, rules, &e);
	if (e.msg)
		log_error("%s", e.msg);
	return status;
}
