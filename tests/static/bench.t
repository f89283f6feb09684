#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2317 # the function is an argument of expect
#
# Test that the program of `make bench` compiles, its table and its arguments. It counts nothing.
#
# usage: tests/static/bench.t

set -u
# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
bench=$ROOT/tests/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2034 # tap.sh reads it
tap_log=$work/log
cd "$work" || exit 1
begin

check "the program that counts compiles" make -s -C "$bench" OUT="$work/build" WERROR=1

# table: print the table of two kernels
table()
{
	printf '%s\t%s\n' instructions 5.10 'pread()' - 'OUT' 1.5e+3 >"$work/base"
	printf '%s\t%s\n' instructions 'with the series' 'pread()' 384 'OUT' 1501.6 >"$work/series"
	awk -F '\t' -f "$bench/table.awk" "$work/base" "$work/series"
}

expect 0 "a row has a column for each kernel" '^[|] OUT [|] 1500 [|] 1502 [|]$' table
expect 0 "a row that a kernel does not have is empty there" '^[|] pread[(][)] [|] - [|] 384 [|]$' table
expect 1 "an unknown option is refused" 'usage: bench' "$bench/bench" --fast
expect 1 "two variants are refused" 'usage: bench' "$bench/bench" patched tree

finish
