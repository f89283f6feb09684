# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: the keys that ask for a filter, a guest and an interval, and the help.
# shellcheck shell=bash

filter_tests()
{
	keys f
	shows "f asks for a regular expression" '^Regular expression \(empty: all\):'
	type_text 'exits('
	keys Enter
	shows "an invalid expression is reported" \
		"'exits\(' is not an extended regular expression"
	keys BSpace Enter
	shows "a valid expression selects statistics" 'regex filter: exits$' '^ exits +4000 '
	screen_check "the expression matches from the beginning of names" lacks 'io_exits'
	keys f
	type_text nothing
	keys Enter
	shows "an expression without a match is reported" "No statistic's name matches 'nothing'"
	keys c
	shows "c clears the filter" '^ io_exits +'
	screen_check "the heading has no filter after c" lacks 'regex filter'
	keys f
	type_text exits
	keys Escape
	screen_check "Esc closes the prompt" loses '^Regular'
	screen_check "Esc does not change the filter" lacks 'regex filter'
}

guest_prompt_tests()
{
	keys g
	shows "g asks for a guest" '^Guest or PID'
	type_text nobody
	keys Enter
	shows "a guest that does not exist is reported" "no guest is named 'nobody'"
	keys C-u
	type_text "$$"
	keys Enter
	shows "a process without a VM is reported" 'has no VM or vCPU fds'
	keys Escape
}

interval_tests()
{
	keys s
	shows "s asks for the interval" '^Seconds between readings'
	type_text 0.01
	keys Enter
	shows "an interval that is too short is reported" "seconds from 0\.1 to"
	keys C-u
	type_text 1.5
	keys Enter
	shows "a valid interval is used" 'every 1\.5 s'
}

prompt_tests()
{
	start_top && simulate_guests
	filter_tests
	guest_prompt_tests
	interval_tests
	keys h
	shows "h explains the keys" '^ r +reset' '^Press any key to close'
	keys z
	shows "any key closes the help" '^ Event '
	quit_top
}
