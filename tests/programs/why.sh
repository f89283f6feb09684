#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `kvm-stats why` in scenarios that real processes make: each verdict appears with its cause, and is gone
# without it. vCPUs with a cause run on CPU 1, and all else on CPU 0. The comments have the time from the
# cause to the end of the command that prints its verdict.
#
# shellcheck shell=dash
# shellcheck disable=SC2016,SC2034 # scenario() evaluates causes

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=lib/vmm.sh
. "${0%/*}/vmm.sh"
dir=${0%/*}
work=/tmp/why.$$
cgroups=/sys/fs/cgroup
others=			# PIDs of processes that are no VMMs
options=		# of kvm-stats why
SECONDS_MAX=40		# of wait_until(): when a verdict must have appeared, or be gone

# ---- verdicts ----

# why [ARGUMENT]...: the output is in $work/why
why()
{
	# shellcheck disable=SC2086 # words
	taskset 1 kvm-stats why $options "$@" >"$work/why" 2>&1
}

# verdict VMM: print the name of the verdict on the VMM
verdict()
{
	why --json -p "$1" || { cat "$work/why" >&2; return 1; }
	sed -n 's/.*"guests": \[{[^{}]*"verdict": "\([a-z_]*\)".*/\1/p' "$work/why"
}

# is VMM VERDICT [EVIDENCE]: a regular expression
is()
{
	found=$(verdict "$1")
	[ "$found" = "$2" ] && grep -q "\"evidence\": \"[^\"]*${3:-}" "$work/why"
}

is_not()
{
	found=$(verdict "$1") && [ -n "$found" ] && [ "$found" != "$2" ]
}

evidence()
{
	sed 's/.*"guests": \[{[^{}]*"evidence": "\([^"]*\)".*/\1/' "$work/why"
}

hundredths()
{
	local up idle

	# shellcheck disable=SC2034 # idle
	read -r up idle </proc/uptime
	echo "${up%.*}${up#*.}"
}

# scenario NAME VMM VERDICT EVIDENCE CAUSE END: the commands CAUSE and END begin and end it
scenario()
{
	local begun

	check "$1: without the cause, the verdict is not $3" wait_until is_not "$2" "$3"
	without="$found: $(evidence)"
	begun=$(hundredths)
	eval "$5"
	check "$1: $3" wait_until is "$2" "$3" "$4"
	begun=$(($(hundredths) - begun))
	echo "# $1: $found after $((begun / 100)).$((begun / 10 % 10)) s: $(evidence)"
	echo "#	without the cause: $without"
	eval "$6"
	check "$1: the verdict is gone" wait_until is_not "$2" "$3"
}

# ---- causes ----

# hog CPUS [COMMAND]...: a process that uses a CPU
hog()
{
	local mask=$1

	shift
	"$@" /bin/taskset "$mask" sh -c 'while :; do :; done' &
	hog=$!
	others="$others $hog"
}

# group NAME VMM: a cgroup with all threads of the VMM
group()
{
	mkdir -p "$cgroups/$1"
	echo "$2" >"$cgroups/$1/cgroup.procs"
}

set_up_cgroups()
{
	mount -t cgroup2 none "$cgroups" && echo '+cpu +memory' >"$cgroups/cgroup.subtree_control"
}

# thread VMM NAME: print the TID
thread()
{
	grep -lx "$2" "/proc/$1/task"/*/comm | sed 's,.*/task/,,; s,/comm,,'
}

# pin VMM CPUS: the threads that run vCPUs. All other threads run on CPU 0.
pin()
{
	for tid in $(thread "$1" 'CPU [0-9]*/KVM'); do
		taskset -p "$2" "$tid" >/dev/null
	done
}

# ---- guests that loop on CPU 1 ----

looping_guests()
{
	check "a guest that loops starts" start_vmm -k loop -c 1 -name loop
	loop=$vmm
	group why/loop "$loop"
	pin "$loop" 2
	check "it is busy" wait_until is "$loop" busy
	scenario "a neighbour on its CPU" "$loop" waits 'shared with batch/vcpu0' \
		'start_vmm -k loop -c 1 -name batch; pin $vmm 2' end_vmm
	options=--switches
	scenario "a process on its CPU, with --switches" "$loop" waits \
		'shared with sh (TID [0-9]*) (measured, 9[0-9] %)' 'hog 2' 'stop $hog KILL'
	options=
	scenario "a real-time thread" "$loop" real_time 'for CPU 1' \
		'hog 2 "$dir/as" fifo' 'stop $hog KILL'
	scenario "a low weight" "$loop" weight '/low has cpu.weight 10, and /high 1000' \
		'group low $loop; group high $$; hog 2; echo $$ >$cgroups/cgroup.procs
		echo 10 >$cgroups/low/cpu.weight; echo 1000 >$cgroups/high/cpu.weight' \
		'stop $hog KILL; group why/loop $loop'
	scenario "a quota" "$loop" limited 'cpu.max 30000 100000' \
		'echo 30000 100000 >$cgroups/why/cpu.max' 'echo max >$cgroups/why/cpu.max'
	scenario "a quota of 1 ms per second" "$loop" limited 'cpu.max 1000 1000000' \
		'echo 1000 1000000 >$cgroups/why/cpu.max' 'echo max >$cgroups/why/cpu.max'
	scenario "SIGSTOP" "$loop" stopped 'state T' 'kill -STOP $loop' 'kill -CONT $loop'
	scenario "the freezer" "$loop" frozen '/why/loop' \
		'echo 1 >$cgroups/why/cgroup.freeze' 'echo 0 >$cgroups/why/cgroup.freeze'
	stop "$loop" KILL
	check "a guest with three vCPUs that loop starts" start_vmm -k loop -c 3 -name three
	group why/three "$vmm"
	pin "$vmm" 3
	scenario "a quota for three threads" "$vmm" limited 'cpu.max 50000 100000' \
		'echo 50000 100000 >$cgroups/why/cpu.max' 'echo max >$cgroups/why/cpu.max'
	end_vmm
	check "a guest with two vCPUs that loop starts" start_vmm -k loop -c 2 -name two
	pin "$vmm" 3
	scenario "a CPU for two vCPUs" "$vmm" few_cpus '2 vCPUs may use the CPUs 1,' 'pin $vmm 2' \
		'pin $vmm 3'
	end_vmm
}

# ---- guests that halt, and sometimes exit to their VMM ----

idle_guests()
{
	check "a guest that is mostly idle starts" start_vmm -r 20 -c 1 -name idle
	group why/idle "$vmm"
	pin "$vmm" 2
	check "it is idle" wait_until is "$vmm" idle
	scenario "a VMM that sleeps" "$vmm" vmm 'outside of the guest' \
		'echo pause sleep >$in' 'echo pause none >$in'
	scenario "a VMM in uninterruptible sleep" "$vmm" blocked 'uninterruptible' \
		'echo pause fork >$in' 'echo pause none >$in'
	scenario "a VMM that lets no vCPU run" "$vmm" outside 'sleep in the VMM' \
		'echo pause hold >$in' 'echo pause none >$in'
	scenario "an I/O thread in uninterruptible sleep" "$vmm" helper_blocked 'IO disk' \
		'echo pause disk >$in' 'echo pause none >$in'
	scenario "a starved I/O thread" "$vmm" starved 'IO disk' \
		'echo pause work >$in; hog 2; taskset -p 2 $(thread $vmm "IO disk")' \
		'stop $hog KILL; echo pause none >$in'
	scenario "memory.high" "$vmm" memory 'memory.pressure of /why/idle' \
		'echo 1M >$cgroups/why/idle/memory.high; echo pause touch >$in' \
		'echo max >$cgroups/why/idle/memory.high; echo pause none >$in'
	end_vmm
	check "a guest that exits starts" start_vmm -c 1 -name exits
	pin "$vmm" 2
	echo pause sleep >"$in"
	scenario "an exit storm" "$vmm" exits 'I/O ports' \
		'echo pause emulate >$in' 'echo pause sleep >$in'
	end_vmm
	check "a guest that halts starts" start_vmm -k halt -c 2 -name halted
	SECONDS_MAX=90
	check "halted for ever: halted" wait_until is "$vmm" halted 'no vCPU has run for'
	SECONDS_MAX=40
	echo "# halted for ever: $(sed 's/.*"evidence": "\(no vCPU[^"]*\)".*/\1/' "$work/why")"
	end_vmm
}

# ---- many guests ----

finds_only_two()
{
	why
	cat "$work/why"
	grep -q '^40 guests: 2 with a verdict, 38 without a finding, 0 could not be examined' "$work/why" &&
		grep -q '^stopped .*stopped by a signal' "$work/why" && grep -q '^limited .*limited by /why' "$work/why"
}

many_guests()
{
	local n=0

	taskset -p 3 $$		# together, they need more of CPU 0 than kvm-stats leaves
	while [ "$n" -lt 38 ]; do
		n=$((n + 1))
		start_vmm -r 1 -c 1 -name "guest$n" || return
	done
	start_vmm -k loop -c 1 -name stopped || return
	kill -STOP "$vmm"
	start_vmm -k loop -c 1 -name limited || return
	group why/limited "$vmm"
	pin "$vmm" 2
	echo 20000 100000 >"$cgroups/why/limited/cpu.max"
	sleep 6
	wait_until finds_only_two
}

# For serve, a guest is new until it is 63 seconds old.
serve_exports_verdicts()
{
	local status SECONDS_MAX=90

	kvm-stats serve --textfile="$work/kvm.prom" -i 1 2>"$work/serve" &
	wait_until has_line '^kvm_guest_verdict{guest="limited".*verdict="limited"} 1' "$work/kvm.prom"
	status=$?
	grep '^kvm_guest_verdict' "$work/kvm.prom" | tail -n 5
	stop $!
	return "$status"
}

end_all()
{
	# shellcheck disable=SC2086 # words
	kill -KILL $vmms 2>/dev/null
	wait
	vmms=
}

# Guests start, move to the other CPU, and end all the time.
has_no_false_alarm()
{
	local n=0

	while [ "$n" -lt 20 ]; do
		n=$((n + 1))
		start_vmm -r 20 -c 2 -name "short$n" || return
		pin "$vmm" $((n % 2 + 1)) >/dev/null
		why &
		sleep 1
		end_vmm
		wait $!
		! grep -v ' 0 with a verdict' "$work/why" | grep guests: || { cat "$work/why"; return 1; }
	done
	echo "# $n runs of why while guests started and ended"
}

mkdir "$work" || exit
taskset -p 1 $$
check "cgroups of version 2 are mounted" set_up_cgroups
mkdir "$cgroups/why"
echo '+cpu +memory' >"$cgroups/why/cgroup.subtree_control"
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
check "the host file is published" kvm-stats publish
looping_guests
idle_guests
check "guests that start and end have no verdict" has_no_false_alarm
check "of 40 guests, exactly the two with a cause have a verdict" many_guests
check "serve exports their verdicts" serve_exports_verdicts
end_all
# shellcheck disable=SC2086 # words
[ -z "$others" ] || kill -KILL $others 2>/dev/null
kvm-stats publish --remove
rm -r "$work"
finish
