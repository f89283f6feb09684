#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The library and the kvm-stats command on the build machine: they build, the
# library's own tests pass under address and undefined-behaviour checks, and
# where KVM can be used, kvm-stats looks at a real VM.
#
# usage, from the top of the repository: tools/testing/host/tools.t

set -u

. "$(dirname "$0")/checked.sh"

top=$PWD
out=$top/build/tools-test
lib=$top/tools/lib/kvmstats
command=$top/tools/kvm/kvm_stats
# <asm/...> of the 64-bit headers serves both.
cc32="gcc -m32 -idirafter /usr/include/x86_64-linux-gnu"
export ASAN_OPTIONS=detect_leaks=1

vmm=
. "$(dirname "$0")/tap.sh"

trap 'stop_vmm; exit 1' INT TERM
trap stop_vmm EXIT

# check DESCRIPTION COMMAND...: its output is shown if it fails
check()
{
	local what=$1

	shift
	if "$@" >"$out/log" 2>&1; then
		point 0 "$what"
	else
		point 1 "$what"
		sed 's/^/# /' "$out/log"
	fi
}

# ---- builds ----

# Sources alone, as far from this repository as can be.
build_from_a_copy()
{
	local copy=$out/copy

	rm -rf "$copy" && mkdir -p "$copy/include/uapi/linux" &&
	tar -c --exclude=build tools/lib/kvmstats tools/kvm/kvm_stats | tar -x -C "$copy" &&
	cp include/uapi/linux/kvm_stats.h "$copy/include/uapi/linux/" &&
	make -s -C "$copy/tools/kvm/kvm_stats" O="$out/from-copy" &&
	[ -z "$(find "$copy" -name '*.o')" ] && "$out/from-copy/kvm-stats" --version
}

install_somewhere()
{
	local dest=$out/dest

	rm -rf "$dest" &&
	make -s -C "$command" O="$out/gcc" DESTDIR="$dest" PREFIX=/usr install &&
	"$dest/usr/bin/kvm-stats" --help &&
	[ -f "$dest/usr/share/man/man1/kvm-stats.1" ] &&
	[ -f "$dest/usr/share/bash-completion/completions/kvm-stats" ] &&
	grep -q '^prefix=/usr$' "$dest/usr/lib/pkgconfig/libkvmstats.pc"
}

# As a program of others would: by the installed header and shared library.
link_against_installed()
{
	local dest=$out/dest

	cat >"$out/user.c" <<-'END' &&
	#include <kvmstats.h>
	#include <stdio.h>

	int main(void)
	{
		struct kvmstats_schema *schema;
		char buf[64];

		return puts(kvmstats_strerror(kvmstats_schema_read(&schema, -1), buf, sizeof(buf))) < 0;
	}
	END
	gcc -std=c99 -pedantic -Wall -Werror -I"$dest/usr/include" -o "$out/user" "$out/user.c" \
		-L"$dest/usr/lib" -lkvmstats &&
	LD_LIBRARY_PATH=$dest/usr/lib "$out/user" | grep 'Bad file descriptor'
}

# All that the header declares is exported, and nothing else.
exports_match_header()
{
	grep -o 'kvmstats_[a-z_]*(' "$lib/kvmstats.h" | tr -d '(' | sort -u >"$out/declared" &&
	nm -D --defined-only "$out/gcc/lib/libkvmstats.so" |
		awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$out/exported" &&
	grep -v '^kvmstats_[a-z]*_\?read()' "$out/declared" | diff - "$out/exported"
}

# Each exported function has a page, and the pages say nothing that mandoc or we take amiss.
pages_are_complete()
{
	local man=$out/dest/usr/share/man function bad=0

	while read -r function; do
		[ -f "$man/man3/$function.3" ] || { echo "no page for $function()"; bad=1; }
		grep -q "$function(" "$lib"/man/*.3 || { echo "no page declares $function()"; bad=1; }
	done <"$out/exported"
	[ -s "$out/exported" ] && [ $bad = 0 ] &&
	[ "$(cat "$man/man3/kvmstats_rate.3")" = ".so man3/kvmstats_sample_read.3" ] &&
	mandoc -T lint -W warning "$lib"/man/*.3 "$command/kvm-stats.1"
}

# What the pages declare is what the header declares, spaces aside.
pages_declare_the_header()
{
	sed -n 's/^\.BI //p' "$lib"/man/*.3 | tr -d '"' | tr -s ' ' | tr '\n' ' ' | sed 's/; */;\n/g' |
		grep -o '[a-z].*kvmstats_[a-z_]*(.*;' | tr -d ' ' | sort >"$out/in-pages"
	sed 's,/\*.*\*/,,; /^\/\*/,/\*\//d; /^ \*/d; s/#.*//' "$lib/kvmstats.h" | tr '\t' ' ' | tr '\n' ' ' |
		sed 's/[;{}]/&\n/g' | grep -o '[a-z].*kvmstats_[a-z_]*(.*;' | tr -d ' ' | sort >"$out/in-header"
	[ -s "$out/in-header" ] && diff "$out/in-header" "$out/in-pages"
}

build()
{
	check "the library and the command build" make -s -C "$command" O="$out/gcc" all
	check "the static command builds" make -s -C "$command" O="$out/gcc" kvm-stats.static
	check "they build from their sources alone" build_from_a_copy
	if command -v clang >/dev/null; then
		check "they build with clang" make -s -C "$command" CC=clang O="$out/clang"
	else
		skip "they build with clang" "clang is not installed"
	fi
	if echo '#include <errno.h>' | $cc32 -x c -c - -o "$out/m32" 2>/dev/null; then
		check "the library builds for 32 bits" make -s -C "$lib" CC="$cc32" O="$out/32"
	else
		skip "the library builds for 32 bits" "no 32-bit C library is installed"
	fi
	check "they are installed where they are told to" install_somewhere
	check "a C99 program links the installed library" link_against_installed
	check "the shared library exports what its header declares" exports_match_header
	check "each function has a manual page" pages_are_complete
	check "the pages declare what the header declares" pages_declare_the_header
	check "all is built with address and undefined-behaviour checks" \
		make -s -C "$command" CFLAGS="$checks" O="$out/checked" kvm-stats
}

# ---- the library's own tests ----

# What a test printed, under numbers of this one.
adopt()
{
	local line

	while IFS= read -r line; do
		case $line in
		"ok "*) point 0 "$1: ${line#*- }" ;;
		"not ok "*) point 1 "$1: ${line#*- }" ;;
		"#"*) echo "$line" ;;
		esac
	done <"$out/log"
}

# unit_test NAME SOURCE OBJECT...: run with what is in arguments
arguments=()
unit_test()
{
	local test=$1 source=$2 status

	shift 2
	if ! gcc -std=gnu11 -Wall -Wextra -Werror $checks -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		-I"$lib" -I"$command" -idirafter include/uapi -o "$out/$test" "$source" "$@" \
		"$out/checked/lib/libkvmstats.a" >"$out/log" 2>&1; then
		sed 's/^/# /' "$out/log"
		point 1 "$test builds"
		return
	fi
	timeout 120 "$out/$test" "${arguments[@]}" >"$out/log" 2>"$out/errors"
	status=$?
	adopt "$test"
	[ -s "$out/errors" ] && sed 's/^/# /' "$out/errors"
	[ "$(tail -n 1 "$out/log")" = "1..$(grep -c '^\(not \)\?ok ' "$out/log")" ]
	point $? "$test: runs to its end"
	[ $status -eq 0 ] || ! grep -q '^1\.\.' "$out/log" || grep -q '^not ok' "$out/log"
	point $? "$test: leaves with its verdict"
}

# rooms NAME...: the objects of the command's files
rooms()
{
	printf "$out/checked/obj/%s.o\n" "$@"
}

# The list is of the series' base; where that has not been fetched, it is taken as it is.
list_is_of_headers()
{
	"$command/tests/exit-reasons" "$1" | diff "$command/tests/exit_reasons.list" -
}

exit_reason_tests()
{
	local base

	if base=$(scripts/base --cached 2>/dev/null); then
		check "exit_reasons.list has what the kernel's headers say" list_is_of_headers "$base"
	else
		skip "exit_reasons.list has what the kernel's headers say" "no kernel source has been fetched"
	fi
	rm -rf "$out/tracefs" && mkdir -p "$out/tracefs"
	arguments=("$command/tests/exit_reasons.list" "$out/tracefs")
	unit_test exit_reason_test "$command/tests/exit_reason_test.c" \
		$(rooms exit_reason tracepoints debugfs)
	arguments=()
}

# 100,000 files that grow out of those in tests/seeds.
fuzz()
{
	rm -rf "$out/corpus" && mkdir -p "$out/corpus" &&
	clang -std=gnu11 -Wall -Wextra -Werror -O1 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$lib" \
		-idirafter include/uapi -o "$out/schema_fuzz" "$lib/tests/schema_fuzz.c" "$lib"/*.c &&
	"$out/schema_fuzz" -runs=100000 -seed=1 -max_len=4096 -max_total_time=100 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="$out/" "$out/corpus" "$lib/tests/seeds" &&
	# Fewer would be the time limit, and no new input no look behind the header.
	[ "$(ls "$out/corpus" | wc -l)" -gt 20 ]
}

# The seeds are what the program of that name writes, and the library takes them.
seeds_are_good()
{
	mkdir -p "$out/seeds" &&
	gcc -D_GNU_SOURCE -I"$lib" -idirafter include/uapi -o "$out/make_seeds" "$lib/tests/make_seeds.c" &&
	"$out/make_seeds" "$out/seeds" && diff -r "$out/seeds" "$lib/tests/seeds"
}

fuzz_tests()
{
	check "the seeds are as their maker writes them" seeds_are_good
	if echo 'int LLVMFuzzerTestOneInput() { return 0; }' |
		clang -fsanitize=fuzzer,address -w -x c - -o "$out/fuzzer" 2>"$out/log"; then
		check "hostile schemas do no harm (libFuzzer)" fuzz
	else
		skip "hostile schemas do no harm (libFuzzer)" "clang has no libFuzzer: $(head -n 1 "$out/log")"
	fi
}

# ---- the library's examples, as programs of others ----

example()
{
	local name=$1

	PKG_CONFIG_PATH=$out/dest/usr/lib/pkgconfig pkg-config --define-variable=prefix="$out/dest/usr" \
		--define-variable=libdir="$out/dest/usr/lib" \
		--define-variable=includedir="$out/dest/usr/include" --cflags --libs libkvmstats >"$out/flags" &&
	gcc -std=gnu11 -Wall -Wextra -Werror -o "$out/example-$name" "$lib/examples/$name.c" $(cat "$out/flags")
}

# runs_example REGEX NAME ARGUMENT...
runs_example()
{
	local regex=$1 name=$2

	shift 2
	LD_LIBRARY_PATH=$out/dest/usr/lib "$out/example-$name" "$@" >"$out/example.out" 2>&1 9>&-
	local status=$?
	cat "$out/example.out"
	[ $status -eq 0 ] && grep -Eq "$regex" "$out/example.out"
}

example_tests()
{
	local name

	for name in own agent handed; do
		check "example '$name' builds by pkg-config" example $name
	done
}

running_example_tests()
{
	check "example 'own' reads its own statistics" runs_example '^  exits [0-9]+$' own
	check "example 'handed' reads what came over a socket" runs_example '^vCPU 0: "kvm-[0-9]+/vcpu-0"' handed
	check "a VMM for the agent starts" start_vmm -s
	check "example 'agent' finds all VMs" runs_example '^  vcpu1: [1-9][0-9]* exits/s$' agent 1
	stop_vmm
}

# ---- kvm-stats against a VMM ----

stats=$out/checked/kvm-stats

# start_vmm ARGUMENT...: false if it did not get ready
start_vmm()
{
	rm -f "$out/vmm.in" "$out/vmm.out"
	mkfifo "$out/vmm.in"
	# On "$(...)" of a fifo this shell would wait, on <> it does not.
	exec 9<>"$out/vmm.in"
	"$out/vmm" "$@" <"$out/vmm.in" >"$out/vmm.out" 2>"$out/vmm.err" 9>&- &
	vmm=$!
	wait_for '^ready$'
}

# wait_for_line REGEX FILE PID: false if the process ends, or a minute goes by
wait_for_line()
{
	local tries=600

	until grep -q "$1" "$2" 2>/dev/null; do
		kill -0 "$3" 2>/dev/null && [ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

wait_for()
{
	wait_for_line "$1" "$out/vmm.out" "$vmm"
}

# From then on its numbers stand still: they are in vmm.out.
freeze_vmm()
{
	echo stop >&9
	wait_for '^stopped '
}

stop_vmm()
{
	[ -n "$vmm" ] || return 0
	kill "$vmm" 2>/dev/null
	wait "$vmm" 2>/dev/null
	exec 9>&-
	vmm=
}

# run_stats STATUS ARGUMENT...: its output is in found; false if its status is another
run_stats()
{
	local status=$1 left

	shift
	found=$("$stats" "$@" 2>&1 9>&-)
	left=$?
	printf '%s\n' "$found"
	[ $left -eq "$status" ] && return
	echo "expected exit status $status, found $left"
	false
}

# says STATUS REGEX ARGUMENT...
says()
{
	local status=$1 regex=$2 found

	shift 2
	run_stats "$status" "$@" && printf '%s\n' "$found" | grep -Eq -e "$regex"
}

says_not()
{
	local status=$1 regex=$2 found

	shift 2
	run_stats "$status" "$@" && ! printf '%s\n' "$found" | grep -Eq -e "$regex"
}

# What kvm-stats shows for each vCPU.
exits_of()
{
	"$stats" read -p "$vmm" --vcpu all -f '^exits$' | awk '/vcpu/ { printf " %s", $3 }'
}

# Each vCPU has at least one exit for each I/O exit that the VMM saw.
numbers_agree()
{
	freeze_vmm || return 1
	sed -n 's/^stopped//p' "$out/vmm.out" | xargs -n 1 >"$out/seen"
	exits_of | xargs -n 1 >"$out/shown"
	paste "$out/seen" "$out/shown"
	paste "$out/seen" "$out/shown" |
		awk '!($1 > 0 && $2 >= $1 && $2 < $1 * 2 + 10000) { bad = 1 } END { exit bad || NR != 2 }'
}

# A busy machine may stretch or squeeze an interval: how large rates are is for sample_test.
rates_agree()
{
	"$stats" read -p "$vmm" -i 0.5 -c 3 -f '^exits$' --vcpu 0,1 >"$out/rates" || return 1
	cat "$out/rates"
	awk '$2 == "exits" {
			if (++n > 2 && ($3 > last[$1]) != ($5 > 0))
				bad = 1
			last[$1] = $3
			grown[$1] += $5 > 0
		}
		END { exit bad || n != 6 || !grown["vcpu0"] || !grown["vcpu1"] }' "$out/rates"
}

ends_with_its_vmm()
{
	local watcher start=$SECONDS status

	rm -f "$out/watch"
	"$stats" read -p "$vmm" -i 1000 >"$out/watch" 2>&1 9>&- &
	watcher=$!
	wait_for_line '^# process' "$out/watch" $watcher
	stop_vmm
	wait $watcher
	status=$?
	cat "$out/watch"
	[ $status -eq 0 ] && grep -q 'has ended' "$out/watch" && [ $((SECONDS - start)) -lt 30 ]
}

# Between two readings it is stopped for a while, and goes on.
survives_a_stop()
{
	local watcher status

	rm -f "$out/watch"
	"$stats" read -p "$vmm" -i 2 -c 1 -f '^exits$' >"$out/watch" 2>&1 9>&- &
	watcher=$!
	wait_for_line '^# process' "$out/watch" $watcher
	kill -STOP $watcher
	kill -CONT $watcher
	wait $watcher
	status=$?
	cat "$out/watch"
	[ $status -eq 0 ] && grep -qE '^vcpu1 +exits ' "$out/watch"
}

output_is_lost()
{
	! "$stats" read -p "$vmm" >/dev/full 2>"$out/lost" || return 1
	cat "$out/lost"
	grep -q 'cannot write the output: No space left' "$out/lost"
}

pipe_is_closed()
{
	( trap '' PIPE; "$stats" read -p "$vmm" -i 0.1 2>"$out/lost"; echo $? >"$out/status" ) | head -n 3
	cat "$out/lost"
	[ "$(cat "$out/status")" = 1 ] && grep -q 'cannot write the output: Broken pipe' "$out/lost"
}

without_rights()
{
	local left

	# By its fd, because others may not get at files below here.
	setpriv --reuid 65534 --regid 65534 --clear-groups /proc/self/fd/8 \
		read -p "$vmm" >"$out/denied" 2>&1 8<"$out/gcc/kvm-stats.static" 9>&-
	left=$?
	cat "$out/denied"
	[ $left -eq 1 ] || return 1
	grep -q 'not allowed' "$out/denied" && grep -q 'CAP_SYS_PTRACE' "$out/denied"
}

may_ptrace()
{
	local caps

	caps=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
	[ $((16#$caps >> 19 & 1)) = 1 ]
}

# Root without that capability may list the fds of root's processes, but not see
# what they are.
without_ptrace()
{
	setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace "$out/gcc/kvm-stats" \
		read -p "$$" >"$out/denied" 2>&1
	cat "$out/denied"
	grep -q 'not allowed to look' "$out/denied" && grep -q 'has capabilities' "$out/denied"
}

taken_tests()
{
	check "a VMM that keeps its statistics fds open starts" \
		start_vmm -s -name 'guest=one,,two,debug-threads=on'
	check "completion knows processes" completes "(^| )$vmm( |\$)" read -p ''
	check "and guests" completes '^one.,two$' read -g ''
	check "list shows it, its guest's name, and that fds were taken" \
		says 0 "^ +$vmm  vmm +1 +2  (taken|opened) +one,two\$" list
	check "schema shows types and units" \
		says 0 '^vcpu +halt_poll_fail_ns +cumulative +ns +1 ' schema -p "$vmm"
	if "$stats" schema -p "$vmm" | grep -q halt_wait_hist; then
		check "schema shows histograms" \
			says 0 '^vcpu +halt_wait_hist +log2-histogram +ns +32 ' schema -p "$vmm"
	else
		skip "schema shows histograms" "this kernel has none"
	fi
	check "schema shows only what matches" \
		says_not 0 '^vcpu +halt' schema -p "$vmm" -f '^exits$'
	check "rates are growth over time" rates_agree
	check "a stop on the way is no end" survives_a_stop
	check "histograms and base units do no harm" \
		says 0 '^vcpu0 +halt_poll_fail_ns +0 +s$' read -p "$vmm" -b
	check "a vCPU is chosen" says_not 0 '^vcpu0' read -p "$vmm" --vcpu 1
	check "a vCPU that is not there is an error" says 1 'has no vCPU 2' read -p "$vmm" --vcpu 1-1,2
	check "a name that is not there is an error" says 1 'no statistic' read -p "$vmm" -f '^no$'
	check "a full disk is an error" output_is_lost
	check "a closed pipe is an error" pipe_is_closed
	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		check "a missing right is explained" without_rights
	else
		skip "a missing right is explained" "takes root, to become another user"
	fi
	if [ -d "/proc/$vmm/task" ] && thread=$(ls "/proc/$vmm/task" | grep -vx "$vmm" | head -n 1) &&
		[ -n "$thread" ]; then
		check "a thread's ID is told from a process's" \
			says 1 "thread of process $vmm" read -p "$thread"
	else
		point 1 "the VMM has a thread for each vCPU"
	fi
	check "numbers are those of the VMM" numbers_agree
	check "it ends with its VMM, at once" ends_with_its_vmm
}

# ---- log, and kvm_stat's options ----

# A header, and records of a time and a number that is not 0 in all of them.
logs_like_vmstat()
{
	"$stats" -l -p "$vmm" -s 0.2 -n 3 -f exits >"$out/log.txt" 2>"$out/log.err" 9>&- || return 1
	cat "$out/log.txt" "$out/log.err"
	[ "$(awk 'NR == 1 { print NF, $1 }' "$out/log.txt")" = "1 exits" ] &&
	[ "$(grep -cE '^[0-9-]{10} [0-9:]{8} +[1-9][0-9]*$' "$out/log.txt")" = 3 ] &&
	grep -q 'from statistics fds' "$out/log.err"
}

repeats_its_header()
{
	"$stats" log -p "$vmm" -s 0.1 -n 21 -f exits 2>/dev/null 9>&- >"$out/log.txt" || return 1
	cat "$out/log.txt"
	[ "$(grep -n '^ *exits$' "$out/log.txt" | tr '\n' ' ' | tr -d ' ')" = "1:exits22:exits" ]
}

logs_csv()
{
	"$stats" -l -c -p "$vmm" -s 0.1 -n 2 -f '(io_)?exits$' >"$out/log.txt" 2>/dev/null 9>&- ||
		return 1
	cat "$out/log.txt"
	[ "$(head -n 1 "$out/log.txt")" = timestamp,exits,io_exits ] &&
	[ "$(grep -cE '^[0-9-]{10} [0-9:]{8},[0-9]+,[0-9]+$' "$out/log.txt")" = 2 ]
}

# -L FILE: appended to, with one header; after SIGHUP in a new file.
rotates()
{
	local logger file=$out/rotated.csv

	rm -f "$file" "$file.1"
	"$stats" -L "$file" -c -p "$vmm" -s 0.1 -n 2 -f exits 2>/dev/null 9>&- || return 1
	"$stats" -L "$file" -c -p "$vmm" -s 0.1 -f exits 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_lines 5 "$file" && mv "$file" "$file.1" && kill -HUP $logger &&
	wait_for_lines 3 "$file" && kill -TERM $logger
	wait $logger || return 1
	head "$file" "$file.1"
	cat "$out/log.err"
	[ "$(grep -c timestamp "$file.1")" = 1 ] && [ "$(head -n 1 "$file")" = timestamp,exits ] &&
	[ -z "$(tail -c 1 "$file.1")" ] &&
	! grep -vE '^(timestamp,exits|[0-9-]{10} [0-9:]{8},[0-9]+)$' "$file" "$file.1"
}

wait_for_lines()
{
	local tries=600

	until [ "$(wc -l <"$2" 2>/dev/null || echo 0)" -ge "$1" ]; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

refuses_other_columns()
{
	echo timestamp,something >"$out/other.csv"
	says 1 'has other columns' -L "$out/other.csv" -c -p "$vmm" -s 0.1 -n 1 -f exits &&
	[ "$(cat "$out/other.csv")" = timestamp,something ]
}

# A disk that is full for a while: whole records, and none is lost. Long ones, for the
# file's last page to be full soon.
survives_a_full_disk()
{
	local logger dir=$out/small status

	mkdir -p "$dir" && mount -t tmpfs -o size=8k none "$dir" || return 1
	"$stats" -L "$dir/log" -c -p "$vmm" -s 0.1 -f '[a-z_]*$' 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_lines 2 "$dir/log" && head -c 8k /dev/zero >"$dir/filler" 2>/dev/null
	truncate -s 4k "$dir/log.part" 2>/dev/null
	wait_for_line 'cannot write to .*No space left' "$out/log.err" $logger
	sleep 1
	[ -z "$(tail -c 1 "$dir/log")" ] || echo "a part of a record is in the file"
	rm -f "$dir/filler" "$dir/log.part"
	wait_for_line 'nothing is lost' "$out/log.err" $logger
	status=$?
	kill -TERM $logger
	wait $logger || status=1
	cp "$dir/log" "$out/survived.csv"
	umount "$dir"
	cat "$out/log.err"
	[ $status -eq 0 ] && ! grep -vE '^(timestamp(,[a-z_]+)+|[0-9-]{10} [0-9:]{8}(,-?[0-9]+)+)$' "$out/survived.csv"
}

skips_zeros()
{
	freeze_vmm || return 1
	"$stats" -l -z -p "$vmm" -s 0.1 -n 5 -f exits >"$out/log.txt" 2>/dev/null 9>&- &&
	cat "$out/log.txt" && [ ! -s "$out/log.txt" ]
}

# Two numbers behind each name, in columns like kvm_stat's; without -i they are the same.
prints_once()
{
	"$stats" -1 -p "$vmm" >"$out/once" 2>/dev/null 9>&- || return 1
	cat "$out/once"
	! grep -vE '^[a-z0-9_]+ +[0-9]+ +-?[0-9]+$' "$out/once" &&
	awk '$1 == "exits" { found = $2 == $3 && $2 > 0 } END { exit !found }' "$out/once" &&
	"$stats" -1 -i -p "$vmm" -f exits 2>/dev/null 9>&- | awk '!($2 > $3) { exit 1 }'
}

log_tests()
{
	check "a VMM to log starts" start_vmm -s -name logged
	check "-l logs like vmstat" logs_like_vmstat
	check "the header is repeated" repeats_its_header
	check "-l -c logs comma-separated values" logs_csv
	check "-L appends to a file, and starts a new one on SIGHUP" rotates
	check "a file with other columns is left alone" refuses_other_columns
	check "a log file that cannot be opened is an error" \
		says 1 'cannot open /nonexistent/log' -L /nonexistent/log -p "$vmm"
	check "a full disk under standard output is an error" log_is_lost
	if [ "$(id -u)" = 0 ] && mkdir -p "$out/small" && mount -t tmpfs none "$out/small" 2>/dev/null; then
		umount "$out/small"
		check "a full disk loses no record" survives_a_full_disk
	else
		skip "a full disk loses no record" "takes the right to mount a small file system"
	fi
	check "-1 prints totals and growth" prints_once
	check "-g chooses a guest" says 0 '^exits ' -1 -g logged -f exits
	check "-f matches from the beginning" says_not 0 '^io_exits' -1 -p "$vmm" -f exits
	check "-f help lists names" says 0 '^  io_exits$' -p "$vmm" -f help
	check "-z leaves out what is all zero" skips_zeros
	stop_vmm
}

log_is_lost()
{
	! "$stats" log -p "$vmm" -s 0.1 -n 2 >/dev/full 2>"$out/lost" 9>&- || return 1
	cat "$out/lost"
	grep -q 'cannot write the output: No space left' "$out/lost"
}

# ---- QMP's words ----

# json_is SCHEMA|STATS: whether standard input is what QEMU would answer
json_is()
{
	jq -e --arg what "$1" '
		def u64: type == "number" and . >= 0;
		def value: type == "boolean" or u64 or (type == "array" and all(.[]; u64));
		def result: .provider == "kvm" and (.stats | length > 0) and
			(keys - ["provider", "qom-path", "stats"] == []) and
			all(.stats[]; keys == ["name", "value"] and (.value | value));
		def entry: (keys - ["base", "bucket-size", "exponent", "name", "type", "unit"] == []) and
			(.exponent | type == "number") and (has("base") == (.exponent != 0)) and
			(.type | IN("cumulative", "instant", "peak", "linear-histogram", "log2-histogram")) and
			(has("unit") | not) or (.unit | IN("bytes", "seconds", "cycles", "boolean"));
		def schema: keys == ["provider", "stats", "target"] and all(.stats[]; entry);
		keys == ["return"] and (.return | length == 3 or $what == "schema") and
		all(.return[]; if $what == "schema" then schema else result end)'
}

# The same numbers as in the table, while they stand still.
json_agrees()
{
	freeze_vmm || return 1
	"$stats" read -p "$vmm" -j --vcpu 0 9>&- | jq -r '.return[0].stats[] |
		select(.value | type == "number") | "\(.name) \(.value)"' | sort >"$out/json"
	"$stats" read -p "$vmm" --vcpu 0 9>&- | awk '$1 == "vcpu0" && $5 == "" && $4 != "samples" &&
		$3 ~ /^[0-9]+$/ { print $2, $3 }' | sort >"$out/table"
	diff "$out/table" "$out/json" && [ -s "$out/json" ]
}

pipe_to_json()
{
	local what=$1

	shift
	"$stats" "$@" 9>&- | tee "$out/answer" | json_is "$what"
}

json_tests()
{
	if ! command -v jq >/dev/null; then
		skip "--json has the shape of QMP's answers" "jq is not installed"
		return
	fi
	check "a VMM to ask starts" start_vmm -s
	check "read --json has the shape of query-stats" pipe_to_json stats read -p "$vmm" --json
	check "schema --json has the one of query-stats-schemas" pipe_to_json schema schema -p "$vmm" --json
	check "it has the numbers of the table" json_agrees
	check "a VMM is to be chosen" several_vmms_are_too_many
	stop_vmm
}

several_vmms_are_too_many()
{
	local status

	start_another_vmm || return 1
	says 1 'there are [0-9]+: choose' read --json
	status=$?
	stop_another_vmm
	return $status
}

# ---- other sources ----

# All exits of this VMM are for I/O; but the counters of two tracepoints are neither enabled
# nor read at the same moment.
tracepoints_count()
{
	"$stats" -t -1 -p "$vmm" -f kvm_ >"$out/once" 2>"$out/once.err" 9>&-
	cat "$out/once.err"
	awk '$2 != 0' "$out/once"
	awk '$1 == "kvm_userspace_exit" { all = $2 }
		$1 == "kvm_userspace_exit(IO)" { io = $2 }
		END { exit !(all > 0 && (io - all) ^ 2 <= (all / 1000 + 8) ^ 2) }' "$out/once" &&
	grep -q 'from tracepoints' "$out/once.err"
}

source_tests()
{
	check "a VMM for other sources starts" start_vmm -s
	if "$stats" -t -1 -f kvm_userspace_exit 9>&- >"$out/once" 2>&1; then
		check "tracepoints count what the threads of a VMM do" tracepoints_count
		check "a part of a tracepoint brings the whole" \
			says 0 '^kvm_userspace_exit +' -t -1 -p "$vmm" -f 'kvm_userspace_exit.IO'
	else
		skip "tracepoints are counted" "$(head -n 1 "$out/once")"
	fi
	if "$stats" -d -1 -p "$vmm" 9>&- >"$out/once" 2>&1; then
		check "debugfs has sums" says 0 'from debugfs, sums' -d -1 -p "$vmm"
		check "debugfs has no single vCPUs" says 1 'has sums over vCPUs only' -d -1 -p "$vmm" --vcpu 0
	else
		skip "debugfs is read" "$(head -n 1 "$out/once")"
	fi
	stop_vmm
}

# ---- a monitor at work ----

# For a moment, beside the one that is there.
start_another_vmm()
{
	"$out/vmm" -s "$@" <"$out/vmm.in" >"$out/another.out" 2>&1 9>&- &
	another=$!
	wait_for_line '^ready$' "$out/another.out" $another
}

stop_another_vmm()
{
	kill $another
	wait $another 2>/dev/null
}

held_vcpus()
{
	ls -l "/proc/$1/fd" | grep -c 'kvm-vcpu-stats'
}

# VMMs come and go while one kvm-stats runs: it tells, and lets their fds go.
follows_vmms()
{
	local logger with without

	"$stats" log -s 0.2 -f exits >"$out/log.txt" 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_line 'VMM.* from' "$out/log.err" $logger &&
	start_another_vmm -c 1 -name late &&
	wait_for_line "process $another .*late.* has appeared: 1 VM, 1 vCPU" "$out/log.err" $logger
	with=$(held_vcpus $logger)
	stop_another_vmm
	wait_for_line "process $another .* has ended" "$out/log.err" $logger
	without=$(held_vcpus $logger)
	kill $logger
	wait $logger
	cat "$out/log.err"
	echo "statistics fds of vCPUs held with it: $with, without: $without"
	[ "$with" = $((without + 1)) ]
}

# With what the monitor is made of, as gcc makes it for people. monitor_program NAME [FLAG]...
monitor_program()
{
	local name=$1 rooms="debugfs exit_reason filter monitor output perf_group processes source
		source_debugfs source_fd source_tracepoints stat_set target total tracepoints"

	shift
	gcc -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$command" \
		-I"$lib" "$@" -o "$out/$name" "$command/tests/$name.c" \
		$(printf "$out/gcc/obj/%s.o " $rooms) "$out/gcc/lib/libkvmstats.a"
}

build_monitor_test()
{
	monitor_program monitor_test -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
}

samples_10000_times()
{
	"$out/monitor_test" "$vmm" 10000 9>&-
}

# Where there is nobody else: /proc has the VMM that stays, and the one that comes and goes.
samples_while_others_pass()
{
	rm -f "$out/many.out"
	gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -o "$out/many_vcpus" "$command/tests/many_vcpus.c" &&
	unshare --pid --fork --mount-proc --kill-child bash -c '
		sleep infinity | "$1/many_vcpus" 16 -s >"$1/many.out" &
		for ((i = 0; i < 100; i++)); do
			[ -s "$1/many.out" ] || sleep 0.1
		done
		"$1/monitor_test" all 10000 "$1/many_vcpus" 64 -s' - "$out" 9>&-
}

reads_on_without_files()
{
	monitor_program blind_test && "$out/blind_test" "$vmm" 9>&-
}

monitor_tests()
{
	check "a VMM to watch starts" start_vmm -s
	check "VMMs that appear and end are noticed" follows_vmms
	check "a monitor that runs out of files reads on, and tells it once" reads_on_without_files
	check "monitor_test builds" build_monitor_test
	check "memory does not grow over 10,000 samples, and nothing is allocated for them" \
		samples_10000_times
	if unshare --pid --fork --mount-proc true 2>/dev/null; then
		check "nor does it while VMMs come and go" samples_while_others_pass
	else
		skip "nor does it while VMMs come and go" "takes the right to a PID namespace"
	fi
	stop_vmm
}

duplicate_tests()
{
	check "a VMM with duplicated fds starts" start_vmm -s -d
	check "each VM and vCPU is counted once" says 0 "^ +$vmm  vmm +1 +2  " list
	stop_vmm
}

several_vms_tests()
{
	check "a VMM with two VMs starts" start_vmm -s -m 2 -c 1
	check "both VMs are found" says 0 "^ +$vmm  vmm +2 +2  " list
	check "vCPUs are not ascribed to one of them" \
		says 0 '^vm\?/vcpu0#[0-9]+ +exits ' read -p "$vmm"
	check "VMs are told apart" says 0 '^vm1 +remote_tlb_flush ' read -p "$vmm" --vm
	stop_vmm
}

no_fds_tests()
{
	check "a VMM without statistics fds starts" start_vmm
	if "$stats" read -p "$vmm" 9>&- >/dev/null 2>&1; then
		skip "that the VMM holds none is explained" "this kernel opens them for us"
	else
		check "that the VMM holds none is explained" \
			says 1 'opens statistics for the VMM only' read -p "$vmm"
		check "list shows the VMM all the same" says 0 "^ +$vmm  vmm +1 +2  none " list
	fi
	stop_vmm
}

# completes REGEX WORD...: what bash offers for the last word behind "kvm-stats"
completes()
{
	local regex=$1

	shift
	bash -c '. "$1"
		COMP_WORDS=("${@:2}")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_kvm_stats
		echo "${COMPREPLY[*]}"' - "$command/kvm-stats.bash" "$stats" "$@" >"$out/completed"
	cat "$out/completed"
	grep -Eq -e "$regex" "$out/completed"
}

bad_argument_tests()
{
	check "no command is a usage error" says 2 '^Usage'
	check "an unknown command is one" says 2 "no command 'frob'" frob
	check "an unknown option is one" says 2 '^Usage' read --frob
	check "a process that has no number is one" says 2 "not '0'" read -p 0
	check "completion knows the commands" completes "^list log read schema serve top\$" ""
	check "and the options of each" completes '(^| )--base-units --pid' read --
	check "and those of kvm_stat" completes '(^| )-1 --once -l ' -
	check "a guest that is not there is told" says 1 "no guest is named 'nobody'" read -g nobody
	check "a PID that is no number is one" says 2 "not '12x'" read -p 12x
	check "an interval that is no number is one" says 2 "not 'often'" read -p 1 -i often
	check "an interval of no time is one" says 2 "not '0'" read -p 1 -i 0
	check "a count of none is one" says 2 "not '0'" read -p 1 -c 0
	check "a regular expression that is none is one" says 2 'regular expression' read -p 1 -f '['
	check "vCPUs in no order are one" says 2 "not '3-1'" read -p 1 --vcpu 3-1
	check "words beside options are one" says 2 "found 'word'" read -p 1 word
	check "help is no error" says 0 '^Usage' read --help
	check "-c without -l is one" says 2 'takes -l or -L as well' -c
	check "-1 with -l is one" says 2 'exclude each other' -1 -l
	check "a delay of no time is one" says 2 "not '0'" -l -s 0
	check "a process without VMs is told" says 1 'not a KVM VMM' read -p $$
	check "a process that is gone is told" says 1 'no such process' read -p "$(sh -c 'echo $$')"
	if [ "$(id -u)" = 0 ] && may_ptrace && command -v setpriv >/dev/null; then
		check "a process that must not be looked into is told" without_ptrace
		check "of the rights to do so those that are missing are named" names_what_is_missing
	else
		skip "a process that must not be looked into is told" "takes root with CAP_SYS_PTRACE"
	fi
}

# denied_with CAPABILITIES: what an unprivileged user who has them is told of this shell
denied_with()
{
	local caps=${1:+,+${1//,/,+}}

	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps="-all$caps" \
		--ambient-caps="-all$caps" /proc/self/fd/8 read -p "$$" \
		>"$out/denied" 2>&1 8<"$out/gcc/kvm-stats.static"
	cat "$out/denied"
}

# Of the two rights that it takes, exactly those that are missing are named.
names_what_is_missing()
{
	denied_with '' && grep -q 'with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH (as root)' "$out/denied" &&
	denied_with dac_read_search && grep -q 'with CAP_SYS_PTRACE (as root)' "$out/denied" &&
	denied_with sys_ptrace && grep -q 'has CAP_SYS_PTRACE, but lacks CAP_DAC_READ_SEARCH' "$out/denied" &&
	denied_with sys_ptrace,dac_read_search && grep -q 'not a KVM VMM' "$out/denied"
}

# Why no VM can be run and looked at here; nothing if one can.
no_vm_because()
{
	if ! gcc -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE -pthread \
		-o "$out/vmm" "$command/tests/vmm.c" >"$out/log" 2>&1; then
		echo "the small VMM does not build: $(head -n 1 "$out/log")"
	elif ! start_vmm -s; then
		echo "$(cat "$out/vmm.err")"
	fi
	stop_vmm
}

mkdir -p "$out"
scripts/packages tools >&2 || { echo "Bail out! what the tools are built with cannot be installed"; exit 1; }
echo "TAP version 13"
build
for test in schema_test sample_test unit_test damage_test make_test handed_test; do
	unit_test $test "$lib/tests/$test.c"
done
unit_test total_test "$command/tests/total_test.c" \
	$(rooms column exit_reason filter output row source stat_set target total)
exit_reason_tests
fuzz_tests
example_tests
bad_argument_tests
why=$(no_vm_because)
if [ -n "$why" ]; then
	skip "kvm-stats against a real VMM" "$why"
else
	taken_tests
	log_tests
	json_tests
	source_tests
	monitor_tests
	running_example_tests
	duplicate_tests
	several_vms_tests
	no_fds_tests
fi
echo "1..$points"
[ "$failures" -eq 0 ]
