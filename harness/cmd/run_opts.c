// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/run_opts.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const char usage_text[] =
	"usage: kjump run CASE [OPTION...]\n"
	"\n"
	"  --results DIR     where kjump.db and the evidence go (default: results)\n"
	"  --jobs N          machines at once (default: one a core)\n"
	"  --only PATTERN    only jobs whose id or title matches, e.g. '*kexec*'\n"
	"  --repeat N        attempts of each job, whatever the case says\n"
	"  --shard I/N       only part I of N\n"
	"  --resume RUN      go on with a run: what is left of it, nothing twice\n"
	"  --kernels FILE    kernels by name (default: images/kernels.yaml)\n"
	"  --mirror URI      where packages come from (default: as the host's apt)\n"
	"  --lab FILE        where real boards are plugged in (default: board/lab/HOST.yaml)\n"
	"  --wait            wait for a board that is in use, instead of failing\n"
	"  --json            one JSON document on stdout\n";

static bool parse_count(const char *option, const char *s, unsigned int *ret)
{
	uint64_t v = 0;

	if (text_parse_u64(s, &v) || v < 1 || v > 10000) {
		fprintf(stderr, "kjump run: %s: '%s' is not a number from 1 to 10000\n", option, s);
		return false;
	}
	*ret = (unsigned int)v;
	return true;
}

static bool parse_shard(const char *s, struct run_opts *o)
{
	const char *slash = strchr(s, '/');
	char *first __free(str) = slash ? xstrndup(s, (size_t)(slash - s)) : NULL;

	if (!slash || !parse_count("--shard", first, &o->shard) ||
	    !parse_count("--shard", slash + 1, &o->shards) || o->shard > o->shards) {
		fprintf(stderr, "kjump run: --shard: '%s' is not I/N with I from 1 to N\n", s);
		return false;
	}
	return true;
}

static bool parse_option(struct run_opts *o, int c)
{
	switch (c) {
	case 'r':
		o->results = optarg;
		return true;
	case 'k':
		o->kernels = optarg;
		return true;
	case 'm':
		o->mirror = optarg;
		return true;
	case 'o':
		o->only = optarg;
		return true;
	case 'R':
		o->resume = optarg;
		return true;
	case 'j':
		return parse_count("--jobs", optarg, &o->jobs);
	case 'n':
		return parse_count("--repeat", optarg, &o->repeat);
	case 's':
		return parse_shard(optarg, o);
	case 'l':
		o->lab = optarg;
		return true;
	case 'w':
		o->wait = true;
		return true;
	case 'J':
		o->json = true;
		return true;
	default:
		return false;
	}
}

enum exit_status run_opts_parse(struct run_opts *o, int argc, char **argv, bool *ret_go_on)
{
	static const struct option longs[] = {
		{"results", required_argument, NULL, 'r'},
		{"kernels", required_argument, NULL, 'k'},
		{"mirror", required_argument, NULL, 'm'},
		{"only", required_argument, NULL, 'o'},
		{"resume", required_argument, NULL, 'R'},
		{"jobs", required_argument, NULL, 'j'},
		{"repeat", required_argument, NULL, 'n'},
		{"shard", required_argument, NULL, 's'},
		{"lab", required_argument, NULL, 'l'},
		{"wait", no_argument, NULL, 'w'},
		{"json", no_argument, NULL, 'J'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*o = (struct run_opts){0};
	*ret_go_on = false;
	optind = 1;
	while ((c = getopt_long(argc, argv, "j:h", longs, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage_text, stdout);
			return EXIT_EXPECTED;
		}
		if (!parse_option(o, c)) {
			if (c == '?')
				fputs(usage_text, stderr);
			return EXIT_USAGE;
		}
	}
	if (argc - optind != 1) {
		fputs(usage_text, stderr);
		return EXIT_USAGE;
	}
	o->case_path = argv[optind];
	*ret_go_on = true;
	return EXIT_EXPECTED;
}
