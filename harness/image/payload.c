// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * payload.c - an initramfs with more files behind it.
 *
 * The kernel unpacks archives that follow each other, each with a trailer of
 * its own, if every one begins at a multiple of four bytes; between them it
 * skips zeros.
 */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/cpio.h"

#define ALIGN_BYTES 512

static int pad(int fd, const char *path, struct err *e)
{
	static const char zeros[ALIGN_BYTES];
	struct stat st;
	int rc = 0;

	if (fstat(fd, &st))
		return err_errno(e, errno, "cannot stat '%s'", path);
	if (st.st_size % ALIGN_BYTES)
		rc = file_write_all(fd, zeros, (size_t)(ALIGN_BYTES - st.st_size % ALIGN_BYTES));
	return rc ? err_errno(e, -rc, "cannot write '%s'", path) : 0;
}

static int write_both(const char *base, const struct payload_file *files, size_t n_files,
		      const char *path, struct err *e)
{
	struct cpio *cpio __free(cpio) = cpio_new();
	int fd __free(fd) = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	size_t i;
	int rc;

	if (fd < 0)
		return err_errno(e, errno, "cannot create '%s'", path);
	for (i = 0; i < n_files; i++) {
		const struct payload_file *f = &files[i];

		if (f->path)
			cpio_add_file(cpio, f->name, 0644, f->path);
		else
			cpio_add_data(cpio, f->name, 0644, f->data, f->len);
	}
	rc = file_append(fd, base, e);
	if (!rc)
		rc = pad(fd, path, e);
	return rc ? rc : cpio_write(cpio, fd, e);
}

int image_with_payload(const char *base, const struct payload_file *files, size_t n_files,
		       const char *out_path, struct err *e)
{
	/* Not synced: it lives as long as the attempt that boots it. */
	char *tmp __free(str) = xasprintf("%s.part", out_path);
	int rc = write_both(base, files, n_files, tmp, e);

	if (!rc && rename(tmp, out_path))
		rc = err_errno(e, errno, "cannot rename '%s'", tmp);
	if (rc)
		unlink(tmp);
	return rc;
}
