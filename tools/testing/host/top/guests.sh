# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: the views of guests, their vCPUs, and tracepoints; guests that end.
# shellcheck shell=bash

guest_view_tests()
{
	keys b
	shows "b shows guests" '^     PID Guest Name +Total' '^     102 web +6000 +60\.0 +1500$' \
		'^     101 demo +4000 +40\.0 +1000$'
	keys Down Down Enter
	shows "Enter on a guest shows its VM and vCPUs" '^kvm statistics - pid 101 \(demo\)$' \
		'^ vcpu0 +3000 +75\.0 +750$' '^ vcpu1 +1000 +25\.0 +250$'
	keys b
	shows "b shows the statistics of all vCPUs" '^ exits +4000 +100\.0 +1000$'
	keys b Down Enter
	shows "Enter on a vCPU shows its statistics" '^kvm statistics - pid 101 \(demo\) vcpu0$' \
		'^ exits +3000 +100\.0 +750$'
	keys Left
	shows "Left returns to the vCPUs" '^ vcpu1 +1000 '
	keys Left
	shows "Left returns to the guests" '^     102 web '
	keys b
}

statistic_view_tests()
{
	sees ' io_exits'
	keys Down Down Enter
	shows "Enter on a statistic shows its guests" '^kvm statistics - summary - exits$' \
		'^     101 demo +4000 +100\.0 +1000$'
	keys Down Enter
	shows "Enter on a guest shows its vCPUs with that statistic" \
		'^kvm statistics - pid 101 \(demo\) - exits$' '^ vcpu1 +1000 '
	screen_check "a VM without that statistic is not shown" lacks '^ vm '
	keys Down Enter
}

# The table of guests shows the sum of the selected statistics, also if none of them is an event.
filtered_guest_tests()
{
	start_top -f halt_wait_ns && simulate_guests_quietly
	keys b
	shows "with a filter for a time, b shows the time of each guest" \
		'^     101 demo +1\.5s +100\.0 +375ms$' '^     102 web +0s +0\.0 +0s$' \
		'^ Total +1\.5s +375ms$'
	quit_top
	start_top -f halt_wait_hist && simulate_guests_quietly
	keys b
	shows "with a filter for a histogram, b shows the samples of each guest" \
		'^     101 demo +40 +100\.0 +10$'
	quit_top
}

hostile_guest_tests()
{
	start_top
	simulate $'vmm 105 1 a\x9b31mb' $'vmm 106 1 \u202ec\u009bd' 'tick 3000'
	keys b
	shows "control characters and bidi controls in the names of guests are replaced" \
		'105 a\?31mb ' '106 \?c\?d '
	quit_top
}

ended_guest_tests()
{
	sees '^kvm statistics - pid 101 \(demo\) vcpu0'
	simulate 'end 101'
	shows "the last values of a VMM that ends stay" \
		'^kvm statistics - pid 101 \(demo\) vcpu0   has ended$' '^ exits +3000 ' \
		'demo \(101\) has ended'
	keys Left Left Left
	shows "the other VMMs are still updated" '^ io_exits +6000 ' '1 guest, 1 vCPU'
	screen_check "the sums no longer have the statistics of the ended VMM" lacks '^ exits'
}

tracepoint_tests()
{
	start_top -t
	simulate 'host' 'tick 3000'
	keys b
	shows "tracepoints of the whole machine have no guests" "Press 'g' to choose one"
	simulate 'add 0 host kvm_exit 100' 'add 0 host kvm_entry 300' \
		'add 0 host kvm_exit(HLT) 75' 'add 0 host kvm_exit(MSR_WRITE) 25' 'tick 3000'
	shows "without x, top shows parent events" '^ kvm_exit +100 +25\.0 ' '^ Total +400 '
	screen_check "without x, top shows no child events" lacks 'HLT'
	keys x
	shows "x shows child events below their parent, with their share of it" \
		'^   HLT +75 +75\.0 ' '^   MSR_WRITE +25 +25\.0 ' '^ Total +400 '
	quit_top
}

guest_tests()
{
	start_top && simulate_guests
	guest_view_tests
	statistic_view_tests
	ended_guest_tests
	quit_top
	tracepoint_tests
	filtered_guest_tests
	hostile_guest_tests
}

# With -p, top waits for another VMM of the same guest when the VMM ends.
selected_guest_tests()
{
	first_lines=('vmm 102 1 web' 'vmm 101 2 demo')
	start_top -p 101
	shows "-p selects a process" '^kvm statistics - pid 101 \(demo\)$' '1 guest, 2 vCPUs'
	simulate 'tick 3000' 'add 101 vcpu0 exits 10' 'tick 3000'
	sees '^ exits +10 '
	simulate 'end 101' 'tick 3000'
	shows "the last values of the selected process stay when it ends" \
		'^kvm statistics - guest demo   has ended$' '^ exits +10 '
	simulate 'vmm 103 1 demo' 'tick 3000' 'add 103 vcpu0 exits 4' 'tick 3000'
	shows "top finds the guest again in another process" '^ exits +4 ' \
		'^kvm statistics - guest demo$'
	screen_check "the guest is no longer marked as ended" lacks '  has ended$'
	quit_top
}

unreadable_guest_tests()
{
	start_top
	simulate 'none 104' 'tick 3000'
	shows "the heading counts VMMs that cannot be read" '^1 guest, 0 vCPUs, 1 cannot be read'
	shows "top explains why a VMM has no statistics" 'PID 104' \
		'opens statistics for the VMM only'
	keys b
	shows "the view of guests marks a VMM without statistics" '104 qemu +no statistics'
	quit_top
}
