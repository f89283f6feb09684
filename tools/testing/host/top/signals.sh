# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: signals, and the settings of the terminal after top.
# shellcheck shell=bash

settings()
{
	run 'clear; stty -a | md5sum'
	sees '^[0-9a-f]{32}' && head -n 2 "$out/screen" | grep -E '^[0-9a-f]{32}'
}

# has_settings SETTINGS
has_settings()
{
	[ "$(settings)" = "$1" ]
}

# ends_with SIGNAL STATUS
ends_with()
{
	start_top || return 1
	kill -s "$1" "$(child_pid top_monitor)"
	sees "^status $2"
}

has_ended()
{
	! is_running "$1"
}

ends_without_terminal()
{
	local pid

	start_top || return 1
	pid=$(child_pid top_monitor)
	in_tmux kill-session
	until_true 5 has_ended "$pid"
}

signal_tests()
{
	local before signal name

	before=$(settings)
	for signal in INT:0 TERM:143 HUP:129 QUIT:131 SEGV:139; do
		name=SIG${signal%:*}
		screen_check "$name ends top with the expected status" \
			ends_with "${signal%:*}" "${signal#*:}"
		screen_check "top restores the terminal on $name" has_settings "$before"
	done
	start_top && simulate_guests
	keys C-z
	shows "^Z stops top" 'Stopped'
	screen_check "top restores the terminal on ^Z" has_settings "$before"
	run fg
	shows "top continues after fg" '^ exits +4000 '
	quit_top
	screen_check "top ends when its terminal is closed" ends_without_terminal
}
