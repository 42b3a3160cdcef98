// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/runtime.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"

#define PREFIX	 "kjump-"
#define NAME_LEN (sizeof(PREFIX) - 1 + 6)
#define ATTEMPTS 10

static const char *base_dir(void)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (xdg && xdg[0] == '/' && !stat(xdg, &st) && S_ISDIR(st.st_mode))
		return xdg;
	return "/tmp";
}

/*
 * A collector may find the lock file before it is locked. It then locks it
 * itself and removes the directory, which shows here as a lock that is not to
 * be had, or as one on a file without a name: -EAGAIN, make another.
 */
static int lock_new_dir(const char *path)
{
	char *lock __free(str) = file_join(path, "lock");
	int fd __free(fd) = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	if (fstat(fd, &st))
		return -errno;
	return st.st_nlink ? steal_fd(&fd) : -EAGAIN;
}

int runtime_dir_init(struct runtime_dir *r, struct err *e)
{
	int i, fd = -EAGAIN;

	*r = (struct runtime_dir)RUNTIME_DIR_INIT;
	for (i = 0; i < ATTEMPTS && fd == -EAGAIN; i++) {
		char *path __free(str) = xasprintf("%s/" PREFIX "XXXXXX", base_dir());

		if (!mkdtemp(path))
			return err_errno(e, errno, "cannot create a directory in '%s'", base_dir());
		fd = lock_new_dir(path);
		if (fd >= 0) {
			r->path = steal_ptr(path);
			r->lock_fd = fd;
			return 0;
		}
		file_remove_tree(path, NULL);
	}
	return err_errno(e, -fd, "cannot lock a directory in '%s'", base_dir());
}

void runtime_dir_fini(struct runtime_dir *r)
{
	if (!r->path)
		return;
	file_remove_tree(r->path, NULL);
	close(r->lock_fd);
	free(r->path);
	*r = (struct runtime_dir)RUNTIME_DIR_INIT;
}

/*
 * Ours, and with nobody behind it; the lock is kept for as long as @ret_fd is
 * open. A directory of the same name without our empty lock file is a person's.
 */
static bool is_stale(const char *path, int *ret_fd)
{
	int dir_fd __free(fd) = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd __free(fd) = -1;
	struct stat st;

	if (dir_fd < 0 || fstat(dir_fd, &st) || st.st_uid != geteuid() ||
	    (st.st_mode & 07777) != 0700)
		return false;
	fd = openat(dir_fd, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || st.st_size || flock(fd, LOCK_EX | LOCK_NB))
		return false;
	*ret_fd = steal_fd(&fd);
	return true;
}

static size_t sweep(const char *base, bool remove)
{
	DIR *dir = opendir(base);
	struct dirent *d;
	size_t n = 0;

	while (dir && (d = readdir(dir))) {
		char *path __free(str) = NULL;
		int fd __free(fd) = -1;

		if (strncmp(d->d_name, PREFIX, sizeof(PREFIX) - 1) || strlen(d->d_name) != NAME_LEN)
			continue;
		path = file_join(base, d->d_name);
		if (is_stale(path, &fd) && (!remove || !file_remove_tree(path, NULL)))
			n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* A run without XDG_RUNTIME_DIR, say from cron, leaves its own in /tmp. */
static size_t sweep_all(bool remove)
{
	const char *base = base_dir();
	size_t n = sweep("/tmp", remove);

	return strcmp(base, "/tmp") ? n + sweep(base, remove) : n;
}

size_t machine_runtime_gc(void)
{
	return sweep_all(true);
}

size_t machine_runtime_stale(void)
{
	return sweep_all(false);
}
