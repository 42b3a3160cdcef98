// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"

struct cache {
	char *dir;
	int lock_fd;
};

DEFINE_FREE(dir, DIR *, if (_v) closedir(_v));

static int wait_for(int fd, int operation)
{
	while (flock(fd, operation)) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static int lock_shared(struct cache *c, struct err *e)
{
	char *path __free(str) = file_join(c->dir, "lock");
	int rc;

	c->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	rc = c->lock_fd < 0 ? -errno : wait_for(c->lock_fd, LOCK_SH);
	return rc ? err_errno(e, -rc, "cannot lock '%s'", path) : 0;
}

int cache_lock_alone(struct cache *c, struct err *e)
{
	if (!flock(c->lock_fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		return err_set(e, EBUSY, "another kjump is using '%s'", c->dir);
	return err_errno(e, errno, "cannot lock '%s'", c->dir);
}

int cache_open(struct cache **ret, struct err *e)
{
	static const char *const subs[] = {"apt",      "debs",	    "index", "kernels",
					   "userland", "initramfs", "build", "tmp"};
	struct cache *c __free(cache) = NULL;
	size_t i;
	int rc;

	xnew(c);
	c->lock_fd = -1;
	rc = file_cache_dir(&c->dir, e);
	for (i = 0; !rc && i < ARRAY_SIZE(subs); i++) {
		char *path __free(str) = file_join(c->dir, subs[i]);

		rc = file_mkdir(path, 0755, e);
	}
	if (!rc)
		rc = lock_shared(c, e);
	if (rc)
		return rc;
	*ret = steal_ptr(c);
	return 0;
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	if (c->lock_fd >= 0)
		close(c->lock_fd);
	free(c->dir);
	free(c);
}

const char *cache_dir(const struct cache *c)
{
	return c->dir;
}

char *cache_path(const struct cache *c, const char *sub, const char *name)
{
	return xasprintf("%s/%s/%s", c->dir, sub, name);
}

int cache_tmp_init(struct cache_tmp *t, const struct cache *c, struct err *e)
{
	char *tmp __free(str) = file_join(c->dir, "tmp");
	int sweep_fd __free(fd) = open(tmp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *path __free(str) = file_join(tmp, "XXXXXX");

	/* Held shared, so that a sweep never sees a directory that is not locked yet. */
	if (sweep_fd < 0 || flock(sweep_fd, LOCK_SH))
		return err_errno(e, errno, "cannot lock '%s'", tmp);
	if (!mkdtemp(path))
		return err_errno(e, errno, "cannot create a directory in '%s'", tmp);
	if (chmod(path, 0755))
		return err_errno(e, errno, "cannot change the mode of '%s'", path);
	t->lock_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->lock_fd < 0 || flock(t->lock_fd, LOCK_EX | LOCK_NB))
		return err_errno(e, errno, "cannot lock '%s'", path);
	t->path = steal_ptr(path);
	return 0;
}

void cache_tmp_fini(struct cache_tmp *t)
{
	if (t->path)
		file_remove_tree(t->path, NULL);
	free(t->path);
	if (t->lock_fd >= 0)
		close(t->lock_fd);
	*t = (struct cache_tmp)CACHE_TMP_INIT;
}

int cache_publish(const char *from, const char *to, struct err *e)
{
	int fd __free(fd) = open(from, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(e, errno, "cannot open '%s'", from);
	/* One call for a whole tree: after a power cut a name must not stand for holes. */
	if (syncfs(fd))
		return err_errno(e, errno, "cannot write '%s'", from);
	if (!rename(from, to) || errno == ENOTEMPTY || errno == EEXIST)
		return 0;
	return err_errno(e, errno, "cannot rename '%s' to '%s'", from, to);
}

int cache_lock(const char *path, int *ret_fd, struct err *e)
{
	int fd __free(fd) = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	int rc;

	if (fd < 0)
		return err_errno(e, errno, "cannot open '%s'", path);
	rc = wait_for(fd, LOCK_EX);
	if (rc)
		return err_errno(e, -rc, "cannot lock '%s'", path);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int sweep_one(int tmp_fd, const char *tmp, const char *name, struct err *e)
{
	int fd __free(fd) = openat(tmp_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *path __free(str) = NULL;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		return 0; /* gone, or its maker lives */
	path = file_join(tmp, name);
	return file_remove_tree(path, e);
}

int cache_sweep(const struct cache *c, struct err *e)
{
	char *tmp __free(str) = file_join(c->dir, "tmp");
	DIR *dir __free(dir) = opendir(tmp);
	struct dirent *d;
	int rc = 0;

	if (!dir || flock(dirfd(dir), LOCK_EX))
		return err_errno(e, errno, "cannot lock '%s'", tmp);
	while (!rc && (d = readdir(dir))) {
		if (d->d_name[0] != '.')
			rc = sweep_one(dirfd(dir), tmp, d->d_name, e);
	}
	return rc;
}
