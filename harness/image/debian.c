// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/debian.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"

#define PREFIX	    "linux-image-"
#define MAX_NEAREST 6

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len > end_len && !strcmp(s + len - end_len, end);
}

char *debian_kernel_abi(const char *package, const char *flavour)
{
	char *ending __free(str) = NULL;
	char *abi;
	size_t len;

	if (!strcmp(flavour, "plain"))
		ending = xstrdup("-arm64");
	else if (!strcmp(flavour, "16k"))
		ending = xstrdup("-arm64-16k");
	else
		ending = xasprintf("-%s-arm64", flavour);
	if (strncmp(package, PREFIX, strlen(PREFIX)) || !ends_with(package, ending))
		return NULL;
	package += strlen(PREFIX);
	len = strlen(package) - strlen(ending);
	abi = xstrndup(package, len);
	/* "7.2.6+deb13-cloud" is another flavour's, "6.1.0-50" is not. */
	len = strcspn(abi, "-");
	if (isdigit((unsigned char)abi[0]) &&
	    (!abi[len] || strspn(abi + len + 1, "0123456789") == strlen(abi + len + 1)))
		return abi;
	free(abi);
	return NULL;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Does @abi begin with @version, as whole numbers? */
static bool begins(const char *abi, const char *version)
{
	size_t len = strlen(version);

	return len && !strncmp(abi, version, len) && (!abi[len] || strchr(".+-~", abi[len]));
}

static const char **sorted(char *const *abis, size_t n)
{
	const char **s = xcalloc(n + 1, sizeof(*s));

	if (n)
		memcpy(s, abis, n * sizeof(*s));
	qsort(s, n, sizeof(*s), by_version);
	return s;
}

void debian_match(char *const *abis, size_t n, const char *version, const char ***ret,
		  size_t *ret_n)
{
	const char **s = sorted(abis, n);
	size_t i, kept = 0;

	for (i = 0; i < n; i++) {
		if (begins(s[i], version))
			s[kept++] = s[i];
	}
	*ret = s;
	*ret_n = kept;
}

void debian_nearest(char *const *abis, size_t n, const char *version, size_t max, struct buf *out)
{
	const char **s = sorted(abis, n);
	size_t at = 0, first, i;

	while (at < n && strverscmp(s[at], version) < 0)
		at++;
	first = at > max / 2 ? at - max / 2 : 0;
	if (first + max > n)
		first = n > max ? n - max : 0;
	for (i = first; i < n && i < first + max; i++)
		buf_addf(out, "%s%s", i > first ? ", " : "", s[i]);
	free(s);
}

struct search {
	struct apt *apt;
	const char *version, *flavour;
	char **abis;
	size_t n;
};

static char *package_name(const struct search *s, const char *abi)
{
	if (!strcmp(s->flavour, "plain"))
		return xasprintf(PREFIX "%s-arm64", abi);
	if (!strcmp(s->flavour, "16k"))
		return xasprintf(PREFIX "%s-arm64-16k", abi);
	return xasprintf(PREFIX "%s-%s-arm64", abi, s->flavour);
}

/* By ABI: "7.2.6", "6.1". Of several the newest. */
static int find_by_abi(struct search *s, struct apt_package *ret, struct err *e)
{
	char *name __free(str) = NULL;
	const char **match;
	size_t n;

	debian_match(s->abis, s->n, s->version, &match, &n);
	if (n)
		name = package_name(s, match[n - 1]);
	free(match);
	return name ? apt_show(s->apt, name, ret, e) : -ENOENT;
}

/* By the package's version: "7.2.6-1~bpo13+1", or 6.1.176, whose ABI is 6.1.0-50. */
static int find_by_package(struct search *s, struct apt_package *ret, struct err *e)
{
	size_t digits = strspn(s->version, "0123456789."), i;
	char *series __free(str) = NULL;
	const char *dot = strchr(s->version, '.');

	if (!dot)
		return -ENOENT;
	digits = (size_t)(dot - s->version) + 1 + strspn(dot + 1, "0123456789");
	series = xstrndup(s->version, digits);
	for (i = s->n; i-- > 0;) {
		char *name __free(str) = package_name(s, s->abis[i]);
		int rc;

		if (!begins(s->abis[i], series))
			continue;
		rc = apt_show(s->apt, name, ret, e);
		if (rc)
			return rc;
		if (begins(ret->version, s->version))
			return 0;
		apt_package_fini(ret);
	}
	return -ENOENT;
}

static int not_there(const struct search *s, struct err *e)
{
	struct buf near __free_buf = BUF_INIT;

	if (!s->n)
		return err_set(e, ENOENT, "no kernel of flavour '%s' in suite '%s'", s->flavour,
			       apt_suite(s->apt));
	debian_nearest(s->abis, s->n, s->version, MAX_NEAREST, &near);
	return err_set(e, ENOENT, "no %s kernel '%s' in suite '%s'; nearest there: %s", s->flavour,
		       s->version, apt_suite(s->apt), near.data);
}

static int list_abis(struct search *s, struct err *e)
{
	char **names;
	size_t n, i;
	int rc = apt_names(s->apt, PREFIX, &names, &n, e);

	if (rc)
		return rc;
	for (i = 0; i < n; i++) {
		char *abi = debian_kernel_abi(names[i], s->flavour);

		if (abi)
			*array_push(s->abis, s->n) = abi;
	}
	apt_names_free(names, n);
	return 0;
}

struct parts {
	struct apt *apt;
	const char *ending; /* "7.2.6+deb13-cloud-arm64" */
	struct packages *list;
	struct err *e;
};

/* The image package's own parts, not the tools it also depends on. */
static int add_part(const char *name, void *arg)
{
	struct parts *p = arg;
	struct apt_package found;
	int rc;

	if (strncmp(name, "linux-", 6) || !ends_with(name, p->ending) ||
	    packages_find(p->list, name))
		return 0;
	rc = apt_show(p->apt, name, &found, p->e);
	if (!rc)
		packages_add(p->list, &found);
	return rc;
}

int debian_kernel(struct apt *a, const char *version, const char *flavour, struct packages *ret,
		  struct err *e)
{
	struct search s = {.apt = a, .version = version, .flavour = flavour};
	struct packages l __free_packages = PACKAGES_INIT;
	struct apt_package image = {0};
	char *ending __free(str) = NULL, *depends __free(str) = NULL;
	int rc = list_abis(&s, e);

	if (!rc)
		rc = find_by_abi(&s, &image, e);
	if (rc == -ENOENT)
		rc = find_by_package(&s, &image, e);
	if (rc == -ENOENT)
		rc = not_there(&s, e);
	apt_names_free(s.abis, s.n);
	if (rc)
		return rc;
	ending = xstrdup(image.name + strlen(PREFIX));
	depends = xstrdup(image.depends);
	packages_add(&l, &image);
	rc = packages_each_dependency(depends, add_part, &(struct parts){a, ending, &l, e});
	if (rc)
		return rc;
	*ret = l;
	l = (struct packages)PACKAGES_INIT;
	return 0;
}
