// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

bool below_is_safe(const char *path)
{
	const char *p = path;

	if (!*path || strlen(path) >= PATH_MAX)
		return false;
	for (;;) {
		size_t len = strcspn(p, "/");

		if (!len || (len == 1 && p[0] == '.') || (len == 2 && !strncmp(p, "..", 2)))
			return false;
		if (!p[len])
			return true;
		p += len + 1;
	}
}

/* Opens the directory that @path lies in, making it; @ret_last: the rest of @path. */
static int open_parent(int dir_fd, const char *path, int *ret_fd, const char **ret_last,
		       struct err *e)
{
	int fd __free(fd) = -1;
	char name[NAME_MAX + 1];
	const char *slash;

	if (!below_is_safe(path))
		return err_set(e, EINVAL, "unsafe name '%s'", path);
	fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0 && (slash = strchr(path, '/'))) {
		size_t len = (size_t)(slash - path);
		int next;

		if (len > NAME_MAX)
			return err_set(e, ENAMETOOLONG, "name too long");
		memcpy(name, path, len);
		name[len] = '\0';
		if (mkdirat(fd, name, 0755) && errno != EEXIST)
			return err_errno(e, errno, "cannot create directory '%s'", name);
		next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = next;
		path = slash + 1;
	}
	if (fd < 0)
		return err_errno(e, errno, "cannot open the directory of '%s'", path);
	*ret_fd = steal_fd(&fd);
	*ret_last = path;
	return 0;
}

int below_create(int dir_fd, const char *path, mode_t mode, int *ret_fd, struct err *e)
{
	int parent __free(fd) = -1;
	const char *last = NULL;
	int rc = open_parent(dir_fd, path, &parent, &last, e);

	if (rc)
		return rc;
	*ret_fd = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	return *ret_fd < 0 ? err_errno(e, errno, "cannot create '%s'", path) : 0;
}

int below_symlink(int dir_fd, const char *target, const char *path, struct err *e)
{
	int parent __free(fd) = -1;
	const char *last = NULL;
	int rc;

	if (!below_is_safe(target))
		return err_set(e, EINVAL, "unsafe target '%s'", target);
	rc = open_parent(dir_fd, path, &parent, &last, e);
	if (rc)
		return rc;
	return symlinkat(target, parent, last) ? err_errno(e, errno, "cannot create '%s'", path)
					       : 0;
}
