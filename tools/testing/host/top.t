#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kvm-stats top in a real terminal, tmux's: what its screen shows when keys are typed, VMMs
# come and go, and the terminal gets another size.  The VMMs are made up, so that each number
# is known; where KVM can be used there are real ones, too.
#
# usage, from the top of the repository: tools/testing/host/top.t

set -u

. "$(dirname "$0")/checked.sh"

top=$PWD
out=$top/build/top-test
lib=$top/tools/lib/kvmstats
command=$top/tools/kvm/kvm_stats
socket=$out/tmux
unset TMUX NO_COLOR

. "$(dirname "$0")/tap.sh"
point_log=$out/screen

trap 'end_all; exit 1' INT TERM
trap end_all EXIT

# ---- the terminal ----

in_tmux()
{
	tmux -f /dev/null -S "$socket" "$@" 8>&- 9>&-
}

end_all()
{
	in_tmux kill-server 2>/dev/null
	stop_vmms
}

# A shell, so that we see what top leaves behind. terminal COLUMNS ROWS LOCALE
terminal()
{
	# The server takes its time to go, and a client may meet it on its way out.
	in_tmux kill-server 2>/dev/null
	for _ in $(seq 50); do
		in_tmux list-sessions >/dev/null 2>&1 || break
		sleep 0.05
	done
	rm -f "$socket"
	in_tmux new-session -d -x "$1" -y "$2" \
		"exec env PS1='$ ' LC_ALL=$3 ASAN_OPTIONS=log_path=$out/report \
		UBSAN_OPTIONS=log_path=$out/report LSAN_OPTIONS=suppressions=$out/known:print_suppressions=0 \
		TOP_SCRIPT=$out/script \
		PATH=$out:\$PATH sh -m"
	in_tmux set-option -g escape-time 0 \; set-option -g status off \; \
		set-option -g remain-on-exit off
	in_tmux resize-window -x "$1" -y "$2"
	sees '^\$ *$' || echo "# the shell in tmux does not start"
}

keys()
{
	in_tmux send-keys "$@"
}

# run LINE: in the terminal's shell
run()
{
	keys -l "$1"
	keys Enter
}

screen()
{
	in_tmux capture-pane -p "$@" >"$out/screen" 2>&1
}

# Whether the screen shows this before long: an extended regular expression for a line.
sees()
{
	local tries=60

	until screen && grep -Eq -e "$1" "$out/screen"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}

# sees_all REGEX...
sees_all()
{
	local regex

	for regex; do
		sees "$regex" || { sed -i "1i missing: $regex" "$out/screen"; return 1; }
	done
}

# The lines of the table whose names are given, in this order, and no other one between.
sees_order()
{
	local tries=60 wanted=$*

	until screen && [ "$(awk 'NR > 3 && NF > 1 { print $1 }' "$out/screen" |
		head -n $# | xargs)" = "$wanted" ]; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}

lacks()
{
	screen && ! grep -Eq -e "$1" "$out/screen"
}

loses()
{
	local tries=60

	until lacks "$1"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}

# shows DESCRIPTION REGEX...
shows()
{
	local what=$1

	shift
	sees_all "$@"
	point $? "$what"
}

check()
{
	local what=$1

	shift
	"$@"
	point $? "$what"
}

# ---- made-up VMMs ----

# tell LINE...: what the made-up VMMs do; see top_monitor.c
tell()
{
	printf '%s\n' "$@" >&9
}

# start_top ARGUMENT...: with nothing made up but what $first says, and $with before it
first=
with=
start_top()
{
	exec 9>&- 2>/dev/null
	rm -f "$out/script"
	mkfifo "$out/script"
	exec 9<>"$out/script"
	[ -z "$first" ] || tell "$first"
	first=
	run "clear; $with top_monitor $*; echo status \$?"
	sees '^kvm statistics'
}

quit_top()
{
	keys q
	sees '^status 0'
}

# Two guests that have exits, and two samples by which rates are known.
tell_some()
{
	tell 'vmm 101 2 demo' 'vmm 102 1 web' 'tick 3000' 'tick 9000'
	tell_numbers
}

tell_numbers()
{
	tell 'add 101 vcpu0 exits 3000' 'add 101 vcpu1 exits 1000' \
		'add 102 vcpu0 io_exits 6000' 'add 101 vcpu0 halt_wait_ns 1500000000' \
		'add 101 vcpu0 halt_wait_hist#11 30' 'add 101 vcpu0 halt_wait_hist#12 10' \
		'set 101 vm pages_4k 77' 'tick 4000'
	sees ' io_exits +6000 +60\.0 +1500'
}

statistics_tests()
{
	start_top
	shows "without a VMM it waits, and says so" 'No VM is running\. Waiting for one' \
		'^kvm statistics - summary' '0 guests'
	tell 'vmm 101 2 demo'
	shows "a VMM that appears is told" 'demo \(101\) has appeared: 1 VM, 2 vCPUs' \
		'1 guest, 2 vCPUs · statistics fds · every 3 s'
	tell 'vmm 102 1 web' 'tick 3000'
	shows "so is another one" 'web \(102\) has appeared'
	check "what they do is shown" tell_numbers
	check "what grows fastest is first, what cannot be compared apart" \
		sees_order io_exits exits halt_wait_ns halt_wait_hist pages_4k
	shows "columns are those of kvm_stat" '^ Event +Total  %Total  CurAvg/s$' \
		'^ io_exits +6000 +60\.0 +1500$' '^ exits +4000 +40\.0 +1000$'
	shows "a time has its unit and no share, what is as it is no rate" \
		'^ halt_wait_ns +1\.5s +375ms$' '^ pages_4k +77 +-$'
	shows "the total is that of the events" '^ Total +10000 +2500$'
	tell 'add 102 vcpu0 exits 50' 'tick 3000'
	check "the order follows the rates" sees_order exits io_exits
	keys o
	check "o sorts by Total" sees_order io_exits exits
	shows "and says so" 'Sorted by Total'
	keys o
	check "o again by CurAvg/s" sees_order exits io_exits
	keys r
	shows "r lets totals begin anew" 'Totals count from now on' '^ pages_4k +77'
	tell 'add 101 vcpu0 exits 9' 'tick 3000'
	shows "from there they count" '^ exits +9 +100\.0 +3\.0$'
	keys i
	shows "i shows what was counted before" '^ exits +4059 ' 'totals since VM creation'
	keys i
	shows "i again what was counted since" '^ exits +9 '
	tell 'set 101 vcpu0 exits 5' 'tick 3000'
	shows "a counter that was cleared is told, not a huge rate" '^ exits +5 .* cleared$'
	check "in a colour of its own" sees_color exits 33
	tell 'vmm 103 1 late' 'tick 3000'
	keys b
	check "so has a VMM that has just come" sees_color '    103 late' 32
	quit_top
	point $? "q ends it, with success"
	with=NO_COLOR=1
	start_top && tell_some
	tell 'set 101 vcpu0 exits 5' 'tick 3000'
	sees ' cleared$' && screen -e && ! grep -q $'\e\\[33m' "$out/screen"
	point $? "with NO_COLOR there are none"
	with=
	quit_top
}

# sees_color TEXT CODE: as a sequence before it
sees_color()
{
	local tries=40 line

	until screen -e && line=$(grep -F -e "$1" "$out/screen" | head -n 1) &&
		[[ ${line%%"$1"*} =~ \[([0-9;]*;)?$2m ]]; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}

members_tests()
{
	start_top && tell_some
	keys b
	shows "b shows guests" '^     PID Guest Name +Total' '^     102 web +6000 +60\.0 +1500$' \
		'^     101 demo +4000 +40\.0 +1000$'
	keys Down Down Enter
	shows "Enter on a guest shows its VM and vCPUs" '^kvm statistics - pid 101 \(demo\)$' \
		'^ vcpu0 +3000 +75\.0 +750$' '^ vcpu1 +1000 +25\.0 +250$'
	keys b
	shows "b shows the statistics of all of them" '^ exits +4000 +100\.0 +1000$'
	keys b Down Enter
	shows "Enter on a vCPU shows its statistics" '^kvm statistics - pid 101 \(demo\) vcpu0$' \
		'^ exits +3000 +100\.0 +750$'
	keys Left
	shows "Left leads back to the vCPUs" '^ vcpu1 +1000 '
	keys Left
	shows "and to the guests" '^     102 web '
	keys b
	sees ' io_exits'
	keys Down Down Enter
	shows "Enter on a statistic shows whose it is" '^kvm statistics - summary - exits$' \
		'^     101 demo +4000 +100\.0 +1000$'
	keys Down Enter
	shows "down to the vCPUs" '^kvm statistics - pid 101 \(demo\) - exits$' '^ vcpu1 +1000 '
	check "without those that have no such statistic" lacks '^ vm '
	keys Down Enter
	sees '^kvm statistics - pid 101 \(demo\) vcpu0'
	tell 'end 101'
	shows "of a VMM that ends the last numbers stay" '^kvm statistics - pid 101 \(demo\) vcpu0   has ended$' '^ exits +3000 ' \
		'demo \(101\) has ended'
	keys Left Left Left
	shows "and the others go on" '^ io_exits +6000 ' '1 guest, 1 vCPU'
	check "without what it had" lacks '^ exits'
	quit_top
	start_top -t
	tell 'host' 'tick 3000'
	keys b
	shows "tracepoints of the machine are no guest's" "Press 'g' to choose one"
	tell 'add 0 host kvm_exit 100' 'add 0 host kvm_entry 300' 'add 0 host kvm_exit(HLT) 75' \
		'add 0 host kvm_exit(MSR_WRITE) 25' 'tick 3000'
	shows "without x, tracepoints are whole" '^ kvm_exit +100 +25\.0 ' '^ Total +400 '
	check "without their parts" lacks 'HLT'
	keys x
	shows "x shows exit reasons below their exit, with their share of it" \
		'^   HLT +75 +75\.0 ' '^   MSR_WRITE +25 +25\.0 ' '^ Total +400 '
	quit_top
}

histogram_tests()
{
	start_top && tell_some
	keys Down Down Down Down
	shows "a histogram says how it is opened" 'Enter bars'
	keys Enter
	shows "its bars have their bounds in real units" '^kvm statistics - summary - halt_wait_hist$' \
		'40 samples, 40 new; p50 < 2\.05µs, p99 < 4\.1µs' \
		'^ +1\.02µs +2\.05µs +30 +75\.0 █{30,}$' '^ +2\.05µs +4\.1µs +10 +25\.0 █{10,}[▏▎▍▌▋▊▉]?$'
	check "new samples have a colour" sees_color '██' 36
	tell 'add 101 vcpu0 halt_wait_hist#31 80' 'tick 3000'
	keys End
	shows "they follow the numbers, the last one has no end" '^ +1\.07s +- +80 +66\.7 █+$' \
		'^ +33\.6ms +67\.1ms +0 +0\.0$'
	keys r
	shows "after a reset there are none" "No samples yet. Press 'i'"
	keys i
	shows "but for those of the past" '120 samples'
	quit_top
}

prompt_tests()
{
	start_top && tell_some
	keys f
	shows "f asks for a regular expression" '^Regular expression \(empty: all\):'
	keys -l 'exits('
	keys Enter
	shows "one that is none is told" "'exits\(' is not an extended regular expression"
	keys BSpace Enter
	shows "a good one chooses" 'regex filter: exits$' '^ exits +4000 '
	check "from the start of names" lacks 'io_exits'
	keys f
	keys -l nothing
	keys Enter
	shows "one that matches nothing is told" "No statistic's name matches 'nothing'"
	keys c
	shows "c clears it" '^ io_exits +'
	check "so that it is gone" lacks 'regex filter'
	keys f
	keys -l exits
	keys Escape
	check "Esc leaves the prompt" loses '^Regular'
	check "and changes nothing" lacks 'regex filter'
	keys g
	shows "g asks for a guest" '^Guest or PID'
	keys -l nobody
	keys Enter
	shows "one that is not there is told" "no guest is named 'nobody'"
	keys C-u
	keys -l "$$"
	keys Enter
	shows "so is a process without a VM" 'not a KVM VMM'
	keys Escape s
	shows "s asks for the interval" '^Seconds between readings'
	keys -l 0.01
	keys Enter
	shows "one that is too short is told" "seconds between 0\.1 and"
	keys C-u
	keys -l 1.5
	keys Enter
	shows "a good one holds" 'every 1\.5 s'
	keys h
	shows "h explains the keys" '^ r +reset' '^Press any key to close'
	keys z
	shows "until a key is pressed" '^ Event '
	quit_top
}

end_tests()
{
	first=$(printf '%s\n' 'vmm 102 1 web' 'vmm 101 2 demo')
	start_top -p 101
	shows "-p chooses a process" '^kvm statistics - pid 101 \(demo\)$' '1 guest, 2 vCPUs'
	tell 'tick 3000' 'add 101 vcpu0 exits 10' 'tick 3000'
	sees '^ exits +10 '
	tell 'end 101' 'tick 3000'
	shows "if it ends, its last numbers stay" '^kvm statistics - guest demo   has ended$' '^ exits +10 '
	tell 'vmm 103 1 demo' 'tick 3000' 'add 103 vcpu0 exits 4' 'tick 3000'
	shows "its guest is known again in another process" '^ exits +4 ' '^kvm statistics - guest demo$'
	check "and is not said to have ended" lacks '  has ended$'
	quit_top
	start_top
	tell 'none 104' 'tick 3000'
	shows "why a VMM has no numbers is explained" 'process 104' 'opens statistics for the VMM only'
	keys b
	shows "it is among the guests, marked" '104 qemu +no statistics'
	quit_top
}

# ---- the terminal itself ----

resize_tests()
{
	local size

	start_top && tell_some
	for size in 1x1 2x1 1x30 3x2 4x4 9x5 25x8 40x9 41x6 300x3 400x120 80x24; do
		in_tmux resize-window -x "${size%x*}" -y "${size#*x}"
		keys Down
		screen
	done
	shows "after sizes from 1x1 to 400x120 all is there" '^ Event +Total  %Total  CurAvg/s$' \
		'^ exits +4000 ' '^ Total +10000 '
	keys Home
	in_tmux resize-window -x 30 -y 8
	shows "in 30 cells the rate is left" '^Event +CurAvg/s$' '^exits +1000$'
	in_tmux resize-window -x 80 -y 6
	keys Home
	sees '^ io_exits'
	keys End
	shows "the table follows the cursor" '^ pages_4k'
	in_tmux resize-window -x 20 -y 6
	keys Home Down Down Down Enter b h x g Escape f Escape z
	in_tmux resize-window -x 80 -y 24
	shows "all that it shows may be small" '^kvm statistics'
	quit_top
}

settings()
{
	run 'clear; stty -a | md5sum'
	sees '^[0-9a-f]{32}' && head -n 2 "$out/screen" | grep -E '^[0-9a-f]{32}'
}

# ended_by SIGNAL STATUS
ended_by()
{
	start_top || return 1
	kill -s "$1" "$(pgrep -P "$(in_tmux list-panes -F '#{pane_pid}')" -x top_monitor)"
	sees "^status $2"
}

signal_tests()
{
	local before signal

	before=$(settings)
	for signal in INT:0 TERM:143 HUP:129 QUIT:131 SEGV:139; do
		check "SIG${signal%:*} ends it, as it should" ended_by "${signal%:*}" "${signal#*:}"
		[ "$(settings)" = "$before" ]
		point $? "and leaves the terminal as it was"
	done
	start_top && tell_some
	keys C-z
	shows "^Z stops it" 'Stopped'
	[ "$(settings)" = "$before" ]
	point $? "with the terminal as it was"
	run fg
	shows "and it goes on" '^ exits +4000 '
	quit_top
	start_top
	in_tmux kill-session
	check "without its terminal it ends" has_left
}

has_left()
{
	local tries=50

	while pgrep -f "^top_monitor" >/dev/null; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

# A pseudo-terminal that nobody has given a size.
in_a_pty()
{
	rm -f "$out/script"
	mkfifo "$out/script"
	{ sleep 0.5; printf q; } | TERM=vt100 TOP_SCRIPT=$out/script timeout 20 \
		script -qec "$out/top_monitor" /dev/null >"$out/screen" 2>&1 9>&- &&
		grep -q 'kvm statistics' "$out/screen"
}

# refuses REGEX COMMAND...
refuses()
{
	local regex=$1

	shift
	! "$@" >"$out/screen" 2>&1 9>&- && grep -Eq -e "$regex" "$out/screen"
}

refusal_tests()
{
	check "a terminal of no size is one all the same" in_a_pty
	check "without a terminal it tells what to use" refuses "needs a terminal. Use 'kvm-stats log'" \
		env TOP_SCRIPT="$out/script" "$out/top_monitor"
	check "what is for logs is refused" refuses 'top does not support' \
		env TOP_SCRIPT="$out/script" "$out/top_monitor" -1
	run 'clear; TERM=nonesuch top_monitor; echo status $?'
	shows "a terminal that is not known is told" "unknown terminal 'nonesuch'" \
		'^status 1'
}

ascii_tests()
{
	terminal 80 24 C
	start_top && tell_some
	shows "in the locale C" '^ exits +4000 '
	keys Down Down Down Down Enter
	shows "bars are of ASCII" '^ +1\.02us +2\.05us +30 +75\.0 [#+]{30,}$'
	LC_ALL=C lacks '[^ -~]'
	point $? "and nothing else is on the screen"
	quit_top
}

# ---- real VMMs ----

vmms=
vmm=
vmm_program=$out/vmm

# start_vmm ARGUMENT...: false if it did not get ready
start_vmm()
{
	local tries=100

	[ -p "$out/vmm.in" ] || mkfifo "$out/vmm.in"
	exec 8<>"$out/vmm.in"
	rm -f "$out/vmm.out"
	"$vmm_program" "$@" <"$out/vmm.in" >"$out/vmm.out" 2>"$out/vmm.err" 8>&- 9>&- &
	vmm=$!
	vmms="$vmms $vmm"
	until grep -q '^ready' "$out/vmm.out" 2>/dev/null; do
		kill -0 $vmm 2>/dev/null && [ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}

stop_vmms()
{
	local pid

	for pid in $vmms; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	vmms=
}

# Why there can be no VM with statistics here; nothing if there can be one.
no_vm_because()
{
	if ! gcc -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE -pthread \
		-o "$out/vmm" "$command/tests/vmm.c" >"$out/screen" 2>&1; then
		echo "the small VMM does not build: $(head -n 1 "$out/screen")"
	elif ! start_vmm -s; then
		echo "$(head -n 1 "$out/vmm.err")"
	fi
	stop_vmms
}

real_tests()
{
	local why first

	why=$(no_vm_because)
	if [ -n "$why" ]; then
		skip "top shows real VMs" "$why"
		return
	fi
	# Others may run VMs here, too.
	start_vmm -s -c 2 -name "one$$"
	first=$vmm
	run "clear; kvm-stats top -s 0.5 -p $first; echo status \$?"
	shows "a real VM's exits are shown with their rate" \
		"^kvm statistics - pid $first \\(one$$\\)" '^ exits +[0-9]+ +[0-9.]+ +[0-9]{3,}$'
	keys c
	start_vmm -s -c 1 -name "two$$"
	keys b
	shows "a real VMM that appears is among the guests" "^ +$first one$$ +[0-9]+ " \
		"^ +$vmm two$$ +[0-9]+ "
	keys g
	keys -l "$$"
	shows "guests can be chosen" "^ +$first one$$" "^ +$vmm two$$"
	keys C-u
	keys -l "two$$"
	check "of those that match what is typed" loses "^ +$first one$$"
	keys Enter
	shows "by name" "^kvm statistics - guest two$$"
	keys f
	keys -l 'exits$'
	keys Enter b
	shows "its exits alone" '^ exits +[0-9]+ +100\.0 +[0-9]{3,}$'
	kill "$vmm"
	shows "it ends, and is waited for" "No guest named 'two$$' is running. Waiting for it"
	check "and its files are let go" holds_none
	quit_top
	real_histogram
	stop_vmms
}

# Of a guest that halts: tests/halting_vmm.c says how often and how long.
real_histogram()
{
	local program=$vmm_program

	if ! gcc -O2 -D_GNU_SOURCE -pthread -o "$out/halting_vmm" \
		"$command/tests/halting_vmm.c" -lm >"$out/screen" 2>&1; then
		point 1 "the VMM whose guest halts builds"
		return
	fi
	vmm_program=$out/halting_vmm
	if start_vmm 1 300 -name "halting$$"; then
		run "clear; kvm-stats top -s 0.3 -p $vmm -f halt_wait_hist; echo status \$?"
		sees '^ halt_wait_hist +[1-9]'
		keys Down Enter
		shows "a real histogram has bars with real bounds" '^[1-9][0-9]* samples' \
			'^ +[0-9.]+(µs|ms) +[0-9.]+(µs|ms) +[0-9]+ +[0-9.]+ █+'
		quit_top
	else
		skip "a real histogram has bars with real bounds" "$(head -n 1 "$out/vmm.err")"
	fi
	vmm_program=$program
}

holds_none()
{
	local pid

	pid=$(pgrep -P "$(in_tmux list-panes -F '#{pane_pid}')" -x kvm-stats)
	[ -n "$pid" ] && ! ls -l "/proc/$pid/fd" | grep -q 'kvm-v'
}

# ---- builds ----

# All with the address and undefined-behaviour checks; the tests without main.c and monitor.c.
build()
{
	make -j2 -C "$command" O="$out" CFLAGS="$checks" all >"$out/screen" 2>&1 &&
		rm -f "$out/parts.a" &&
		ar rc "$out/parts.a" $(ls "$out"/obj/*.o | grep -v '/\(main\|monitor\)\.o$') &&
		link top_monitor && link top_test
}

link()
{
	gcc -std=gnu11 -Wall -Wextra -Werror $checks -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		-I"$lib" -o "$out/$1" "$command/tests/$1.c" "$out/parts.a" \
		"$out/lib/libkvmstats.a" -lncursesw -ltinfo -lm >"$out/screen" 2>&1
}

unit_tests()
{
	local line

	"$out/top_test" >"$out/units" 2>"$out/screen"
	point $? "the parts are right: $(grep -c '^ok ' "$out/units") points"
	grep -A 1 '^not ok' "$out/units" | sed 's/^/# /'
}

mkdir -p "$out"
rm -f "$out"/report*
# What curses keeps to itself.
printf '%s\n' leak:libtinfo leak:libncursesw >"$out/known"
scripts/packages top >&2 || { echo "Bail out! tmux or what top is built with cannot be installed"; exit 1; }
echo "TAP version 13"
if ! build; then
	sed 's/^/# /' "$out/screen"
	echo "Bail out! top does not build"
	exit 1
fi
unit_tests
terminal 80 24 C.UTF-8
statistics_tests
members_tests
histogram_tests
prompt_tests
end_tests
resize_tests
refusal_tests
real_tests
signal_tests
ascii_tests
cat "$out"/report* >"$out/screen" 2>/dev/null
[ ! -s "$out/screen" ]
point $? "no check of addresses or behaviour complained"
echo "1..$points"
[ "$failures" -eq 0 ]
