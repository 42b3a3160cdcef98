// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/debug/rsp_registers.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"

#define NUMBER_MAX    65535
#define SIZE_BITS_MAX 65536

void rsp_registers_fini(struct rsp_registers *r)
{
	free(r->list);
	*r = (struct rsp_registers)RSP_REGISTERS_INIT;
}

int rsp_registers_add(struct rsp_registers *r, const char *name, const uint32_t *number,
		      uint32_t size_bits, struct err *e)
{
	struct rsp_register *reg;
	size_t i;

	if (r->n >= RSP_REGISTERS_MAX)
		return err_set(e, E2BIG, "more than %d registers", RSP_REGISTERS_MAX);
	if (!name[0] || strlen(name) >= RSP_REGISTER_NAME_MAX)
		return err_set(e, EBADMSG, "a register's name is empty or too long");
	if (number)
		r->next_number = *number;
	if (r->next_number > NUMBER_MAX || !size_bits || size_bits > SIZE_BITS_MAX)
		return err_set(e, EBADMSG, "a register has a number or size out of range");
	reg = array_push(r->list, r->n);
	for (i = 0; name[i]; i++)
		reg->name[i] = (char)tolower((unsigned char)name[i]);
	reg->number = r->next_number++;
	reg->size_bytes = (size_bits + 7) / 8;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = ((const struct rsp_register *)a)->number;
	uint32_t y = ((const struct rsp_register *)b)->number;

	return x < y ? -1 : x > y;
}

/* Of those with one name the lowest number comes first. */
static int compare_names(const void *a, const void *b)
{
	const struct rsp_register *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : compare_numbers(a, b);
}

int rsp_registers_finish(struct rsp_registers *r, struct err *e)
{
	uint32_t offset = 0;
	size_t i;

	if (!r->n)
		return err_set(e, EBADMSG, "the target has no registers");
	qsort(r->list, r->n, sizeof(*r->list), compare_numbers);
	for (i = 0; i < r->n; i++) {
		if (i && r->list[i].number == r->list[i - 1].number)
			return err_set(e, EBADMSG, "two registers have the number %u",
				       r->list[i].number);
		r->list[i].offset = offset;
		offset += r->list[i].size_bytes;
	}
	qsort(r->list, r->n, sizeof(*r->list), compare_names);
	return 0;
}

static const struct rsp_register *find(const struct rsp_registers *r, const char *name, size_t len)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int rc = strncmp(r->list[middle].name, name, len);

		if (rc < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < r->n && !strncmp(r->list[low].name, name, len) && !r->list[low].name[len])
		return &r->list[low];
	return NULL;
}

const struct rsp_register *rsp_registers_find(const struct rsp_registers *r, const char *name)
{
	static const char level[] = "_el1";
	const struct rsp_register *reg;
	size_t len = strlen(name);

	if (len >= RSP_REGISTER_NAME_MAX)
		return NULL;
	reg = find(r, name, len);
	if (!reg && len > sizeof(level) - 1 && !strcmp(name + len - (sizeof(level) - 1), level))
		reg = find(r, name, len - (sizeof(level) - 1));
	return reg;
}
