#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test kvm-stats top, and the view of kvm_stat, in a terminal of tmux: what an operator sees and
# types. The VMs are real: their tiny guests leave the vCPU all the time, or halt.
#
# usage: top.t

set -u
# The expected screens have characters that are not ASCII.
export LC_ALL=C.UTF-8

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"

# ---- the terminal ----

in_tmux()
{
	tmux -f /dev/null -S "$out/tmux" "$@" 9>&-
}

tmux_has_ended()
{
	! in_tmux list-sessions >/dev/null 2>&1
}

# terminal COLUMNS ROWS LOCALE: start a terminal with a shell. The sanitizers write to
# $out/report.*, because the screen belongs to top.
terminal()
{
	in_tmux kill-server 2>/dev/null
	# A server that is about to end still accepts connections.
	until_true 5 tmux_has_ended
	rm -f "$out/tmux"
	in_tmux new-session -d -x "$1" -y "$2" \
		"exec env PS1='$ ' LC_ALL=$3 ASAN_OPTIONS=log_path=$out/report \
		UBSAN_OPTIONS=log_path=$out/report \
		LSAN_OPTIONS=suppressions=$out/known:print_suppressions=0 \
		PATH=$checked:\$PATH sh -m"
	in_tmux set-option -g escape-time 0 \; set-option -g status off
	resize "$1" "$2"
	sees '^\$ *$' || echo "# the shell in tmux does not start"
}

resize()
{
	in_tmux resize-window -x "$1" -y "$2"
}

keys()
{
	in_tmux send-keys "$@"
}

type_text()
{
	keys -l "$1"
}

# run LINE: type the line and Enter in the terminal's shell
run()
{
	type_text "clear; $1; echo status \$?"
	keys Enter
}

# top_pid: print the PID of kvm-stats
top_pid()
{
	pgrep -P "$(in_tmux list-panes -F '#{pane_pid}')" -x kvm-stats
}

# capture [OPTION]...: write the screen to $out/screen
capture()
{
	in_tmux capture-pane -p "$@" >"$out/screen" 2>&1
}

# soon COMMAND...: repeat the command until it succeeds, for a few seconds
soon()
{
	local tries=80

	until "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

has()
{
	capture && grep -Eq -e "$1" "$out/screen"
}

lacks()
{
	capture && ! grep -Eq -e "$1" "$out/screen"
}

# sees REGEX: wait until a line of the screen matches this extended regular expression
sees()
{
	soon has "$1"
}

# loses REGEX: wait until no line of the screen matches
loses()
{
	soon lacks "$1"
}

# comes_first FIRST SECOND: wait until a line that begins with FIRST is above one with SECOND
comes_first()
{
	soon has_order "$@"
}

has_order()
{
	capture && awk -v a="$1" -v b="$2" 'index($0, a) == 1 { first = NR }
		index($0, b) == 1 { second = NR } END { exit !(first && first < second) }' \
		"$out/screen"
}

has_color()
{
	local line

	capture -e && line=$(grep -F -e "$1" "$out/screen" | head -n 1) &&
		[[ ${line%%"$1"*} =~ \[([0-9;]*;)?$2m ]]
}

# sees_color TEXT CODE: wait until the escape sequence of this color precedes the text
sees_color()
{
	soon has_color "$@"
}

# shows DESCRIPTION REGEX...: a test case, which waits until the screen has all of these lines
shows()
{
	local what=$1 regex status=0

	shift
	for regex; do
		sees "$regex" && continue
		sed -i "1i missing: $regex" "$out/screen"
		status=1
		break
	done
	screen_result "$status" "$what"
}

# screen_check DESCRIPTION COMMAND...: a test case, which prints the screen if it fails
screen_check()
{
	local what=$1 status=0

	shift
	"$@" || status=$?
	screen_result "$status" "$what"
}

# Without empty lines, the first lines of the log show the whole screen.
screen_result()
{
	grep -v '^$' "$out/screen" >"$out/log"
	tap_log=$out/log result "$@"
}

# start_top [ARGUMENT]...: the table of guests. The names of the guests contain the PID of this
# test, because other VMs may run on this machine.
start_top()
{
	run "kvm-stats top -i 0.5 $*"
	sees '^Guests'
}

start_kvm_stat()
{
	run "kvm-stats -s 0.5 $*"
	sees '^kvm statistics'
}

quit_top()
{
	keys q
	sees '^status 0'
}

# start_guest NAME VCPUS
start_guest()
{
	start_vmm -s -c "$2" -name "$1$$" >/dev/null
}

# ---- the table of guests ----

table_tests()
{
	start_guest one 1
	one=$vmm
	start_guest many 4
	many=$vmm
	start_top -g "'*$$'"
	shows "the table has headings" '^Guest +PID vCPU +CPU% Guest% Kern% Halt% Wait% +Exits/s'
	shows "a guest has the values of /proc and of KVM" \
		"^many$$ +$vmm +4 +[0-9.]+ .* [0-9]{3,} .*█.*(KiB|MiB)$"
	shows "the first line is the sum of the guests" '^all 2 guests +5 +[0-9.]+ .* [0-9]{3,} '
	shows "the meters show the host" '^CPU \[.*%\] +Mem \[.*GiB\]  [0-9]+ CPUs?, load '
	shows "the summary shows what is watched" \
		'^2 guests, 2 VMs, 5 vCPUs \([0-9.]+ per CPU\) · statistics fds.* · every 0\.5 s'
	keys V
	screen_check "V sorts by the number of vCPUs" comes_first "many$$" "one$$"
	keys -- -
	screen_check "- reverses the order" comes_first "one$$" "many$$"
	keys N
	screen_check "N sorts by name" comes_first "many$$" "one$$"
	keys N
	screen_check "N again reverses the order" comes_first "one$$" "many$$"
	keys -l '/MANY'
	screen_check "/ finds a name, regardless of case" sees_color "many$$" 7
	keys Escape
	keys -l 'f^on'
	keys -l '('
	keys Enter
	shows "an expression that is not valid is reported" '[Uu]nmatched|[Pp]arenthes'
	keys BSpace Enter
	shows "the title shows the filter of names" '^Guests · filter: \^on$' "^one$$"
	screen_check "the filter hides other guests" lacks '^(many|all)'
	keys f End
	type_text e
	shows "the prompt starts with the filter" '^Show only .*: \^one$'
	keys Escape
	keys Escape
	shows "Esc clears the filter" "^many$$ "
	keys s
	shows "s shows the current interval" '^Seconds between readings: 0\.5$'
	type_text 0.01
	shows "the first character replaces it" '^Seconds between readings: 0.01$'
	keys Enter
	shows "an interval that is too short is reported" 'from 0\.1 to'
	keys C-u
	type_text 0.4
	keys Enter
	shows "the interval is used" 'every 0\.4 s'
	keys c
	shows "c lists the columns" '^ \[x\] P +CPU% +use of CPUs' '^ \[ \] U +VMM% '
	keys Space c
	screen_check "Space in the list hides a column" loses ' PID '
	keys c Space c
	keys Space
	shows "Space pauses" '^Guests +paused'
	keys Space
	screen_check "Space continues" loses 'paused'
	keys h
	shows "h explains the keys" '^ Space +pause' '^Press any key to close'
	keys z
	sees '^Guest +PID '
	resize 80 24
	shows "in 80 columns, not all columns fit" '^Guest .* Exits/s .*>'
	keys Tab
	shows "Tab shows those that do not fit" '^Guest +Top exits .* Memory'
	resize 300 24
	shows "in 300 columns, all columns are shown" \
		'^Guest +PID vCPU .* Exits/s History +Top exits +Poll% Faults/s +Memory$'
	resize 140 24
	keys N Home Down Enter
	shows "Enter opens a guest, with a line for each vCPU" "^many$$ \\(PID $vmm\\)$" \
		'^VM, vCPU +CPU% ' '^whole guest .* [0-9]{3,}' '^vcpu3 .* [0-9]{3,} '
	keys Down Enter
	shows "Enter opens a vCPU, with statistics and their meaning" \
		"^many$$ \\(PID $vmm\\), vcpu0 · since VM creation" \
		'^Statistic +Value +Per second +History +Meaning' \
		'^exits +[0-9]+ +[0-9]{2,} .*█ The vCPU left the guest'
	keys N
	screen_check "the statistics are sorted by name" comes_first exits fpu_reload
	keys r
	shows "r counts from now on" 'since the reset' '^exits '
	keys i
	shows "i counts since VM creation" 'since VM creation'
	keys Left Left Home Enter
	shows "the line of all guests opens the sums" '^All guests · since VM creation' '^exits +[0-9]'
	keys Left
}

# ---- guests that appear, end, or cannot be read ----

changing_tests()
{
	start_guest "late-with-a-name-of-more-than-forty-characters" 1
	shows "a guest that appears is reported" \
		"late-with-.*$$ \\(PID $vmm\\) has appeared: 1 VM, 1 vCPU" '^all 3 guests'
	resize 200 24
	shows "a long name is not cut next to empty space" \
		"^late-with-a-name-of-more-than-forty-characters$$ "
	kill -STOP "$vmm"
	shows "a guest whose VMM is stopped is marked" '^late-.* the VMM is stopped'
	kill -CONT "$vmm"
	resize 140 24
	keys -l /late
	keys Enter Enter
	sees '^vcpu0 .* [0-9]{3,}'
	kill "$vmm"
	shows "the last values of a guest that ends stay" "$$ \\(PID $vmm\\)  +has ended" '^vcpu0 '
	shows "its end is reported" "late-.*$$ \\(PID $vmm\\) has ended"
	keys Left
	screen_check "the table removes it" loses '^late'
	start_vmm -c 1 -name "none$$" >/dev/null
	if "$stats" read -p "$vmm" >/dev/null 2>&1; then
		skip "a guest that cannot be read" "the statistics of any VM can be read here"
	else
		shows "a guest that cannot be read is marked with the reason" \
			"^none$$ +$vmm .* cannot be read: "
		screen_check "its line has a color of its own" sees_color 'cannot be read: ' 31
		shows "the summary and the sum count it" '^3 guests.* 1 cannot be read' \
			'^sum, 2 of 3 '
		resize 80 24
		keys Tab
		shows "after Tab, the reason has the rest of the line" \
			"^none$$ +cannot be read: this kernel opens statistics for the VMM only, "
		resize 140 24
		keys -l /none
		keys Enter Enter
		shows "Enter shows the whole reason" "PID $vmm .*: cannot open statistics"
		keys Left
	fi
	stop_vmm
	start_vmm -s -c 1 -name $'str\x9bange\u202e'"$$" >/dev/null
	shows "control and bidi characters in names are replaced" "^str\\?ange\\?$$ "
	stop_vmm
	quit_top
	start_vmm -v -name "guest=vcpus$$" >/dev/null
	if "$stats" list -p "$vmm" 2>/dev/null | grep -q '[a-z]:2/3'; then
		start_top -p "$vmm"
		shows "the table reports that only the values of the VM are missing" \
			', VM values of 1 guest missing ' "^vcpus$$ +$vmm +2 +VM +[0-9]"
		quit_top
	fi
	stop_vmm
	run "(ulimit -n 13; kvm-stats top -i 0.5 -p $many)"
	shows "with few open files, the table reports the vCPUs that are missing" \
		'^1 guest, 1 VM, 4 vCPUs .* missing' '^Guest +PID +vCPU +Unread ' \
		"^many$$ +$many +4 +[1-4] "
	quit_top
	resize 80 9
	start_top -p "$many"
	keys Enter
	shows "the number of lines below is shown" '^0 more above, [1-9] more below'
	keys End
	shows "and of those above" '^[1-9] more above, 0 more below'
	quit_top
	resize 140 24
	run "unshare -pf --mount-proc kvm-stats top"
	if ! sees '^[1-9][0-9]* guests?, '; then
		shows "without a VM, the screen says that top waits" \
			'^0 guests, 0 VMs, 0 vCPUs' 'No VM is running\. Waiting for one to start'
	fi
	quit_top
	start_top -g "nosuch$$" || true
	shows "a guest that does not exist is an error" "nosuch$$" '^status 1'
}

# ---- histograms ----

# Whether the end of a bar has the color of samples of the last interval
has_new_samples()
{
	capture -e && grep -Eq $'\e\\[([0-9;]*;)?36m[▏▎▍▌▋▊▉█]' "$out/screen"
}

histogram_tests()
{
	if start_vmm -s -c 1 -r 300 -name "halting$$" >/dev/null; then
		start_top -p "$vmm"
		keys Enter
		sees '^vcpu0'
		keys Down Enter
		sees '^halt_wait_hist '
		keys -l /wait_hist
		keys Enter Enter
		shows "the bars of a histogram have bounds with units" \
			'vcpu0, halt_wait_hist' '^[1-9][0-9]* samples, [0-9]+ new; p50 < ' \
			'^[0-9.]+(µs|ms) +[0-9.]+(µs|ms) +[0-9]+ +[0-9.]+ █+'
		screen_check "new samples have a color" soon has_new_samples
		quit_top
	fi
	stop_vmm
}

# ---- exit statistics ----

# A VMM whose QMP socket has made values of exit statistics, which this kernel may lack: they grow
# with the time. It runs "perl - SOCKET -name GUEST".
# shellcheck disable=SC2016 # it is Perl
fake_vmm='
use IO::Socket::UNIX;
use Time::HiRes "time";
my %rate = (exits => 1100, exit_io => 1000, exit_io_ns => 4e7, exit_cpuid => 100,
	exit_cpuid_ns => 1e7, guest_ns => 4e8, userspace_ns => 5e7, halted_ns => 4e8,
	run_delay_ns => 1e8);
my $start = time() - 5;
open(my $kvm, "+<", "/dev/kvm") or die;
my $fd = ioctl($kvm, 0xae01, 0) or die;
open(my $vm, "+<&=", $fd) or die;
my @vcpus = map { ioctl($vm, 0xae41, $_) or die } 0, 1;
sub schema { my ($target, @names) = @_;
	sprintf(q({"provider": "kvm", "target": "%s", "stats": [%s]}), $target, join(",", map {
		sprintf(q({"name": "%s", "type": "cumulative", %s}), $_, /_ns$/ ?
		q("unit": "seconds", "base": 10, "exponent": -9) : q("exponent": 0)) } @names)) }
sub stats { my $past = time() - $start; join(",", map {
	sprintf(q({"name": "%s", "value": %.0f}), $_, $rate{$_} * $past) } sort keys %rate) }
sub answer { my ($line) = @_;
	return q([{"cpu-index": 0, "qom-path": "/0"}, {"cpu-index": 1, "qom-path": "/1"}])
		if $line =~ /query-cpus/;
	return "[" . schema("vm", "remote_tlb_flush") . "," . schema("vcpu", sort keys %rate) . "]"
		if $line =~ /schemas/;
	return q([{"provider": "kvm", "stats": [{"name": "remote_tlb_flush", "value": 7}]}])
		if $line =~ /"vm"/;
	return "[" . join(",", map { sprintf(q({"provider": "kvm", "qom-path": "/%d",
		"stats": [%s]}), $_, stats()) =~ s/\n\s*//r } 0, 1) . "]" if $line =~ /"vcpu"/;
	return "{}" }
my $server = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 5) or die;
while (my $client = $server->accept()) {
	$client->autoflush(1);
	print $client qq({"QMP": {"version": {}, "capabilities": []}}\r\n);
	while (my $line = <$client>) {
		my ($id) = $line =~ /"id": (\d+)/;
		print $client sprintf(qq({"return": %s, "id": %d}\r\n), answer($line), $id);
	}
}'

time_tests()
{
	local what="the most frequent exits are classes"

	rm -f "$out/qmp"
	perl -e "$fake_vmm" -- "$out/qmp" -name "times$$" >"$out/vmm.out" 2>&1 9>&- &
	vmm=$!
	vmms[$vmm]=1
	if ! until_true 10 test -S "$out/qmp" ||
	   ! "$stats" read -p "$vmm" --qmp="$out/qmp" 2>&1 | grep -q 'exit_io_ns'; then
		skip "$what" "the VMM is not read over QMP"
		stop_vmm
		return
	fi
	start_top -p "$vmm" "--qmp=$out/qmp"
	shows "$what" "^times$$ +$vmm +2 .* io [12][0-9]{3}, cpuid [12][0-9]{2}" '· QMP ·'
	shows "the times of vCPUs are those of KVM" \
		"^times$$ +$vmm +2 +[0-9.]+ +(3[89]|4[0-2])\.[0-9] +[45]\.[0-9] +(3[89]|4[0-3])\."
	keys Enter
	shows "the page of a guest shows where the time of its vCPUs goes" \
		'^Time \[G{2,}E+V+H{2,}W+ *\]$' \
		'^     Guest (3[89]|4[0-2])\.[0-9]%  Exits [45]\.[0-9]%  VMM '
	shows "the classes of exits have count, time and mean, most time first" \
		'^Exits +Per s +Time % +Mean  Exits +Per s +Time % +Mean$' \
		'^io +[12][0-9]{3} +[34]\.[0-9] +40µs  cpuid +[12][0-9]{2} +(0\.9|1\.0) +100µs$'
	shows "the vCPUs are below" '^VM, vCPU +CPU% ' '^vcpu1 '
	screen_check "the parts of the bar have colors" sees_color 'GGG' 32
	keys Down Enter
	shows "the page of a vCPU shows where its time goes" ', vcpu0 ' '^Time \[' \
		'^io +[0-9]+ +[34]\.[0-9] ' '^exit_io_ns +[0-9.]+ms +4[0-9.]*ms'
	resize 80 24
	shows "in 80 columns, the bar has the whole width" '^Time \[.{73}\]$' '^     Guest '
	resize 80 9
	shows "in few rows, there is only the bar" '^Time \[' '^Statistic '
	screen_check "and no classes" lacks '^Exits'
	resize 140 24
	keys h
	screen_check "the help has the whole screen" loses '^Time '
	keys z
	stop_vmm
	shows "the bar of a guest that ends stays" ' has ended' '^Time \['
	quit_top
}

# ---- the view of kvm_stat ----

kvm_stat_tests()
{
	start_guest two 1
	start_kvm_stat -g "'*$$'"
	shows "the columns are those of kvm_stat" '^Event +Total  %Total   CurAvg/s$' \
		'^exits +[0-9]+ +[0-9.]+ +[0-9]{3,}$' '^Total +[0-9]+ +[0-9]{3,}$'
	keys o
	shows "o sorts by Total" 'Sorted by Total'
	keys o b
	shows "b shows guests" '^    PID Guest Name +Total' "^ +$vmm two$$ +[0-9]+ +[0-9.]+ +[0-9]"
	keys Enter
	shows "Enter on a guest shows its VM and vCPUs" '^VM, vCPU ' '^vcpu0 +[0-9]+ '
	keys Enter
	shows "Enter on a vCPU shows its statistics" '\), vcpu[0-9]$' '^exits +[0-9]'
	keys Left Left b
	shows "Left and b go back" "^kvm statistics - \\*$$$" '^Event '
	keys f
	shows "f asks for an expression" '^Regular expression \(empty: all\):'
	type_text 'exits('
	keys Enter
	shows "an invalid expression is reported" "'exits\(' is not an extended regular expression"
	keys BSpace Enter
	shows "the title has the expression" '-f exits$'
	screen_check "the expression matches from the start of names" loses '^halt_exits'
	keys b
	shows "the guests have the exits" "^ +$vmm two$$ +[0-9]+ +[0-9.]+ +[0-9]{3,}$"
	keys b f C-u
	type_text nothing
	keys Enter
	shows "an expression without a match is reported" "No statistic's name matches 'nothing'"
	keys c
	sees '^fpu_reload '
	keys g
	shows "g lists all guests" "^ +$one one$$" "^ +$vmm two$$"
	type_text "two$$"
	screen_check "the list has only guests that match" loses "^ +$one one$$"
	keys Enter
	shows "g selects a guest by name" "^kvm statistics - two$$" '^exits +[0-9]'
	keys p
	type_text 1
	keys Enter
	shows "a process without a VM is reported" 'has no VM or vCPU fds|PID 1'
	keys C-u
	type_text "nobody"
	keys Enter
	shows "a guest that does not exist is reported" "no guest is named 'nobody'"
	keys C-u
	type_text "$one"
	keys Enter
	shows "p selects a process" "^kvm statistics - one$$ \\(PID $one\\)" '^exits +[0-9]'
	keys r
	shows "r resets the totals" 'Values count from now on'
	keys i
	shows "i shows totals since the creation of the VM" 'since VM creation'
	keys x
	shows "x needs tracepoints" 'Start top with -t'
	quit_top
	stop_vmms
	stopped_tests
}

stopped_tests()
{
	local sum

	# All VMMs have the same input, so only one may run.
	start_guest two 2
	freeze_vmm
	sum=$("$stats" read -p "$vmm" -f '^exits$' | awk '$2 == "exits" { sum += $3 } END { print sum }')
	start_kvm_stat -i -p "$vmm"
	shows "the total of a stopped guest is that of its vCPUs" "^exits +$sum +[0-9.]+ +0$"
	kill "$vmm"
	shows "the view waits for a selected guest that has ended" \
		"^kvm statistics - two$$ .* has ended|No guest named 'two$$'"
	screen_check "the files of a VM that has ended are closed" has_no_kvm_fds
	start_guest two 1
	shows "the view shows the guest again in another process" '^exits +[0-9]+ .* [0-9]{3,}$'
	quit_top
	if "$stats" -t -1 -f kvm_exit -p "$vmm" >"$out/once" 2>&1; then
		start_kvm_stat -t -p "$vmm"
		keys x
		shows "x shows exit reasons below their tracepoint" '^kvm_exit +[0-9]+ ' '^  [A-Z_]+ '
		quit_top
	else
		skip "x shows exit reasons below their tracepoint" "$(head -n 1 "$out/once")"
	fi
	stop_vmms
}

has_no_kvm_fds()
{
	soon has_no_kvm_fd
}

has_no_kvm_fd()
{
	[ -z "$(find "/proc/$(top_pid)/fd" -lname '*kvm-v*')" ]
}

# A new pseudo-terminal has the size 0x0.
runs_without_size()
{
	{ sleep 1; printf q; } | TERM=vt100 LC_ALL=C timeout 20 script -qec "$stats top" \
		/dev/null >"$out/screen" 2>&1 && grep -q Guests "$out/screen"
}

# The options that print. tools.t tests their output.
once_tests()
{
	start_guest once 1
	run "kvm-stats -1 -p $vmm -f exits"
	shows "-1 prints once" '^exits +[0-9]+ +[0-9]+' '^status 0'
	run "kvm-stats -l -c -n 2 -s 0.2 -p $vmm -f exits | tail -n 1"
	shows "-l -c prints lines of CSV" '^[0-9-]+ [0-9:]+,[0-9]+$'
	run "kvm-stats -L $out/kvm_stat.log -n 2 -s 0.2 -p $vmm -f exits; wc -l <$out/kvm_stat.log"
	shows "-L appends to a file" '^3$'
	rm -f "$out/kvm_stat.log"
	stop_vmm
}

# ---- sizes, locales, signals ----

size_tests()
{
	local size start

	for start in start_top start_kvm_stat; do
		$start -g "'*$$'"
		for size in 1x1 2x1 1x30 3x2 4x4 9x5 20x5 25x8 40x9 41x6 300x3 400x120; do
			resize "${size%x*}" "${size#*x}"
			keys Down Tab Enter Down c Down c Enter b g Escape h z f Escape Left Left
			capture
		done
		resize 80 24
		keys Left Left Left
		shows "$start: all views work in sizes from 1x1 to 400x120" '^(Guests|kvm stat)' \
			'^(Guest|Event|    PID) '
		quit_top
	done
	resize 20 5
	start_top -g "'*$$'"
	shows "20x5 shows a guest" '^Guest +PID' "^(one$$|all )"
	quit_top
	resize 80 24
}

# All settings of the terminal but its size, which changes a moment after resize.
settings()
{
	run 'stty -g | md5sum'
	sees '^[0-9a-f]{32}' && grep -E '^[0-9a-f]{32}' "$out/screen"
}

has_settings()
{
	[ "$(settings)" = "$1" ]
}

# ends_with SIGNAL STATUS
ends_with()
{
	start_top || return 1
	kill -s "$1" "$(top_pid)"
	sees "^status $2"
}

signal_tests()
{
	local before signal pid

	before=$(settings)
	for signal in INT:0 TERM:143 QUIT:131; do
		screen_check "SIG${signal%:*} ends top with the expected status" \
			ends_with "${signal%:*}" "${signal#*:}"
		screen_check "top restores the terminal then" has_settings "$before"
	done
	start_top
	keys C-z
	shows "^Z stops top" 'Stopped'
	type_text fg
	keys Enter
	shows "top continues after fg" '^Guests'
	quit_top
	start_top
	pid=$(top_pid)
	in_tmux kill-session
	check "top ends when its terminal is closed" until_true 5 eval "! is_running $pid"
}

# refuses REGEX [ARGUMENT]...: run top without a terminal. It must fail with a matching message.
refuses()
{
	local regex=$1

	shift
	! "$stats" top "$@" >"$out/screen" 2>&1 && grep -Eq -e "$regex" "$out/screen"
}

refusal_tests()
{
	screen_check "without a terminal, top names another command" \
		refuses "needs a terminal. Use 'kvm-stats log'"
	screen_check "top --classic has the options of kvm_stat" refuses '-c needs -l' --cl -c
	screen_check "an unknown column is reported" \
		refuses "no column is named 'nothing'" --columns cpu,nothing
	screen_check "a column without an order is reported" \
		refuses "no column that can be sorted is named 'history'" --sort history
	screen_check "the options of kvm_stat need --classic" refuses 'need --classic' -s 1
	screen_check "top runs in a terminal without a size" runs_without_size
	run "TERM=nonesuch kvm-stats top"
	shows "an unknown terminal is reported" "unknown terminal 'nonesuch'" '^status 1'
	run "TERM=dumb kvm-stats top"
	shows "a terminal that cannot move its cursor is reported" \
		"the terminal 'dumb' cannot move its cursor" '^status 1'
}

only_ascii()
{
	LC_ALL=C lacks '[^ -~]'
}

no_colors()
{
	sees '^many' && capture -e && ! grep -q $'\e\\[\\([0-9;]*;\\)\\?3[0-7]m' "$out/screen"
}

locale_tests()
{
	terminal 140 24 C
	start_guest many 2
	run "NO_COLOR=1 kvm-stats top -i 0.5 --columns exits,history -p $vmm"
	shows "the table works in the locale C" "^many$$ +[0-9]{3,} .*#\$"
	screen_check "in the locale C, the screen has only ASCII characters" only_ascii
	screen_check "with NO_COLOR there are no colors" no_colors
	quit_top
	stop_vmms
}

# shellcheck disable=SC2317 # the traps call it
end_all()
{
	in_tmux kill-server 2>/dev/null
	stop_vmms
}

# shellcheck disable=SC2317 # check calls it
no_reports()
{
	! cat "$out"/report* 2>/dev/null
}

unset TMUX NO_COLOR
trap 'end_all; exit 1' INT TERM
trap 'explain_exit "$out/log"; end_all' EXIT

"$ROOT/scripts/packages" top >&2 || bail_out "packages cannot be installed"
rm -f "$out"/report*
# ncurses does not free all of its memory.
printf '%s\n' leak:libtinfo leak:libncursesw >"$out/known"
begin
check "top builds with sanitizers" build_checked
[ -x "$stats" ] || bail_out "kvm-stats does not build"
terminal 140 24 C.UTF-8
run_tests refusal_tests
why=$(why_no_vm)
if [ -n "$why" ]; then
	skip "top shows real VMs" "$why"
else
	run_tests table_tests
	run_tests changing_tests
	run_tests histogram_tests
	run_tests time_tests
	run_tests kvm_stat_tests
	run_tests once_tests
	start_guest one 1
	run_tests size_tests
	run_tests signal_tests
	run_tests locale_tests
fi
check "the sanitizers report nothing" no_reports
finish
