// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/deb.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/below.h"

DEFINE_FREE(archive, struct archive *, if (_v) archive_read_free(_v));

/* Well above the largest kernel package, well below a disk. */
static const struct deb_limits default_limits = {4ULL << 30, 200000};

struct unpack {
	struct archive *ar, *tar;
	const struct deb_limits *limits;
	int to_fd;
	deb_place_fn place;
	void *arg;
	uint64_t bytes;
	size_t entries;
	char block[65536]; /* what the tar reader was given of the ar member */
};

DEFINE_FREE(unpack, struct unpack *, free(_v));

static int bad(struct archive *a, struct err *e)
{
	const char *why = archive_error_string(a);

	return err_set(e, EBADMSG, "%s", why ? why : "damaged archive");
}

/* "./lib/x" -> "usr/lib/x"; *returned*. NULL for the root itself. */
static char *normal_name(const char *name)
{
	static const char *const merged[] = {"bin/", "sbin/", "lib/"};
	size_t i;

	while (name[0] == '.' && name[1] == '/')
		name += 2;
	if (!*name || !strcmp(name, "."))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(merged); i++) {
		if (!strncmp(name, merged[i], strlen(merged[i])))
			return xasprintf("usr/%s", name);
	}
	return xstrdup(name);
}

static int write_content(struct unpack *u, int fd, struct err *e)
{
	const void *block;
	size_t len;
	la_int64_t offset;
	uint64_t max = u->limits->max_bytes;
	int rc, n;

	while ((n = archive_read_data_block(u->tar, &block, &len, &offset)) == ARCHIVE_OK) {
		/* A sparse file's size is a claim, not bytes: count where it ends. */
		u->bytes += len;
		if (offset < 0 || (uint64_t)offset > max || len > max || u->bytes > max)
			return err_set(e, EFBIG, "unpacks to more than %" PRIu64 " bytes", max);
		if (lseek(fd, offset, SEEK_SET) < 0)
			return err_errno(e, errno, "cannot write");
		rc = file_write_all(fd, block, len);
		if (rc)
			return err_errno(e, -rc, "cannot write");
	}
	return n == ARCHIVE_EOF ? 0 : bad(u->tar, e);
}

static int unpack_file(struct unpack *u, struct archive_entry *entry, const char *path,
		       struct err *e)
{
	mode_t mode = archive_entry_perm(entry) & 0111 ? 0755 : 0644;
	int fd __free(fd) = -1;
	int rc = below_create(u->to_fd, path, mode, &fd, e);

	return rc ? rc : write_content(u, fd, e);
}

static int unpack_link(struct unpack *u, struct archive_entry *entry, const char *path,
		       struct err *e)
{
	const char *target = archive_entry_symlink(entry);

	/* Links out of the tree are of no use here: what they mean is not there. */
	if (!target || !below_is_safe(target))
		return 0;
	return below_symlink(u->to_fd, target, path, e);
}

static int unpack_entry(struct unpack *u, struct archive_entry *entry, struct err *e)
{
	const char *raw = archive_entry_pathname(entry);
	char *name __free(str) = raw ? normal_name(raw) : NULL;
	char *path __free(str) = NULL;
	int rc;

	if (!raw)
		return err_set(e, EBADMSG, "an entry without a readable name");
	if (!name || archive_entry_filetype(entry) == AE_IFDIR)
		return 0;
	if (!below_is_safe(name))
		return err_set(e, EBADMSG, "name '%s' leads out of the package", raw);
	path = u->place(name, u->arg);
	if (!path)
		return 0;
	if (archive_entry_hardlink(entry))
		return err_set(e, ENOTSUP, "'%s' is a hard link", name);
	switch (archive_entry_filetype(entry)) {
	case AE_IFREG:
		rc = unpack_file(u, entry, path, e);
		break;
	case AE_IFLNK:
		rc = unpack_link(u, entry, path, e);
		break;
	default:
		rc = err_set(e, ENOTSUP, "neither a file nor a symbolic link");
	}
	return rc ? err_prefix(e, rc, "%s", name) : 0;
}

static la_ssize_t read_member(struct archive *tar, void *arg, const void **ret)
{
	struct unpack *u = arg;
	la_ssize_t n = archive_read_data(u->ar, u->block, sizeof(u->block));

	if (n < 0)
		archive_set_error(tar, EIO, "%s", archive_error_string(u->ar));
	*ret = u->block;
	return n;
}

static int unpack_tar(struct unpack *u, struct err *e)
{
	struct archive *tar __free(archive) = archive_read_new();
	struct archive_entry *entry;
	int n, rc = 0;

	u->tar = tar;
	archive_read_support_format_tar(tar);
	archive_read_support_filter_gzip(tar);
	archive_read_support_filter_xz(tar);
	archive_read_support_filter_zstd(tar);
	if (archive_read_open(tar, u, NULL, read_member, NULL) != ARCHIVE_OK)
		return bad(tar, e);
	while (!rc && (n = archive_read_next_header(tar, &entry)) == ARCHIVE_OK) {
		if (++u->entries > u->limits->max_entries)
			return err_set(e, EFBIG, "more than %zu entries", u->limits->max_entries);
		rc = unpack_entry(u, entry, e);
	}
	if (rc)
		return rc;
	return n == ARCHIVE_EOF ? 0 : bad(tar, e);
}

/* The first member must say that this is a package of a format we know. */
static int check_version(struct unpack *u, const char *name, struct err *e)
{
	char version[8] = "";

	if (strcmp(name, "debian-binary") ||
	    archive_read_data(u->ar, version, sizeof(version) - 1) < 2 || strncmp(version, "2.", 2))
		return err_set(e, EBADMSG, "not a Debian package of format 2");
	return 0;
}

static int unpack_ar(struct unpack *u, struct err *e)
{
	struct archive_entry *entry;
	bool first = true;
	int n, rc;

	while ((n = archive_read_next_header(u->ar, &entry)) == ARCHIVE_OK) {
		const char *name = archive_entry_pathname(entry);

		if (!name)
			return err_set(e, EBADMSG, "a member without a name");
		if (first) {
			rc = check_version(u, name, e);
			if (rc)
				return rc;
		}
		first = false;
		if (!strncmp(name, "data.tar", 8))
			return err_prefix(e, unpack_tar(u, e), "%s", name);
	}
	if (n != ARCHIVE_EOF)
		return bad(u->ar, e);
	return err_set(e, EBADMSG, "has no data.tar");
}

static int run(struct archive *ar, const char *name, const char *to,
	       const struct deb_limits *limits, deb_place_fn place, void *arg, struct err *e)
{
	int to_fd __free(fd) = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct unpack *u __free(unpack) = NULL;
	int rc;

	if (to_fd < 0)
		return err_errno(e, errno, "cannot open '%s'", to);
	xnew(u);
	u->ar = ar;
	u->to_fd = to_fd;
	u->limits = limits;
	u->place = place;
	u->arg = arg;
	rc = unpack_ar(u, e);
	return rc ? err_prefix(e, rc, "package '%s'", name) : 0;
}

int deb_unpack(const char *deb, const char *to, deb_place_fn place, void *arg, struct err *e)
{
	struct archive *ar __free(archive) = archive_read_new();

	archive_read_support_format_ar(ar);
	if (archive_read_open_filename(ar, deb, 65536) != ARCHIVE_OK)
		return err_prefix(e, bad(ar, e), "package '%s'", deb);
	return run(ar, deb, to, &default_limits, place, arg, e);
}

int deb_unpack_memory(const void *data, size_t len, const char *name, const char *to,
		      const struct deb_limits *limits, deb_place_fn place, void *arg, struct err *e)
{
	struct archive *ar __free(archive) = archive_read_new();

	archive_read_support_format_ar(ar);
	if (archive_read_open_memory(ar, data, len) != ARCHIVE_OK)
		return err_prefix(e, bad(ar, e), "package '%s'", name);
	return run(ar, name, to, limits, place, arg, e);
}
