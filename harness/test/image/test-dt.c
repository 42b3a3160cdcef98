// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/sandbox.h"

#include "base/process.h"
#include "image/dt.h"
#include "image/image.h"

/* Compiles @source with dtc. */
static void dtc(const char *dir, const char *source, struct buf *out)
{
	char *in __free(str) = file_join(dir, "t.dts");
	const char *const argv[] = {"dtc", "-q", "-@", "-I", "dts", "-O", "dtb", in, NULL};
	struct err e __free_err = ERR_INIT;

	sandbox_puts(dir, "t.dts", source);
	assert_ok(process_run(argv, 1 << 20, out, NULL, &e));
}

static void add_overlay(const char *dir, const char *name, const char *body)
{
	char *source __free(str) = xasprintf("/dts-v1/; /plugin/; %s", body);
	struct buf out __free_buf = BUF_INIT;

	dtc(dir, source, &out);
	sandbox_put(dir, name, out.data, out.len);
}

static const char virt[] =
	"/dts-v1/; / { #address-cells = <2>; #size-cells = <2>; compatible = \"linux,dummy-virt\";"
	" memory@40000000 { device_type = \"memory\"; reg = <0 0x40000000 0 0x80000000>; };"
	" virtio_mmio@a000000 { compatible = \"virtio,mmio\"; reg = <0 0xa000000 0 0x200>; };"
	" chosen { bootargs = \"x\"; }; uart: pl011@9000000 { status = \"okay\"; }; };";

static struct image_ctx *make_ctx(const char *dir)
{
	const struct image_opts opts = {.images_dir = dir, .dt_dir = dir};
	struct err e __free_err = ERR_INIT;
	struct image_ctx *c = NULL;

	assert_ok(image_ctx_new(&opts, &c, &e));
	return c;
}

static size_t lines(const struct buf *b)
{
	size_t n = 0, i;

	for (i = 0; i < b->len; i++)
		n += b->data[i] == '\n';
	return n;
}

static void applies_in_order(void **state)
{
	struct image_ctx *c __free(image_ctx) = make_ctx(*state);
	struct buf base __free_buf = BUF_INIT, out __free_buf = BUF_INIT,
			diff __free_buf = BUF_INIT;
	char *overlays[] = {(char *)"/dt/off.dtbo", (char *)"on.dtso", (char *)"off"};
	struct err e __free_err = ERR_INIT;

	dtc(*state, virt, &base);
	add_overlay(*state, "off.dtbo", "&{/virtio_mmio@a000000} { status = \"disabled\"; };");
	add_overlay(*state, "on.dtbo", "&uart { status = \"reserved\"; new-node { a = <1>; }; };");
	assert_ok(image_devicetree(c, base.data, base.len, overlays, 3, &out, &e));
	assert_ok(image_devicetree_compare(base.data, base.len, out.data, out.len, &diff, &e));
	assert_string_equal(diff.data,
			    "/virtio_mmio@a000000: status: expected absent, is \"disabled\"\n"
			    "/pl011@9000000: status: expected \"okay\", is \"reserved\"\n"
			    "/pl011@9000000/new-node: node: expected absent, is present\n");
}

static void names_the_overlay_that_fails(void **state)
{
	struct image_ctx *c __free(image_ctx) = make_ctx(*state);
	struct buf base __free_buf = BUF_INIT, out __free_buf = BUF_INIT;
	char *lost[] = {(char *)"lost"}, *bad[] = {(char *)"bad"}, *none[] = {(char *)"none"};
	struct err e __free_err = ERR_INIT;

	dtc(*state, virt, &base);
	add_overlay(*state, "lost.dtbo", "&{/gpu@1} { status = \"disabled\"; };");
	sandbox_puts(*state, "bad.dtbo", "not a tree");
	assert_int_equal(image_devicetree(c, base.data, base.len, lost, 1, &out, &e), -EINVAL);
	assert_contains(err_msg(&e), "overlay 'lost': does not apply: FDT_ERR_NOTFOUND");
	assert_int_equal(image_devicetree(c, base.data, base.len, bad, 1, &out, &e), -EBADMSG);
	assert_contains(err_msg(&e), "overlay 'bad'");
	assert_int_equal(image_devicetree(c, base.data, base.len, none, 1, &out, &e), -ENOENT);
	assert_int_equal(image_devicetree(c, "x", 1, NULL, 0, &out, &e), -EBADMSG);
	assert_int_equal(out.len, 0);
}

static void compare(const char *dir, const char *a, const char *b, struct buf *diff)
{
	struct buf x __free_buf = BUF_INIT, y __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	dtc(dir, a, &x);
	dtc(dir, b, &y);
	assert_ok(image_devicetree_compare(x.data, x.len, y.data, y.len, diff, &e));
}

static void order_does_not_matter(void **state)
{
	struct buf diff __free_buf = BUF_INIT;

	compare(*state, "/dts-v1/; / { a = <1>; b; n1 { c = <2>; }; n2 { }; };",
		"/dts-v1/; / { b; a = <1>; n2 { }; n1 { c = <2>; }; };", &diff);
	assert_string_equal(diff.data, "");
}

static void what_a_loader_writes(void **state)
{
	struct buf diff __free_buf = BUF_INIT;

	compare(*state,
		"/dts-v1/; / { memory@0 { reg = <1>; }; chosen { }; e { local-mac-address = [00]; "
		"}; };",
		"/dts-v1/; / { serial-number = \"1\"; memory@1 { reg = <2>; }; reserved-memory { x "
		"{}; };"
		" chosen { kaslr-seed = <1 2>; }; e { local-mac-address = [01]; }; };",
		&diff);
	assert_string_equal(diff.data, "");
	/* Only below the root. */
	compare(*state, "/dts-v1/; / { n { }; };", "/dts-v1/; / { n { chosen { }; }; };", &diff);
	assert_string_equal(diff.data, "/n/chosen: node: expected absent, is present\n");
}

static void says_what_differs(void **state)
{
	struct buf diff __free_buf = BUF_INIT;

	compare(*state,
		"/dts-v1/; / { s = \"a\", \"b\"; c = <1 2>; e; y = [01]; gone { }; n { p = <1>; }; "
		"};",
		"/dts-v1/; / { s = \"a\"; c = <1 3>; e = \"\"; y = [02]; n@1 { p = <1>; }; };",
		&diff);
	assert_string_equal(diff.data, "/: s: expected \"a\", \"b\", is \"a\"\n"
				       "/: c: expected <0x1 0x2>, is <0x1 0x3>\n"
				       "/: e: expected empty, is [00]\n"
				       "/: y: expected [01], is [02]\n"
				       "/gone: node: expected present, is absent\n"
				       "/n: node: expected present, is absent\n"
				       "/n@1: node: expected absent, is present\n");
}

static void not_more_than_twenty(void **state)
{
	struct buf source __free_buf = BUF_INIT, diff __free_buf = BUF_INIT;
	int i;

	buf_adds(&source, "/dts-v1/; / {");
	for (i = 0; i < 50; i++)
		buf_addf(&source, " p%d = <1>;", i);
	for (i = 0; i < 50; i++)
		buf_addf(&source, " n%d { };", i);
	buf_adds(&source, " };");
	compare(*state, "/dts-v1/; / { };", source.data, &diff);
	assert_int_equal(lines(&diff), 20);
}

static void a_deep_tree(void **state)
{
	struct buf source __free_buf = BUF_INIT, diff __free_buf = BUF_INIT;
	int i;

	buf_adds(&source, "/dts-v1/; / {");
	for (i = 0; i < 80; i++)
		buf_adds(&source, " n {");
	for (i = 0; i < 80; i++)
		buf_adds(&source, " };");
	buf_adds(&source, " };");
	compare(*state, source.data, source.data, &diff);
	assert_contains(diff.data, "too deep");
	assert_int_equal(lines(&diff), 1);
}

static void every_damage_is_survived(void **state)
{
	struct buf base __free_buf = BUF_INIT;
	size_t i;

	dtc(*state, virt, &base);
	for (i = 0; i < base.len * 3; i++) {
		struct buf hurt __free_buf = BUF_INIT, diff __free_buf = BUF_INIT;
		static const unsigned char to[] = {0, 0x7f, 0xff};
		int rc;

		buf_add(&hurt, base.data, base.len);
		hurt.data[i / 3] = (char)to[i % 3];
		rc = image_devicetree_compare(base.data, base.len, hurt.data, hurt.len, &diff,
					      NULL);
		assert_true(rc == 0 || rc == -EBADMSG);
		assert_true(lines(&diff) <= 20);
	}
	for (i = 0; i < base.len; i++) /* cut off */
		assert_int_equal(image_devicetree_compare(base.data, base.len, base.data, i,
							  &(struct buf)BUF_INIT, NULL),
				 -EBADMSG);
}

/* dtc makes none such; a second node hides behind a first that is as it should be. */
static void names_twice(void **state)
{
	struct buf one __free_buf = BUF_INIT, two __free_buf = BUF_INIT;
	struct buf diff __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	char *p;

	dtc(*state, "/dts-v1/; / { n1 { a = <1>; }; };", &one);
	dtc(*state, "/dts-v1/; / { n1 { a = <1>; }; n2 { a = <2>; }; };", &two);
	p = memmem(two.data, two.len, "n2", 3);
	assert_non_null(p);
	p[1] = '1';
	assert_ok(image_devicetree_compare(one.data, one.len, two.data, two.len, &diff, &e));
	assert_string_equal(diff.data, "/n1: node: expected once, is present twice\n");
	buf_fini(&one);
	buf_fini(&two);
	buf_init(&one);
	buf_init(&two);
	buf_reset(&diff);
	dtc(*state, "/dts-v1/; / { pr = <1>; };", &one);
	dtc(*state, "/dts-v1/; / { pr = <1>; qr = <2>; };", &two);
	p = memmem(two.data, two.len, "qr", 3);
	assert_non_null(p);
	*p = 'p';
	assert_ok(image_devicetree_compare(one.data, one.len, two.data, two.len, &diff, &e));
	assert_string_equal(diff.data, "/: pr: expected absent, is <0x2>\n");
}

/* libfdt 1.6 falls over a root node without a name in these. */
static void ancient_versions(void **state)
{
	struct buf base __free_buf = BUF_INIT, diff __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	dtc(*state, virt, &base);
	base.data[23] = 3;
	assert_int_equal(
		image_devicetree_compare(base.data, base.len, base.data, base.len, &diff, &e),
		-EBADMSG);
	assert_contains(err_msg(&e), "version 3");
}

/* libfdt 1.6 takes these for lengths; from -12 on it would not come to an end. */
static void negative_lengths(void **state)
{
	struct buf base __free_buf = BUF_INIT;
	unsigned char i;
	char *p;

	dtc(*state, "/dts-v1/; / { p = <0x12345678>; q = <1>; };", &base);
	p = memmem(base.data, base.len, "\x12\x34\x56\x78", 4);
	assert_non_null(p);
	memset(p - 8, 0xff, 3);
	for (i = 1; i < 40; i++) {
		struct buf diff __free_buf = BUF_INIT;

		p[-5] = (char)-i;
		assert_int_equal(image_devicetree_compare(base.data, base.len, base.data, base.len,
							  &diff, NULL),
				 -EBADMSG);
		assert_false(image_devicetree_has_memory(base.data, base.len));
	}
}

static void unaligned(void **state)
{
	struct buf base __free_buf = BUF_INIT, shifted __free_buf = BUF_INIT;
	struct buf diff __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	dtc(*state, virt, &base);
	buf_addch(&shifted, 0);
	buf_add(&shifted, base.data, base.len);
	assert_ok(image_devicetree_compare(base.data, base.len, shifted.data + 1, base.len, &diff,
					   &e));
	assert_string_equal(diff.data, "");
}

static void memory(void **state)
{
	struct buf with __free_buf = BUF_INIT, without __free_buf = BUF_INIT;

	dtc(*state, virt, &with);
	dtc(*state, "/dts-v1/; / { memory-controller { }; memory@0 { reg = <1>; }; };", &without);
	assert_true(image_devicetree_has_memory(with.data, with.len));
	assert_false(image_devicetree_has_memory(without.data, without.len));
	assert_false(image_devicetree_has_memory("x", 1));
	assert_false(image_devicetree_has_memory(NULL, 0));
}

#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(applies_in_order),
		T(names_the_overlay_that_fails),
		T(order_does_not_matter),
		T(what_a_loader_writes),
		T(says_what_differs),
		T(not_more_than_twenty),
		T(a_deep_tree),
		T(every_damage_is_survived),
		T(names_twice),
		T(ancient_versions),
		T(negative_lengths),
		T(unaligned),
		T(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
