// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-cpio-deb.c - packages out of a cache that someone damaged, and an
 * archive written with the names that they hold.
 *
 * Input that does not begin as an ar archive is taken as the content of
 * data.tar, so that the fuzzer need not find two headers first.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "image/cpio.h"
#include "image/deb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct deb_limits limits = {1 << 20, 64};

static char *place(const char *path, void *arg)
{
	cpio_add_data(arg, path, 0644, path, strlen(path));
	return xstrdup(path);
}

static void as_package(struct buf *out, const uint8_t *data, size_t size)
{
	buf_adds(out, "!<arch>\n");
	buf_addf(out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n2.0\n", "debian-binary", 0, 0, 0, 0100644, 4);
	buf_addf(out, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "data.tar", 0, 0, 0, 0100644, size);
	buf_add(out, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/fuzz-deb.XXXXXX";
	struct buf deb __free_buf = BUF_INIT;
	struct cpio *cpio __free(cpio) = cpio_new();
	struct err e __free_err = ERR_INIT;
	int null_fd __free(fd) = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (!mkdtemp(dir))
		abort();
	if (size >= 8 && !memcmp(data, "!<arch>\n", 8))
		buf_add(&deb, data, size);
	else
		as_package(&deb, data, size);
	deb_unpack_memory(deb.data, deb.len, "fuzz", dir, &limits, place, cpio, &e);
	cpio_write(cpio, null_fd, &e);
	if (file_remove_tree(dir, &e))
		abort();
	return 0;
}
