# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: kvm-stats while VMMs start and end, and its use of memory.
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

samples_10000_times()
{
	"$plain/tests/monitor_memory" "$vmm" 10000 9>&-
}

# /proc of the PID namespace has one VMM that stays, and one that starts and ends repeatedly.
samples_while_vmms_come_and_go()
{
	rm -f "$out/many.out"
	# shellcheck disable=SC2016 # another shell expands this
	unshare --pid --fork --mount-proc --kill-child bash -c '
		sleep infinity | "$1/many_vcpus" 16 -s >"$2/many.out" &
		for ((i = 0; i < 100; i++)); do
			[ -s "$2/many.out" ] || sleep 0.1
		done
		"$1/monitor_memory" all 10000 "$1/many_vcpus" 64 -s' - "$plain/tests" "$out" 9>&-
}

monitor_tests()
{
	local what="memory does not grow while VMMs start and end"

	check "a VMM for the monitor starts" start_vmm -s -name "early.$$"
	check "log closes the statistics fds of a VMM that ends" closes_fds
	# Build without sanitizers, because they use memory of their own.
	check "monitor_memory builds" build_plain "$plain/tests/monitor_memory"
	check "memory does not grow over 10,000 samples, and samples allocate nothing" \
		samples_10000_times
	if unshare --pid --fork --mount-proc true 2>/dev/null; then
		check "$what" samples_while_vmms_come_and_go
	else
		skip "$what" "needs permission to create a PID namespace"
	fi
	stop_vmm
}
