// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tarball.c - a tarball into a commit.
 *
 * libarchive reads it, git-fast-import(1) takes a commit with the files inline:
 * one pass, one pack, nothing is unpacked.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/process.h"
#include "image/below.h"
#include "image/git.h"
#include "image/source.h"

#define MAX_BYTES     (8ULL << 30)
#define MAX_ENTRIES   500000
#define BLOCK_BYTES   10240
#define STOP_GRACE_NS 2000000000ULL

DEFINE_FREE(archive, struct archive *, if (_v) archive_read_free(_v));

/* @path without its first directory, or NULL for that itself. */
static const char *strip(const char *path)
{
	const char *slash;

	while (!strncmp(path, "./", 2))
		path += 2;
	slash = strchr(path, '/');
	return slash && slash[1] ? slash + 1 : NULL;
}

static int send_data(int fd, struct archive *a, struct archive_entry *entry, struct err *e)
{
	int64_t left = archive_entry_size(entry);
	char block[65536];

	while (left) {
		size_t want = left < (int64_t)sizeof(block) ? (size_t)left : sizeof(block);
		la_ssize_t n = archive_read_data(a, block, want);

		if (n <= 0)
			return err_set(e, EBADMSG, "a file ends too early");
		if (file_write_all(fd, block, (size_t)n))
			return err_set(e, EPIPE, "git fast-import ended");
		left -= n;
	}
	return file_write_all(fd, "\n", 1) ? err_set(e, EPIPE, "git fast-import ended") : 0;
}

static int send_entry(int fd, struct archive *a, struct archive_entry *entry, uint64_t *total,
		      struct err *e)
{
	const char *name = archive_entry_pathname(entry), *path = name ? strip(name) : NULL;
	const char *target = archive_entry_symlink(entry);
	struct buf head __free_buf = BUF_INIT;
	mode_t type = archive_entry_filetype(entry);

	if (!path || type == AE_IFDIR)
		return 0;
	if (!below_is_safe(path) || *path == '"' || strchr(path, '\n'))
		return err_set(e, EBADMSG, "a file has a name that leads astray");
	if (type == AE_IFLNK && target) {
		buf_addf(&head, "M 120000 inline %s\ndata %zu\n%s\n", path, strlen(target), target);
		return file_write_all(fd, head.data, head.len)
			       ? err_set(e, EPIPE, "git fast-import ended")
			       : 0;
	}
	if (type != AE_IFREG || archive_entry_hardlink(entry) || !archive_entry_size_is_set(entry))
		return err_set(e, EBADMSG, "'%s' is no plain file", path);
	*total += (uint64_t)archive_entry_size(entry);
	if (archive_entry_size(entry) < 0 || *total > MAX_BYTES)
		return err_set(e, EFBIG, "more than %llu bytes", MAX_BYTES);
	buf_addf(&head, "M %s inline %s\ndata %lld\n",
		 archive_entry_perm(entry) & S_IXUSR ? "100755" : "100644", path,
		 (long long)archive_entry_size(entry));
	if (file_write_all(fd, head.data, head.len))
		return err_set(e, EPIPE, "git fast-import ended");
	return send_data(fd, a, entry, e);
}

static int send_all(int fd, struct archive *a, const char *ref, struct err *e)
{
	struct buf head __free_buf = BUF_INIT;
	struct archive_entry *entry;
	size_t entries = 0;
	uint64_t total = 0;
	int rc, got;

	buf_addf(&head,
		 "feature done\ncommit %s\ncommitter kjump <kjump@localhost> 946684800 +0000\n"
		 "data 6\nsource\n",
		 ref);
	if (file_write_all(fd, head.data, head.len))
		return err_set(e, EPIPE, "git fast-import ended");
	while ((got = archive_read_next_header(a, &entry)) == ARCHIVE_OK) {
		if (++entries > MAX_ENTRIES)
			return err_set(e, EFBIG, "more than %d files", MAX_ENTRIES);
		rc = send_entry(fd, a, entry, &total, e);
		if (rc)
			return rc;
	}
	if (got != ARCHIVE_EOF || !entries)
		return err_set(e, EBADMSG, "%s",
			       archive_error_string(a) ? archive_error_string(a) : "it is empty");
	/* Without this word fast-import throws all away: a broken tarball leaves no ref. */
	return file_write_all(fd, "done\n", 5) ? err_set(e, EPIPE, "git fast-import ended") : 0;
}

static int start_import(const char *repository, struct process *p, int *ret_fd, struct err *e)
{
	/* Nothing is worth searching for deltas in files that have no history. */
	static const char *const args[] = {"-c", "core.compression=1", "fast-import", "--quiet",
					   "--depth=0"};
	const char *argv[GIT_MAX_WORDS] = {NULL};
	struct process_opts opts = {.argv = argv, .stdout_fd = -1, .stderr_fd = -1};
	size_t n = git_words(repository, argv), i;
	int fds[2], r __free(fd) = -1, w __free(fd) = -1, rc;

	for (i = 0; i < ARRAY_SIZE(args); i++)
		argv[n++] = args[i];
	if (pipe2(fds, O_CLOEXEC))
		return err_errno(e, errno, "cannot run git");
	r = fds[0];
	w = fds[1];
	opts.stdin_fd = r;
	rc = process_start(p, &opts, e);
	if (!rc)
		*ret_fd = steal_fd(&w);
	return rc;
}

int source_import_tarball(const char *repository, const char *tarball, const char *ref,
			  struct err *e)
{
	struct archive *a __free(archive) = archive_read_new();
	struct process p = PROCESS_INIT;
	char what[48];
	int fd __free(fd) = -1;
	int rc, status = 0;

	archive_read_support_format_tar(a);
	archive_read_support_filter_all(a);
	if (archive_read_open_filename(a, tarball, BLOCK_BYTES) != ARCHIVE_OK)
		return err_set(e, EBADMSG, "'%s': %s", tarball, archive_error_string(a));
	rc = start_import(repository, &p, &fd, e);
	if (rc)
		return rc;
	rc = send_all(fd, a, ref, e);
	if (rc) {
		process_stop(&p, STOP_GRACE_NS);
		return err_prefix(e, rc, "'%s'", tarball);
	}
	close(steal_fd(&fd));
	rc = process_wait(&p, UINT64_MAX / 4, &status);
	if (rc || !status)
		return rc;
	process_describe(status, what, sizeof(what));
	return err_set(e, EIO, "'%s': git fast-import: %s", tarball, what);
}
