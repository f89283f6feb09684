#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the read functions of virt/kvm/kvm_stats.c in user space, on a fake VM. A read must
# return whole values although they change during the read, and random reads must return what
# a regular file would return. The same tests must fail on code with injected bugs.
#
# usage: native.t
#
# TOP in the environment names the tree that has the kernel's files (default: this one).

set -u

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
native=$ROOT/tools/testing/host/native
out=$ROOT/build/native
tree=${TOP:-$ROOT}
tap_log=$out/log

# build TREE OUT: compile the code of TREE and its tests
build()
{
	make -C "$native" TOP="$1" OUT="$2" >"$out/log" 2>&1
}

# run_program PROGRAM NAME: report the test cases of the program
run_program()
{
	local status=0

	timeout 120 "$out/$1" >"$out/output" 2>"$out/log" || status=$?
	adopt "$out/output"
	grep -q '^1\.\.' "$out/output" && [ "$status" -le 1 ]
	result $? "$2 runs to its end"
}

# build_bug NAME: compile the code with the injected bug NAME, in $out/NAME
build_bug()
{
	local copy=$out/$1/tree

	rm -rf "${copy:?}"
	mkdir -p "$copy/arch/x86"
	cp -r "$tree/virt" "$tree/include" "$copy/"
	cp -r "$tree/arch/x86/include" "$copy/arch/x86/"
	GIT_CEILING_DIRECTORIES=$out git -C "$copy" apply -C1 \
		"$ROOT/tools/testing/kernel/bugs/main/$1.patch" >"$out/log" 2>&1 &&
		build "$copy" "$out/$1"
}

# must_fail NAME PROGRAM CASES: with the injected bug NAME, all test cases whose names match
# CASES must fail
must_fail()
{
	local line

	build_bug "$1"
	result $? "the code with the injected bug $1 compiles"
	timeout 120 "$out/$1/$2" >"$out/output" 2>&1
	grep -E "^(not )?ok .*$3" "$out/output" >"$out/cases"
	[ -s "$out/cases" ]
	result $? "the test cases that must find $1 run"
	while IFS= read -r line; do
		case $line in
		*"# SKIP"*) skip "$1 makes a test case fail" "${line##*# SKIP }" ;;
		*)
			grep -q '^not ok' <<<"$line"
			result $? "$1 makes this test case fail: ${line#*- }"
			;;
		esac
	done <"$out/cases"
}

"$ROOT/scripts/packages" boot-tests base >&2 || bail_out "packages are missing"
mkdir -p "$out"
begin
build "$tree" "$out"
result $? "the code compiles for user space"
run_tests run_program whole_test "the test of whole values"
run_tests run_program random_test "the test of random reads"
# Only the test cases that change values between two instructions always find this bug. In the
# test cases with another thread, success depends on timing.
run_tests must_fail torn-copy whole_test "between instructions"
run_tests must_fail wrong-length random_test "random reads"
run_tests must_fail block-border random_test "random reads"
run_tests must_fail beyond-online random_test "VM with(out vCPUs| 1 vCPU): the parts"
finish
