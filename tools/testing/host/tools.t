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
stats=$out/checked/kvm-stats
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

for room in build library vmm read log json sources monitor arguments; do
	. "$(dirname "$0")/tools/$room.sh"
done

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
