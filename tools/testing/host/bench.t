#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test what `make bench` does with the results: goals, tables, comparison of two runs,
# JSON, plot and profile. The results are samples; nothing is measured.
#
# usage: tools/testing/host/bench.t

set -u

top=$(cd "$(dirname "$0")/../../.." && pwd -P)
bench=$top/tools/testing/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/tap.sh"
point_log=$work/log
"$top/scripts/packages" bench >&2 || { echo "Bail out! packages are missing"; exit 1; }
cd "$work" || exit 1

# ---- the output of the program ----

points()
{
	printf '%s\n' "$@" >points
	awk -f "$bench/rows.awk" points
}

expect 0 "a result becomes a row" '^pread_8 612$' points 'ok 3 - pread_8 612'
expect 0 "a result on the verdict channel becomes a row" '^pread_8 612[.]5$' points '@suite bench' $'|ok 3 - pread_8 612.5\r'
expect 0 "a large count stays a number" '^big 1.5e[+]10$' points 'ok 1 - big 1.5e+10'
expect 0 "a skipped result becomes a row without a value" '^preadv2 -$' points 'ok 3 - preadv2 # SKIP no such thing'
expect 0 "a failed result becomes a row without a value" '^uring -$' points 'not ok 4 - uring' '# it broke'
expect 0 "no other line becomes a row" '^0$' bash -c 'printf "# ok 1 - a 2\n1..3\nBail out!\n" | awk -f "$0" | wc -l' "$bench/rows.awk"

# ---- goals ----

printf '%s\n' 'a 90' 'b 1000' 'none -' >ours
printf '%s\n' 'a 100' 'b 1002' 'zero 0' >theirs

goals()
{
	printf '%s\n' '# a comment' '' "$@" >goals
	awk -f "$bench/goals.awk" goals patched=ours mainline=theirs
}

expect 0 "a goal is met at its limit" '^1 a 0[.]9 at-most 0[.]9 met$' goals '1 a patched.a mainline.a at-most 0.9'
expect 0 "a goal is missed beyond its limit" '^1 a 0[.]9 at-most 0[.]89 missed$' goals '1 a patched.a mainline.a at-most 0.89'
expect 0 "at-least is missed below the limit" '^6 b 11[.]111111 at-least 12 missed$' goals '6 b patched.b patched.a at-least 12'
expect 0 "within is missed by a smaller value" ' missed$' goals '4 b patched.b mainline.b within 0.001'
expect 0 "within is missed by a larger value" ' missed$' goals '4 b mainline.b patched.b within 0.001'
expect 0 "within is met up to the limit" ' met$' goals '4 b patched.b mainline.b within 0.002'
expect 0 "sums, products and quotients are evaluated" '^6 b 5 at-least 1 met$' \
	goals '6 b patched.b/patched.a*9+patched.a*10 mainline.a+100 at-least 1'
expect 0 "a goal is unknown if a row has no value" '^1 a - at-most 1 unknown$' goals '1 a patched.none mainline.a at-most 1'
expect 0 "a goal is unknown if a kernel was not counted" ' unknown$' goals '1 a patched.a unpatched.a at-most 1'
expect 0 "a goal is unknown if the divisor is 0" ' unknown$' goals '1 a patched.a mainline.zero at-most 1'
expect 0 "a goal without a limit reports the difference" '^4 b -2 states - stated$' goals '4 b patched.b mainline.b states -'
expect 0 "a goal without a limit can be unknown" '^4 b - states - unknown$' goals '4 b patched.none mainline.b states -'
expect 1 "an unknown relation is reported" "goals:3: expected at-most.*found 'about'" \
	goals '1 a patched.a mainline.a about 1'
expect 1 "an invalid operand is reported" "goals:3: expected KERNEL[.]ROW.*found 'a'" goals '1 a a mainline.a at-most 1'
expect 1 "an incomplete line is reported" 'goals:3: expected GOAL ROW' goals '1 a patched.a at-most 1'
expect 0 "the list of goals is valid" '^6 debugfs - at-least 400 unknown$' awk -f "$bench/goals.awk" "$bench/goals"

# Every row that a goal names or uses is in one of the tables.
rows_of_goals()
{
	grep -v '^#' "$bench/goals" | awk '{ print $2; print $3; print $4 }' | tr '+*/' '\n\n\n' |
		sed -E 's/^(patched|unpatched|mainline|copy)[.]//' | grep -v '^[0-9.]*$' | sort -u
}

rows_of_table()
{
	grep -v '^#' "$bench/rows.list" | awk '$1 != "-" { print $1 }' | sort -u
}

rows_of_copy_table()
{
	grep -v '^#' "$bench/copy.list" | awk '{ print $1 }' | sort -u
}

! comm -23 <(rows_of_goals) <({ rows_of_table; rows_of_copy_table; } | sort -u) | tee log | grep -q .
point $? "every row of a goal is in a table"

rows_of_program()
{
	awk '
	/\.rows = / { inside = 1 }
	inside || /^const struct bench_group .*\};$/ { line = $0; sub(/"[^"]*", run, /, "", line)
		while (match(line, /"[^"]*"/)) {
			print substr(line, RSTART + 1, RLENGTH - 2)
			line = substr(line, RSTART + RLENGTH)
		}
	}
	/,$/ { inside = 0 }' "$bench"/program/*.c | tr ' ' '\n' | grep . | sort -u
}

! comm -3 <(rows_of_program) <(rows_of_table | grep -vE '^(sizeof|text|data)_') | tee log | grep -q .
point $? "the groups of the program have the rows of the table"

rows_of_copy_program()
{
	sed -nE 's/^\t\{ "(copy_[a-z_]+)", .*/\1/p' "$bench/copy/loops.c" | grep -vx copy_nothing | sort -u
}

! comm -3 <(rows_of_copy_program) <(rows_of_copy_table) | tee log | grep -q .
point $? "the program that copies has the rows of its table"

# ---- the table ----

cat >list <<'EOF'
# NAME UNIT TITLE
-    -            A heading
syscall instructions  the floor
a    instructions  one of them
b    bytes         its size
none instructions  not here
EOF
printf '%s\n' 'syscall 200' 'a 90' 'b 1096' 'none -' >patched
printf '%s\n' 'syscall 200' 'a 100' 'b 1104' 'none 7' >mainline
printf '%s\n' 'syscall 200' 'a -' 'b 1096' >unpatched
printf '%s\n' 'syscall 40' 'a 60' >native
printf '%s\n' '1 a 0.9 at-most 0.95 met' '4 none - within 0.001 unknown' >met

table()
{
	awk -f "$bench/goal-text.awk" -f "$bench/table.awk" list met patched=patched unpatched=unpatched mainline=mainline native=native
}

expect 0 "a heading has a line of its own" '^A heading$' table
expect 0 "a row has counts, ratio, multiple and goal" \
	'^  one of them +90 +- +100 +0[.]9000 +- +1[.]50x  1: 0[.]9 at most 0[.]95, met$' table
expect 0 "a size has a difference" '^  its size +1096 +1096 +1104 +-8 +same +-$' table
expect 0 "a row without a value has a dash" '^  not here +- +- +7 +- +- +-  4: - within 0[.]1%, unknown$' table
printf '%s\n' '1 a 0.9 at-most 0.8 missed' >met
expect 0 "a missed goal is in capitals" ', MISSED$' table
printf '%s\n' '1 a 0.900004 at-most 0.9 missed' >met
expect 0 "a goal that is missed by little shows more digits" '  1: 0[.]900004 at most 0[.]9, MISSED$' table
printf '%s\n' '4 a 51 states - stated' '4 b - states - unknown' >met
expect 0 "a goal without a limit shows the difference" '^  one of them .*x  4: costs [+]51$' table
expect 0 "a goal without a limit can be unknown in the table" '^  its size .*  4: unknown$' table
echo 'new 5' >>patched
expect 1 "a row that is not in the list is reported" "patched has the row 'new', which is not in rows.list" table

# ---- the table of native cycles ----

printf '%s\n' 'copy_fast the fast one' 'copy_unrolled the reference' 'copy_none not measured' >copy-list
printf '%s\n' 'copy_bytes 1096' 'copy_fast 45.0 44.1 46.2' 'copy_unrolled 50.0 49.0 51.5' >cycles
printf '%s\n' '1 copy_fast 0.9 at-most 1.1 met' >met

copy_table()
{
	awk -f "$bench/goal-text.awk" -f "$bench/copy-table.awk" copy-list met cycles
}

expect 0 "cycles have a range, a ratio and a goal" \
	'^  the fast one +45[.]0 +44[.]1 to 46[.]2 +0[.]900  1: 0[.]9 at most 1[.]1, met$' copy_table
expect 0 "the heading has the number of bytes" '^Copying 1096 bytes' copy_table
expect 0 "a way that was not measured has dashes" '^  not measured +- +- +-$' copy_table

# ---- two runs ----

same()
{
	printf '%s\n' "$1" >first
	printf '%s\n' "$2" >second
	awk -v name=k -f "$bench/same.awk" first second
}

expect 0 "equal runs agree" '^k: 1 rows counted twice, differences of at most 0[.]000 %$' same 'a 1000' 'a 1000'
expect 0 "runs that differ by 0.2 % agree" 'at most 0[.]2' same 'a 100000' 'a 100200'
expect 1 "runs that differ by more do not agree" '^k: a differs: 100000 and 100300$' same 'a 100000' 'a 100300'
expect 0 "small counts that differ by 2 agree" 'counted twice' same 'a 200' 'a 202'
expect 1 "small counts that differ by 3 do not agree" '^k: a differs: 200 and 203$' same 'a 200' 'a 203'
expect 1 "a row that loses its value does not agree" '^k: a differs: 200 and -$' same 'a 200' 'a -'
expect 1 "runs without a common row do not agree" 'no rows to compare' same 'a 1' 'b 1'

# ---- JSON and the plot ----

mkdir -p dir
for kernel in patched mainline; do
	printf '%s\n' 'syscall 200' 'pread_8 400' 'preadv2 -' 'loop_64 10.25' >dir/$kernel.rows
	echo 5.10.1 >dir/$kernel.version
done
printf '%s\n' '1 pread_8 1 at-most 0.95 missed' '3 loop_1024 - within 0.02 unknown' >dir/goals

json()
{
	"$bench/results-json" dir >results.json && jq -r "$1" results.json
}

expect 0 "JSON has the values" '^410[.]25$' json '.kernels.patched.rows | .pread_8 + .loop_64'
expect 0 "JSON has null for a row without a value" '^true null$' \
	json '.kernels.mainline.rows | "\(has("preadv2")) \(.preadv2)"'
expect 0 "JSON has the versions" '^5[.]10[.]1 QEMU emulator .*T[0-9:]+Z$' json '"\(.kernels.patched.version) \(.qemu) \(.date)"'
expect 0 "JSON has the goals" '^missed 0[.]95 null$' json '"\(.goals[0].result) \(.goals[0].limit) \(.goals[1].value)"'
expect 0 "JSON has the titles" '^pread\(\) of 8 bytes$' json .rows.pread_8.title
expect 0 "JSON does not have a kernel that was not counted" '^null$' json .kernels.native
expect 0 "JSON has null if the copy loop was not measured" '^null$' json .copy
cp cycles dir/copy.rows
expect 0 "JSON has the cycles of the copy loop" '^1096 45 44.1 46.2$' \
	json '"\(.copy.bytes) \(.copy.cycles.copy_fast | "\(.median) \(.low) \(.high)")"'
expect 0 "the plot is SVG" '' "$bench/plot" results.json plot.svg
grep -q '<svg' plot.svg 2>log && grep -q 'pread 8' plot.svg
point $? "the plot has the rows"
jq '.kernels = {}' results.json >empty.json
expect 1 "without counts there is no plot" 'no counts to draw' "$bench/plot" empty.json none.svg

cp -r dir reported
expect 0 "the report is written" '' "$bench/report" reported
grep -q '^  pread() of 8 bytes  *400 ' reported/results.txt && grep -q '"pread_8": 400' reported/results.json &&
	[ -s reported/results.svg ]
point $? "table, JSON and plot have the same counts"
grep -q '^  32 stores per iteration, the reference  *50[.]0 ' reported/results.txt
point $? "the report has the table of native cycles"
mkdir -p copy/tools/testing
cp -r "$bench" "$top/tools/testing/boot" copy/tools/testing/
echo "  12  one" >reported/profiles.txt
expect 0 "the page is written" '^wrote RESULTS[.]md, .* to tools/testing/bench$' copy/tools/testing/bench/record reported
grep -q '^  pread() of 8 bytes  *400 ' copy/tools/testing/bench/RESULTS.md &&
	grep -q '^  12  one$' copy/tools/testing/bench/RESULTS.md &&
	cmp -s reported/results.json copy/tools/testing/bench/RESULTS.json
point $? "the page has the table and the profiles"
expect 1 "the page is not written without results" 'results[.]txt is missing' copy/tools/testing/bench/record copy
rm reported/patched.rows
expect 1 "without counts of this series there is no report" 'patched[.]rows is missing' "$bench/report" reported

# ---- the profile ----

printf '%s\n' 'ffffffff81000000 T one' 'ffffffff81000010 t two' 'ffffffffa0000000 t three [kvm]' >symbols

# trace ADDRESS...: the log's lines
trace()
{
	local address

	for address; do
		printf 'Trace 0: 0x7f0000000000 [0000000000000000/%016x/0040f2b3/ff000001] \n' "$address"
	done
}

profile()
{
	awk -v begin=0000000000401000 -v end=0000000000401010 -f "$bench/profile.awk" symbols exec
}

b=0x401000 e=0x401010
{
	trace 0xffffffff81000000 $b 0x401004 0xffffffff81000004 0xffffffff81000014 0xffffffffa0000008 $e 0xffffffff81000000
	trace $b 0x401004 0xffffffff81000004 0xffffffff81000004 0xffffffff81000014 0xffffffffa0000008 $e
	trace $b $e
} >exec
expect 0 "the median run is printed" '^ +4  all$' profile
expect 0 "functions of modules are printed" '^ +1  three \[kvm\]$' profile
expect 0 "user space is printed" '^ +1  [(]user space[)]$' profile
expect 0 "an address belongs to the function before it" '^ +1  two$' profile
trace $b 0xffffffff81000004 >exec
expect 1 "a run without an end is reported" 'does not end' profile
trace 0xffffffff81000004 >exec
expect 1 "a log without a run is reported" 'no run' profile

# ---- arguments ----

expect 1 "an unknown option is reported" "unknown option '--fast'; usage" "$bench/bench" --fast
expect 1 "an unknown kernel is reported" '--only linux: expected patched' "$bench/bench" --only linux
expect 1 "a missing kernel cannot be counted" 'no kernel in /none' env BOOT_NO_INSTALL=1 "$bench/count" x /none
expect 1 "the sizes of a missing kernel cannot be measured" 'no kernel in /none' "$bench/sizes" /none
expect 1 "a profile without a row is refused" 'usage: profile NAME KERNEL ROW' "$bench/profile" x /none
expect 1 "copy-cycles refuses more than one file" 'usage: copy-cycles' "$bench/copy-cycles" a b

echo "1..$points"
[ "$failures" = 0 ]
