#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs cases/corpus.yaml on real kernels and keeps the evidence of each attempt,
# in a folder FROM,TO,JUMP,KERNEL, as harness/test/judge/corpus.tar.xz.
#
#   record-corpus.sh KJUMP RESULTS
#
# A RESULTS that has runs already is taken as it is: a run that was interrupted
# is finished first with "KJUMP run --resume".
set -eu

kjump=$1 results=$2
here=$(dirname "$0")

# What went wrong was put in: a failing kernel is what is wanted here.
[ -e "$results/kjump.db" ] || "$kjump" run cases/corpus.yaml --results "$results" || [ $? -eq 1 ]

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/corpus"
sqlite3 -separator ' ' "$results/kjump.db" "
	SELECT j.from_profile || ',' || j.to_profile || ',' || j.kind || ',' || j.from_kernel,
	       r.id || '/' || j.id || '.' || a.number
	FROM attempt a JOIN job j ON a.job = j.n JOIN run r ON j.run = r.n
	WHERE r.n = (SELECT max(n) FROM run) AND a.number = 1" |
while read -r name dir; do
	mkdir "$work/corpus/$name"
	cp "$results/runs/$dir"/events.jsonl "$results/runs/$dir"/console.* "$work/corpus/$name/"
done
tar -C "$work/corpus" --sort=name --owner=0 --group=0 --mtime=@0 -cJf "$here/corpus.tar.xz" .
echo "$(ls "$work/corpus" | wc -l) attempts in $here/corpus.tar.xz"
