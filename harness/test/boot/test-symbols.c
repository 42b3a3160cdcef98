// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-symbols.c - what real Images tell of themselves, against what the kernels
 * say that run from them.
 *
 * In each guest the names and types of all symbols are digested in their order,
 * and a sample of addresses is printed. The kernel may lie anywhere (KASLR), so
 * addresses are compared as distances from _stext.
 */
#include "test/test.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "image/image.h"
#include "plan/kernel.h"
#include "probe/kernel_map.h"
#include "probe/relocate_code.h"
#include "test/boot/guest.h"
#include "test/boot/kernels.h"

#define SAMPLE_EVERY 499
#define MAX_IMAGE    (512u << 20)

static const struct kernel_spec oldest = KERNEL_OLDEST;
static const struct kernel_spec latest = KERNEL_LATEST;

/* Boots it and has it list its symbols; the console is in @g. */
static struct kernel_map *run_kernel(const struct kernel_spec *spec, struct guest *g)
{
	const struct image_opts opts = {.images_dir = "images", .userland_suite = "trixie"};
	const struct profile p = {.id = (char *)"symbols"};
	struct image_ctx *c __free(image_ctx) = NULL;
	struct kernel_files *k __free(kernel_files) = NULL;
	char *initramfs __free(str) = NULL, *type __free(str) = NULL;
	struct buf image __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	assert_ok(image_ctx_new(&opts, &c, &e));
	assert_ok(image_kernel(c, spec, &k, &e));
	assert_ok(image_initramfs(c, &p, k, &initramfs, NULL, &e));
	assert_ok(file_read(k->image, MAX_IMAGE, &image, &e));
	guest_start(g, k->image, initramfs);
	guest_expect(g, "built-in shell");
	type = xasprintf("dmesg -n 1; grep -v '\\[' /proc/kallsyms >/k; grep ' _stext$' /k;"
			 " awk 'NR%%%d==1' /k; echo count=$(wc -l </k);"
			 " echo digest=$(cut -d' ' -f2- /k | sha256sum | cut -c1-64); echo al''l\n",
			 SAMPLE_EVERY);
	guest_type(g, type);
	guest_expect(g, "\nall");
	return kernel_map_read(image.data, image.len);
}

static void compare_names(const struct kallsyms *k, const char *console)
{
	struct buf list __free_buf = BUF_INIT;
	char hex[DIGEST_HEX_SIZE], *expected __free(str) = NULL;
	size_t i;

	for (i = 0; i < k->n; i++)
		buf_addf(&list, "%c %s\n", k->symbols[i].type, k->symbols[i].name);
	digest_of(list.data, list.len, hex);
	expected = xasprintf("count=%zu\r\ndigest=%s", k->n, hex);
	if (!strstr(console, expected))
		fail_msg("the guest does not have %s:\n%s", expected,
			 strstr(console, "count=") ? strstr(console, "count=") : "");
}

/* Each line "ADDRESS TYPE NAME" of the sample; returns how many there are. */
static size_t compare_addresses(const struct kallsyms *k, const char *console)
{
	const struct kallsyms_symbol *stext = kallsyms_find(k, "_stext");
	unsigned long long address, origin = 0;
	size_t n = 0;
	const char *at;
	char name[600], type;

	assert_non_null(stext);
	for (at = strchr(console, '\n'); at; at = strchr(at + 1, '\n')) {
		if (strspn(at + 1, "0123456789abcdef") != 16 ||
		    sscanf(at, "\n%16llx %c %599s", &address, &type, name) != 3)
			continue;
		if (!strcmp(name, "_stext") && !origin) {
			origin = address;
			continue;
		}
		if (!origin)
			continue;
		/* The sample is in the order of the list: by its place, not by its name. */
		assert_true(n * SAMPLE_EVERY < k->n);
		assert_string_equal(k->symbols[n * SAMPLE_EVERY].name, name);
		if ((int64_t)(address - origin) !=
		    k->symbols[n * SAMPLE_EVERY].offset - stext->offset)
			fail_msg("%s is at %llx, not at %llx + %llx", name, address, origin,
				 (long long)(k->symbols[n * SAMPLE_EVERY].offset - stext->offset));
		n++;
	}
	return n;
}

static void compare(const struct kernel_spec *spec)
{
	struct kernel_map *m __free(kernel_map) = NULL;
	struct guest g;
	size_t n;

	m = run_kernel(spec, &g);
	if (!m->symbols)
		fail_msg("%s", m->why_no_symbols);
	compare_names(m->symbols, g.console.data);
	n = compare_addresses(m->symbols, g.console.data);
	assert_int_equal(n, (m->symbols->n + SAMPLE_EVERY - 1) / SAMPLE_EVERY);
	guest_stop(&g);
	/* What a debugger needs of it. */
	assert_true(m->vectors && m->mmu_on && m->branch > m->mmu_on);
	assert_true(kexec_layout_has_tables(&m->kexec));
	printf("%s: %zu symbols, %zu addresses compared\n", spec->name, m->symbols->n, n);
}

static void of_the_oldest_kernel(void **state)
{
	compare(&oldest);
}

static void of_the_latest_kernel(void **state)
{
	compare(&latest);
}

/*
 * What a debugger needs is known of each kernel; and where symbols tell which
 * code kexec copies, it is what is found without them.
 */
static void compare_relocate(const char *name, const struct kernel_map *m, const struct buf *image)
{
	uint64_t offset, end;
	size_t bytes;

	assert_true(m->vectors && m->mmu_on && m->branch > m->mmu_on && m->relocate);
	assert_true(kexec_layout_has_tables(&m->kexec));
	assert_true(relocate_code_find(image->data, image->len, &m->kexec, &offset, &bytes));
	assert_int_equal(offset, m->relocate);
	assert_int_equal(bytes, m->relocate_bytes);
	printf("%s: code of %zu bytes at 0x%llx", name, bytes, (unsigned long long)offset);
	if (kernel_map_symbol(m, "__relocate_new_kernel_end", &end)) {
		assert_int_equal(end, offset + bytes);
		printf(", as its symbols have it");
	}
	printf("\n");
}

static void of_every_kernel_at_hand(void **state)
{
	const struct image_opts opts = {.images_dir = "images", .userland_suite = "trixie"};
	struct kernel_list *l __free(kernel_list) = NULL;
	struct image_ctx *c __free(image_ctx) = NULL;
	struct diag diag __free_diag = DIAG_INIT;
	struct err e __free_err = ERR_INIT;
	size_t i, n = 0;

	assert_int_equal(kernel_list_load("images/kernels.yaml", &diag, &l), 0);
	assert_ok(image_ctx_new(&opts, &c, &e));
	for (i = 0; i < l->n; i++) {
		struct kernel_files *k __free(kernel_files) = NULL;
		struct kernel_map *m __free(kernel_map) = NULL;
		struct buf image __free_buf = BUF_INIT;

		if (image_kernel_cached(c, &l->kernels[i], &k, &e)) {
			printf("SKIPPED %s: it is not in the cache\n", l->kernels[i].name);
			continue;
		}
		assert_ok(file_read(k->image, MAX_IMAGE, &image, &e));
		m = kernel_map_read(image.data, image.len);
		compare_relocate(l->kernels[i].name, m, &image);
		n++;
	}
	assert_true(n >= 2); /* those that were booted */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(of_the_oldest_kernel),
					   cmocka_unit_test(of_the_latest_kernel),
					   cmocka_unit_test(of_every_kernel_at_hand)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
