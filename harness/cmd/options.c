// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_MAX 8
#define HELP	    OPTIONS_MAX

/* getopt_long() answers with the place in @specs, or HELP. */
static void add_specs(const struct option_spec *specs, struct option *longs, char *letters)
{
	int i, n = 0;

	*letters++ = 'h';
	for (i = 0; specs[i].name && i < OPTIONS_MAX; i++) {
		if (specs[i].name[1]) {
			longs[n++] = (struct option){
				specs[i].name, specs[i].value ? required_argument : no_argument,
				NULL, i};
			continue;
		}
		*letters++ = specs[i].name[0];
		if (specs[i].value)
			*letters++ = ':';
	}
	longs[n] = (struct option){"help", no_argument, NULL, HELP};
}

static const struct option_spec *spec_of(const struct option_spec *specs, int c)
{
	int i;

	for (i = 0; specs[i].name; i++) {
		if (c == i || (!specs[i].name[1] && c == specs[i].name[0]))
			return &specs[i];
	}
	return NULL;
}

static bool ends(FILE *out, const char *usage, enum exit_status status,
		 enum exit_status *ret_status)
{
	fputs(usage, out);
	*ret_status = status;
	return false;
}

bool options_read(int argc, char **argv, const struct option_spec *specs, const char *usage,
		  const char **args, int max, enum exit_status *ret_status)
{
	struct option longs[OPTIONS_MAX + 2] = {0};
	char letters[2 * OPTIONS_MAX + 2] = "";
	int c, i;

	add_specs(specs, longs, letters);
	optind = 1;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct option_spec *spec = spec_of(specs, c);

		if (c == 'h' || c == HELP)
			return ends(stdout, usage, EXIT_EXPECTED, ret_status);
		if (!spec)
			return ends(stderr, usage, EXIT_USAGE, ret_status);
		if (spec->value)
			*spec->value = optarg;
		else
			*spec->flag = true;
	}
	if (argc - optind > max)
		return ends(stderr, usage, EXIT_USAGE, ret_status);
	for (i = 0; i < max; i++)
		args[i] = optind + i < argc ? argv[optind + i] : NULL;
	return true;
}
