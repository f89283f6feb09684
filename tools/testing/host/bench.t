#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2317 # the functions are arguments of expect
#
# Test what `make bench` does with the results: counts, goals, tables, and the page. The
# counts are samples. Only the loops that copy are compiled and run.
#
# usage: tools/testing/host/bench.t

set -u
# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
bench=$ROOT/tools/testing/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2034 # tap.sh reads it
tap_log=$work/log
cd "$work" || exit 1
begin

# ---- the output of the program ----

counts()
{
	printf '%s\n' "$@" >results
	sed -nEf "$bench/counts.sed" results
}

# is_empty COMMAND...: return 0 if the command succeeds and prints nothing
is_empty()
{
	"$@" >output && [ ! -s output ]
}

expect 0 "a result becomes a count" '^pread_8 612$' counts '@begin bench' '|ok 3 - pread_8 612'
expect 0 "a result that a serial line ended becomes a count" '^pread_8 612[.]5$' \
	counts $'|ok 3 - pread_8 612.5\r'
expect 0 "a count in scientific notation is accepted" '^big 1.5e[+]10$' counts '|ok 1 - big 1.5e+10'
check "a skipped result has no count" is_empty counts '|ok 3 - preadv2 # SKIP no such thing'
check "a failed result has no count" is_empty counts '|not ok 4 - uring' '|# it broke'
check "no other line becomes a count" \
	is_empty counts '|# ok 1 - a 2' '|1..3' '>ok 1 - a 2' '|Bail out!'

# ---- goals ----

cat >list <<'END'
# NAME UNIT TITLE
-    -            A heading
syscall instructions  the cheapest
a    instructions  one of them
b    bytes         its size
none instructions  not here
END
printf '%s\n' 'syscall 200' 'a 90' 'b 1096' >patched
printf '%s\n' 'syscall 200' 'a 100' 'b 1098' 'none 7' >mainline
printf '%s\n' 'syscall 0' 'b 1096' >unpatched

# table [LINE...]: print the table, with these lines as the goals
table()
{
	printf '%s\n' 'function set_goals()' '{' "$@" '}' >goals.awk
	awk -f "$bench/report.awk" -f goals.awk list patched=patched unpatched=unpatched mainline=mainline
}

ratio='ratio("patched.a", "mainline.a")'
expect 0 "a goal is met at its limit" '  1: 0[.]9 at most 0[.]9, met$' \
	table "at_most(1, \"a\", $ratio, 0.9)"
expect 0 "a goal is missed beyond its limit" '  1: 0[.]9 at most 0[.]89, MISSED$' \
	table "at_most(1, \"a\", $ratio, 0.89)"
expect 0 "the goal 'at least' is met at its limit" '  6: 0[.]9 at least 0[.]9, met$' \
	table "at_least(6, \"a\", $ratio, 0.9)"
expect 0 "the goal 'at least' is missed below its limit" '  6: 0[.]9 at least 0[.]91, MISSED$' \
	table "at_least(6, \"a\", $ratio, 0.91)"
expect 0 "the goal 'within' is missed by a value that is too small" ' within 0.1%, MISSED$' \
	table 'within(4, "b", ratio("patched.b", "mainline.b"), 0.001)'
expect 0 "the goal 'within' is missed by a value that is too large" ' within 0.1%, MISSED$' \
	table 'within(4, "b", ratio("mainline.b", "patched.b"), 0.001)'
expect 0 "the goal 'within' is met up to its limit" ' within 0.2%, met$' \
	table 'within(4, "b", ratio("patched.b", "mainline.b"), 0.002)'
expect 0 "sums and quotients of values are evaluated" '  6: 14.2 at least 1, met$' \
	table 'sum = value("patched.b") + value("patched.a") + 234' \
	'at_least(6, "b", divide(sum, value("mainline.a")), 1)'
expect 0 "a goal is unknown if a row has no value" '^  one of them .*  1: unknown$' \
	table 'at_most(1, "a", ratio("patched.none", "mainline.a"), 1)'
expect 0 "a goal is unknown if a kernel was not counted" '  1: unknown$' \
	table 'at_most(1, "a", ratio("patched.a", "native.a"), 1)'
expect 0 "a goal is unknown if the divisor is 0" '  1: unknown$' \
	table 'at_most(1, "a", ratio("patched.a", "unpatched.syscall"), 1)'
expect 0 "an unknown goal does not change the next one" '  4: .* met$' \
	table 'at_most(1, "a", value("native.a"), 1)' "within(4, \"b\", $ratio, 0.2)"
expect 0 "a goal without a limit shows the difference" '^  one of them .*  4: costs -10$' \
	table 'costs(4, "a", value("patched.a") - value("mainline.a"))'
expect 0 "a goal without a limit can be unknown" '  4: unknown$' \
	table 'costs(4, "a", value("patched.none") - value("mainline.a"))'
printf '%s\n' 'syscall 200' 'a 90.0004' 'b 1096' >patched
expect 0 "a goal that is missed by little shows more digits" \
	'  1: 0[.]900004 at most 0[.]9, MISSED$' \
	table "at_most(1, \"a\", $ratio, 0.9)"
printf '%s\n' 'syscall 200' 'a 90' 'b 1096' >patched
expect 1 "a goal for a row that does not exist is reported" \
	"a goal names the row 'c', which is not in rows.list" \
	table 'at_most(1, "c", 1, 1)'
expect 1 "a goal that uses a row that does not exist is reported" \
	"a goal uses the row 'c', which is not in rows.list" \
	table 'at_most(1, "a", value("patched.c"), 1)'
expect 0 "every row of a goal is in the table" '  6: unknown$' \
	awk -f "$bench/report.awk" -f "$bench/goals.awk" "$bench/rows.list"

# ---- the table ----

expect 0 "a heading has its own line" '^A heading$' table
expect 0 "a row has counts, a ratio and a goal" \
	'^  one of them +90 +- +100 +0[.]9000 +-  1: 0[.]9 at most 0[.]95, met$' \
	table "at_most(1, \"a\", $ratio, 0.95)"
expect 0 "a size has a difference" '^  its size +1096 +1096 +1098 +-2 +same$' table
expect 0 "a row without a value has a dash" '^  not here +- +- +7 +- +-$' table
echo 'new 5' >>patched
expect 1 "a row that is not in the list is reported" \
	"patched has the row 'new', which is not in rows.list" table

rows_of_table()
{
	grep -v '^#' "$bench/rows.list" | awk '$1 != "-" { print $1 }' | sort -u
}

# The program prints the names of `rows` in the groups, and one more row.
rows_of_program()
{
	echo syscall
	awk '/\.rows = / { on = 1 } on { print } /[,;]$/ { on = 0 }' "$bench"/program/*.c |
		grep -o '"[^"]*"' | tr -d '"' | tr ' ' '\n' | grep . | sort -u
}

comm -3 <(rows_of_program | sort) <(rows_of_table | grep -vE '^(sizeof|text|data)_') >log
[ ! -s log ]
result $? "the groups of the program have the rows of the table"

# ---- the loops that copy ----

expect 0 "the loops compile, and each copies all values" '^Copying [0-9]+ bytes of values' \
	make -s -C "$bench/copy" run OUT="$work/copy"
n='[0-9.]+'
grep -qE "^  the series, .* +$n +$n to $n +$n\$" log
result $? "cycles have a range and a ratio"

# ---- kvm-stats with many VMs ----

# many_vms COUNT...: print the table of these counts with a file for each VM, and of `each`
many_vms()
{
	printf '%s\n' "$@" >whole
	awk -f "$bench/many-vms.awk" whole each
}

printf 'vms_4_vcpus_2_%s\n' 'instructions 300' 'files 20' >each
expect 0 "a number of VMs and vCPUs has a heading" '^4 VMs of 2 vCPUs$' \
	many_vms 'vms_4_vcpus_2_instructions 100' 'vms_4_vcpus_2_files 7'
expect 0 "counts with many VMs have a ratio" '^  instructions of a sample +100 +300 +0[.]3320$' \
	many_vms 'vms_4_vcpus_2_instructions 99.6' 'vms_4_vcpus_2_files 7'
expect 1 "a count that the other kernel does not have is reported" \
	"the count 'vms_4_vcpus_2_files' has no title or no value to compare with" \
	many_vms 'vms_4_vcpus_2_instructions 100'
echo 'vms_4_vcpus_2_new 1' >each
expect 1 "a count without a title is reported" "the count 'vms_4_vcpus_2_new' has no title" \
	many_vms 'vms_4_vcpus_2_new 1'

# ---- exit statistics ----

# exit_stats COUNT...: print the table of these counts while exit statistics are on
exit_stats()
{
	printf '%s\n' "$@" >on
	awk -f "$bench/exit-stats.awk" "$bench/rows.list" absent=absent off=off on=on
}

echo 'exit_kernel 1000' >absent
printf '%s\n' 'exit_kernel 1001' 'pread_vcpu 700' >off
expect 0 "exit statistics that cost little meet the goals" \
	'^  CPUID: .* 1000 +1001 +1120 +1[.]0010 +1[.]1200  8: off 1[.]0010 at most 1[.]001, met; on 1[.]1200 at most 1[.]12, met$' \
	exit_stats 'exit_kernel 1120'
expect 0 "exit statistics that cost too much miss the goal" ' met; on .* at most 1[.]12, MISSED$' \
	exit_stats 'exit_kernel 1121'
expect 0 "a read of exit statistics has no ratio" '^  pread.* - +700 +800 +- +-$' \
	exit_stats 'pread_vcpu 800'
expect 0 "the cost of exit statistics can be unknown" '^  CPUID: .* met; on unknown$' \
	exit_stats 'pread_vcpu 800'
echo 'exit_kernel 1002' >off
expect 0 "exit statistics that cost too much while off miss the goal" \
	'  8: off .* at most 1[.]001, MISSED; on .* met$' exit_stats 'exit_kernel 1120'

# ---- the report and the page ----

mkdir -p dir
for kernel in patched mainline; do
	printf '%s\n' 'syscall 200' 'pread_8 400' 'loop_64 10.25' >dir/$kernel.counts
	echo 5.10.1 >dir/$kernel.version
done

expect 0 "the report has the counts" '^  pread[(][)] of 8 bytes  *400 +- +400 ' "$bench/report" dir
expect 0 "the report has the versions" \
	'^patched: Linux 5[.]10[.]1 with this series; unpatched: Linux not counted;' \
	"$bench/report" dir
echo 'Copying' >dir/copy.txt
expect 0 "the report has the table of native cycles" '^Copying$' "$bench/report" dir
echo 'exit_kernel 1050' >dir/exits-on.counts
expect 0 "the report has the table of exit statistics" '^  CPUID: .* 1050 ' "$bench/report" dir
echo 'kvm-stats log' >dir/many-vms.txt
expect 0 "the report has the table of kvm-stats" '^kvm-stats log$' "$bench/report" dir
expect 0 "the page has the table" '^  pread[(][)] of 8 bytes  *400 ' "$bench/report" --page dir
expect 0 "the page has a title" '^# Results of .make bench.$' "$bench/report" --page dir
rm dir/patched.counts
expect 1 "without counts of this series there is no report" 'dir/patched[.]counts is missing' \
	"$bench/report" dir

# ---- arguments ----

expect 1 "an unknown option is reported" "unknown option '--fast'" "$bench/bench" --fast
expect 1 "an unknown kernel is reported" '--only linux: expected one of patched' \
	"$bench/bench" --only linux
expect 1 "a missing kernel cannot be counted" 'there is no kernel in /none' "$bench/count" x /none
expect 1 "the sizes of a missing kernel cannot be measured" 'there is no kernel in /none' \
	"$bench/sizes" /none bench
expect 1 "count without a kernel is refused" 'usage: count NAME KERNEL' "$bench/count" x
expect 1 "an unknown program is reported" "there is no program 'other'" "$bench/count" x /none other
expect 1 "many-vms with two variants is refused" 'usage: many-vms' "$bench/many-vms" patched tree

finish
