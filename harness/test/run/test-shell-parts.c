// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-shell-parts.c - what a shell is made of: cleaning, messages, output.
 */
#include "test/test.h"

#include "base/digest.h"
#include "base/base64.h"
#include "run/shell_agent.h"
#include "run/shell_frame.h"
#include "run/shell_text.h"
#include "run/shell_typist.h"

/* --- text ------------------------------------------------------------------ */

/* Cleans @raw in pieces of @cut bytes. */
static void clean(const char *raw, size_t len, size_t cut, struct buf *out)
{
	struct shell_text t = {0};
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = len - i < cut ? len - i : cut;
		shell_text_feed(&t, raw + i, n, out);
	}
}

static void expect_text(const char *raw, const char *want)
{
	size_t cut;

	for (cut = 1; cut <= strlen(raw); cut++) {
		struct buf out __free_buf = BUF_INIT;

		clean(raw, strlen(raw), cut, &out);
		assert_string_equal(out.data, want);
	}
}

static void test_kernel_messages_go(void **state)
{
	expect_text("ab[   12.345678] usb 1-1: new\r\ncd\n", "abcd\n");
	expect_text("ab<6>[   12.345678] usb 1-1: new\ncd", "abcd");
	expect_text("ab[    0.000000][    T0] Booting Linux\r\ncd", "abcd");
	expect_text("ab[12345.678901][ C1] x\n[12345.678902] y\ncd", "abcd");
	/* One that is not finished yet has not been seen through. */
	expect_text("ab[    1.000000] x", "ab");
}

static void test_what_only_looks_like_one_stays(void **state)
{
	expect_text("[root@host ~]# ", "[root@host ~]# ");
	expect_text("a[1]b[ 2.5] c[3.1234567] d", "a[1]b[ 2.5] c[3.1234567] d");
	expect_text("x<y<6>[z]<<7>[ 1.000000] gone\n!", "x<y<6>[z]<!");
	expect_text("[[    1.000000] gone\n]", "[]");
	expect_text("[    1.[    2.000000] gone\n]", "[    1.]");
}

static void test_sequences_go(void **state)
{
	expect_text("a\033[?2004hb\033[1;32mc\033[0md", "abcd");
	expect_text("a\033]0;title\007b\033]0;title\033\\c", "abc");
	expect_text("a\033(Bb\033=c\033[6nd", "abcd");
	/* A kernel message in the middle of a sequence. */
	expect_text("a\033[[    1.000000] x\r\n1;32mb", "ab");
	expect_text("a\033[12[    1.000000] x\r\n;32mb", "ab");
}

static void test_lost_ends_do_not_swallow_all(void **state)
{
	struct buf raw __free_buf = BUF_INIT, out __free_buf = BUF_INIT;

	expect_text("a\033]0;no end\nb", "ab");
	buf_adds(&raw, "[    1.000000] no end");
	while (raw.len < 6000)
		buf_addch(&raw, 'x');
	clean(raw.data, raw.len, 100, &out);
	assert_true(out.len > 1000);
}

static void test_other_bytes_go(void **state)
{
	static const char raw[] = "a\0b\rc\td\xc3\xa9\x7f"
				  "e\bf\n";
	struct buf out __free_buf = BUF_INIT;

	clean(raw, sizeof(raw) - 1, 3, &out);
	assert_string_equal(out.data, "abcdef\n");
}

/* --- messages --------------------------------------------------------------- */

static void note(const struct shell_message *m, void *arg)
{
	struct buf *log = arg;
	size_t i;

	buf_addf(log, "%c(", m->kind);
	for (i = 0; i < m->n_fields; i++)
		buf_addf(log, "%s%s", i ? "," : "", m->field[i]);
	buf_adds(log, ")");
}

static void expect_messages(const char *text, const char *want)
{
	size_t cut, i, n;

	for (cut = 1; cut <= strlen(text); cut++) {
		struct shell_scan s = {.tag = "_abc123", .pending = BUF_INIT};
		struct buf log __free_buf = BUF_INIT;

		for (i = 0; i < strlen(text); i += n) {
			n = strlen(text) - i < cut ? strlen(text) - i : cut;
			shell_scan_feed(&s, text + i, n, note, &log);
		}
		assert_string_equal(log.data, want);
		buf_fini(&s.pending);
	}
}

static void test_messages(void **state)
{
	expect_messages("x_abc123h;y", "h()");
	expect_messages("_abc123s1,20,;\n_abc123e1;", "s(1,20,)e(1)");
	expect_messages("_abc123b1,0,5,0123;_abc123d1,1,YQ==;", "b(1,0,5,0123)d(1,1,YQ==)");
	/* Another shell's, torn by a newline, torn by the next one. */
	expect_messages("_abc124h;_abc123s1,\n2,3;_abc123s1_abc123e2;", "e(2)");
	expect_messages("_abc123;_abc123_abc123h;", "h()");
	expect_messages("_abc123a,b,c,d,e,f;", "a(,b,c,d)");
}

static void test_endless_message(void **state)
{
	struct shell_scan s = {.tag = "_abc123", .pending = BUF_INIT};
	struct buf log __free_buf = BUF_INIT;
	size_t i;

	shell_scan_feed(&s, "_abc123", 7, note, &log);
	for (i = 0; i < 100000; i++)
		shell_scan_feed(&s, "xyz,", 4, note, &log);
	assert_true(s.pending.len < 1000);
	shell_scan_feed(&s, ";_abc123h;", 10, note, &log);
	assert_string_equal(log.data, "h()");
	buf_fini(&s.pending);
}

/* No part of what is typed, with any one span of it lost, is a message. */
static void test_echo_is_no_message(void **state)
{
	static const char *const typed[] = {
		"\necho _abc123a$?,1234\\;\n\necho _abc123a$?,5678\\;\n",
		" J=;while echo _abc123j${#J}\\;;read -r x y;test -z \"$y\";do J=$J$x;done;eval "
		"\"$y\"\n",
		"e D=$(echo $J|base64 -d);case $(echo $J|sha256sum) in 0123456789abcdef*)eval "
		"\"$D\";;*)echo "
		"_abc123j$?\\;;esac\n",
	};
	size_t i, from, n;

	for (i = 0; i < 3; i++) {
		for (from = 0; from < strlen(typed[i]); from++) {
			for (n = 0; n + from <= strlen(typed[i]); n++) {
				struct shell_scan s = {.tag = "_abc123", .pending = BUF_INIT};
				struct buf log __free_buf = BUF_INIT, echo __free_buf = BUF_INIT;
				struct shell_message m = {0};
				uint64_t v;

				buf_add(&echo, typed[i], from);
				buf_adds(&echo, typed[i] + from + n);
				shell_scan_feed(&s, echo.data, echo.len, note, &log);
				buf_fini(&s.pending);
				if (!log.len)
					continue;
				/* One that no phase takes for an answer. */
				m.kind = log.data[0];
				m.field[0] = strndup(log.data + 2, strcspn(log.data + 2, ",)"));
				m.n_fields = 1;
				assert_false(m.kind == 'a' && !shell_message_number(&m, 0, &v));
				assert_false(m.kind == 'j' && !shell_message_number(&m, 0, &v));
				assert_false(i == 2 && (m.kind == 'h' || m.kind == 's'));
				free((char *)m.field[0]);
			}
		}
	}
}

/* --- output ----------------------------------------------------------------- */

static struct shell_message begin_message(const char *status, const char *len, const char *digest)
{
	return (struct shell_message){
		.kind = 'b', .field = {"1", status, len, digest}, .n_fields = 4};
}

static void add_line(struct shell_frame *f, const char *number, const char *base64)
{
	const struct shell_message m = {.kind = 'd', .field = {"1", number, base64}, .n_fields = 3};

	shell_frame_line(f, &m);
}

static void test_frame(void **state)
{
	struct shell_frame f = {0};
	struct buf data __free_buf = BUF_INIT, lines[3] = {BUF_INIT, BUF_INIT, BUF_INIT};
	char hex[DIGEST_HEX_SIZE], digest[17];
	struct shell_message m;
	size_t i, first, last;

	for (i = 0; i < 130; i++)
		buf_addch(&data, (char)i);
	for (i = 0; i < 3; i++)
		base64_encode(&lines[i], data.data + 57 * i, i < 2 ? 57 : 16);
	digest_of(data.data, data.len, hex);
	snprintf(digest, sizeof(digest), "%.16s", hex);
	m = begin_message("7", "130", digest);
	assert_int_equal(shell_frame_begin(&f, &m), 0);
	add_line(&f, "2", lines[1].data);
	add_line(&f, "1", "too short");
	add_line(&f, "3", lines[0].data);
	add_line(&f, "4", lines[0].data);
	add_line(&f, "0", lines[0].data);
	add_line(&f, "18446744073709551615", lines[0].data);
	assert_true(shell_frame_missing(&f, &first, &last));
	assert_int_equal(first, 1);
	assert_int_equal(last, 3);
	/* Said again, it keeps what is there. */
	assert_int_equal(shell_frame_begin(&f, &m), 0);
	assert_int_equal(f.n_have, 1);
	add_line(&f, "3", lines[2].data);
	add_line(&f, "1", lines[0].data);
	assert_false(shell_frame_missing(&f, &first, &last));
	assert_int_equal(shell_frame_check(&f), 0);
	assert_int_equal(f.status, 7);
	assert_memory_equal(f.bytes, data.data, 130);
	/* A wrong byte that still is base64. */
	shell_frame_reset(&f);
	assert_int_equal(shell_frame_begin(&f, &m), 0);
	lines[0].data[5] ^= 1;
	for (i = 0; i < 3; i++)
		add_line(&f, i == 0 ? "1" : i == 1 ? "2" : "3", lines[i].data);
	assert_int_equal(shell_frame_check(&f), -EBADMSG);
	assert_false(f.begun);
	for (i = 0; i < 3; i++)
		buf_fini(&lines[i]);
}

static void test_frame_refuses(void **state)
{
	static const char digest[] = "0123456789abcdef";
	struct shell_frame f = {0};
	struct shell_message m = begin_message("0", "1048577", digest);

	assert_int_equal(shell_frame_begin(&f, &m), -EMSGSIZE);
	m = begin_message("0", "99999999999999999999", digest);
	assert_int_equal(shell_frame_begin(&f, &m), -EINVAL);
	m = begin_message("256", "1", digest);
	assert_int_equal(shell_frame_begin(&f, &m), -EINVAL);
	m = begin_message("0", "1", "0123");
	assert_int_equal(shell_frame_begin(&f, &m), -EINVAL);
	m.n_fields = 3;
	assert_int_equal(shell_frame_begin(&f, &m), -EINVAL);
	/* A line without a beginning. */
	add_line(&f, "1", "YQ==");
	assert_int_equal(f.n_have, 0);
}

static void test_base64(void **state)
{
	struct buf text __free_buf = BUF_INIT, out __free_buf = BUF_INIT;

	base64_encode(&text, "\0\xff\x80", 3);
	base64_encode(&text, "", 0);
	assert_string_equal(text.data, "AP+A");
	buf_adds(&out, "x");
	assert_int_equal(base64_decode(&out, "AP+A", 4), 0);
	assert_int_equal(out.len, 4);
	assert_memory_equal(out.data, "x\0\xff\x80", 4);
	assert_int_equal(base64_decode(&out, "AP+", 3), -EBADMSG);
	assert_int_equal(base64_decode(&out, "A!==", 4), -EBADMSG);
	assert_int_equal(out.len, 4);
	assert_int_equal(out.data[4], '\0');
}

/* --- typing ------------------------------------------------------------------ */

static int type(const void *data, size_t len, void *arg)
{
	buf_add(arg, data, len);
	return 0;
}

static void test_typist(void **state)
{
	struct buf typed __free_buf = BUF_INIT;
	struct typist t;
	bool progress = false;

	typist_init(&t, type, &typed);
	buf_adds(&t.line, "abcdefgh");
	assert_int_equal(typist_start(&t, 5), 0);
	assert_string_equal(typed.data, "abcde");
	/* Something else, a lost byte, a part. */
	typist_feed(&t, "prompt # abde", 13, &progress);
	typist_feed(&t, "abcd", 4, &progress);
	assert_false(progress);
	assert_true(t.echoed);
	assert_string_equal(typed.data, "abcde");
	/* An editor that wraps, in the middle. */
	typist_feed(&t, "\ne", 2, &progress);
	assert_true(progress);
	assert_string_equal(typed.data, "abcdefgh");
	assert_false(t.entered);
	typist_feed(&t, "fgh", 3, &progress);
	assert_true(t.entered);
	assert_string_equal(typed.data, "abcdefgh\n");
	/* No more than it needs is kept, however much comes. */
	assert_true(t.seen.len <= 8);
	typist_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_messages_go),
		cmocka_unit_test(test_what_only_looks_like_one_stays),
		cmocka_unit_test(test_sequences_go),
		cmocka_unit_test(test_lost_ends_do_not_swallow_all),
		cmocka_unit_test(test_other_bytes_go),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_endless_message),
		cmocka_unit_test(test_echo_is_no_message),
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_frame_refuses),
		cmocka_unit_test(test_base64),
		cmocka_unit_test(test_typist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
