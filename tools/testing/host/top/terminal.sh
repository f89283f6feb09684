# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: a terminal of tmux, which runs a shell; its keys and its screen.
# shellcheck shell=bash

in_tmux()
{
	tmux -f /dev/null -S "$out/tmux" "$@" 8>&- 9>&-
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
		TOP_SCRIPT=$out/script PATH=$checked:$checked/tests:\$PATH sh -m"
	in_tmux set-option -g escape-time 0 \; set-option -g status off \; \
		set-option -g remain-on-exit off
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
	type_text "$1"
	keys Enter
}

# child_pid NAME: print the PID of the process NAME that the terminal's shell runs
child_pid()
{
	pgrep -P "$(in_tmux list-panes -F '#{pane_pid}')" -x "$1"
}

# capture [OPTION]...: write the screen to $out/screen
capture()
{
	in_tmux capture-pane -p "$@" >"$out/screen" 2>&1
}

# soon COMMAND...: repeat the command until it succeeds, for a few seconds
soon()
{
	local tries=60

	until "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.05
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

has_order()
{
	local wanted=$*

	capture && [ "$(awk 'NR > 3 && NF > 1 { print $1 }' "$out/screen" | head -n $# |
		xargs)" = "$wanted" ]
}

# sees_order NAME...: wait until the table begins with these lines, in this order
sees_order()
{
	soon has_order "$@"
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
