// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * store_claim.c - one writer a run.
 *
 * Byte N of kjump.lock stands for the run with key N. The lock belongs to the
 * open file, so it ends with the process that opened it and holds between
 * containers too, where a pid means nothing; the database only says whose it is.
 */
#include "store/store_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "base/file.h"

static struct flock byte_of(int64_t key)
{
	return (struct flock){
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = key,
		.l_len = 1,
	};
}

static int open_lock(const struct store *s, int flags)
{
	char *path __free(str) = file_join(s->dir, "kjump.lock");
	int fd = open(path, flags | O_CLOEXEC, 0644);

	return fd < 0 ? -errno : fd;
}

static int refuse(struct store *s, int64_t key, const char *run, struct err *e)
{
	struct sql_stmt *stmt __free(sql_stmt) = NULL;
	int rc = sql_query(s->db, &stmt, e, "SELECT writer_pid, writer_host FROM run WHERE n = ?1",
			   "i", key);

	if (!rc)
		rc = sql_next(stmt, e);
	if (rc < 0)
		return rc;
	return err_set(e, EBUSY, "run %s is still being written by process %" PRId64 " on '%s'",
		       run, sql_int(stmt, 0, 0), sql_text(stmt, 1) ? sql_text(stmt, 1) : "?");
}

static int note_owner(struct store *s, int64_t key, struct err *e)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	return sql_run(s->db, e, "UPDATE run SET writer_pid = ?2, writer_host = ?3 WHERE n = ?1",
		       "iis", key, (int64_t)getpid(), host);
}

int store_claim_run(struct store *s, const char *run, struct err *e)
{
	struct flock lock;
	int64_t key;
	int rc = store_run_key(s, run, &key, e);

	if (rc)
		return rc;
	if (s->lock_fd < 0)
		s->lock_fd = open_lock(s, O_RDWR | O_CREAT);
	if (s->lock_fd < 0)
		return err_errno(e, -s->lock_fd, "cannot open '%s/kjump.lock'", s->dir);
	lock = byte_of(key);
	if (fcntl(s->lock_fd, F_OFD_SETLK, &lock)) {
		if (errno == EAGAIN || errno == EACCES)
			return refuse(s, key, run, e);
		return err_errno(e, errno, "cannot lock '%s/kjump.lock'", s->dir);
	}
	return note_owner(s, key, e);
}

bool store_run_claimed(const struct store *s, int64_t key)
{
	struct flock lock = byte_of(key);
	int fd __free(fd) = open_lock(s, O_RDONLY);

	lock.l_type = F_RDLCK;
	return fd >= 0 && !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}
