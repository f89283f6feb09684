#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs in the machine of bench: the instructions of an exit and of a context switch while no program is
# attached, while exits are counted of other VMs, and of all, while the same tracepoints are written to the
# buffers of ftrace and of perf, and while --switches finds the threads that take CPUs.
#
# shellcheck shell=dash
dir=${0%/*}
events=/sys/kernel/tracing/events/kvm
number=0

# rows NAME [PERF]: print the rows "ok N - EXIT: NAME: COUNT"
rows()
{
	{ "$dir/bench" ': exit' ${2:+"$2"}; "$dir/bench" SWITCH ${2:+"$2"}; } | sed -n 's/^ok [0-9]* - \([A-Z]*\): .*: /\1 /p' >/tmp/rows
	while read -r exit count; do
		number=$((number + 1))
		echo "ok $number - $exit: $1: $count"
	done </tmp/rows
}

# rows_while NAME MODE: the same while exits_test counts the exits of all VMs, or of none
rows_while()
{
	rm -f /tmp/end /tmp/ready
	mkfifo /tmp/end
	"$dir/exits_test" "$2" </tmp/end >/tmp/ready 2>&1 &
	exec 7>/tmp/end
	until grep -q . /tmp/ready; do usleep 10000; done
	grep -qx ready /tmp/ready || { echo "Bail out! $(cat /tmp/ready)"; exit 1; }
	rows "$1"
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

echo 1..21
rows off
rows_while 'other VMs' chosen
rows_while 'all VMs' all
trace 1
rows ftrace
trace 0
rows perf perf
rows_of_switches 'why --switches'
rows 'off again'
