// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor.c - kjump doctor: what is missing on this host, and how to get it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "machine/qemu_args.h"
#include "machine/qemu_dry.h"
#include "machine/runtime.h"

#define MIB		((uint64_t)1024 * 1024)
#define GUEST_RAM_BYTES (2048 * MIB) /* the smallest machine of the shipped cases */
#define SPACE_BYTES	(1024 * MIB) /* a few kernels with modules, and the roots of jobs */
#define KEYRING		"/usr/share/keyrings/debian-archive-keyring.gpg"
#define SETUP		"run 'make deps'"
/* depmod lives where a person's PATH often does not reach. */
#define SYSTEM_PATH	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum health { HEALTH_OK, HEALTH_WARNING, HEALTH_MISSING };

struct finding {
	enum health health;
	char *found; /* what is there; for OK, too */
	char *fix;   /* what to do; NULL when OK */
};

static const char *health_name(enum health h)
{
	switch (h) {
	case HEALTH_OK:
		return "ok";
	case HEALTH_WARNING:
		return "warning";
	case HEALTH_MISSING:
		return "missing";
	}
	return "?";
}

static void check_qemu(struct finding *f)
{
	struct err e __free_err = ERR_INIT;
	int major, minor, rc = qemu_version(&major, &minor, &e);

	f->found = rc ? xstrdup(err_msg(&e)) : xasprintf("version %d.%d", major, minor);
	if (!rc && major >= QEMU_MAJOR_MIN)
		return;
	f->health = HEALTH_MISSING;
	f->fix = xasprintf(SETUP ": it installs qemu-system-arm %d or later, from backports where "
				 "the release has an older one",
			   QEMU_MAJOR_MIN);
}

/* Path of a program, *returned*, or NULL. */
static char *find_program(const char *path, const char *name)
{
	char *dirs __free(str) = xstrdup(path), *save = NULL, *dir;

	for (dir = strtok_r(dirs, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		char *file __free(str) = file_join(dir, name);

		if (!access(file, X_OK))
			return steal_ptr(file);
	}
	return NULL;
}

static void check_program(struct finding *f, const char *path, const char *name, const char *fix)
{
	f->found = find_program(path, name);
	if (f->found)
		return;
	f->found = xasprintf("there is no %s", name);
	f->health = HEALTH_MISSING;
	f->fix = xstrdup(fix);
}

static void check_apt(struct finding *f)
{
	const char *path = getenv("PATH");

	check_program(f, path ? path : SYSTEM_PATH, "apt-get",
		      "use a Debian host, or name kernels by their files in images/kernels.yaml");
}

static void check_depmod(struct finding *f)
{
	check_program(f, SYSTEM_PATH, "depmod", SETUP ": it installs kmod");
}

static void check_keyring(struct finding *f)
{
	if (file_exists(KEYRING)) {
		f->found = xstrdup(KEYRING);
		return;
	}
	f->found = xstrdup("'" KEYRING "' does not exist");
	f->health = HEALTH_MISSING;
	f->fix = xstrdup(SETUP ": it installs debian-archive-keyring");
}

/* Free bytes where @path is or would be created. */
static uint64_t free_bytes_for(const char *path)
{
	char *p __free(str) = xstrdup(path);
	uint64_t bytes = 0;
	char *slash;

	while (!file_exists(p) && (slash = strrchr(p, '/')) && slash != p)
		*slash = '\0';
	file_free_bytes(file_exists(p) ? p : "/", &bytes, NULL);
	return bytes;
}

static void check_cache(struct finding *f)
{
	struct err e __free_err = ERR_INIT;
	char *dir __free(str) = NULL;
	uint64_t bytes;

	if (file_cache_dir(&dir, &e)) {
		f->health = HEALTH_MISSING;
		f->found = xstrdup(err_msg(&e));
		f->fix = xstrdup("set XDG_CACHE_HOME to a directory with space");
		return;
	}
	bytes = free_bytes_for(dir);
	f->found = xasprintf("'%s': %" PRIu64 " MiB free", dir, bytes / MIB);
	if (bytes >= SPACE_BYTES)
		return;
	f->health = HEALTH_WARNING;
	f->fix = xasprintf("make room ('kjump images gc'), or point XDG_CACHE_HOME to %" PRIu64
			   " MiB or more",
			   SPACE_BYTES / MIB);
}

static void check_memory(struct finding *f)
{
	uint64_t need = qemu_boot_bytes(GUEST_RAM_BYTES), available = 0;
	struct err e __free_err = ERR_INIT;

	if (qemu_available_bytes(&available, &e)) {
		f->health = HEALTH_WARNING;
		f->found = xstrdup(err_msg(&e));
		f->fix = xstrdup("mount /proc");
		return;
	}
	f->found = xasprintf("%" PRIu64 " MiB available, room for %" PRIu64 " guests of 2G",
			     available / MIB, available / need);
	if (available >= need)
		return;
	f->health = HEALTH_WARNING;
	f->fix = xasprintf("free memory: a guest of 2G needs about %" PRIu64 " MiB", need / MIB);
}

static void check_litter(struct finding *f)
{
	size_t n = machine_runtime_stale();

	f->found = n ? xasprintf("%zu left behind by dead runs", n) : xstrdup("none is stale");
	if (!n)
		return;
	f->health = HEALTH_WARNING;
	f->fix = xstrdup("nothing to do: the next 'kjump run' removes them");
}

static const struct check {
	const char *name;
	void (*check)(struct finding *f);
} checks[] = {
	{"qemu-system-aarch64", check_qemu},   {"apt-get", check_apt}, {"depmod", check_depmod},
	{"archive keyring", check_keyring},    {"cache", check_cache}, {"memory", check_memory},
	{"runtime directories", check_litter},
};

static void print_json(const struct finding *found, bool healthy)
{
	struct json *doc __free(json) = json_new_object();
	struct json *list = json_new_array();
	struct buf text __free_buf = BUF_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		struct json *o = json_new_object();

		json_set_str(o, "name", checks[i].name);
		json_set_str(o, "health", health_name(found[i].health));
		json_set_str(o, "found", found[i].found);
		json_set_str(o, "fix", found[i].fix);
		json_push(list, o);
	}
	json_set_bool(doc, "healthy", healthy);
	json_set(doc, "checks", list);
	json_print(doc, true, &text);
	puts(text.data);
}

static void print_text(const struct finding *found)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		printf("%-8s %-20s %s\n", health_name(found[i].health), checks[i].name,
		       found[i].found);
		if (found[i].fix)
			printf("%-8s %-20s -> %s\n", "", "", found[i].fix);
	}
}

int cmd_doctor(int argc, char **argv)
{
	static const char usage[] = "usage: kjump doctor [--json]\n";
	struct finding found[ARRAY_SIZE(checks)] = {0};
	bool json = argc == 2 && !strcmp(argv[1], "--json"), healthy = true;
	size_t i;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return EXIT_EXPECTED;
	}
	if (argc > 1 && !json) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		checks[i].check(&found[i]);
		healthy = healthy && found[i].health != HEALTH_MISSING;
	}
	if (json)
		print_json(found, healthy);
	else
		print_text(found);
	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		free(found[i].found);
		free(found[i].fix);
	}
	return healthy ? EXIT_EXPECTED : EXIT_INFRA;
}
