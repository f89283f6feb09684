#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test kvm-stats top in a terminal of tmux: what an operator sees and types. The VMs are real: their
# tiny guests leave the vCPU all the time, or halt.
#
# usage: top.t

set -u
# The expected screens have characters that are not ASCII.
export LC_ALL=C.UTF-8

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/cli/terminal.sh"

# ---- kvm-stats in the terminal ----

# top_pid: print the PID of kvm-stats
top_pid()
{
	pgrep -P "$(in_tmux list-panes -F '#{pane_pid}')" -x kvm-stats
}

# start_top [ARGUMENT]...: the table of guests. The names of the guests contain the PID of this
# test, because other VMs may run on this machine.
start_top()
{
	run "kvm-stats top -i 0.5 $*"
	sees '^Guests'
}

# run_as GROUP [OPTION OF unshare]... COMMAND...: run a command of the shell where no host file is
# published. The program that follows $as in it has no right but those of the group.
run_as()
{
	local options='' as="setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all"

	as="$as --regid $1"
	while shift && [[ $1 == -* ]]; do
		options="$options $1"
	done
	run "unshare -m$options sh -c 'mount -t tmpfs none /run; as=\"$as\"; $*'"
}

quit_top()
{
	keys q
	sees '^status 0'
}

# start_guest NAME VCPUS
start_guest()
{
	start_vmm -c "$2" -name "$1$$" >/dev/null
}

# ---- README.md ----

has_readme_table()
{
	capture && sed -n '/^Guest /,/^test /p' "$out/screen" | diff <(readme_block 'kvm-stats top') -
}

readme_tests()
{
	resize 100 24
	run "TZ=UTC kvm-stats top $readme_options"
	screen_check "README.md shows the table of top" soon has_readme_table
	quit_top
	resize 160 24
}

# ---- the table of guests ----

table_tests()
{
	start_guest one 1
	one=$vmm
	start_guest many 4
	many=$vmm
	start_top -g "'*$$'"
	shows "the table has headings" '^Guest +PID vCPU State +CPU% Guest% Kern% Halt% Wait% Throt% +Exits/s'
	shows "a guest has the values of /proc and of KVM" \
		"^many$$ +$vmm +4 running +[0-9.]+ .* [0-9]{3,} .*█.*(KiB|MiB)$"
	shows "the first line is the sum of the guests" '^all guests +5 +[0-9.]+ .* [0-9]{3,} '
	shows "the meters show the host" '^CPU \[.*%\] +Mem \[.*GiB\]  [0-9]+ CPUs?, load '
	shows "the summary shows what is watched" \
		'^2 guests, 2 VMs, 5 vCPUs \([0-9.]+ per CPU\) · the host file · every 0\.5 s$'
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
	keys Tab
	shows "Tab shows those that do not fit" '^Guest +(Verdict +)?History +Top exits .* Memory'
	resize 160 24
	keys N Home Down Enter
	shows "Enter opens a guest, with a line for each vCPU" "^many$$ \\(PID $vmm\\)$" \
		'^VM, vCPU +State +CPU% ' '^whole guest +running .* [0-9]{3,}' '^vcpu3 .* [0-9]{3,} '
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

# ---- guests that appear, end, or do not run ----

changing_tests()
{
	start_guest late 1
	shows "a guest that appears is reported" \
		"late$$ \\(PID $vmm\\) has appeared: 1 VM, 1 vCPU" '^3 guests, ' '^all guests '
	keys -l /late
	keys Enter Enter
	sees '^vcpu0 .* [0-9]{3,}'
	kill "$vmm"
	shows "the last values of a guest that ends stay" "$$ \\(PID $vmm\\)  +has ended" '^vcpu0 '
	shows "its end is reported" "late$$ \\(PID $vmm\\) has ended"
	keys Left
	screen_check "the table removes it" loses '^late'
	start_vmm -c 1 -name $'str\x9bange\u202e'"$$" >/dev/null
	shows "control and bidi characters in names are replaced" "^str\\?ange\\?$$ "
	stop_vmm
	quit_top
	resize 80 9
	start_top -p "$many"
	keys Enter
	shows "the number of lines below is shown" '^0 more above, [1-9] more below'
	keys End
	shows "and of those above" '^[1-9] more above, 0 more below'
	quit_top
	resize 160 24
	run_as 65534 -pf --mount-proc "exec \$as $copy/kvm-stats top"
	shows "without a VM, the screen says that top waits" \
		'^0 guests, 0 VMs, 0 vCPUs' 'No VM is running\. Waiting for one to start'
	quit_top
	start_top -g "nosuch$$" || true
	shows "a guest that does not exist is an error" "nosuch$$" '^status 1'
}

# make_cgroup CONTROLLER: make a cgroup of the VMM, in the hierarchy that has the controller, and
# print its folder
make_cgroup()
{
	local root

	root=$(findmnt -n -t cgroup -O "$1" -o TARGET | head -n 1)
	[ -n "$root" ] || root=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -d "$root" ] && { [ ! -f "$root/cgroup.subtree_control" ] || [ "$1" = freezer ] ||
		echo "+$1" >"$root/cgroup.subtree_control"; } &&
	mkdir "$root/kvm-stats-test-$$" && echo "$root/kvm-stats-test-$$" &&
	echo "$vmm" >"$root/kvm-stats-test-$$/cgroup.procs"
}

# set_cgroup FOLDER FILE_OF_V1 VALUE FILE_OF_V2 VALUE
set_cgroup()
{
	if [ -f "$1/$2" ]; then
		echo "$3" >"$1/$2"
	else
		echo "$5" >"$1/$4"
	fi
}

limit_tests()
{
	local what="a guest with a CPU limit is throttled"

	if ! cgroup=$(make_cgroup cpu 2>"$out/log"); then
		skip "$what" "no cgroup can be made: $(head -n 1 "$out/log")"
		return
	fi
	set_cgroup "$cgroup" cpu.cfs_quota_us 2000 cpu.max '2000 100000'
	start_top -p "$vmm"
	shows "$what" "^busy$$ +$vmm +2 running +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[1-9][0-9.]+ "
	keys Enter
	shows "the page of the guest shows the limit" \
		"^Limited to 0\\.02 CPUs by the cgroup /kvm-stats-test-$$\$" '^vcpu1 '
	quit_top
	echo "$vmm" >"${cgroup%/*}/cgroup.procs"
	rmdir "$cgroup"
}

# shows_state STATE MEANING
shows_state()
{
	shows "a guest that is $1 has this state, and the reason is below" "^busy$$ +$vmm +2 $1 " \
		"^ $1: $2"
}

state_tests()
{
	start_guest busy 2
	limit_tests
	start_top -p "$vmm"
	kill -STOP "$vmm"
	shows_state stopped 'a signal or a debugger has stopped the VMM$'
	screen_check "the state has a color of its own" sees_color 'stopped' 31
	kill -CONT "$vmm"
	shows "a guest that continues is running" "^busy$$ +$vmm +2 running "
	if cgroup=$(make_cgroup freezer 2>"$out/log"); then
		set_cgroup "$cgroup" freezer.state FROZEN cgroup.freeze 1
		shows_state frozen 'the freezer of a cgroup has stopped the VMM$'
		set_cgroup "$cgroup" freezer.state THAWED cgroup.freeze 0
		shows "a guest that thaws is running" "^busy$$ +$vmm +2 running "
		echo "$vmm" >"${cgroup%/*}/cgroup.procs"
		rmdir "$cgroup"
	else
		skip "a guest that is frozen has this state" "no cgroup: $(head -n 1 "$out/log")"
	fi
	quit_top
	stop_vmm
}

# ---- users ----

has_no_rights()
{
	! grep -E '^Cap[A-Z][a-z]*:.*[1-9a-f]' "/proc/$(top_pid)/status"
}

# The group is one that each system has. What is published here is in a file system of its own.
user_tests()
{
	local group

	group=$(getent group users | cut -d : -f 3)
	run_as 65534 "exec \$as $copy/kvm-stats top -p $one"
	shows "without statistics, a user sees what /proc has, and why there is no more" \
		'^1 guest, 1 VM, .* · /proc · every 3 s$' '^ .*(no host file is published|permission denied)\. Run ' \
		'^Guest +PID vCPU State +CPU% .* Wait% Throt% +Memory *$' "^one$$ +$one +1 running +[0-9.]+ "
	quit_top
	run_as "$group" "$copy/kvm-stats publish --group=users &&" \
		"exec \$as $copy/kvm-stats top -i 0.5 -p $one"
	shows "a member of the group sees the statistics" '^1 guest, 1 VM, 1 vCPU .*the host file' \
		"^one$$ +$one +1 running .* [0-9]{3,} .*█"
	screen_check "top has no right then" has_no_rights
	quit_top
	run_as "$group" "mount -t proc -o hidepid=2 proc /proc; $copy/kvm-stats publish --group=users &&" \
		"exec \$as $copy/kvm-stats top -i 0.5 -p $one"
	shows "if /proc hides a VMM, the host file has its statistics and the times of its vCPUs" \
		"^\\? +$one +1 unknown +[0-9.]+ +[0-9.]+ .* [0-9]{3,} .*█" '^ unknown: /proc does not show'
	quit_top
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

# A new pseudo-terminal has the size 0x0.
runs_without_size()
{
	{ sleep 1; printf q; } | TERM=vt100 LC_ALL=C timeout 20 script -qec "$stats top" \
		/dev/null >"$out/screen" 2>&1 && grep -q Guests "$out/screen"
}

# ---- sizes, locales, signals ----

size_tests()
{
	local size

	start_top -g "'*$$'"
	for size in 1x1 2x1 1x30 3x2 4x4 9x5 20x5 25x8 40x9 41x6 300x3 400x120; do
		resize "${size%x*}" "${size#*x}"
		keys Down Tab Enter Down c Down c Enter h z f Escape Left Left
		capture
	done
	resize 80 24
	keys Left Left Left
	shows "all pages work in sizes from 1x1 to 400x120" '^Guests' '^Guest '
	quit_top
	resize 20 5
	start_top -g "'*$$'"
	shows "20x5 shows a guest" '^Guest +PID' "^(one$$|all )"
	quit_top
	resize 80 24
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
	screen_check "an unknown column is reported" \
		refuses "no column is named 'nothing'" --columns cpu,nothing
	screen_check "a column without an order is reported" \
		refuses "no column that can be sorted is named 'history'" --sort history
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
	terminal 160 24 C
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
	rm -rf "$copy"
}

trap 'end_all; exit 1' INT TERM
trap 'explain_exit "$out/log"; end_all' EXIT

"$ROOT/scripts/packages" top >&2 || bail_out "packages cannot be installed"
begin
check "top builds with sanitizers" build_checked
[ -x "$stats" ] || bail_out "kvm-stats does not build"
terminal 160 24 C.UTF-8
run_tests refusal_tests
run_tests readme_tests
why=$(why_no_vm)
[ -n "$why" ] || why=$(why_no_host_file)
copy=$(mktemp -d /tmp/kvm-stats.XXXXXX)
# Users who have no access to the directory of the build run a copy.
chmod 755 "$copy"
build_plain kvm-stats >"$out/log" 2>&1 && install -m 755 "$plain/kvm-stats" "$copy/kvm-stats"
if [ -n "$why" ]; then
	skip "top shows real VMs" "$why"
else
	run_tests table_tests
	run_tests changing_tests
	run_tests histogram_tests
	run_tests user_tests
	stop_vmms
	run_tests state_tests
	start_guest one 1
	run_tests size_tests
	run_tests signal_tests
	run_tests locale_tests
fi
check "the sanitizers report nothing" no_reports
finish
