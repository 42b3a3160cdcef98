// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/apt.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/log.h"
#include "base/process.h"
#include "base/text.h"
#include "image/mirror.h"

#define KEYRING		 "/usr/share/keyrings/debian-archive-keyring.gpg"
#define MAX_OUTPUT_BYTES (16 << 20)
#define MAX_LIST_AGE_S	 (24 * 3600)

struct apt {
	const struct cache *cache;
	char *suite;
	char *mirror;
	char *dir;  /* of the state; NULL until it is needed */
	bool fresh; /* its lists were looked after by this process */
};

void apt_package_fini(struct apt_package *p)
{
	free(p->name);
	free(p->version);
	free(p->sha256);
	free(p->depends);
	memset(p, 0, sizeof(*p));
}

void apt_package_copy(struct apt_package *to, const struct apt_package *from)
{
	to->name = xstrdup(from->name);
	to->version = xstrdup(from->version);
	to->sha256 = xstrdup(from->sha256);
	to->depends = xstrdup(from->depends);
}

struct apt *apt_new(const struct cache *c, const char *suite, const char *mirror)
{
	struct apt *a;

	xnew(a);
	a->cache = c;
	a->suite = xstrdup(suite);
	a->mirror = xstrdup_null(mirror);
	return a;
}

void apt_free(struct apt *a)
{
	if (!a)
		return;
	free(a->suite);
	free(a->mirror);
	free(a->dir);
	free(a);
}

const char *apt_suite(const struct apt *a)
{
	return a->suite;
}

/* The line of apt's stderr that says why: the last error, not a last warning. */
static int apt_error(struct err *e, int rc, const char *what, const struct buf *errors)
{
	char *copy __free(str) = xstrdup(errors->data);
	const char *reason = NULL;
	char *line, *next = copy;

	while ((line = strsep(&next, "\n"))) {
		if (!strncmp(line, "E: ", 3) || !strncmp(line, "env: ", 5))
			reason = line;
	}
	if (!reason)
		return err_prefix(e, rc, "%s", what);
	return err_set(e, -rc, "%s: %s", what, reason);
}

/* Runs a command of apt with our configuration, in @dir if not NULL. */
static int apt_run(struct apt *a, const char *dir, const char *const *args, struct buf *out,
		   struct err *e)
{
	char *config __free(str) = xasprintf("APT_CONFIG=%s/apt.conf", a->dir);
	struct buf errors __free_buf = BUF_INIT;
	const char *argv[16] = {"env", "-C", dir ? dir : a->dir, "LC_ALL=C", config};
	char *what __free(str) = xasprintf("%s %s", args[0], args[1]);
	size_t n = 5;
	int rc;

	while (*args && n + 1 < ARRAY_SIZE(argv))
		argv[n++] = *args++;
	rc = process_run(argv, MAX_OUTPUT_BYTES, out, &errors, e);
	if (rc && strstr(errors.data, "E: No packages found"))
		return err_set(e, ENOENT, "not in %s", a->suite);
	return rc ? apt_error(e, rc, what, &errors) : 0;
}

/* How this host reaches the network; hooks and sources of its apt stay out. */
static int host_transport(struct buf *conf, struct err *e)
{
	const char *const argv[] = {"apt-config", "dump", "--format", "%F \"%v\";%n", NULL};
	static const char *const keep[] = {"Acquire::http", "Acquire::https", "Acquire::Retries",
					   "Acquire::ForceIPv"};
	struct buf out __free_buf = BUF_INIT;
	char *line, *next;
	int rc = process_run(argv, MAX_OUTPUT_BYTES, &out, NULL, e);
	size_t i;

	if (rc)
		return err_prefix(e, rc, "cannot read the host's apt configuration");
	next = out.data;
	while (out.len && (line = strsep(&next, "\n"))) {
		for (i = 0; i < ARRAY_SIZE(keep); i++) {
			if (!strncmp(line, keep[i], strlen(keep[i]))) {
				buf_addf(conf, "%s\n", line);
				break;
			}
		}
	}
	return 0;
}

static void add_private_config(struct buf *conf, const char *dir)
{
	buf_addf(conf, "Dir::State \"%s\";\n", dir);
	buf_addf(conf, "Dir::State::Lists \"%s/lists\";\n", dir);
	buf_addf(conf, "Dir::State::status \"%s/status\";\n", dir);
	buf_addf(conf, "Dir::Cache \"%s/cache\";\n", dir);
	buf_addf(conf, "Dir::Log \"%s/cache\";\n", dir);
	buf_addf(conf, "Dir::Etc::SourceList \"%s/sources.list\";\n", dir);
	buf_adds(conf, "Dir::Etc::SourceParts \"/dev/null\";\n"
		       "Dir::Etc::Main \"/dev/null\";\n"
		       "Dir::Etc::Parts \"/dev/null\";\n"
		       "Dir::Etc::Preferences \"/dev/null\";\n"
		       "Dir::Etc::PreferencesParts \"/dev/null\";\n"
		       "Dir::Etc::Trusted \"/dev/null\";\n"
		       "Dir::Etc::TrustedParts \"/dev/null\";\n"
		       "APT::Architecture \"arm64\";\n"
		       "APT::Architectures { \"arm64\"; };\n"
		       "Acquire::Languages \"none\";\n"
		       /* A user's cache cannot be entered by apt's own account. */
		       "APT::Sandbox::User \"\";\n"
		       /* Old kernels are what we are after; snapshots of the archive
			* have expired by nature. Signatures are checked all the same.
			*/
		       "Acquire::Check-Valid-Until \"false\";\n"
		       /* A list that could not be fetched is an error, not a remark. */
		       "APT::Update::Error-Mode \"any\";\n");
}

static int write_in(const char *dir, const char *name, const char *text, size_t len, struct err *e)
{
	char *path __free(str) = file_join(dir, name);

	return file_write(path, text, len, e);
}

static int write_config(struct apt *a, struct err *e)
{
	static const char *const subs[] = {"lists/partial", "cache/archives/partial"};
	struct buf conf __free_buf = BUF_INIT, sources __free_buf = BUF_INIT;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < ARRAY_SIZE(subs); i++) {
		char *path __free(str) = file_join(a->dir, subs[i]);

		rc = file_mkdir(path, 0755, e);
	}
	if (!rc)
		rc = host_transport(&conf, e);
	if (rc)
		return rc;
	add_private_config(&conf, a->dir);
	buf_addf(&sources, "deb [arch=arm64 signed-by=" KEYRING "] %s %s main\n", a->mirror,
		 a->suite);
	rc = write_in(a->dir, "apt.conf", conf.data, conf.len, e);
	if (!rc)
		rc = write_in(a->dir, "sources.list", sources.data, sources.len, e);
	return rc ? rc : write_in(a->dir, "status", "", 0, e);
}

static bool lists_are_recent(const char *stamp)
{
	struct stat st;
	time_t now = time(NULL);

	return !stat(stamp, &st) && st.st_mtime <= now && now - st.st_mtime < MAX_LIST_AGE_S;
}

/* Lists that are not older than a day, or the best there is. */
static int refresh(struct apt *a, struct err *e)
{
	char *stamp __free(str) = file_join(a->dir, "updated");
	static const char *const update[] = {"apt-get", "-q", "update", NULL};
	struct err why __free_err = ERR_INIT;
	int rc;

	if (a->fresh)
		return 0;
	if (!lists_are_recent(stamp)) {
		log_info("apt: fetching the package lists of %s", a->suite);
		rc = apt_run(a, NULL, update, NULL, &why);
		if (rc && !file_exists(stamp))
			return err_set(e, -rc, "%s", err_msg(&why));
		if (rc)
			log_warn("apt: %s: using older lists of %s", err_msg(&why), a->suite);
		else if ((rc = file_write(stamp, "", 0, e)))
			return rc;
	}
	a->fresh = true;
	return 0;
}

/* A blank or a bracket would make the sources.list line say something else. */
static bool is_plain_word(const char *s)
{
	return *s && *s != '-' && !strpbrk(s, " \t\n[]\"");
}

static int check_names(const struct apt *a, struct err *e)
{
	if (!is_plain_word(a->suite) || strchr(a->suite, '/'))
		return err_set(e, EINVAL, "'%s' is no name of a suite", a->suite);
	if (!is_plain_word(a->mirror))
		return err_set(e, EINVAL, "'%s' is no address of a mirror", a->mirror);
	if (!file_exists(KEYRING))
		return err_set(e, ENOENT,
			       "'" KEYRING "' is missing: install debian-archive-keyring");
	return 0;
}

/* Finds out where the state is, once. */
static int locate(struct apt *a, struct err *e)
{
	char *mirror __free(str) = NULL, *name __free(str) = NULL;
	char hex[DIGEST_HEX_SIZE];
	int rc;

	if (a->dir)
		return 0;
	rc = mirror_find(a->mirror, &mirror, e);
	if (rc)
		return rc;
	free(a->mirror);
	a->mirror = steal_ptr(mirror);
	rc = check_names(a, e);
	if (rc)
		return rc;
	digest_of(a->mirror, strlen(a->mirror), hex);
	name = xasprintf("%s-%.8s", a->suite, hex);
	a->dir = cache_path(a->cache, "apt", name);
	return 0;
}

/* Gets the state ready and locks it; closing @ret_fd unlocks. */
static int apt_begin(struct apt *a, int *ret_fd, struct err *e)
{
	char *lock __free(str) = NULL;
	int fd __free(fd) = -1;
	int rc = locate(a, e);

	if (!rc)
		rc = file_mkdir(a->dir, 0755, e);
	if (rc)
		return rc;
	lock = file_join(a->dir, "lock");
	rc = cache_lock(lock, &fd, e);
	if (!rc && !a->fresh)
		rc = write_config(a, e);
	if (!rc)
		rc = refresh(a, e);
	if (rc)
		return rc;
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int apt_names(struct apt *a, const char *prefix, char ***ret, size_t *ret_n, struct err *e)
{
	const char *const args[] = {"apt-cache", "pkgnames", prefix, NULL};
	struct buf out __free_buf = BUF_INIT;
	int fd __free(fd) = -1;
	char **names = NULL, *line, *next;
	size_t n = 0;
	int rc = apt_begin(a, &fd, e);

	if (!rc)
		rc = apt_run(a, NULL, args, &out, e);
	if (rc)
		return err_prefix(e, rc, "suite '%s'", a->suite);
	next = out.data;
	while (out.len && (line = strsep(&next, "\n"))) {
		if (*line)
			*array_push(names, n) = xstrdup(line);
	}
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	*ret = names;
	*ret_n = n;
	return 0;
}

void apt_names_free(char **names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static void set_field(char **field, const char *value)
{
	if (!*field)
		*field = xstrdup(value);
}

static void parse_line(char *line, struct apt_package *p, char **ret_pre_depends)
{
	char *colon = strchr(line, ':');
	char *value;

	if (!colon || line[0] == ' ')
		return;
	*colon = '\0';
	value = colon + 1 + strspn(colon + 1, " \t");
	if (!strcmp(line, "Package")) {
		set_field(&p->name, value);
	} else if (!strcmp(line, "Version")) {
		set_field(&p->version, value);
	} else if (!strcmp(line, "SHA256")) {
		set_field(&p->sha256, value);
	} else if (!strcmp(line, "Depends")) {
		set_field(&p->depends, value);
	} else if (!strcmp(line, "Pre-Depends")) {
		set_field(ret_pre_depends, value);
	}
}

int apt_parse_package(const char *text, size_t len, struct apt_package *ret, struct err *e)
{
	char *copy __free(str) = xstrndup(text, len);
	char *pre_depends __free(str) = NULL, *depends __free(str) = NULL;
	char *line, *next = copy;
	struct apt_package p = {0};

	while ((line = strsep(&next, "\n")) && *line)
		parse_line(line, &p, &pre_depends);
	depends = p.depends;
	p.depends = xasprintf("%s%s%s", depends ? depends : "", depends && pre_depends ? ", " : "",
			      pre_depends ? pre_depends : "");
	if (!p.name || !p.version || !p.sha256 ||
	    strspn(p.sha256, "0123456789abcdef") != DIGEST_HEX_SIZE - 1 ||
	    p.sha256[DIGEST_HEX_SIZE - 1]) {
		apt_package_fini(&p);
		return err_set(e, EBADMSG, "apt-cache show: no package with version and SHA256");
	}
	*ret = p;
	return 0;
}

int apt_show(struct apt *a, const char *name, struct apt_package *ret, struct err *e)
{
	const char *const args[] = {"apt-cache", "show", "--no-all-versions", name, NULL};
	struct buf out __free_buf = BUF_INIT;
	int fd __free(fd) = -1;
	int rc = apt_begin(a, &fd, e);

	if (!rc)
		rc = apt_run(a, NULL, args, &out, e);
	if (!rc && !out.len)
		rc = err_set(e, ENOENT, "not in %s", a->suite); /* only others provide it */
	if (!rc)
		rc = apt_parse_package(out.data, out.len, ret, e);
	return rc ? err_prefix(e, rc, "package '%s'", name) : 0;
}

static int check_download(const char *path, const struct apt_package *p, struct err *e)
{
	char hex[DIGEST_HEX_SIZE];
	int rc = digest_of_file(path, hex, e);

	if (!rc && strcmp(hex, p->sha256))
		rc = err_set(e, EBADMSG, "SHA-256 is %s, must be %s", hex, p->sha256);
	return rc;
}

/* In a directory of its own, where only one .deb can turn up. */
static int download(struct apt *a, const struct apt_package *p, const char *to, struct err *e)
{
	char *spec __free(str) = xasprintf("%s=%s", p->name, p->version);
	const char *const args[] = {"apt-get", "-q", "download", spec, NULL};
	struct cache_tmp tmp __free_cache_tmp = CACHE_TMP_INIT;
	char *pattern __free(str) = NULL;
	glob_t g;
	int rc = cache_tmp_init(&tmp, a->cache, e);

	if (rc)
		return rc;
	log_info("apt: fetching %s %s", p->name, p->version);
	rc = apt_run(a, tmp.path, args, NULL, e);
	if (rc)
		return rc;
	pattern = file_join(tmp.path, "*.deb");
	if (glob(pattern, 0, NULL, &g) || g.gl_pathc != 1)
		rc = err_set(e, EIO, "apt-get download: left no package behind");
	else
		rc = check_download(g.gl_pathv[0], p, e);
	if (!rc)
		rc = cache_publish(g.gl_pathv[0], to, e);
	globfree(&g);
	return rc;
}

int apt_fetch(struct apt *a, const struct apt_package *p, char **ret_path, struct err *e)
{
	char *file __free(str) = xasprintf("%s.deb", p->sha256);
	char *path __free(str) = cache_path(a->cache, "debs", file);
	int fd __free(fd) = -1;
	int rc = 0;

	if (!file_exists(path)) {
		rc = apt_begin(a, &fd, e);
		/* Another process may have fetched it while we waited for the lock. */
		if (!rc && !file_exists(path))
			rc = download(a, p, path, e);
	}
	if (rc)
		return err_prefix(e, rc, "package '%s' %s", p->name, p->version);
	*ret_path = steal_ptr(path);
	return 0;
}
