# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: the suite of the command, which also runs in the test machines, and what it leaves
# out because it needs bash.
# shellcheck shell=bash

# Each test case of the suite is one of this test.
suite_tests()
{
	local line

	check "the suite builds" make -s -C "$ROOT/tools/testing/guest" OUT="$out/suite" TESTS= all
	KVM_STATS=$stats "$out/suite/kvm_stats_cli" >"$out/suite.out" 2>&1
	while read -r line; do
		case $line in
		"ok "*" # SKIP "*) skip "${line#ok * - }" "${line#* # SKIP }" ;;
		"ok "*) result 0 "${line#ok * - }" ;;
		"not ok "*) tap_log='' result 1 "${line#not ok * - }" ;;
		1..*) check "the suite runs to its end" true ;;
		*) echo "# ${line#\# }" ;;
		esac
	done <"$out/suite.out"
}

vmm_completion_tests()
{
	check "a VMM for completion starts" start_vmm -name "guest=one,,two.$$,debug-threads=on"
	check "completion offers the PIDs of VMMs" completes "(^| )$vmm( |\$)" read -p ''
	check "completion offers the names of guests" \
		completes "(^| )one.,.,two[.]$$"'( |$)' read -g ''
	stop_vmm
}
