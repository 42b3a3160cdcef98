// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include <errno.h>

#include "base/alloc.h"
#include "probe/btf.h"
#include "test/probe/btf_image.h"

static struct kernel_btf *read_made(struct buf *image)
{
	struct kernel_btf *b = NULL;
	struct err e __free_err = ERR_INIT;

	made_btf_image(image);
	if (kernel_btf_read(image->data, image->len, &b, &e))
		fail_msg("%s", err_msg(&e));
	return b;
}

static void finds_members(void **state)
{
	struct buf image __free_buf = BUF_INIT;
	struct kernel_btf *b __free(kernel_btf) = read_made(&image);
	struct kexec_layout l;

	kexec_layout_from_btf(b, &l);
	assert_int_equal(l.kimage.size, MADE_KIMAGE_SIZE);
	assert_int_equal(l.kimage.head, 0);
	assert_int_equal(l.kimage.start, MADE_START);
	assert_int_equal(l.kimage.ttbr0, MADE_ARCH);
	assert_int_equal(l.kimage.ttbr1, MADE_ARCH + MADE_TTBR1);
	assert_int_equal(l.page.lru, MADE_LRU);
	/* One that is not there, one that is not at a byte, a structure that is not there. */
	assert_int_equal(l.kimage.kern_reloc, KEXEC_ABSENT);
	assert_int_equal(l.kimage.t0sz, KEXEC_ABSENT);
	assert_int_equal(l.segment.size, KEXEC_ABSENT);
	assert_false(kexec_layout_has_tables(&l));
}

static void refuses_paths_that_lead_nowhere(void **state)
{
	struct buf image __free_buf = BUF_INIT;
	struct kernel_btf *b __free(kernel_btf) = read_made(&image);

	assert_int_equal(kernel_btf_offset(b, "kimage", "arch.ttbr1"), MADE_ARCH + MADE_TTBR1);
	assert_int_equal(kernel_btf_offset(b, "kimage", "head.start"), KEXEC_ABSENT);
	assert_int_equal(kernel_btf_offset(b, "kimage", "arch."), MADE_ARCH);
	assert_int_equal(kernel_btf_offset(b, "kimage", ".arch"), KEXEC_ABSENT);
	assert_int_equal(kernel_btf_offset(b, "kimage", "arc"), KEXEC_ABSENT);
	assert_int_equal(kernel_btf_offset(b, "arch_t", ""), KEXEC_ABSENT);
}

static void shows_its_rows(void **state)
{
	struct buf image __free_buf = BUF_INIT;
	struct kernel_btf *b __free(kernel_btf) = read_made(&image);
	const struct kexec_member *m;
	struct kexec_layout l;
	size_t i;

	/* Every member of the layout is one of the rows. */
	memset(&l, 0x55, sizeof(l));
	kexec_layout_from_btf(b, &l);
	for (i = 0; (m = kexec_member_at(i)); i++) {
		assert_int_not_equal(kexec_member_value(&l, m), 0x55555555);
		assert_int_equal(kexec_member_value(&l, m), kernel_btf_offset(b, m->type, m->path));
	}
	assert_int_equal(i * sizeof(int), sizeof(l));
}

static void damaged(void **state)
{
	static const char header[] = "\x9f\xeb\x01\0\x18\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff";
	struct buf image __free_buf = BUF_INIT;
	struct kernel_btf *b __free(kernel_btf) = NULL;
	struct err e __free_err = ERR_INIT;
	size_t len;

	assert_int_equal(kernel_btf_read("", 0, &b, &e), -ENOENT);
	assert_int_equal(kernel_btf_read(header, sizeof(header) - 1, &b, &e), -ENOENT);
	made_btf_image(&image);
	/* Cut off anywhere it is not there; but for what follows it. */
	for (len = 0; len < image.len - strlen("something else"); len++)
		assert_true(kernel_btf_read(image.data, len, &b, &e) < 0);
	/* Its types run over their end: whatever is found is no kernel's. */
	image.data[32 + 12]--;
	assert_int_equal(kernel_btf_read(image.data, image.len, &b, &e), -EBADMSG);
	assert_non_null(strstr(err_msg(&e), "cannot be read"));
}

/* As many ways through it as there are leaves of a tree, unless someone counts. */
static void contains_itself(void **state)
{
	struct btf *btf = btf__new_empty();
	struct kernel_btf *b __free(kernel_btf) = NULL;
	const void *raw;
	uint32_t len;
	int i, self;

	self = btf__add_struct(btf, "kimage", 64);
	for (i = 0; i < 100; i++)
		assert_int_equal(btf__add_field(btf, NULL, self, 0, 0), 0);
	raw = btf__raw_data(btf, &len);
	assert_int_equal(kernel_btf_read(raw, len, &b, NULL), 0);
	assert_int_equal(kernel_btf_offset(b, "kimage", "head"), KEXEC_ABSENT);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_members),
		cmocka_unit_test(refuses_paths_that_lead_nowhere),
		cmocka_unit_test(shows_its_rows),
		cmocka_unit_test(damaged),
		cmocka_unit_test(contains_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
