# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tests of programs with a screen, after kvm_stats.sh: a terminal of tmux, in which a shell
# runs the programs in $checked.
# shellcheck shell=bash
# shellcheck disable=SC2154 # kvm_stats.sh sets the variables

unset TMUX NO_COLOR
rm -f "$out"/report*
# ncurses does not free all of its memory.
printf '%s\n' leak:libtinfo leak:libncursesw >"$out/known"

in_tmux()
{
	tmux -f /dev/null -S "$out/tmux" "$@" 9>&-
}

tmux_has_ended()
{
	! in_tmux list-sessions >/dev/null 2>&1
}

# terminal COLUMNS ROWS LOCALE: start a terminal with a shell. The sanitizers write to
# $out/report.*, because the screen belongs to the program.
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

# capture [OPTION]...: write the screen to $out/screen
capture()
{
	in_tmux capture-pane -p "$@" >"$out/screen" 2>&1
}

# soon COMMAND...: repeat the command until it succeeds, for half a minute or more
soon()
{
	local tries=300

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

# shellcheck disable=SC2317 # check calls it
no_reports()
{
	! cat "$out"/report* 2>/dev/null
}
