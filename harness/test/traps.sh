#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every test that the tables of traps in doc/judge.md name is there and is run.
# A name stands as `layer/test-file.c: function`, or `layer/script.sh`.
doc=${1:-doc/judge.md}
named=$(grep '^|' "$doc" | grep -o '`[a-z]*/[a-z-]*\.c: [a-z0-9_]*`' | tr -d '`' | sort -u)
[ -n "$named" ] || { echo "$doc: no table names a test"; exit 1; }
printf '%s\n' "$named" | {
	bad=0
	while IFS=': ' read -r file test; do
		path=harness/test/$file
		if ! grep -qs "^static void $test(void \*\*state)" "$path"; then
			echo "$doc: $path has no test $test"
			bad=1
		elif [ "$(grep -cw "$test" "$path")" -lt 2 ]; then
			echo "$doc: $path does not run $test"
			bad=1
		fi
	done
	exit $bad
} || exit 1
# A row of a table of traps that names none is a trap without a test.
awk -F'|' '/^\| trap / { table = 1; next }
	!/^\|/ { table = 0 }
	table && !/^\|---/ && $0 !~ /`[a-z]+\/[a-z-]+\.c: [a-z0-9_]+`/ {
		printf "%s:%d: a trap without a test\n", FILENAME, FNR
		bad = 1
	}
	END { exit bad }' "$doc"
