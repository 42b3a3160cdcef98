// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/packages.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"

#define MAX_INDEX_BYTES (1 << 20)

void packages_fini(struct packages *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		apt_package_fini(&l->p[i]);
	free(l->p);
	*l = (struct packages)PACKAGES_INIT;
}

void packages_add(struct packages *l, struct apt_package *p)
{
	*array_push(l->p, l->n) = *p;
	memset(p, 0, sizeof(*p));
}

const struct apt_package *packages_find(const struct packages *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (!strcmp(l->p[i].name, name))
			return &l->p[i];
	}
	return NULL;
}

void packages_id(const struct packages *l, const char *kind, char ret_hex[DIGEST_HEX_SIZE])
{
	struct digest *d __free(digest) = digest_new();
	size_t i;

	digest_update_str(d, kind);
	for (i = 0; i < l->n; i++)
		digest_update_str(d, l->p[i].sha256);
	digest_hex(d, ret_hex);
}

char *packages_index_name(const char *what)
{
	char hex[DIGEST_HEX_SIZE];

	digest_of(what, strlen(what), hex);
	return xasprintf("%.16s.json", hex);
}

static char *index_path(const struct cache *c, const char *what)
{
	char *name __free(str) = packages_index_name(what);

	return cache_path(c, "index", name);
}

static int read_package(const struct json *j, struct packages *l)
{
	const char *name = json_get_str(j, "name"), *version = json_get_str(j, "version");
	const char *sha256 = json_get_str(j, "sha256"), *depends = json_get_str(j, "depends");
	const struct apt_package from = {(char *)name, (char *)version, (char *)sha256,
					 (char *)depends};

	if (!name || !version || !sha256 || !depends ||
	    strspn(sha256, "0123456789abcdef") != DIGEST_HEX_SIZE - 1 ||
	    sha256[DIGEST_HEX_SIZE - 1])
		return -EBADMSG;
	apt_package_copy(array_push(l->p, l->n), &from);
	return 0;
}

int packages_load(const struct cache *c, const char *what, struct packages *ret, struct err *e)
{
	char *path __free(str) = index_path(c, what);
	struct packages l __free_packages = PACKAGES_INIT;
	struct buf text __free_buf = BUF_INIT;
	struct json *j __free(json) = NULL;
	struct json *list;
	size_t i;
	int rc = file_read(path, MAX_INDEX_BYTES, &text, e);

	if (!rc)
		rc = json_parse(text.data, text.len, &j, e);
	if (rc)
		return rc;
	list = json_get(j, "packages");
	for (i = 0; !rc && i < json_len(list); i++)
		rc = read_package(json_at(list, i), &l);
	if (rc || !l.n)
		return err_set(e, EBADMSG, "'%s' is no list of packages", path);
	*ret = l;
	l = (struct packages)PACKAGES_INIT;
	return 0;
}

int packages_save(const struct cache *c, const char *what, const struct packages *l, struct err *e)
{
	char *path __free(str) = index_path(c, what);
	struct json *j __free(json) = json_new_object();
	struct json *list = json_new_array();
	struct buf text __free_buf = BUF_INIT;
	size_t i;

	json_set_str(j, "what", what);
	json_set(j, "packages", list);
	for (i = 0; i < l->n; i++) {
		struct json *p = json_new_object();

		json_set_str(p, "name", l->p[i].name);
		json_set_str(p, "version", l->p[i].version);
		json_set_str(p, "sha256", l->p[i].sha256);
		json_set_str(p, "depends", l->p[i].depends);
		json_push(list, p);
	}
	json_print(j, true, &text);
	return file_write(path, text.data, text.len, e);
}

int packages_each_dependency(const char *depends, int (*each)(const char *name, void *arg),
			     void *arg)
{
	char *copy __free(str) = xstrdup(depends);
	char *entry, *next = copy;

	while ((entry = strsep(&next, ","))) {
		int rc;

		entry += strspn(entry, " \t");
		entry[strcspn(entry, " \t(|:")] = '\0';
		rc = *entry ? each(entry, arg) : 0;
		if (rc)
			return rc;
	}
	return 0;
}
