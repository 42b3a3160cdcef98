// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-kexec-image.c - finding struct kimage: by the kernel's variable, by looking
 * for it; and what is none.
 */
#include "test/test.h"

#include <sys/mman.h>

#include "test/probe/tables_guest.h"

#define VARIABLE (GUEST_RAM + 256) /* kexec_image */

static int set_up(void **state)
{
	struct tables_guest *g;

	xnew(g);
	tables_guest_init(g, &guest_formats[0]);
	*state = g;
	return 0;
}

static int tear_down(void **state)
{
	struct tables_guest *g = *state;

	tables_guest_fini(g);
	free(g);
	return 0;
}

static int from_symbol(struct tables_guest *g, uint64_t va, struct kexec_image *ret)
{
	struct arm64_tables live;

	assert_int_equal(arm64_tables_live(&live, &g->memory, &g->regime, NULL), 0);
	return kexec_image_from_symbol(&g->memory, &g->layout, &live, va, ret, NULL);
}

static void by_the_kernels_variable(void **state)
{
	struct tables_guest *g = *state;
	struct kexec_image i;

	assert_int_equal(from_symbol(g, guest_linear(g, VARIABLE), &i), -ENOENT);
	guest_set(g, VARIABLE, guest_linear(g, GUEST_KIMAGE));
	assert_int_equal(from_symbol(g, guest_linear(g, VARIABLE), &i), 0);
	assert_true(i.address == GUEST_KIMAGE);
	assert_memory_equal(&i, &g->image, sizeof(i));
	guest_set(g, VARIABLE, guest_linear(g, GUEST_RAM + (1ull << 40)));
	assert_int_equal(from_symbol(g, guest_linear(g, VARIABLE), &i), -EFAULT);
	assert_int_equal(from_symbol(g, 0x1000, &i), -EFAULT);
}

static void move_kimage(struct tables_guest *g, uint64_t to)
{
	uint8_t *from = g->bytes + (GUEST_KIMAGE - GUEST_RAM);
	uint8_t kimage[896];

	memcpy(kimage, from, sizeof(kimage));
	memset(from, 0, sizeof(kimage));
	memcpy(g->bytes + (to - GUEST_RAM), kimage, sizeof(kimage));
}

static void by_looking_for_it(void **state)
{
	struct tables_guest *g = *state;
	struct kexec_image i;
	const uint64_t unaligned = GUEST_RAM + 1024 + 40;

	assert_int_equal(kexec_image_scan(&g->memory, &g->layout, &i, NULL), 0);
	assert_true(i.address == GUEST_KIMAGE);
	/* Where an allocator with debugging may put it. */
	move_kimage(g, unaligned);
	assert_int_equal(kexec_image_scan(&g->memory, &g->layout, &i, NULL), 0);
	assert_true(i.address == unaligned);
	g->memory.bytes = NULL;
	assert_int_equal(kexec_image_scan(&g->memory, &g->layout, &i, NULL), -EOPNOTSUPP);
}

static void neither_none_nor_two_are_one(void **state)
{
	struct tables_guest *g = *state;
	struct kexec_image i;

	memcpy(g->bytes + 2048, g->bytes + 1024, 896);
	assert_int_equal(kexec_image_scan(&g->memory, &g->layout, &i, NULL), -EEXIST);
	memset(g->bytes + 1024, 0, 2048);
	assert_int_equal(kexec_image_scan(&g->memory, &g->layout, &i, NULL), -ENOENT);
}

static void what_makes_no_sense_is_none(void **state)
{
	static const struct {
		unsigned int offset;
		uint64_t value;
	} rows[] = {
		{24, 0x1000},		  /* start: in no segment */
		{56, 0},		  /* nr_segments */
		{56, 17},		  /* more than there can be */
		{64 + 16, GUEST_RAM + 1}, /* segment.mem: no page */
		{64 + 24, 0},		  /* memsz */
		{64 + 24, ~0xfffull},	  /* past the end of all addresses */
		{784, GUEST_RAM - 4096},  /* kern_reloc */
		{800, GUEST_RAM + 8},	  /* ttbr0 */
		{808, 1ull << 60},	  /* ttbr1 */
		{824, 4096},		  /* phys_offset: no address of a kernel */
		{832, 40},		  /* t0sz */
	};
	struct tables_guest *g = *state;
	struct kexec_image i;
	size_t r;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		uint64_t at = GUEST_KIMAGE + rows[r].offset, old = guest_get(g, at);

		guest_set(g, at, rows[r].value);
		assert_int_equal(kexec_image_read(&g->memory, &g->layout, GUEST_KIMAGE, &i, NULL),
				 -EINVAL);
		guest_set(g, at, old);
	}
	assert_int_equal(kexec_image_read(&g->memory, &g->layout, GUEST_RAM - 8, &i, NULL),
			 -EFAULT);
	g->layout.kimage.kern_reloc = KEXEC_ABSENT;
	assert_int_equal(kexec_image_read(&g->memory, &g->layout, GUEST_KIMAGE, &i, NULL), -EINVAL);
}

/* A hole in a file of RAM is neither searched nor filled by the search. */
static void holes_are_left_alone(void **state)
{
	const size_t len = 64 << 20, data_at = 32 << 20;
	int fd = memfd_create("ram", MFD_CLOEXEC);
	struct phys_memory m = {.address = GUEST_RAM, .size_bytes = len, .fd = fd};
	uint64_t at = 0, end;

	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	assert_int_equal(pwrite(fd, "x", 1, (off_t)data_at), 1);
	m.bytes = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(m.bytes != MAP_FAILED);
	assert_true(phys_memory_next(&m, &at, &end));
	assert_true(at == GUEST_RAM + data_at);
	assert_true(end > at && end < GUEST_RAM + len);
	at = end;
	assert_false(phys_memory_next(&m, &at, &end));
	munmap((void *)(uintptr_t)m.bytes, len);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_the_kernels_variable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(by_looking_for_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(neither_none_nor_two_are_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_makes_no_sense_is_none, set_up, tear_down),
		cmocka_unit_test(holes_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
