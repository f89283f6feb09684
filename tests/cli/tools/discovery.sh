# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: which processes are VMMs, and when they are found.
# shellcheck shell=bash

# The process is older than its VM.
finds_late_vm()
{
	local logger status=0

	: >"$out/late.err"
	"$stats" log -i 0.5 -f '^exits$' >"$out/late.out" 2>"$out/late.err" 9>&- &
	logger=$!
	wait_for_line 'watching [0-9]* VMM' "$out/late.err" "$logger" && echo vm >&9 &&
	wait_for_line "PID $vmm .* has appeared" "$out/late.err" "$logger" || status=1
	stop "$logger"
	cat "$out/late.err"
	return "$status"
}

# The names of these threads have the number of the vCPU.
has_threads()
{
	local list

	"$stats" list --json -p "$vmm" 2>/dev/null 9>&- >"$out/found"
	cat "$out/found"
	list=$(jq -r '.vmms[0].threads[] | "\(.vcpu) \(.tid)"' "$out/found") || return
	[ "$(wc -l <<<"$list")" = 2 ] || return
	while read -r vcpu tid; do
		grep -x "CPU $vcpu/KVM" "/proc/$vmm/task/$tid/comm" || return
	done <<<"$list"
}

discovery_tests()
{
	check "a VMM whose threads have names starts" start_vmm -name "threads.$$"
	check "list --json has the thread of each vCPU" has_threads
	stop_vmm
	check "a VMM without a VM starts" start_vmm -l -name "late.$$"
	check "a VM is found when it is created later" finds_late_vm
	stop_vmm
}
