# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: the test program kvm_stats_cli, which also runs in the test machines, and
# completion in bash.
# shellcheck shell=bash

# Each test case of kvm_stats_cli is one of tools.t.
cli_tests()
{
	local line

	check "kvm_stats_cli builds" make -s -C "$ROOT/tools/testing/programs" OUT="$out/programs" TESTS= all
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
