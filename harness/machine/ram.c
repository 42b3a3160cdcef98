// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/ram.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

int ram_init(struct ram *r, uint64_t address, uint64_t size_bytes, struct err *e)
{
	void *base;

	*r = (struct ram)RAM_INIT;
	r->fd = memfd_create("kjump-ram", MFD_CLOEXEC);
	if (r->fd < 0)
		return err_errno(e, errno, "cannot make a file for the guest's RAM");
	if (ftruncate(r->fd, (off_t)size_bytes))
		goto fail;
	base = mmap(NULL, size_bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, r->fd, 0);
	if (base == MAP_FAILED)
		goto fail;
	/* A core dump of kjump is not the place for a guest's memory. */
	madvise(base, size_bytes, MADV_DONTDUMP);
	r->base = base;
	r->address = address;
	r->size_bytes = size_bytes;
	return 0;
fail:
	err_errno(e, errno, "cannot map the guest's RAM");
	close(steal_fd(&r->fd));
	return -EIO;
}

void ram_fini(struct ram *r)
{
	if (r->base)
		munmap((void *)(uintptr_t)r->base, r->size_bytes);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct ram)RAM_INIT;
}

char *ram_path(const struct ram *r)
{
	return xasprintf("/proc/%d/fd/%d", (int)getpid(), r->fd);
}

const void *ram_at(const struct ram *r, uint64_t address, uint64_t len)
{
	uint64_t offset = address - r->address;

	if (address < r->address || offset > r->size_bytes || len > r->size_bytes - offset)
		return NULL;
	return r->base + offset;
}
