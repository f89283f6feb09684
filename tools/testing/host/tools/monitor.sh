# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: kvm-stats while VMMs start and end.
# shellcheck shell=bash

# count_vcpu_fds PID: print how many statistics fds of vCPUs the process has open
count_vcpu_fds()
{
	find "/proc/$1/fd" -lname '*kvm-vcpu-stats*' | wc -l
}

# log has one statistics fd for the vCPU of a VMM, and closes it when the VMM ends.
closes_fds()
{
	local logger with without first=$vmm late

	# Other VMMs can start and end at the same time. The new process could empty the file only after
	# wait_for_line has read it.
	: >"$out/log.err"
	"$stats" log -g "[el]a[rt]*.$$" -i 0.2 -f exits >"$out/log.txt" 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_line 'watching .* VMM' "$out/log.err" "$logger" &&
	start_vmm -s -c 1 -name "late.$$"
	late=$vmm
	wait_for_line "PID $late .*late.* has appeared: 1 VM, 1 vCPU" "$out/log.err" "$logger"
	with=$(count_vcpu_fds "$logger")
	stop_vmm
	vmm=$first
	wait_for_line "PID $late .* has ended" "$out/log.err" "$logger"
	without=$(count_vcpu_fds "$logger")
	stop "$logger"
	cat "$out/log.err"
	echo "statistics fds of vCPUs with the VMM: $with, without: $without"
	[ "$with" = $((without + 1)) ]
}

monitor_tests()
{
	check "a VMM for the monitor starts" start_vmm -s -name "early.$$"
	check "log closes the statistics fds of a VMM that ends" closes_fds
	stop_vmm
}
