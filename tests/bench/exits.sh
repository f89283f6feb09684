#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs in the machine of bench: the instructions of an exit and of a context switch while no program is
# attached, while exits are counted of other VMs, and of all, by one and by two users, while the same
# tracepoints are written to the buffers of ftrace and of perf, and while --switches finds the threads that
# take CPUs.
#
# shellcheck shell=dash
dir=${0%/*}
events=/sys/kernel/tracing/events/kvm
number=0

# rows NAME [PERF]: print the rows "ok N - EXIT: NAME: COUNT"
rows()
{
	{ "$dir/bench" ': exit' ${2:+"$2"}; "$dir/bench" SWITCH ${2:+"$2"}; } |
		sed -n 's/^ok [0-9]* - \([A-Z]*\): .*: /\1 /p' >/tmp/rows
	while read -r exit count; do
		number=$((number + 1))
		echo "ok $number - $exit: $1: $count"
	done </tmp/rows
}

# rows_while NAME MODE...: the same while one exits_test for each MODE counts the exits of all VMs, or
# of none
rows_while()
{
	local name=$1 mode

	shift
	rm -f /tmp/end
	mkfifo /tmp/end
	: >/tmp/ready
	for mode; do
		"$dir/exits_test" "$mode" </tmp/end >>/tmp/ready 2>&1 &
	done
	exec 7>/tmp/end
	until [ "$(wc -l </tmp/ready)" -ge $# ]; do usleep 10000; done
	! grep -vx ready /tmp/ready || { echo "Bail out! $(cat /tmp/ready)"; exit 1; }
	rows "$name"
	exec 7>&-
	wait
}

rows_of_switches()
{
	kvm-stats why --switches --for 600 >/tmp/why 2>&1 &
	sleep 5
	kill -0 $! || { echo "Bail out! $(cat /tmp/why)"; exit 1; }
	rows "$1"
	kill $!
	wait
}

trace()
{
	local event

	for event in kvm_entry kvm_exit kvm_userspace_exit kvm_vcpu_wakeup; do
		echo "$1" >$events/$event/enable
	done
}

echo 1..24
rows off
rows_while 'other VMs' chosen
rows_while 'all VMs' all
rows_while 'all VMs, two users' all all
trace 1
rows ftrace
trace 0
rows perf perf
rows_of_switches 'why --switches'
rows 'off again'
