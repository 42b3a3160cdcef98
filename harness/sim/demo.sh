#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# demo.sh BUILD CASE [KJUMP-OPTION...]: runs CASE on a simulated board that is
# started for it and ends with it.
set -eu
build=$1
case=$2
shift 2
dir=$(mktemp -d)
"$build/board-sim" "$dir" &
sim=$!
trap 'kill "$sim" 2>/dev/null || true; wait "$sim" 2>/dev/null || true; rm -rf "$dir"' EXIT
tries=100
until [ -e "$dir/lab.yaml" ]; do
	tries=$((tries - 1))
	[ "$tries" -gt 0 ] && kill -0 "$sim" 2>/dev/null || { echo "board-sim did not start" >&2; exit 3; }
	sleep 0.2
done
"$build/kjump" board --lab "$dir/lab.yaml" check || exit 3
"$build/kjump" run "$case" --lab "$dir/lab.yaml" "$@"
