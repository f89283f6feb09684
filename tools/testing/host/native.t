#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the read functions of virt/kvm/kvm_stats.c in user space, on a fake VM: values
# that change during a read are delivered whole, and random reads deliver what a regular
# file would. The same test must fail on code that loads values in halves.
#
# usage: tools/testing/host/native.t
#
# TOP in the environment is the tree that has the kernel's files, by default this one.

set -u

top=$(cd "$(dirname "$0")/../../.." && pwd -P)
native=$top/tools/testing/native
out=$top/build/native
. "$(dirname "$0")/tap.sh"
point_log=$out/log

# build OUT [VARIABLE=VALUE]...
build()
{
	make -C "$native" TOP="${TOP:-$top}" OUT="$1" "${@:2}" >"$out/log" 2>&1
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

# Each of these checks must fail on the code with the injected bug. Those with another
# thread may fail too, but that depends on when the CPUs meet.
must_fail()
{
	local name

	timeout 120 "$out/torn/whole_test" >"$out/output" 2>&1
	grep 'between instructions' "$out/output" | sed 's/.* - //' >"$out/names"
	point "$([ -s "$out/names" ]; echo $?)" "the test of values loaded in halves runs"
	while IFS= read -r name; do
		case $name in
		*"# SKIP"*) skip "the injected bug is found: ${name%% # SKIP*}" "${name##*# SKIP }" ;;
		*)
			grep -qF -e "not ok" <(grep -F -e " - $name" "$out/output")
			point $? "the injected bug is found: ${name##*: }"
			;;
		esac
	done <"$out/names"
}

mkdir -p "$out"
echo "TAP version 13"
if build "$out"; then
	point 0 "the code compiles for user space"
	run "$out/whole_test" "the test of whole values"
	run "$out/random_test" "the test of random reads"
else
	point 1 "the code compiles for user space"
fi
if build "$out/torn" TORN=1; then
	point 0 "the code with an injected bug compiles"
	must_fail
else
	point 1 "the code with an injected bug compiles"
fi
echo "1..$points"
[ "$failures" = 0 ]
