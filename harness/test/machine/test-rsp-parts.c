// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-rsp-parts.c - what the gdb client is made of: packets, replies, the
 * target's description.
 */
#include "test/test.h"

#include "machine/debug/rsp_packet.h"
#include "machine/debug/rsp_reply.h"
#include "machine/debug/rsp_target_xml.h"

static enum rsp_item read_all(struct rsp_reader *r, const char *bytes, size_t len)
{
	enum rsp_item item = RSP_NOTHING;

	for (; len; len--)
		item = rsp_reader_byte(r, *bytes++);
	return item;
}

#define assert_reads(r, text, item) assert_int_equal(read_all(r, text, sizeof(text) - 1), item)

static void packets(void **state)
{
	struct rsp_reader r = RSP_READER_INIT;

	assert_reads(&r, "+", RSP_ACK);
	assert_reads(&r, "-", RSP_NAK);
	assert_reads(&r, "x", RSP_JUNK);
	assert_reads(&r, "$#00", RSP_PACKET);
	assert_int_equal(r.body.len, 0);
	assert_reads(&r, "$OK#9a", RSP_PACKET);
	assert_string_equal(r.body.data, "OK");
	assert_reads(&r, "$OK#9A", RSP_PACKET);
	assert_reads(&r, "%Stop#a6", RSP_NOTIFICATION);
	assert_reads(&r, "%Stop#a5", RSP_DAMAGED);
	assert_reads(&r, "$OK#9b", RSP_DAMAGED);
	assert_reads(&r, "$OK#9x", RSP_DAMAGED);
	assert_reads(&r, "$OK$", RSP_DAMAGED);
	assert_reads(&r, "OK#9a", RSP_PACKET);
	/* An escape or a run that the end cuts off; a run of nothing. */
	assert_reads(&r, "$a}#de", RSP_DAMAGED);
	assert_reads(&r, "$a*#8b", RSP_DAMAGED);
	assert_reads(&r, "$* #4a", RSP_DAMAGED);
	assert_reads(&r, "$a*\x1f#aa", RSP_DAMAGED);
	assert_reads(&r, "$0* #7a", RSP_PACKET);
	assert_string_equal(r.body.data, "0000");
	rsp_reader_fini(&r);
}

static void a_packet_is_read_as_it_was_written(void **state)
{
	struct rsp_reader r = RSP_READER_INIT;
	struct buf line __free_buf = BUF_INIT;
	char all[256];
	int i;

	for (i = 0; i < 256; i++)
		all[i] = (char)i;
	rsp_packet_add(&line, all, sizeof(all));
	assert_null(memchr(line.data + 1, '$', line.len - 1));
	assert_int_equal(read_all(&r, line.data, line.len), RSP_PACKET);
	assert_int_equal(r.body.len, sizeof(all));
	assert_memory_equal(r.body.data, all, sizeof(all));
	rsp_reader_fini(&r);
}

static void hexadecimal(void **state)
{
	struct buf text __free_buf = BUF_INIT;
	const char *p = "1fG";
	uint8_t bytes[4];
	uint64_t v;

	rsp_hex_add(&text, "\0\x7f\xff", 3);
	assert_string_equal(text.data, "007fff");
	assert_int_equal(rsp_hex_decode("007FffaB", bytes, 4), 0);
	assert_memory_equal(bytes, "\0\x7f\xff\xab", 4);
	assert_int_equal(rsp_hex_decode("00 0", bytes, 2), -EBADMSG);
	assert_int_equal(rsp_hex_number(&p, &v), 0);
	assert_int_equal(v, 0x1f);
	assert_string_equal(p, "G");
	assert_int_equal(rsp_hex_number(&p, &v), -EBADMSG);
	p = "ffffffffffffffff";
	assert_int_equal(rsp_hex_number(&p, &v), 0);
	p = "10000000000000000";
	assert_int_equal(rsp_hex_number(&p, &v), -ERANGE);
}

static void stop_replies(void **state)
{
	struct rsp_stop s;

	assert_int_equal(rsp_stop_parse("T05thread:p01.0a;core:2;", 24, &s), 0);
	assert_int_equal(s.signal, 5);
	assert_true(s.has_thread && s.thread.has_process);
	assert_int_equal(s.thread.thread, 10);
	assert_int_equal(rsp_stop_parse("T02hwbreak:;thread:2;", 21, &s), 0);
	assert_true(s.has_thread && !s.thread.has_process);
	assert_int_equal(rsp_stop_parse("T05thread:-1;", 13, &s), 0);
	assert_false(s.has_thread);
	assert_int_equal(rsp_stop_parse("X0f", 3, &s), 0);
	assert_true(s.ended);
	assert_int_equal(rsp_stop_parse("OK", 2, &s), -EBADMSG);
	assert_int_equal(rsp_stop_parse("T5", 2, &s), -EBADMSG);
	assert_int_equal(rsp_stop_parse("", 0, &s), -EBADMSG);
	assert_int_equal(rsp_stop_parse("\0aa", 3, &s), -EBADMSG);
}

static void features(void **state)
{
	static const char all[] = "PacketSize=3fff;qXfer:features:read+;QStartNoAckMode+";
	struct rsp_features f;

	rsp_features_parse(all, sizeof(all) - 1, &f);
	assert_int_equal(f.packet_max, 0x3fff);
	assert_true(f.reads_features && f.has_no_ack);
	rsp_features_parse("", 0, &f);
	assert_int_equal(f.packet_max, 400);
	assert_false(f.reads_features || f.has_no_ack);
	rsp_features_parse("PacketSize=1;;", 14, &f);
	assert_int_equal(f.packet_max, 400);
	rsp_features_parse("PacketSize=ffffffffff", 21, &f);
	assert_in_range(f.packet_max, 400, RSP_PACKET_MAX);
}

/* Feeds @documents in order, as they are asked for, and reads the registers. */
static int describe(const char *const *documents, struct rsp_registers *ret, char **ret_error)
{
	struct rsp_target_xml x;
	struct err e = ERR_INIT;
	int rc = 0;

	rsp_target_xml_init(&x);
	while (!rc && rsp_target_xml_missing(&x)) {
		assert_non_null(*documents);
		rc = rsp_target_xml_add(&x, *documents, strlen(*documents), &e);
		documents++;
	}
	*ret = (struct rsp_registers)RSP_REGISTERS_INIT;
	if (!rc)
		rc = rsp_target_xml_registers(&x, ret, &e);
	*ret_error = rc ? strdup(err_msg(&e)) : NULL;
	err_fini(&e);
	rsp_target_xml_fini(&x);
	return rc;
}

#define documents(...) ((const char *const[]){__VA_ARGS__, NULL})

static void assert_refused(const char *const *docs, int error, const char *why)
{
	struct rsp_registers r;
	char *text;

	assert_int_equal(describe(docs, &r, &text), error);
	if (!strstr(text, why))
		fail_msg("'%s' does not tell '%s'", text, why);
	free(text);
	rsp_registers_fini(&r);
}

static void a_description_with_includes(void **state)
{
	struct rsp_registers r;
	const struct rsp_register *reg;
	char *text;

	/* The second document stands between two registers of the first. */
	assert_int_equal(
		describe(documents("<t><architecture>aarch64</architecture>"
				   "<reg name='X0' bitsize='64'/><xi:include href='b.xml'/>"
				   "<reg name='CPSR' bitsize='32'/></t>",
				   "<f><reg name='SCTLR' bitsize='64' regnum='40'/>"
				   "<reg name='sctlr_el2' bitsize='64' regnum='3'/></f>"),
			 &r, &text),
		0);
	reg = rsp_registers_find(&r, "cpsr");
	assert_int_equal(reg->number, 4);
	assert_int_equal(reg->offset, 16);
	assert_int_equal(reg->size_bytes, 4);
	reg = rsp_registers_find(&r, "sctlr_el1");
	assert_int_equal(reg->number, 40);
	assert_int_equal(reg->offset, 20);
	assert_ptr_equal(rsp_registers_find(&r, "sctlr"), reg);
	assert_int_equal(rsp_registers_find(&r, "sctlr_el2")->number, 3);
	assert_null(rsp_registers_find(&r, "sctlr_el3"));
	assert_null(rsp_registers_find(&r, "sct"));
	assert_null(rsp_registers_find(&r, "_el1"));
	assert_null(rsp_registers_find(&r, "a_name_that_is_longer_than_any_other"));
	rsp_registers_fini(&r);
}

static void hostile_descriptions(void **state)
{
	assert_refused(documents("<t>"), -EBADMSG, "line 1");
	assert_refused(documents(""), -EBADMSG, "target.xml");
	assert_refused(documents("<t/>"), -EBADMSG, "no registers");
	assert_refused(documents("<t><reg name='a' bitsize='0'/></t>"), -EBADMSG, "range");
	assert_refused(documents("<t><reg name='a' bitsize='4294967297'/></t>"), -EBADMSG, "none");
	assert_refused(documents("<t><reg name='a'/></t>"), -EBADMSG, "none");
	assert_refused(documents("<t><reg bitsize='8'/></t>"), -EBADMSG, "name");
	assert_refused(documents("<t><reg name='a' bitsize='8' regnum='99999'/></t>"), -EBADMSG,
		       "range");
	assert_refused(documents("<t><reg name='a' bitsize='8'/>"
				 "<reg name='b' bitsize='8' regnum='0'/></t>"),
		       -EBADMSG, "number 0");
	assert_refused(documents("<t><xi:include href='../../etc/passwd'/></t>"), -EBADMSG, "name");
	assert_refused(documents("<t><xi:include/></t>"), -EBADMSG, "include");
	assert_refused(documents("<!DOCTYPE t [<!ENTITY a 'b'>]><t>&a;</t>"), -EBADMSG, "entity");
	assert_refused(documents("<t><architecture>arm</architecture>"
				 "<reg name='a' bitsize='8'/></t>"),
		       -ENOTSUP, "arm64");
}

static void includes_without_end(void **state)
{
	struct buf wide __free_buf = BUF_INIT;
	int i;

	/* In a circle; too deep; too many; one over and over. */
	assert_refused(documents("<t><xi:include href='target.xml'/></t>"), -E2BIG, "deeper");
	assert_refused(documents("<t><xi:include href='a'/></t>", "<t><xi:include href='b'/></t>",
				 "<t><xi:include href='c'/></t>", "<t><xi:include href='d'/></t>",
				 "<t/>"),
		       -E2BIG, "deeper");
	buf_adds(&wide, "<t>");
	for (i = 0; i < RSP_XML_DOCUMENTS_MAX; i++)
		buf_addf(&wide, "<xi:include href='d%d'/>", i);
	buf_adds(&wide, "</t>");
	assert_refused(documents(wide.data), -E2BIG, "documents");
	buf_reset(&wide);
	buf_adds(&wide, "<t>");
	for (i = 0; i < 1000; i++)
		buf_adds(&wide, "<xi:include href='a'/>");
	buf_adds(&wide, "</t>");
	assert_refused(documents(wide.data, "<f/>"), -E2BIG, "includes");
}

static void too_many_registers(void **state)
{
	struct buf doc __free_buf = BUF_INIT;
	int i;

	buf_adds(&doc, "<t>");
	for (i = 0; i <= RSP_REGISTERS_MAX; i++)
		buf_addf(&doc, "<reg name='r%d' bitsize='8'/>", i);
	buf_adds(&doc, "</t>");
	assert_refused(documents(doc.data), -E2BIG, "registers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets),
		cmocka_unit_test(a_packet_is_read_as_it_was_written),
		cmocka_unit_test(hexadecimal),
		cmocka_unit_test(stop_replies),
		cmocka_unit_test(features),
		cmocka_unit_test(a_description_with_includes),
		cmocka_unit_test(hostile_descriptions),
		cmocka_unit_test(includes_without_end),
		cmocka_unit_test(too_many_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
