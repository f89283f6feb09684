#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `kvm-stats why` in scenarios that real processes make: each verdict appears with its cause, and is gone
# without it. vCPUs with a cause run on CPU 1, and all else on CPU 0. The comments have the time from the
# cause to the end of the command that prints its verdict. Then there are guests without a cause, and 40
# guests of which two have one: with WHY_SECONDS only these, for so long and half of it. It runs in test
# machines and on the build host (cli/all/why.t), whose other processes must not matter: its cgroup has a
# higher weight.
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
trees=			# hierarchies of cgroups: that of version 2, or those of version 1 and it
top=why-$$		# the cgroup in each of them that has all others
hogs=			# PIDs of processes that use a CPU
options=		# of kvm-stats why
neighbours=yes		# the kernel shows which thread is on which CPU
zram=			# number of the device for swapping
seconds=${WHY_SECONDS:-120}
halts=			# options that show since when vCPUs are halted
storm='I/O ports'	# most of the exits of a storm
waits='^[^ ]* \(waits\|starved\) '
rate=1			# wakes per second of each of 40 guests
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

# find_alarms PIDS: write "GUEST VERDICT EVIDENCE" of those of these VMMs that have a finding to $work/alarms,
# or to $work/waits if they wait for a CPU: other processes of the build host can be the reason. Set examined
# to the number of those that were examined.
find_alarms()
{
	sed 's/{"pid": /\n/g' "$work/why" | while read -r pid rest; do
		case " $1 " in *" ${pid%,} "*) echo "$rest" ;; esac
	done >"$work/ours"
	sed -n '/^"guest": "[^"]*", "verdict": "[^"]*", "finding": true/ {
			s/, "vcpus": .*//
			s/"guest": "\([^"]*\)", "verdict": "\([^"]*\)".*"evidence": "\([^"]*\)".*/\1 \2 \3/p
		}' "$work/ours" >"$work/all"
	grep -e "$waits" "$work/all" >"$work/waits"
	grep -v -e "$waits" "$work/all" >"$work/alarms"
	examined=$(grep -c '"verdict"' "$work/ours")
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
	local verdict=$3 evidence=$4 begun

	case $neighbours$verdict in
	real_time | few_cpus | weight | waits) verdict=waits evidence='too few samples' ;;
	esac
	check "$1: without the cause, the verdict is not $verdict" wait_until is_not "$2" "$verdict"
	without="$found: $(evidence)"
	begun=$(hundredths)
	eval "$5"
	check "$1: $verdict" wait_until is "$2" "$verdict" "$evidence"
	begun=$(($(hundredths) - begun))
	echo "# $1: $found after $((begun / 100)).$((begun / 10 % 10)) s: $(evidence)"
	echo "#	without the cause: $without"
	eval "$6"
	check "$1: the verdict is gone" wait_until is_not "$2" "$verdict"
}

# ---- cgroups ----

# Controllers that version 1 has are not in that of version 2.
set_up_cgroups()
{
	local tree

	if [ -d "$cgroups/cpu" ]; then
		for tree in cpu freezer memory unified; do
			[ ! -d "$cgroups/$tree" ] || trees="$trees $cgroups/$tree"
		done
	else
		trees=$cgroups
		[ -e "$cgroups/cgroup.procs" ] || mount -t cgroup2 none "$cgroups" || return
		mkdir "$cgroups/$top"
		for tree in "$cgroups" "$cgroups/$top"; do
			echo '+cpu +memory' >"$tree/cgroup.subtree_control" || return
		done
	fi
	group tests || return
	weigh . 10000
	put . cpu.rt_runtime_us 900000
	put tests cpu.rt_runtime_us 900000
	echo $$ >"$(tree_of cpu)/$top/tests/cgroup.procs"
}

# Before 6.2, a process forgets its CPUs when it gets a cpuset.
use_cpusets()
{
	if [ -d "$cgroups/cpuset" ]; then
		trees="$trees $cgroups/cpuset"
	else
		echo +cpuset >"$cgroups/cgroup.subtree_control" &&
			echo +cpuset >"$cgroups/$top/cgroup.subtree_control"
	fi
	taskset -p 1 $$
}

# tree_of CONTROLLER
tree_of()
{
	case " $trees " in *" $cgroups/$1 "*) echo "$cgroups/$1" ;; *) echo "$cgroups" ;; esac
}

# group NAME [PID]: a cgroup, with all threads of the process
group()
{
	local tree at file

	for tree in $trees; do
		for at in "$tree/$top" "$tree/$top/${1%/*}" "$tree/$top/$1"; do
			mkdir -p "$at"
			for file in cpuset.cpus cpuset.mems; do
				[ "${tree##*/}" != cpuset ] || cat "$tree/$file" >"$at/$file"
			done
		done
		[ -z "${2:-}" ] || echo "$2" >"$at/cgroup.procs" || return
	done
}

# put GROUP FILE VALUE: where the file exists
put()
{
	local tree

	for tree in $trees; do
		[ ! -f "$tree/$top/$1/$2" ] || echo "$3" >"$tree/$top/$1/$2"
	done
}

# weigh GROUP WEIGHT
weigh()
{
	put "$1" cpu.weight "$2"
	put "$1" cpu.shares "$2"0
}

# limit GROUP QUOTA PERIOD, in microseconds
limit()
{
	put "$1" cpu.max "$2 $3"
	put "$1" cpu.cfs_period_us "$3"
	put "$1" cpu.cfs_quota_us "$2"
}

unlimit()
{
	put "$1" cpu.max max
	put "$1" cpu.cfs_quota_us -1
}

# limit_memory GROUP SIZE
limit_memory()
{
	put "$1" memory.high "$2"
	put "$1" memory.limit_in_bytes "$2"
}

# freeze GROUP FROZEN 1, or THAWED 0. With version 1, the other file freezes, too.
freeze()
{
	put "$1" freezer.state "$2"
	[ -d "$cgroups/freezer" ] || put "$1" cgroup.freeze "$3"
}

# ---- other causes ----

# hog CPUS [COMMAND]...: a process that uses a CPU
hog()
{
	local mask=$1

	shift
	"$@" /bin/taskset "$mask" sh -c 'while :; do :; done' &
	hog=$!
	hogs="$hogs $hog"
}

end_hog()
{
	stop "$hog" KILL
	hogs=${hogs% *}
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

set_up_swap()
{
	zram=$(cat /sys/class/zram-control/hot_add) && echo 64M >"/sys/block/zram$zram/disksize" &&
		mkswap "/dev/zram$zram" && swapon "/dev/zram$zram"
}

remove_swap()
{
	swapoff "/dev/zram$zram"
	echo 1 >"/sys/block/zram$zram/reset" && echo "$zram" >/sys/class/zram-control/hot_remove && zram=
}

# ---- guests that loop on CPU 1 ----

looping_guests()
{
	check "a guest that loops starts" start_vmm -k loop -c 1 -name loop
	loop=$vmm
	group loop "$loop"
	pin "$loop" 2
	check "it is busy" wait_until is "$loop" busy
	scenario "a neighbour on its CPU" "$loop" waits 'shared with batch/vcpu0' \
		'start_vmm -k loop -c 1 -name batch; pin $vmm 2' end_vmm
	options=--switches
	if [ -n "$neighbours" ]; then
		scenario "a process on its CPU, with --switches" "$loop" waits \
			'shared with sh (TID [0-9]*) (measured, \(9[0-9]\|100\) %)' 'hog 2' end_hog
	else
		skip "a process on its CPU, with --switches" "the kernel has no BTF"
	fi
	options=
	scenario "a real-time thread" "$loop" real_time 'for CPU 1' \
		'hog 2 "$dir/as" fifo' end_hog
	scenario "a low weight" "$loop" weight '/low has cpu.[a-z]* 100*, and [^ ]*/high 10000*' \
		'group low $loop; weigh low 10; hog 2; group high $hog; weigh high 1000' \
		'end_hog; group loop $loop'
	scenario "a quota" "$loop" limited ' 30000.* 100000' 'limit loop 30000 100000' 'unlimit loop'
	scenario "a quota of 1 ms per second" "$loop" limited ' 1000.* 1000000' \
		'limit loop 1000 1000000' 'unlimit loop'
	scenario "a quota above its cgroup" "$loop" limited ' 30000.* 100000' \
		'group a/b $loop; limit a 30000 100000' 'group loop $loop'
	scenario "SIGSTOP" "$loop" stopped 'state T' 'kill -STOP $loop' 'kill -CONT $loop'
	scenario "the freezer" "$loop" frozen "/$top/loop" 'freeze loop FROZEN 1' 'freeze loop THAWED 0'
	vmm=$loop
	end_vmm
	check "a guest with three vCPUs that loop starts" start_vmm -k loop -c 3 -name three
	group three "$vmm"
	pin "$vmm" 3
	scenario "a quota for three threads" "$vmm" limited ' 50000.* 100000' \
		'limit three 50000 100000' 'unlimit three'
	end_vmm
	check "there are cpusets" use_cpusets
	check "a guest with two vCPUs that loop starts" start_vmm -k loop -c 2 -name two
	group two "$vmm"
	pin "$vmm" 3
	scenario "a cpuset for two vCPUs" "$vmm" few_cpus '2 vCPUs may use the CPUs 1,' \
		'put two cpuset.cpus 1' 'put two cpuset.cpus 0-1; pin $vmm 3'
	end_vmm
}

# ---- guests that halt, and sometimes exit to their VMM ----

memory_scenarios()
{
	if [ -f "$cgroups/$top/idle/memory.high" ]; then
		scenario "memory.high" "$vmm" memory "memory.pressure of /$top/idle" \
			'limit_memory idle 1M; echo pause touch >$in' \
			'limit_memory idle max; echo pause none >$in'
	else
		skip "memory.high" "the cgroups of the controller memory have version 1"
	fi
	if [ -e /sys/class/zram-control ]; then
		check "there is memory for swapping" set_up_swap
		scenario "swapping" "$vmm" memory '[0-9] major faults' \
			'limit_memory idle 4M; echo pause swap >$in' \
			'limit_memory idle 1G; echo pause none >$in'
	else
		skip "swapping" "the kernel has not loaded zram"
	fi
}

idle_guests()
{
	check "a guest that is mostly idle starts" start_vmm -r 20 -c 1 -name idle
	group idle "$vmm"
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
		'echo pause work >$in; pin $vmm 1; weigh idle 10; hog 2; taskset -p 2 $(thread $vmm "IO disk")' \
		'end_hog; weigh idle 100; pin $vmm 2; echo pause none >$in'
	memory_scenarios
	end_vmm
	[ -z "$zram" ] || check "swapping ends" remove_swap
	check "a guest that exits starts" start_vmm -c 1 -name exits
	pin "$vmm" 2
	echo pause sleep >"$in"
	scenario "an exit storm" "$vmm" exits "$storm" \
		'echo pause emulate >$in' 'echo pause sleep >$in'
	end_vmm
	check "a guest that halts starts" start_vmm -k halt -c 2 -name halted
	options=$halts
	SECONDS_MAX=90
	check "halted for ever: halted" wait_until is "$vmm" halted 'no vCPU has run for'
	SECONDS_MAX=40
	options=
	echo "# halted for ever: $(sed 's/.*"evidence": "\(no vCPU[^"]*\)".*/\1/' "$work/why")"
	end_vmm
}

# ---- many guests ----

# migrate PID:NUMBER: the guest may use other CPUs. On the build host, the vCPUs of one that wakes up also
# stop for a moment, and get new threads. Such a thread waits for RCU, which takes long under emulation.
migrate()
{
	vmm=${1%:*}
	in=$work/${1#*:}.in
	out=$work/${1#*:}.out
	case $(tr '\0' ' ' <"/proc/$vmm/cmdline") in
	*' -r '*)
		[ -n "${BOOT_ARCH:-}" ] || { order stop '^stopped ' && sleep 0.2 && start_vcpus; } || return
		;;
	esac
	pin "$vmm" $((n % 2 * 2 + 1))
}

end_oldest()
{
	vmm=${1%:*}
	end_vmm
	shift
	pool=$*
}

# start_next N
start_next()
{
	case $(($1 % 4)) in
	0) start_vmm -k halt -c 2 -name "halts$1" ;;
	1) start_vmm -r 1 -c 1 -name "idles$1" ;;
	2) start_vmm -r 5 -c 1 -name "wakes$1" ;;
	3) start_vmm -r 10 -c 1 -name "works$1" ;;
	esac || return
	pool="$pool $vmm:$started"
}

# In each round, a guest starts, one is migrated and one ends.
has_no_false_alarm()
{
	local n=0 pool='' alarms=0 waiting=0 all=0 examined ours command end=$(($(uptime_seconds) + seconds))

	taskset -p 3 $$
	while [ "$(uptime_seconds)" -lt "$end" ]; do
		n=$((n + 1))
		start_next "$n" >/dev/null || return
		ours=$vmms
		why --json &
		command=$!
		sleep 1
		# shellcheck disable=SC2086 # words
		set -- $pool
		[ $# -lt 4 ] || migrate "$2" || return
		[ $# -lt 8 ] || end_oldest "$@"
		wait "$command"
		find_alarms "$ours"
		sed "s/^/round $n: /" "$work/alarms" "$work/waits"
		all=$((all + examined))
		alarms=$((alarms + $(wc -l <"$work/alarms")))
		waiting=$((waiting + $(wc -l <"$work/waits")))
	done
	summary="$n guests came and went in $seconds s: $all verdicts, $waiting waits for a CPU, $alarms others"
	end_all
	[ "$all" -gt "$n" ] && [ "$alarms" = 0 ]
}

finds_only_two()
{
	why --json
	find_alarms "$vmms"
	echo "$examined guests, and those with a verdict:"
	cat "$work/alarms"
	[ "$examined" = 40 ] && [ "$(wc -l <"$work/alarms")" = 2 ] &&
		grep -q '^stopped stopped ' "$work/alarms" && grep -q "^limited limited " "$work/alarms"
}

# On the build host, processes with a low priority use all time of the CPUs that the guests leave.
many_guests()
{
	local n=0 cpus

	taskset -p 3 $$
	[ -n "${BOOT_ARCH:-}" ] || for cpus in 1 2; do
		hog "$cpus" nice -n 19
		echo "$hog" >"$(tree_of cpu)/cgroup.procs"
	done
	while [ "$n" -lt 38 ]; do
		n=$((n + 1))
		start_vmm -r "$rate" -c 1 -name "guest$n" || return
	done
	start_vmm -k loop -c 1 -name stopped || return
	kill -STOP "$vmm"
	start_vmm -k loop -c 1 -name limited || return
	group limited "$vmm"
	pin "$vmm" 2
	limit limited 20000 100000
	sleep 6
	wait_until finds_only_two
}

finds_only_two_all_the_time()
{
	local n=0 end=$(($(uptime_seconds) + seconds / 2))

	while [ "$(uptime_seconds)" -lt "$end" ]; do
		n=$((n + 1))
		finds_only_two || return
	done
	summary="$n times, the two and no other of 40 guests had a verdict"
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

# ---- set up, and clean up ----

end_all()
{
	# shellcheck disable=SC2086 # words
	[ -z "$vmms$hogs" ] || kill -KILL $vmms $hogs
	wait
	vmms=
	hogs=
}

remove_cgroups()
{
	local tree

	for tree in $trees; do
		rmdir "$tree/$top"/a/b "$tree/$top"/*/ "$tree/$top" 2>/dev/null
	done
}

clean_up()
{
	freeze loop THAWED 0
	end_all
	[ -z "$zram" ] || remove_swap
	[ -z "$trees" ] || echo $$ >"$(tree_of cpu)/cgroup.procs"
	SECONDS_MAX=10 wait_until remove_cgroups >/dev/null
	[ -z "${BOOT_ARCH:-}" ] || kvm-stats publish --remove 2>/dev/null
	rm -rf "$work" "$check_log"
}

mkdir "$work" || exit
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
taskset -p 1 $$
check "there are cgroups" set_up_cgroups
case ${BOOT_VARIANT:-} in
stock-*) check "the host file is published" kvm-stats publish ;;
debian)
	check "the modules of the series are loaded" kvm-stats-modules load
	neighbours=
	halts='--for 63'	# there is no clock of the scheduler that shows since when a thread sleeps
	;;
*)			# the build host, where root needs no host file
	rate=5
	halts='--for 63'	# it may not show this clock
	[ ! -d /sys/module/kvm_pvm ] || storm='times as long'	# it does not count these exits
	;;
esac
# The kernel of a test machine lets real-time threads use all of a CPU.
[ -z "${BOOT_ARCH:-}" ] || echo -1 >/proc/sys/kernel/sched_rt_runtime_us
[ -n "${WHY_SECONDS:-}" ] || { looping_guests; idle_guests; }
check "guests that start, move and end have no verdict" has_no_false_alarm
echo "# $summary"
check "of 40 guests, exactly the two with a cause have a verdict" many_guests
if [ -z "${BOOT_ARCH:-}" ]; then
	check "it stays like this" finds_only_two_all_the_time
	echo "# $summary"
fi
check "serve exports their verdicts" serve_exports_verdicts
finish
