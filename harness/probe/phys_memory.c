// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/phys_memory.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

bool phys_memory_holds(const struct phys_memory *m, uint64_t address, uint64_t len)
{
	uint64_t offset = address - m->address;

	return address >= m->address && offset <= m->size_bytes && len <= m->size_bytes - offset;
}

const void *phys_memory_get(const struct phys_memory *m, uint64_t address, size_t len,
			    void *scratch)
{
	if (!phys_memory_holds(m, address, len))
		return NULL;
	if (m->bytes)
		return m->bytes + (address - m->address);
	return len <= PHYS_MEMORY_PAGE && !m->read(address, scratch, len, m->arg) ? scratch : NULL;
}

int phys_memory_read(const struct phys_memory *m, uint64_t address, void *ret, size_t len)
{
	const void *p = phys_memory_get(m, address, len, ret);

	if (!p)
		return -EFAULT;
	if (p != ret)
		memcpy(ret, p, len);
	return 0;
}

int phys_memory_u64(const struct phys_memory *m, uint64_t address, uint64_t *ret)
{
	uint64_t value;
	int rc = phys_memory_read(m, address, &value, sizeof(value));

	if (!rc)
		*ret = le64toh(value);
	return rc;
}

bool phys_memory_next(const struct phys_memory *m, uint64_t *at, uint64_t *ret_end)
{
	uint64_t end = m->address + m->size_bytes;
	off_t data, hole;

	if (*at < m->address)
		*at = m->address;
	if (*at >= end)
		return false;
	*ret_end = end;
	if (!m->bytes || m->fd < 0)
		return true;
	data = lseek(m->fd, (off_t)(*at - m->address), SEEK_DATA);
	if (data < 0)
		return errno != ENXIO; /* not a file that knows: all of it */
	hole = lseek(m->fd, data, SEEK_HOLE);
	*at = m->address + (uint64_t)data;
	if (hole > data && m->address + (uint64_t)hole < end)
		*ret_end = m->address + (uint64_t)hole;
	return *at < end;
}
