#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A short run of every fuzzer: enough to see that it works and that nothing
# falls at once. A real run is `make fuzz-NAME SECONDS=3600`.
passed=0
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for f in "$@"; do
	if "$f" -runs=3000 -max_total_time=10 -max_len=4096 -seed=1 -artifact_prefix="$dir/" \
		>"$dir/log" 2>&1; then
		echo "ok   $f"
		passed=$((passed + 1))
	else
		tail -n 40 "$dir/log"
		for crash in "$dir"/crash-* "$dir"/leak-* "$dir"/timeout-* "$dir"/oom-*; do
			[ ! -f "$crash" ] || { echo "input, base64:"; base64 "$crash"; }
		done
		echo "FAIL $f"
		failed=$((failed + 1))
	fi
done
[ -z "$KJUMP_TEST_TALLY" ] || echo "$passed $failed" >>"$KJUMP_TEST_TALLY"
[ "$failed" -eq 0 ]
