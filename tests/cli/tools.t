#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the library and the kvm-stats command on the build host: they build and install, and
# the commands list, schema, read, query and log report what a real VM does, where KVM is available.
# `make check` in tools/lib/kvmstats and tools/kvm/kvm_stats runs the unit tests.
#
# usage: tools.t

set -u

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"
# shellcheck source=tools/build.sh
. "$ROOT/tests/cli/tools/build.sh"
# shellcheck source=tools/arguments.sh
. "$ROOT/tests/cli/tools/arguments.sh"
# shellcheck source=tools/unreadable.sh
. "$ROOT/tests/cli/tools/unreadable.sh"
# shellcheck source=tools/discovery.sh
. "$ROOT/tests/cli/tools/discovery.sh"
# shellcheck source=tools/json.sh
. "$ROOT/tests/cli/tools/json.sh"
# shellcheck source=tools/sources.sh
. "$ROOT/tests/cli/tools/sources.sh"

# run_stats STATUS ARGUMENT...: run kvm-stats, leave its output in $found, and fail if its exit
# status is not STATUS
run_stats()
{
	local expected=$1 status

	shift
	found=$("$stats" "$@" 2>&1 9>&-)
	status=$?
	printf '%s\n' "$found"
	[ "$status" -eq "$expected" ] && return
	echo "expected exit status $expected, found $status"
	return 1
}

# prints STATUS REGEX ARGUMENT...: kvm-stats exits with STATUS, and a line of its output
# matches REGEX
prints()
{
	local status=$1 regex=$2 found

	shift 2
	run_stats "$status" "$@" && grep -Eq -e "$regex" <<<"$found"
}

# completes REGEX WORD...: return 0 if the completions that bash offers for the last word of
# "kvm-stats WORD..." match REGEX
completes()
{
	local regex=$1

	shift
	# shellcheck disable=SC2016 # another shell expands this
	bash -c '. "$1"
		COMP_WORDS=("${@:2}")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_kvm_stats
		echo "${COMPREPLY[*]}"' - "$command/share/kvm-stats.bash" "$stats" "$@" >"$out/completed"
	cat "$out/completed"
	grep -Eq -e "$regex" "$out/completed"
}

# The test program kvm_stats_cli, which also runs in the test machines, and completion in bash

# Each test case of kvm_stats_cli is one of tools.t.
cli_tests()
{
	local line

	check "kvm_stats_cli builds" make -s -C "$ROOT/tests/programs" OUT="$out/programs" TESTS= all
	KVM_STATS=$stats "$out/programs/kvm_stats_cli" >"$out/cli.out" 2>&1
	while read -r line; do
		case $line in
		"ok "*" # SKIP "*) skip "${line#ok * - }" "${line#* # SKIP }" ;;
		"ok "*) result 0 "${line#ok * - }" ;;
		"not ok "*) tap_log='' result 1 "${line#not ok * - }" ;;
		*) echo "# ${line#\# }" ;;
		esac
	done <"$out/cli.out"
	check "kvm_stats_cli runs to its end" grep -q '^1\.\.[0-9]' "$out/cli.out"
}

vmm_completion_tests()
{
	check "a VMM for completion starts" start_vmm -name "guest=one,,two.$$,debug-threads=on"
	check "completion offers the PIDs of VMMs" completes "(^| )$vmm( |\$)" read -p ''
	check "completion offers the names of guests" \
		completes "(^| )one.,.,two[.]$$"'( |$)' read -g ''
	stop_vmm
}

# kvm-stats log on a full disk, and while VMMs start and end

# has_lines COUNT FILE
has_lines()
{
	[ "$(wc -l 2>/dev/null <"$2" || echo 0)" -ge "$1" ]
}

# Fill the file system for a while. Records are lost, the log file has only whole ones, and the log
# goes on when there is space. Log all statistics, so that records soon need another page.
survives_a_full_disk()
{
	local logger dir=$out/small status=0

	mkdir -p "$dir" && mount -t tmpfs -o size=8k none "$dir" || return 1
	"$stats" -L "$dir/log" -c -p "$vmm" -s 0.1 -f '[a-z_]*$' 2>"$out/log.err" 9>&- &
	logger=$!
	until_true 60 has_lines 2 "$dir/log" && head -c 8k /dev/zero >"$dir/filler" 2>/dev/null
	truncate -s 4k "$dir/log.part" 2>/dev/null
	wait_for_line 'cannot write to .*No space left' "$out/log.err" "$logger"
	sleep 1
	[ -z "$(tail -c 1 "$dir/log")" ] || echo "the file ends with a part of a record"
	rm -f "$dir/filler" "$dir/log.part"
	wait_for_line 'can write to .* again; [0-9]* lines* could not' "$out/log.err" "$logger" ||
		status=1
	kill -TERM "$logger"
	! wait "$logger" || status=1
	cp "$dir/log" "$out/survived.csv"
	umount "$dir"
	cat "$out/log.err"
	[ "$status" -eq 0 ] &&
	! grep -vE '^(timestamp(,[a-z_]+)+|[0-9-]{10} [0-9:]{8}(,-?[0-9]+)+)$' "$out/survived.csv"
}

creates_readable_file()
{
	rm -f "$out/readable.log"
	(umask 077 && "$stats" log -o "$out/readable.log" -c 1 -i 0.1 -p "$vmm" -f '^exits$' 9>&-)
	[ "$(stat -c %a "$out/readable.log")" = 644 ]
}

log_tests()
{
	check "a VMM for log starts" start_vmm -s -name "logged.$$"
	check "all users can read a new log file" creates_readable_file
	if [ "$(id -u)" = 0 ] && mkdir -p "$out/small" &&
		mount -t tmpfs none "$out/small" 2>/dev/null; then
		umount "$out/small"
		check "a full disk for the log file loses whole records only" survives_a_full_disk
	else
		skip "a full disk for the log file loses whole records only" \
			"needs permission to mount a file system"
	fi
	stop_vmm
}

# count_vcpu_fds PID: print how many statistics fds of vCPUs the process has open
count_vcpu_fds()
{
	find "/proc/$1/fd" -lname '*kvm-vcpu-stats*' | wc -l
}

# log has one statistics fd for the vCPU of a VMM, and closes it when the VMM ends.
closes_fds()
{
	local logger with without first=$vmm late

	# Other VMMs can start and end at the same time. The new process could empty the file only after
	# wait_for_line has read it.
	: >"$out/log.err"
	"$stats" log -g "[el]a[rt]*.$$" -i 0.2 -f exits >"$out/log.txt" 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_line 'watching .* VMM' "$out/log.err" "$logger" &&
	start_vmm -s -c 1 -name "late.$$"
	late=$vmm
	wait_for_line "PID $late .*late.* has appeared: 1 VM, 1 vCPU" "$out/log.err" "$logger"
	with=$(count_vcpu_fds "$logger")
	stop_vmm
	vmm=$first
	wait_for_line "PID $late .* has ended" "$out/log.err" "$logger"
	without=$(count_vcpu_fds "$logger")
	stop "$logger"
	cat "$out/log.err"
	echo "statistics fds of vCPUs with the VMM: $with, without: $without"
	[ "$with" = $((without + 1)) ]
}

monitor_tests()
{
	check "a VMM for the monitor starts" start_vmm -s -name "early.$$"
	check "log closes the statistics fds of a VMM that ends" closes_fds
	stop_vmm
}

trap 'stop_vmms; exit 1' INT TERM
trap 'explain_exit "$out/log"; stop_vmms' EXIT

"$ROOT/scripts/packages" tools >&2 || bail_out "packages cannot be installed"
begin
run_tests build_tests
run_tests exit_reason_tests
run_tests fuzz_tests
run_tests example_tests
run_tests argument_tests
run_tests no_kvm_tests
why=$(why_no_vm)
if [ -n "$why" ]; then
	skip "kvm-stats reads a real VMM" "$why"
else
	run_tests cli_tests
	run_tests vmm_completion_tests
	run_tests unreadable_tests
	run_tests discovery_tests
	run_tests log_tests
	run_tests json_tests
	run_tests source_tests
	run_tests qmp_tests
	run_tests monitor_tests
	run_tests running_example_tests
fi
finish
