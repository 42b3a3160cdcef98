// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/alloc.h"

int file_read(const char *path, size_t max_bytes, struct buf *out, struct err *e)
{
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);
	size_t start = out->len;

	if (fd < 0)
		return err_errno(e, errno, "cannot open '%s'", path);
	for (;;) {
		ssize_t n;

		buf_reserve(out, 65536);
		n = read(fd, out->data + out->len, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, errno, "cannot read '%s'", path);
		if (!n)
			return 0;
		out->len += (size_t)n;
		out->data[out->len] = '\0';
		if (out->len - start > max_bytes)
			return err_set(e, EFBIG, "'%s' is longer than %zu bytes", path, max_bytes);
	}
}

int file_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write(const char *path, const void *data, size_t len, struct err *e)
{
	char *tmp __free(str) = xasprintf("%s.XXXXXX", path);
	int fd __free(fd) = mkostemp(tmp, O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_errno(e, errno, "cannot create '%s'", tmp);
	rc = file_write_all(fd, data, len);
	if (!rc && (fchmod(fd, 0644) || fsync(fd) || rename(tmp, path)))
		rc = -errno;
	if (rc) {
		unlink(tmp);
		return err_errno(e, -rc, "cannot write '%s'", path);
	}
	return 0;
}

int file_append(int fd, const char *from, struct err *e)
{
	int src __free(fd) = open(from, O_RDONLY | O_CLOEXEC);
	bool in_kernel = true;

	if (src < 0)
		return err_errno(e, errno, "cannot open '%s'", from);
	for (;;) {
		char block[65536];
		ssize_t n;
		int rc;

		n = in_kernel ? copy_file_range(src, NULL, fd, NULL, 1 << 30, 0)
			      : read(src, block, sizeof(block));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && in_kernel && errno != ENOSPC && errno != EIO) {
			in_kernel = false; /* e.g. EXDEV, EINVAL: an ordinary copy will do */
			continue;
		}
		if (n < 0)
			return err_errno(e, errno, "cannot copy '%s'", from);
		if (!n)
			return 0;
		if (in_kernel)
			continue;
		rc = file_write_all(fd, block, (size_t)n);
		if (rc)
			return err_errno(e, -rc, "cannot copy '%s'", from);
	}
}

int file_mkdir(const char *path, mode_t mode, struct err *e)
{
	char *copy __free(str) = xstrdup(path);
	char *p;

	for (p = copy + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			return err_errno(e, errno, "cannot create directory '%s'", copy);
		*p = '/';
	}
	if (mkdir(copy, mode) && errno != EEXIST)
		return err_errno(e, errno, "cannot create directory '%s'", path);
	return 0;
}

static int remove_at(int dir_fd, const char *name)
{
	struct dirent *d;
	DIR *dir;
	int fd;

	if (!unlinkat(dir_fd, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -errno;
	}
	while ((d = readdir(dir))) {
		int rc;

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		rc = remove_at(fd, d->d_name);
		if (rc) {
			closedir(dir);
			return rc;
		}
	}
	closedir(dir);
	return unlinkat(dir_fd, name, AT_REMOVEDIR) && errno != ENOENT ? -errno : 0;
}

int file_remove_tree(const char *path, struct err *e)
{
	int rc = remove_at(AT_FDCWD, path);

	return rc ? err_errno(e, -rc, "cannot remove '%s'", path) : 0;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

int file_free_bytes(const char *path, uint64_t *ret, struct err *e)
{
	struct statvfs st;

	if (statvfs(path, &st))
		return err_errno(e, errno, "cannot read the free space of '%s'", path);
	*ret = (uint64_t)st.f_bavail * st.f_frsize;
	return 0;
}

char *file_join(const char *dir, const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

int file_cache_dir(char **ret, struct err *e)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && xdg[0] == '/')
		*ret = file_join(xdg, "kjump");
	else if (home && home[0] == '/')
		*ret = file_join(home, ".cache/kjump");
	else
		return err_set(e, ENOENT,
			       "no cache directory: neither XDG_CACHE_HOME nor HOME is set");
	return 0;
}
