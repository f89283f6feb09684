# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: run delay, the bar of times and the classes of exits, with exit statistics.
# shellcheck shell=bash

# add_times VCPU NAME MILLISECONDS...: times of a vCPU of the guest demo grow
add_times()
{
	local vcpu=$1

	shift
	while [ $# -gt 0 ]; do
		simulate "add 101 $vcpu $1_ns $(($2 * 1000000))"
		shift 2
	done
}

# In 4 s, 10 % of the time of both vCPUs are run delay. schedstat would show 7 %.
simulate_times()
{
	fake_guest 0 0
	fake_host 0 0 100
	simulate 'exits 101 2 demo' 'exits 102 1 web' 'tick 3000'
	sees '^demo'
	finish_tick
	fake_guest 200 80
	simulate 'add 101 vcpu0 exits 8000' 'add 101 vcpu0 exit_io 8000' \
		'add 101 vcpu0 io_exits 8000' 'add 101 vcpu1 exits 400' \
		'add 101 vcpu1 exit_cpuid 400' 'add 102 vcpu0 exits 40'
	add_times vcpu0 guest 2000 exit_io 400 userspace 200 halted 1000 run_delay 400
	add_times vcpu1 guest 1200 exit_cpuid 40 halted 2360 run_delay 400
	simulate 'tick 4000'
	sees '^demo .* 2100 '
}

bar_tests()
{
	shows "the times of vCPUs are those of KVM, not those of /proc" \
		'^demo +101 +2 +84\.0 +40\.0 +5\.5 +42\.0 +10\.0 +2100 '
	shows "the most frequent exits are classes" '^demo .* io 2000, cpuid 100 '
	screen_check "the page of all guests has no bar" lacks '^Time '
	keys N Home Down Enter
	shows "the page of a guest shows where the time of its vCPUs goes" \
		'^Time \[G{27}EEEVVH{28}W{7}\]  Guest 40\.0%  Exits 5\.5%  VMM 2\.5%  Halted 42\.0%  Waiting 10\.0%$'
	shows "the classes of exits have count, time and mean, most time first" \
		'^Exits +Per s +Time % +Mean  Exits +Per s +Time % +Mean$' \
		'^io +2000 +5\.0 +50µs  cpuid +100 +0\.5 +100µs$'
	shows "the vCPUs are below" '^VM, vCPU +CPU% ' '^vcpu1 .* 10\.0 +100 '
	screen_check "the parts of the bar have colors" sees_color 'GGG' 32
	keys Down Enter
	shows "the page of a vCPU shows where its time goes" '^demo \(PID 101\), vcpu0 ' \
		'^Time .*  Guest 50\.0%  Exits 10\.0%  VMM 5\.0%  Halted 25\.0%  Waiting 10\.0%$' \
		'^io +2000 +10\.0 +50µs$' '^Statistic ' '^exit_io_ns +400ms +100ms'
	screen_check "classes without exits are left out" lacks '^(cpuid|hlt) '
}

# KVM adds a time when it ends.
interval_tests_of_times()
{
	simulate 'set 101 vcpu0 blocking 1'
	add_times vcpu0 guest 1000
	simulate 'tick 4000'
	shows "the rest of the interval is halted if the vCPU is" \
		'Guest 25\.0%  Exits 0\.0%  VMM 0\.0%  Halted 75\.0%  Waiting 0\.0%'
	shows "a class without exits in the interval remains" '^io +0 +0\.0 +-$'
	simulate 'set 101 vcpu0 blocking 0'
	add_times vcpu0 guest 2000 halted 5000
	simulate 'tick 4000'
	shows "time from before the interval does not count" \
		'Guest 50\.0%  Exits 0\.0%  VMM 0\.0%  Halted 50\.0%  Waiting 0\.0%'
	add_times vcpu0 guest 2000
	simulate 'tick 4000'
	shows "time that KVM has not added yet is blank" '^Time \[G{25,35} {25,35}\]  Guest 50\.0%'
}

simulate_classes()
{
	local class n=0

	for class in hlt io mmio page_fault cpuid msr_read msr_write cr_access interrupt \
		interrupt_window preemption_timer other; do
		n=$((n + 1))
		simulate "add 101 vcpu0 exit_$class 4000"
		add_times vcpu0 "exit_$class" $((n * 10))
	done
	simulate 'tick 4000'
}

size_tests_of_times()
{
	local size

	simulate_classes
	resize 80 24
	shows "in 80 columns, the legend is below the bar" '^Time \[.{73}\]$' '^     Guest 0\.0%  Exits '
	shows "in 80 columns, there are two blocks of classes, and each goes on in the next" \
		'^other +1000 +3\.0 +30µs  msr_read +1000 +1\.5 +15µs *$' \
		'^preemption_timer +1000 +2\.8 +27\.5µs '
	resize 80 16
	shows "in few rows, the heading says how many classes are left out" '^Exits, 4 of 12 ' \
		'^Statistic '
	resize 80 9
	shows "in fewer rows there is only the bar" '^Time \[' '^Statistic '
	resize 300 24
	shows "in 300 columns, the classes use the width" \
		'^other .*µs  interrupt_window .*  cr_access .*  msr_read .*  page_fault .*  io .*µs$'
	for size in 1x1 3x2 1x30 9x9 25x8 41x10 120x12 400x120; do
		resize "${size%x*}" "${size#*x}"
		keys Down h z
		capture
	done
	resize 140 24
	shows "the bar works in sizes from 1x1 to 400x120" '^Time \['
	keys h
	screen_check "the help has the whole screen" loses '^Time '
	keys z
	sees '^Time '
}

ended_tests_of_times()
{
	simulate 'end 101' 'tick 4000'
	shows "the bar of a guest that ends stays" '^demo \(PID 101\), vcpu0.* has ended' '^Time \[E+'
	keys Left Left
	simulate 'tick 4000'
	loses '^demo'
	keys Home Enter
	shows "a guest whose vCPUs have not run has no bar" '^web \(PID 102\)' '^vcpu0 '
	screen_check "the bar of another guest does not stay" lacks '^Time '
	quit_top
}

# set_exit_stats VALUE: set the parameter in the fake /sys
set_exit_stats()
{
	mkdir -p "$out/sys/module/kvm/parameters"
	echo "$1" >"$out/sys/module/kvm/parameters/exit_stats"
}

off_tests_of_times()
{
	set_exit_stats N
	start_table
	simulate_times
	shows "while exit statistics are off, the times are those of /proc" \
		'^demo +101 +2 +84\.0 +35\.0 +7\.0 +48\.0 +10\.0 +2100 '
	shows "and counters show the most frequent exits" '^demo .* io 2000 +-'
	keys N Home Down Enter
	shows "the page of a guest says how to switch them on" \
		"^Exit statistics are off\\. Run 'echo 1 >/sys/module/kvm/parameters/exit_stats'\\." \
		'^vcpu1 '
	screen_check "it has no bar" lacks '^Time '
	resize 80 9
	shows "the advice fits into 80 columns" "/exit_stats'\\. *$" '^VM, vCPU '
	resize 140 24
	set_exit_stats Y
	add_times vcpu0 guest 2000
	simulate 'tick 4000'
	shows "the bar appears when they are switched on" '^Time \[G'
	set_exit_stats N
	simulate 'tick 4000'
	shows "and the advice when they are switched off" '^Exit statistics are off'
	quit_top
	rm -r "$out/sys"
}

# start_classic ARGUMENT...: the screen of kvm_stat, with 400 exits in 4 s
start_classic()
{
	start_top "$@"
	simulate 'exits 101 1 demo' 'tick 3000' 'tick 9000' 'add 101 vcpu0 exits 400' \
		'add 101 vcpu0 exit_io 240' 'add 101 vcpu0 exit_hlt 160' 'tick 4000'
}

classic_tests_of_times()
{
	start_classic
	shows "the screen of kvm_stat does not add classes to the exits" \
		'^ exits +400 +100\.0 +100$' '^ exit_io +240 +60$' '^ Total +400 +100$'
	keys b
	shows "nor does its view of guests" '^ +101 demo +400 +100\.0 +100$'
	quit_top
	start_classic -f exit_
	shows "with a filter for classes, they are added up" '^ exit_io +240 +60\.0 +60$' \
		'^ Total +400 +100$'
	quit_top
}

# A terminal without colors: the letters of the bar are enough.
vt100_tests_of_times()
{
	rm -rf "$out/proc"
	mkdir "$out/proc"
	top_environment="TERM=vt100 TOP_PROC=$out/proc" start_monitor
	sees '^Guests'
	simulate_times
	keys N Home Down Enter
	shows "on a terminal without colors, letters show the parts of the bar" \
		'^Time \[G{27}EEEVVH{28}W{7}\]  Guest'
	screen_check "the bar has no colors there" has_no_colors
	quit_top
}

has_no_colors()
{
	capture -e && ! grep -q $'\e\\[\\([0-9;]*;\\)\\?3[0-7]m' "$out/screen"
}

time_tests()
{
	resize 140 24
	start_table
	simulate_times
	bar_tests
	interval_tests_of_times
	size_tests_of_times
	ended_tests_of_times
	off_tests_of_times
	vt100_tests_of_times
	classic_tests_of_times
	resize 80 24
}
