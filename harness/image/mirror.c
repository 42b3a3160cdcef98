// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/mirror.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/process.h"

#define MAX_OUTPUT_BYTES (4 << 20)

enum { URI, ORIGIN, LABEL, RELEASE, COMPONENT, CREATED_BY, N_FIELDS };

/* Does @release belong to Debian itself ("trixie", "sid", "stable-updates")? */
static bool is_debian_release(const char *release)
{
	static const char *const names[] = {"oldoldstable", "oldstable", "stable", "testing",
					    "unstable",	    "sid",	 "buster", "bullseye",
					    "bookworm",	    "trixie",	 "forky",  "duke"};
	size_t len = strcspn(release, "-/");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == len && !strncmp(names[i], release, len))
			return true;
	}
	return false;
}

static bool is_main_archive(char *const *f)
{
	if (strcmp(f[CREATED_BY], "Packages") || strcmp(f[COMPONENT], "main"))
		return false;
	if (strstr(f[RELEASE], "security") || strstr(f[URI], "security"))
		return false;
	if (f[ORIGIN][0] == '$' || !f[ORIGIN][0])
		return is_debian_release(f[RELEASE]);
	return !strcmp(f[ORIGIN], "Debian") && !strcmp(f[LABEL], "Debian");
}

char *mirror_choose(const char *text)
{
	char *copy __free(str) = xstrdup(text);
	char *line, *next = copy;

	while ((line = strsep(&next, "\n"))) {
		char *f[N_FIELDS];
		size_t n = 0;

		while (n < N_FIELDS && (f[n] = strsep(&line, "|")))
			n++;
		if (n == N_FIELDS && !line && is_main_archive(f))
			return xstrdup(f[URI]);
	}
	return NULL;
}

static int ask_apt(bool release_info, char **ret, struct err *e)
{
	/* Without release info apt also lists what it has not fetched yet. */
	const char *const argv[] = {
		"apt-get",
		"indextargets",
		release_info ? "--release-info" : "--no-release-info",
		"--format",
		"$(REPO_URI)|$(ORIGIN)|$(LABEL)|$(RELEASE)|$(COMPONENT)|$(CREATED_BY)",
		NULL};
	struct buf out __free_buf = BUF_INIT;
	int rc = process_run(argv, MAX_OUTPUT_BYTES, &out, NULL, e);

	if (rc)
		return err_prefix(e, rc, "cannot read the host's apt configuration");
	*ret = mirror_choose(out.data);
	return 0;
}

int mirror_find(const char *override, char **ret, struct err *e)
{
	const char *env = getenv("KJUMP_MIRROR");
	int rc;

	*ret = NULL;
	if (!override && env && env[0])
		override = env;
	if (override) {
		*ret = xstrdup(override);
		return 0;
	}
	rc = ask_apt(true, ret, e);
	if (!rc && !*ret)
		rc = ask_apt(false, ret, e);
	if (!rc && !*ret)
		rc = err_set(e, ENOENT,
			     "the host's apt has no Debian archive: set KJUMP_MIRROR to the "
			     "address of a Debian mirror");
	return rc;
}
