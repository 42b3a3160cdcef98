// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/paths.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

static bool is_root(const char *dir)
{
	char *mark __free(str) = file_join(dir, "images/kernels.yaml");

	return file_exists(mark);
}

/* Shortens @dir until it is a root; false if no part of it is. */
static bool climb(char *dir)
{
	char *slash;

	while (!is_root(dir)) {
		slash = strrchr(dir, '/');
		if (!slash || slash == dir)
			return false;
		*slash = '\0';
	}
	return true;
}

static char *find_root(struct err *e)
{
	const char *env = getenv("KJUMP_ROOT");
	char program[PATH_MAX] = "", cwd[PATH_MAX] = "";
	ssize_t n;

	if (env) {
		if (is_root(env))
			return xstrdup(env);
		err_set(e, ENOENT, "KJUMP_ROOT is '%s', which has no images/kernels.yaml", env);
		return NULL;
	}
	n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (n > 0 && climb(program))
		return xstrdup(program);
	if (getcwd(cwd, sizeof(cwd)) && climb(cwd))
		return xstrdup(cwd);
	err_set(e, ENOENT, "no images/kernels.yaml above the program or the working directory");
	return NULL;
}

/* The compiled overlays lie beside the program that was built with them; *returned*. */
static char *find_dt(const char *root)
{
	char program[PATH_MAX] = "";
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash = n > 0 ? strrchr(program, '/') : NULL;
	char *dt __free(str) = NULL;

	if (slash) {
		*slash = '\0';
		dt = file_join(program, "dt");
		if (file_exists(dt))
			return steal_ptr(dt);
	}
	return file_join(root, "build/dt");
}

int paths_find(struct paths **ret, struct err *e)
{
	struct paths *p;
	char *root = find_root(e);

	if (!root)
		return -ENOENT;
	xnew(p);
	p->root = root;
	p->images = file_join(root, "images");
	p->kernels = file_join(root, "images/kernels.yaml");
	p->profiles = file_join(root, "images/profiles");
	p->boards = file_join(root, "board");
	p->dt = find_dt(root);
	p->symptoms = file_join(root, "cases/symptoms.yaml");
	p->known = file_join(root, "cases/known.yaml");
	p->results = file_join(root, "results");
	*ret = p;
	return 0;
}

void paths_free(struct paths *p)
{
	if (!p)
		return;
	free(p->root);
	free(p->images);
	free(p->kernels);
	free(p->profiles);
	free(p->boards);
	free(p->dt);
	free(p->symptoms);
	free(p->known);
	free(p->results);
	free(p);
}
