# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: the table of guests, its pages, keys and sizes.
# shellcheck shell=bash

# fake_stat FILE NAME USER KERNEL GUEST [PAGES]: a file stat of /proc. The times are in ticks of
# 10 ms; USER includes GUEST.
fake_stat()
{
	mkdir -p "$(dirname "$out/proc/$1")"
	printf '1 (%s) S 1 1 1 0 -1 0 0 0 0 0 %d %d 0 0 20 0 1 0 1 1 %d %s %d 0 0 0\n' "$2" "$3" \
		"$4" "${6:-0}" "$(printf '%0.s0 ' {1..18})" "$5" >"$out/proc/$1"
}

# fake_guest GUEST0 GUEST1: the process of the guest demo. Each tick of a vCPU in the guest comes
# with a fifth of a tick in the kernel, and with a fifth of a tick of waiting for a CPU.
fake_guest()
{
	local i guest=("$@")

	fake_stat 101/stat qemu $(($1 + $2 + 100)) $((($1 + $2) / 5)) $(($1 + $2)) 51200
	for i in 0 1; do
		fake_stat "101/task/11$i/stat" "CPU $i/KVM" "${guest[i]}" $((guest[i] / 5)) \
			"${guest[i]}"
		echo "0 $((guest[i] * 2000000)) 0" >"$out/proc/101/task/11$i/schedstat"
	done
}

# fake_host GUEST USER IDLE: two CPUs; times in ticks
fake_host()
{
	printf 'cpu %d 0 0 %d 0 0 0 0 %d 0\ncpu0 0\ncpu1 0\n' $(($1 + $2)) "$3" "$1" \
		>"$out/proc/stat"
	printf 'MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\n' >"$out/proc/meminfo"
	echo '0.50 0 0 1/1 1' >"$out/proc/loadavg"
}

# Wait until top has read /proc at the last tick, before the files change.
finish_tick()
{
	simulate 'add 102 vcpu0 pf_taken 90' 'tick 9000'
	sees '^web .* 10 '
}

# Two guests; in the last 4 s demo used 200 + 80 ticks of its vCPUs.
simulate_table()
{
	fake_guest 0 0
	fake_host 0 0 100
	simulate 'vmm 101 2 demo' 'vmm 102 1 web' 'tick 3000'
	sees '^demo'
	finish_tick
	fake_guest 200 80
	fake_host 300 100 500
	simulate 'add 101 vcpu0 exits 4000' 'add 101 vcpu1 exits 1000' \
		'add 101 vcpu0 io_exits 2000' 'add 101 vcpu1 halt_exits 400' \
		'add 101 vcpu0 halt_attempted_poll 8' 'add 101 vcpu0 halt_successful_poll 2' \
		'add 101 vcpu1 pf_taken 40' 'add 102 vcpu0 exits 8000' \
		'add 101 vcpu0 halt_wait_hist#11 30' 'tick 4000'
	sees '^web .* 2000 '
}

first_table_tests()
{
	resize 140 24
	start_table
	shows "without a VMM, the table reports that top waits" 'No VM is running\. Waiting|KVM is not available' \
		'^0 guests, 0 VMs, 0 vCPUs'
	simulate 'vmm 103 1 late'
	shows "the table reports a VMM that appears" 'late \(103\) has appeared: 1 VM, 1 vCPU'
	simulate 'end 103' 'tick 3000'
	shows "the table reports a VMM that ends" 'late \(103\) has ended'
	simulate_table
	shows "the table has headings" '^Guest +PID vCPU +CPU% Guest% Kern% Halt% Wait% +Exits/s'
	shows "a guest has the figures of /proc" \
		'^demo +101 +2 +84\.0 +35\.0 +7\.0 +51\.0 +7\.0 +1250 ' '^demo .* 200MiB$'
	shows "a guest has kinds of exits, halt polls and page faults" \
		'^demo .* io 500, halt 100 +25\.0 +10 +200MiB$'
	shows "a guest has the history of its exits" '^demo .* 1250 .*█'
	shows "figures that are unknown are dashes" '^web +102 +1 +- +- +- +- +- +2000 '
	shows "the first line is the sum of the guests" '^all 2 guests +3 +84\.0 .* 3250 '
	screen_check "guests are sorted by the use of CPUs" sees_order Guest all demo web
	shows "the meters show the host" '^CPU \[\|+ +50\.0%\] +Mem \[\|+ +1GiB/2GiB\]  2 CPUs, '
	shows "the summary shows what is watched" \
		'^2 guests, 2 VMs, 3 vCPUs \(1\.5 per CPU\) · statistics fds · every 3 s'
}

# selects TEXT: the cursor is on the line that begins with this text
selects()
{
	soon has_cursor "$1"
}

has_cursor()
{
	capture -e && grep -Eq $'^(\e\\[[0-9;]*m)*\e\\[([0-9;]*;)?7m(\e\\[[0-9;]*m)*'"$1" \
		"$out/screen"
}

table_order_tests()
{
	keys E
	screen_check "E sorts by exits" sees_order Guest all web demo
	keys E
	screen_check "E again reverses the order" sees_order Guest all demo web
	keys N
	screen_check "N sorts by name" sees_order Guest all demo web
	keys -l '-'
	screen_check "- reverses the order" sees_order Guest all web demo
	keys '>'
	screen_check "> sorts by the next column" sees_order Guest all demo web
	keys '<'
	screen_check "< sorts by the previous column" sees_order Guest all demo web
	keys Down Down
	screen_check "Down moves the cursor" selects web
	keys E
	screen_check "the cursor stays on its line when the order changes" selects web
	keys /
	type_text EM
	screen_check "/ moves the cursor to a matching name, regardless of case" selects demo
	keys Enter
}

open_guest_tests()
{
	keys Enter
	shows "Enter opens a guest" '^demo \(PID 101\)$' '^VM, vCPU +CPU% ' \
		'^whole guest +84\.0 +35\.0 ' '^vcpu0 +60\.0 +50\.0 +10\.0 +30\.0 +10\.0 +1000 ' \
		'^vcpu1 +24\.0 +20\.0 +4\.0 +72\.0 +4\.0 +250 .* halt 100'
	keys Down Enter
	shows "Enter opens a vCPU" '^demo \(PID 101\), vcpu0 · since VM creation' \
		'^Statistic +Value +Per second +Last minute' '^exits +4000 +1000 ' \
		'^halt_attempted_poll +8 +2\.0 .* A halted vCPU started to poll for an event'
	keys -l '/hist'
	keys Enter Enter
	shows "Enter opens a histogram" '^demo \(PID 101\), vcpu0, halt_wait_hist' \
		'30 samples, 30 new; p50 < 2\.05µs' '^ +1\.02µs +2\.05µs +30 +100\.0 █+'
	keys r
	shows "r counts from now on" "No samples yet. Press 'i'" 'since the reset'
	keys i
	shows "i counts since VM creation" '30 samples'
	keys Left
	shows "Left goes back" '^exits +4000 '
	keys N
	screen_check "the statistics are sorted by name" sees_order Statistic exits \
		halt_attempted_poll
	keys Left Left
	shows "Left goes back to the guests" '^all 2 guests'
	screen_check "the cursor is on the guest that was opened" selects demo
	keys Home Enter
	shows "the line of all guests opens the sums of their statistics" \
		'^All guests · since VM creation' '^exits +13000 '
	keys Left
}

table_filter_tests()
{
	keys f
	shows "f asks for a filter of names" '^Show only names that match'
	type_text 'we('
	keys Enter
	shows "a regular expression that is not valid is reported" '[Uu]nmatched|[Pp]arenthes'
	keys BSpace Enter
	shows "the title shows the filter" '^Guests · filter: we$'
	screen_check "the filter hides other guests" lacks '^(demo|all)'
	keys f End
	type_text b
	shows "the prompt starts with the filter" '^Show only .*: web$'
	keys Escape
	keys Escape
	shows "Esc clears the filter" '^demo '
	keys s
	shows "s shows the current interval" '^Seconds between readings: 3$'
	type_text 0.01
	shows "the first character replaces it" '^Seconds between readings: 0.01$'
	keys Enter
	shows "an interval that is too short is reported" '0\.1'
	keys C-u
	type_text 5
	keys Enter
	shows "the interval is used" 'every 5 s'
}

column_tests()
{
	keys c
	shows "c lists the columns" '^ \[x\] P +CPU% +use of CPUs' '^ \[ \] U +VMM% '
	keys Space c
	screen_check "Space in the list hides a column" loses ' PID '
	keys c Space c
	shows "Space again shows it" '^Guest +PID '
	resize 80 24
	shows "in 80 columns, not all columns fit" '^Guest .* Exits/s 1 minute +>'
	keys Tab
	shows "Tab shows the columns that do not fit" '^Guest +Top exits .* Memory'
	keys Tab
	shows "Tab again shows the first columns" '^Guest +PID +vCPU'
	resize 300 24
	shows "in 300 columns, the headings are long" 'VM exits in the last minute' \
		'Most frequent exits per second +Successful polls %'
	resize 140 24
}

pause_tests()
{
	keys Space
	shows "Space pauses" '^Guests   ?paused'
	simulate 'add 102 vcpu0 exits 4000' 'tick 1000'
	sleep 0.3
	shows "during a pause, the figures do not change" '^web .* 2000 '
	keys Space
	shows "Space continues" '^web .* 4000 '
	screen_check "the mark of the pause disappears" loses 'paused'
	keys h
	shows "h explains the keys" '^ Space +pause' '^Press any key to close'
	keys z
	shows "any key closes the help" '^Guest +PID '
}

# ended_tests ends the guest demo.
ended_table_tests()
{
	keys N Home Down Enter
	sees '^vcpu1'
	simulate 'end 101' 'tick 5000'
	shows "the last figures of a guest that ends stay" '^demo \(PID 101\)  +has ended' '^vcpu1 '
	keys Left
	simulate 'tick 5000'
	screen_check "the table removes a guest that has ended" loses '^demo'
	shows "a single guest has no line for the sum" '^web '
}

many_guests_tests()
{
	local i

	for i in 1 2 3 4; do
		simulate "vmm 11$i 1 guest$i"
	done
	simulate 'tick 5000'
	resize 80 8
	shows "top reports how many guests follow below" '^[0-9] more below'
	keys End
	shows "top reports how many guests precede above" '^[0-9] more above'
	resize 140 24
}

# Guests that cannot be read are never silently left out.
unreadable_table_tests()
{
	start_table
	simulate 'none 104' 'vmm 102 1 web' 'tick 3000' 'tick 3000'
	shows "a VMM that cannot be read is marked with the reason" \
		'^qemu +104 .* cannot be read: this kernel opens statistics for the VMM only'
	screen_check "the marked line has its own color" sees_color 'cannot be read: ' 31
	shows "the summary counts VMMs that cannot be read" '^2 guests.* 1 cannot be read'
	shows "so does the line of the sum" '^sum, 1 of 2 '
	fake_stat 104/stat qemu 100 0 0
	fake_stat 104/task/104/stat 'CPU 0/KVM' 100 0 0
	echo '0 0 0' >"$out/proc/104/task/104/schedstat"
	simulate 'tick 3000' 'tick 3000'
	shows "the figures of /proc remain in the marked line" '^qemu +104 .* 100 .* cannot be read: '
	resize 80 24
	shows "in 80 columns there is space for the reason" \
		'cannot be read: this kernel opens'
	keys Tab
	shows "after Tab, the reason has the whole width" \
		'^qemu +cannot be read: this kernel opens statistics for the VMM only, and'
	resize 140 24
	keys N Home Down Enter
	shows "Enter shows the whole reason" 'PID 104: cannot open statistics' \
		'A kernel with the kvm-stats patches'
	quit_top
	start_table
	simulate $'vmm 105 1 a\x9b31mb' $'vmm 106 1 \u202ec\u009bd' 'tick 3000'
	shows "control and bidi characters in names are replaced" '^a\?31mb ' '^\?c\?d '
	quit_top
}

table_option_tests()
{
	start_table --sort exits --columns exits,cpu -i 0.5
	simulate 'vmm 101 1 demo' 'tick 3000'
	shows "--columns selects columns" '^Guest +CPU %? +VM exits/s$' 'every 0\.5 s'
	quit_top
	screen_check "an unknown column is reported" \
		refuses "no column is named 'nothing'" --columns cpu,nothing
	screen_check "a column without an order is reported" \
		refuses "no column that can be sorted is named 'history'" --sort history
	screen_check "the options of kvm_stat need --classic" refuses 'need --classic' -s 1
}

table_size_tests()
{
	local size

	start_table
	simulate_table
	for size in 1x1 2x1 1x30 3x2 4x4 9x5 25x8 40x9 41x6 300x3 400x120; do
		resize "${size%x*}" "${size#*x}"
		keys Down Tab Enter Down c Down c Enter h z f Escape Left Left
		capture
	done
	resize 80 24
	keys Left Left Left
	shows "the table works in sizes from 1x1 to 400x120" '^Guests' '^demo +101 '
	quit_top
}

table_tests_in_ascii()
{
	start_table
	simulate_table
	shows "the table works in the locale C" '^demo +101 .* 1250 +_*#$'
	screen_check "in the locale C, the table has only ASCII characters" only_ascii
	quit_top
}

guest_table_tests()
{
	first_table_tests
	table_order_tests
	open_guest_tests
	table_filter_tests
	column_tests
	pause_tests
	ended_table_tests
	many_guests_tests
	quit_top
	unreadable_table_tests
	table_option_tests
	table_size_tests
	resize 80 24
}
