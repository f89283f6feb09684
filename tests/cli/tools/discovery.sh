# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: which processes are VMMs, and when they are found.
# shellcheck shell=bash

# count_lines COUNT REGEX FILE
count_lines()
{
	[ "$(grep -cE -e "$2" "$3")" = "$1" ] && return
	echo "expected $1: $2"
	cat "$3"
	return 1
}

# Other processes hold the fds of the VM, too.
has_one_guest()
{
	echo fork >&9 && echo fork >&9 &&
	until_true 10 count_lines 2 '^forked' "$out/vmm.out" || return
	"$stats" list -g "forked.$$" >"$out/found" 2>&1 9>&-
	count_lines 1 "forked[.]$$" "$out/found" && count_lines 1 "^ *$vmm " "$out/found" || return
	"$stats" serve --once -g "forked.$$" >"$out/found" 2>"$out/found.err" 9>&-
	count_lines 1 '^kvm_guest_info[{]' "$out/found"
}

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

thread_tests()
{
	check "a VMM whose threads have names starts" start_vmm -name "threads.$$"
	check "list --json has the thread of each vCPU" has_threads
	stop_vmm
}

discovery_tests()
{
	thread_tests
	check "a VMM that starts other processes starts" start_vmm -s -name "forked.$$"
	check "processes that inherit the fds of a VM are not guests" has_one_guest
	stop_vmm
	check "a VMM without a VM starts" start_vmm -l -name "late.$$"
	check "a VM is found when it is created later" finds_late_vm
	stop_vmm
}
