// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/cpio.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "image/below.h"

DEFINE_FREE(writer, struct archive *, if (_v) archive_write_free(_v));
DEFINE_FREE(entry, struct archive_entry *, if (_v) archive_entry_free(_v));

struct node {
	char *name;
	mode_t type, mode;
	char *path; /* content from this file, or */
	char *data; /* this, or a symbolic link's target */
	size_t len;
	unsigned int major, minor;
};

struct cpio {
	struct node *nodes;
	size_t n;
};

struct cpio *cpio_new(void)
{
	struct cpio *c;

	return xnew(c);
}

void cpio_free(struct cpio *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->n; i++) {
		free(c->nodes[i].name);
		free(c->nodes[i].path);
		free(c->nodes[i].data);
	}
	free(c->nodes);
	free(c);
}

static struct node *add(struct cpio *c, const char *name, mode_t type, mode_t mode)
{
	struct node *n = array_push(c->nodes, c->n);

	n->name = xstrdup(name);
	n->type = type;
	n->mode = mode;
	return n;
}

void cpio_add_dir(struct cpio *c, const char *name, mode_t mode)
{
	add(c, name, AE_IFDIR, mode);
}

void cpio_add_data(struct cpio *c, const char *name, mode_t mode, const void *data, size_t len)
{
	struct node *n = add(c, name, AE_IFREG, mode);

	n->data = xstrndup("", 0);
	if (len) {
		free(n->data);
		n->data = memcpy(xmalloc(len), data, len);
	}
	n->len = len;
}

void cpio_add_file(struct cpio *c, const char *name, mode_t mode, const char *path)
{
	add(c, name, AE_IFREG, mode)->path = xstrdup(path);
}

void cpio_add_link(struct cpio *c, const char *name, const char *target)
{
	add(c, name, AE_IFLNK, 0777)->data = xstrdup(target);
}

void cpio_add_char_device(struct cpio *c, const char *name, mode_t mode, unsigned int major,
			  unsigned int minor)
{
	struct node *n = add(c, name, AE_IFCHR, mode);

	n->major = major;
	n->minor = minor;
}

/* The directories above @name that nobody asked for get mode 0755. */
static void add_parents(struct cpio *c, const char *name)
{
	const char *slash = name;

	while ((slash = strchr(slash, '/'))) {
		char *dir __free(str) = xstrndup(name, (size_t)(slash - name));
		size_t i;
		bool there = false;

		for (i = 0; i < c->n && !there; i++)
			there = !strcmp(c->nodes[i].name, dir);
		if (!there)
			cpio_add_dir(c, dir, 0755);
		slash++;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct node *)a)->name, ((const struct node *)b)->name);
}

static int arrange(struct cpio *c, struct err *e)
{
	size_t given = c->n, i;

	for (i = 0; i < given; i++) {
		char *name __free(str) = xstrdup(c->nodes[i].name);

		if (!below_is_safe(name))
			return err_set(e, EINVAL, "'%s' cannot be a name in an archive", name);
		add_parents(c, name);
	}
	if (c->n)
		qsort(c->nodes, c->n, sizeof(*c->nodes), by_name);
	for (i = 1; i < c->n; i++) {
		if (!strcmp(c->nodes[i - 1].name, c->nodes[i].name))
			return err_set(e, EEXIST, "'%s' is in the archive twice", c->nodes[i].name);
	}
	return 0;
}

static int failed(struct archive *a, const char *name, struct err *e)
{
	int code = archive_errno(a);

	return err_set(e, code > 0 ? code : EIO, "cannot write '%s': %s", name,
		       archive_error_string(a));
}

static int write_bytes(struct archive *a, const char *name, const void *data, size_t len,
		       struct err *e)
{
	la_ssize_t n = len ? archive_write_data(a, data, len) : 0;

	return n < 0 || (size_t)n != len ? failed(a, name, e) : 0;
}

/* Exactly @size bytes: the header has gone out already. */
static int write_file(struct archive *a, const struct node *n, int fd, uint64_t size, struct err *e)
{
	char block[65536];

	while (size) {
		ssize_t got = read(fd, block, size < sizeof(block) ? size : sizeof(block));
		int rc;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(e, errno, "cannot read '%s'", n->path);
		if (!got)
			return err_set(e, EIO, "'%s' became shorter while it was read", n->path);
		rc = write_bytes(a, n->name, block, (size_t)got, e);
		if (rc)
			return rc;
		size -= (uint64_t)got;
	}
	return 0;
}

static int write_node(struct archive *a, const struct node *n, struct err *e)
{
	struct archive_entry *entry __free(entry) = archive_entry_new();
	int fd __free(fd) = -1;
	struct stat st;
	int64_t size = (int64_t)n->len;

	if (n->path) {
		fd = open(n->path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st))
			return err_errno(e, errno, "cannot open '%s'", n->path);
		size = st.st_size;
	}
	archive_entry_set_pathname(entry, n->name);
	archive_entry_set_filetype(entry, n->type);
	archive_entry_set_perm(entry, n->mode);
	archive_entry_set_uid(entry, 0);
	archive_entry_set_gid(entry, 0);
	archive_entry_set_mtime(entry, 0, 0);
	archive_entry_set_nlink(entry, 1);
	archive_entry_set_size(entry, n->type == AE_IFREG ? size : 0);
	if (n->type == AE_IFLNK)
		archive_entry_set_symlink(entry, n->data);
	if (n->type == AE_IFCHR) {
		archive_entry_set_rdevmajor(entry, n->major);
		archive_entry_set_rdevminor(entry, n->minor);
	}
	if (archive_write_header(a, entry) != ARCHIVE_OK)
		return failed(a, n->name, e);
	if (n->type != AE_IFREG)
		return 0;
	return n->path ? write_file(a, n, fd, (uint64_t)size, e)
		       : write_bytes(a, n->name, n->data, n->len, e);
}

int cpio_write(struct cpio *c, int fd, struct err *e)
{
	struct archive *a __free(writer) = archive_write_new();
	size_t i;
	int rc = arrange(c, e);

	if (rc)
		return rc;
	archive_write_set_format_cpio_newc(a);
	archive_write_add_filter_none(a);
	/* Whole blocks of the traditional size, not whatever suits the file @fd is. */
	archive_write_set_bytes_per_block(a, 65536);
	archive_write_set_bytes_in_last_block(a, 512);
	if (archive_write_open_fd(a, fd) != ARCHIVE_OK)
		return failed(a, "the archive", e);
	for (i = 0; !rc && i < c->n; i++)
		rc = write_node(a, &c->nodes[i], e);
	if (!rc && archive_write_close(a) != ARCHIVE_OK)
		rc = failed(a, "the archive", e);
	return rc;
}
