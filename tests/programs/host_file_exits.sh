#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The statistics of exits in the host file: the test cases of exits_test, and those of exit_stats, which
# read it, and `kvm-stats publish --exits`.
#
# shellcheck shell=dash

# shellcheck source=lib/suite.sh
. "${0%/*}/suite.sh"
dir=${0%/*}
work=/tmp/host_file_exits.$$
host=/run/kvm-stats/host.pin
pins=/run/kvm-stats/bpf

# prints PATTERN ARGUMENT...: the command publish succeeds, and prints this
prints()
{
	local pattern=$1

	shift
	kvm-stats publish "$@" >"$work/output" 2>&1 || { cat "$work/output"; return 1; }
	cat "$work/output"
	grep -qE "$pattern" "$work/output"
}

tracepoints_are_pinned()
{
	[ "$(find "$pins" -name 'exits-*' | wc -l)" = 4 ]
}

no_tracepoint_is_pinned()
{
	[ "$(find "$pins" -name 'exits-*' | wc -l)" = 0 ] && ! kvm-stats publish --status | grep '^exits:'
}

# KVM's module can be removed only while no tracepoint is used.
is_detached()
{
	[ "$(cat /sys/module/kvm/refcnt)" = "$refcnt" ]
}

mkdir "$work" || exit
refcnt=$(cat /sys/module/kvm/refcnt)
include_results "$dir/exits_test"
check "exits_test ends with a plan" [ $? = 0 ]
check "publish --check --exits proves the programs" prints '^exits: counted by class$' --check --exits
check "publish --exits publishes the file" prints "^$host: published" --exits
check "the tracepoints are pinned" tracepoints_are_pinned
check "publish --status reports that exits are counted" prints '^exits: counted by class$' --status
include_results "$dir/exit_stats"
check "exit_stats ends with a plan" [ $? = 0 ]
check "publish --exits again is possible" prints "^$host: published" --exits
check "the tracepoints are pinned again" tracepoints_are_pinned
check "publish without --exits publishes the file" prints "^$host: published"
check "it no longer counts exits" no_tracepoint_is_pinned
check "publish --exits counts them again" prints "^$host: published" --exits
check "publish --remove removes it" kvm-stats publish --remove
check "no program is attached then" wait_until is_detached
rm -r "$work"
finish
