#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the read functions of virt/kvm/kvm_stats.c in user space, on a fake VM: values
# that change during a read are delivered whole, and random reads deliver what a regular
# file would. The same tests must fail on code with injected bugs.
#
# usage: tools/testing/host/native.t
#
# TOP in the environment is the tree that has the kernel's files, by default this one.

set -u

top=$(cd "$(dirname "$0")/../../.." && pwd -P)
native=$top/tools/testing/native
out=$top/build/native
tree=${TOP:-$top}
. "$(dirname "$0")/tap.sh"
point_log=$out/log

# build TREE OUT: compile the code of TREE and the tests of it
build()
{
	make -C "$native" TOP="$1" OUT="$2" >"$out/log" 2>&1
}

# run PROGRAM NAME: its checks are checks of this test
run()
{
	local status=0

	timeout 120 "$1" >"$out/output" 2>"$out/log" || status=$?
	adopt "$out/output"
	grep -q '^1\.\.' "$out/output" && [ "$status" -le 1 ]
	point $? "$2 runs to its end"
}

# build_mutation NAME: compile the code with the injected bug NAME, in $out/NAME
build_mutation()
{
	local copy=$out/$1/tree

	rm -rf "${copy:?}"
	mkdir -p "$copy/arch/x86"
	cp -r "$tree/virt" "$tree/include" "$copy/"
	cp -r "$tree/arch/x86/include" "$copy/arch/x86/"
	GIT_CEILING_DIRECTORIES=$out git -C "$copy" apply -C1 \
		"$top/tools/testing/boot/mutations/$1.patch" >"$out/log" 2>&1 &&
		build "$copy" "$out/$1"
}

# must_fail NAME PROGRAM CHECKS: with the injected bug NAME, all checks whose names match
# CHECKS fail
must_fail()
{
	local check

	build_mutation "$1"
	point $? "the code with the injected bug $1 compiles"
	timeout 120 "$out/$1/$2" >"$out/output" 2>&1
	grep -E "^(not )?ok .*$3" "$out/output" >"$out/checks"
	point "$([ -s "$out/checks" ]; echo $?)" "the test of $1 runs"
	while IFS= read -r check; do
		case $check in
		*"# SKIP"*) skip "$1 is found" "${check##*# SKIP }" ;;
		*)
			grep -q '^not ok' <<<"$check"
			point $? "$1 is found: ${check#*- }"
			;;
		esac
	done <"$out/checks"
}

"$top/scripts/packages" boot-tests base >&2 || { echo "Bail out! packages are missing"; exit 1; }
mkdir -p "$out"
echo "TAP version 13"
build "$tree" "$out"
point $? "the code compiles for user space"
run "$out/whole_test" "the test of whole values"
run "$out/random_test" "the test of random reads"
# Whether another thread changes a value between its halves is a matter of luck.
must_fail stats-torn-copy whole_test "between instructions"
must_fail stats-wrong-length random_test "random reads"
must_fail stats-block-border random_test "random reads"
echo "1..$points"
[ "$failures" = 0 ]
