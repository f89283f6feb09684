# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: the table of statistics: values, rates, order, totals, colors.
# shellcheck shell=bash

table_tests()
{
	shows "without a VMM, top reports that it waits" 'No VM is running\. Waiting for one|KVM is not available' \
		'^kvm statistics - summary' '0 guests'
	simulate 'vmm 101 2 demo'
	shows "top reports a VMM that appears" 'demo \(101\) has appeared: 1 VM, 2 vCPUs' \
		'1 guest, 2 vCPUs · statistics fds · every 3 s'
	simulate 'vmm 102 1 web' 'tick 3000'
	shows "top reports another VMM" 'web \(102\) has appeared'
	screen_check "top shows the statistics of both" simulate_exits
	screen_check "the highest rate is first, values with another unit are last" \
		sees_order io_exits exits halt_wait_ns halt_wait_hist pages_4k
	shows "the columns are those of kvm_stat" '^ Event +Total  %Total  CurAvg/s$' \
		'^ io_exits +6000 +60\.0 +1500$' '^ exits +4000 +40\.0 +1000$'
	shows "a time has a unit and no share, an instant value has no rate" \
		'^ halt_wait_ns +1\.5s +375ms$' '^ pages_4k +77 +-$'
	shows "the total is the sum of the events" '^ Total +10000 +2500$'
}

order_tests()
{
	simulate 'add 102 vcpu0 exits 50' 'tick 3000'
	screen_check "the order follows the rates" sees_order exits io_exits
	keys o
	screen_check "o sorts by Total" sees_order io_exits exits
	shows "o reports the order" 'Sorted by Total'
	keys o
	screen_check "o again sorts by CurAvg/s" sees_order exits io_exits
}

reset_tests()
{
	keys r
	shows "r resets the totals" 'Totals count from now on' '^ pages_4k +77'
	simulate 'add 101 vcpu0 exits 9' 'tick 3000'
	shows "after r, totals count from 0" '^ exits +9 +100\.0 +3\.0$'
	keys i
	shows "i shows totals since the creation of the VM" '^ exits +4059 ' \
		'totals since VM creation'
	keys i
	shows "i again shows totals since the reset" '^ exits +9 '
}

color_tests()
{
	simulate 'set 101 vcpu0 exits 5' 'tick 3000'
	shows "a counter that was cleared is marked, without a rate" '^ exits +5 .* cleared$'
	screen_check "a cleared counter has its own color" sees_color exits 33
	simulate 'vmm 103 1 late' 'tick 3000'
	keys b
	screen_check "a new VMM has its own color" sees_color '    103 late' 32
}

without_colors()
{
	sees ' cleared$' && capture -e && ! grep -q $'\e\\[33m' "$out/screen"
}

statistics_tests()
{
	start_top
	table_tests
	order_tests
	reset_tests
	color_tests
	screen_check "q ends top with status 0" quit_top
	top_environment=NO_COLOR=1
	start_top && simulate_guests
	simulate 'set 101 vcpu0 exits 5' 'tick 3000'
	screen_check "with NO_COLOR there are no colors" without_colors
	top_environment=
	quit_top
}
