// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/esr.h"

/* Syndromes as they were read from hung guests, and those at the edges of a class. */
static const struct {
	uint64_t esr;
	enum esr_access access;
	int level;
	const char *fault, *text;
} rows[] = {
	{0x96000047, ESR_WRITE, 3, "translation fault", "DABT, translation fault"},
	{0x96000007, ESR_READ, 3, "translation fault", "DABT, translation fault"},
	{0x9600004f, ESR_WRITE, 3, "permission fault", "DABT, permission fault"},
	{0x8600000f, ESR_FETCH, 3, "permission fault", "IABT, permission fault"},
	{0x86000004, ESR_FETCH, 0, "translation fault", "IABT, translation fault"},
	{0x86000000, ESR_FETCH, 0, "address size fault", "IABT, address size fault"},
	{0x9600002b, ESR_READ, -1, "translation fault", "DABT, translation fault"},
	{0x96000029, ESR_READ, -1, "address size fault", "DABT, address size fault"},
	/* Cache maintenance by address: WnR is set, nothing is written. */
	{0x96000147, ESR_READ, 3, "translation fault", "DABT, translation fault"},
	{0x96000010, ESR_READ, ESR_NO_LEVEL, "synchronous external abort",
	 "DABT, synchronous external abort"},
	{0x96000016, ESR_READ, 2, "external abort on table walk",
	 "DABT, external abort on table walk"},
	{0x96000061, ESR_WRITE, ESR_NO_LEVEL, "alignment fault", "DABT, alignment fault"},
	{0x02000000, ESR_OTHER, ESR_NO_LEVEL, NULL, "undefined instruction"},
	{0xbe000000, ESR_OTHER, ESR_NO_LEVEL, NULL, "SError"},
	{0xfc000000, ESR_OTHER, ESR_NO_LEVEL, NULL, "EC 0x3f"},
};

static void says_what_was_tried(void **state)
{
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		esr_format(rows[i].esr, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
		assert_int_equal(esr_access(rows[i].esr), rows[i].access);
		assert_int_equal(esr_fault_level(rows[i].esr), rows[i].level);
		if (rows[i].fault)
			assert_string_equal(esr_fault(rows[i].esr), rows[i].fault);
		else
			assert_null(esr_fault(rows[i].esr));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_was_tried)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
