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
# shellcheck source=tools/json.sh
. "$ROOT/tests/cli/tools/json.sh"
# shellcheck source=tools/origins.sh
. "$ROOT/tests/cli/tools/origins.sh"
# shellcheck source=../lib/stats.sh
. "$ROOT/tests/lib/stats.sh"

# For the functions of stats.sh
work=$out

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

cli_tests()
{
	check "kvm_stats_cli builds" make -s -C "$ROOT/tests/programs" OUT="$out/programs" TESTS= all
	KVM_STATS=$stats include_results "$out/programs/kvm_stats_cli"
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

# has_enough_lines COUNT FILE
has_enough_lines()
{
	[ "$(wc -l 2>/dev/null <"$2" || echo 0)" -ge "$1" ]
}

# Fill the file system for a while. Records are lost, the log file has only whole ones, and the log
# goes on when there is space. Log all statistics, so that records soon need another page.
survives_a_full_disk()
{
	local logger dir=$out/small status=0

	mkdir -p "$dir" && mount -t tmpfs -o size=8k none "$dir" || return 1
	"$stats" log -o "$dir/log" --csv -p "$vmm" -i 0.1 -f . 2>"$out/log.err" 9>&- &
	logger=$!
	until_true 60 has_enough_lines 2 "$dir/log" && head -c 8k /dev/zero >"$dir/filler" 2>/dev/null
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
	! grep -vE '^(timestamp,pid,guest(,[a-z0-9_]+)+|[0-9T:.+-]{29},[0-9]+,"logged[.][0-9]+"(,[0-9.]*)+)$' \
		"$out/survived.csv"
}

creates_readable_file()
{
	rm -f "$out/readable.log"
	(umask 077 && "$stats" log -o "$out/readable.log" -c 1 -i 0.1 -p "$vmm" -f '^exits$' 9>&-)
	[ "$(stat -c %a "$out/readable.log")" = 644 ]
}

# A name of 500 characters makes no column wide: the name is the last one, and is cut.
cuts_long_names()
{
	run 0 log -i 0.2 -c 1 -p "$vmm" &&
	awk '/^TIME / { head = $0; next } length($0) > length(head) + 40 { bad = 1 } END { exit bad || NR < 2 }' \
		"$work/stdout"
}

log_tests()
{
	local other

	check "another VMM for log starts" start_vmm -s -name "$(printf 'long.%0500d' 0)"
	other=$vmm
	check "a long name does not widen the lines of log" cuts_long_names
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
	vmm=$other
	stop_vmm
}

trap 'stop_vmms; exit 1' INT TERM
trap 'explain_exit "$out/log"; stop_vmms' EXIT

"$ROOT/scripts/packages" tools >&2 || bail_out "packages cannot be installed"
begin
run_tests build_tests
run_tests fuzz_tests
run_tests example_tests
run_tests argument_tests
run_tests no_kvm_tests
why=$(why_no_vm)
if [ -n "$why" ]; then
	skip "kvm-stats reads a real VMM" "$why"
else
	run_tests vmm_completion_tests
	run_tests origin_tests
	why=$(why_no_statistics)
	if [ -n "$why" ]; then
		skip "kvm-stats reads the statistics of a real VMM" "$why"
	else
		run_tests cli_tests
		run_tests log_tests
		run_tests json_tests
		run_tests running_example_tests
	fi
fi
finish
