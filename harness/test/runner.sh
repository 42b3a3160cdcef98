#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs cmocka programs one after the other; prints the output of those that
# fail and one line for those that pass. Exit status 1 if any failed.
failed=0
passed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for t in "$@"; do
	if "$t" >"$log" 2>&1; then
		n=$(sed -n 's/^\[==========\] \([0-9]*\) test(s) run\..*/\1/p' "$log" | tail -n 1)
		if [ -z "$n" ] || [ "$n" -eq 0 ]; then
			echo "FAIL $t: ran no test"
			failed=$((failed + 1))
			continue
		fi
		skipped=$(grep -ac '^SKIPPED' "$log")
		grep -a '^SKIPPED' "$log"
		grep -a '^NOTE' "$log"
		echo "ok   $t ($((n - skipped)))"
		passed=$((passed + n - skipped))
	else
		cat "$log"
		echo "FAIL $t"
		failed=$((failed + 1))
	fi
done
if [ -n "$KJUMP_TEST_TALLY" ]; then
	echo "$passed $failed" >>"$KJUMP_TEST_TALLY"
else
	echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
