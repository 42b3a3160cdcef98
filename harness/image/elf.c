// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

DEFINE_FREE(elf, Elf *, if (_v) elf_end(_v));

struct closure {
	char *const *dirs;
	size_t n_dirs;
	struct elf_libs *libs;
};

void elf_libs_fini(struct elf_libs *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		free(l->libs[i].name);
		free(l->libs[i].path);
		free(l->libs[i].needed_by);
	}
	free(l->libs);
	*l = (struct elf_libs)ELF_LIBS_INIT;
}

static bool listed(const struct elf_libs *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (!strcmp(l->libs[i].name, name))
			return true;
	}
	return false;
}

static void add(struct closure *c, const char *name, const char *needed_by)
{
	struct elf_lib *lib;
	size_t i;

	/* A name with a slash would be looked up as a path, which nothing here has. */
	if (!*name || strchr(name, '/') || listed(c->libs, name))
		return;
	lib = array_push(c->libs->libs, c->libs->n);
	lib->name = xstrdup(name);
	lib->needed_by = xstrdup(needed_by);
	for (i = 0; i < c->n_dirs && !lib->path; i++) {
		char *path __free(str) = file_join(c->dirs[i], name);

		if (file_exists(path))
			lib->path = steal_ptr(path);
	}
}

static void read_dynamic(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, const char *path,
			 struct closure *c)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Dyn dyn;
	int i;

	for (i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
		const char *name;

		if (dyn.d_tag == DT_NULL)
			return;
		if (dyn.d_tag != DT_NEEDED)
			continue;
		name = elf_strptr(elf, shdr->sh_link, dyn.d_un.d_val);
		if (name)
			add(c, name, path);
	}
}

static void read_interpreter(Elf *elf, const char *path, struct closure *c)
{
	size_t n = 0, i, size = 0;
	const char *raw = elf_rawfile(elf, &size);
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) || !raw)
		return;
	for (i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++) {
		const char *name, *slash;

		if (ph.p_type != PT_INTERP || ph.p_offset >= size ||
		    ph.p_filesz > size - ph.p_offset)
			continue;
		name = raw + ph.p_offset;
		if (!memchr(name, '\0', ph.p_filesz))
			continue;
		slash = strrchr(name, '/');
		add(c, slash ? slash + 1 : name, path);
	}
}

static int read_file(const char *path, struct closure *c, struct err *e)
{
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf __free(elf) = NULL;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (fd < 0)
		return err_errno(e, errno, "cannot open '%s'", path);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return err_set(e, EBADMSG, "'%s' is no ELF file", path);
	read_interpreter(elf, path, c);
	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_DYNAMIC)
			read_dynamic(elf, scn, &shdr, path, c);
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct elf_lib *)a)->name, ((const struct elf_lib *)b)->name);
}

int elf_closure(const char *program, char *const *dirs, size_t n_dirs, struct elf_libs *libs,
		struct err *e)
{
	struct closure c = {dirs, n_dirs, libs};
	size_t i;
	int rc = read_file(program, &c, e);

	for (i = 0; !rc && i < libs->n; i++) {
		char *path __free(str) = xstrdup_null(libs->libs[i].path);

		if (path) /* a copy: the array moves as it grows */
			rc = read_file(path, &c, e);
	}
	if (libs->n)
		qsort(libs->libs, libs->n, sizeof(*libs->libs), by_name);
	return rc;
}
