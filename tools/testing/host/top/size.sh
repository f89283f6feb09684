# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: small and large terminals, terminals that top cannot use, the locale C.
# shellcheck shell=bash

resize_tests()
{
	local size

	start_top && simulate_guests
	for size in 1x1 2x1 1x30 3x2 4x4 9x5 25x8 40x9 41x6 300x3 400x120 80x24; do
		resize "${size%x*}" "${size#*x}"
		keys Down
		capture
	done
	shows "after sizes from 1x1 to 400x120 the table is complete" \
		'^ Event +Total  %Total  CurAvg/s$' '^ exits +4000 ' '^ Total +10000 '
	keys Home
	resize 30 8
	shows "in 30 columns only the rate is shown" '^Event +CurAvg/s$' '^exits +1000$'
	resize 80 6
	keys Home
	sees '^ io_exits'
	keys End
	shows "the table scrolls with the cursor" '^ pages_4k'
	resize 20 6
	keys Home Down Down Down Enter b h x g Escape f Escape z
	resize 80 24
	shows "all views work in a small terminal" '^kvm statistics'
	quit_top
}

# A new pseudo-terminal has the size 0x0.
runs_in_terminal_without_size()
{
	rm -f "$out/script"
	mkfifo "$out/script"
	{ sleep 0.5; printf q; } | TERM=vt100 TOP_SCRIPT=$out/script timeout 20 \
		script -qec "$checked/tests/top_monitor --classic" /dev/null >"$out/screen" 2>&1 8>&- &&
		grep -q 'kvm statistics' "$out/screen"
}

# refuses REGEX [ARGUMENT]...: run top without a terminal. It must fail with a matching message.
refuses()
{
	local regex=$1

	shift
	! TOP_SCRIPT=$out/script "$checked/tests/top_monitor" "$@" >"$out/screen" 2>&1 8>&- &&
		grep -Eq -e "$regex" "$out/screen"
}

refusal_tests()
{
	screen_check "top runs in a terminal without a size" runs_in_terminal_without_size
	screen_check "without a terminal, top names another command" \
		refuses "needs a terminal. Use 'kvm-stats log'"
	screen_check "options of log are usage errors" refuses 'top does not support' --classic -1
	run "clear; TERM=nonesuch top_monitor; echo status \$?"
	shows "an unknown terminal is reported" "unknown terminal 'nonesuch'" '^status 1'
	run "clear; TERM=dumb top_monitor; echo status \$?"
	shows "a terminal that cannot move its cursor is reported" \
		"the terminal 'dumb' cannot move its cursor" '^status 1'
}

only_ascii()
{
	LC_ALL=C lacks '[^ -~]'
}

ascii_tests()
{
	terminal 80 24 C
	start_top && simulate_guests
	shows "top works in the locale C" '^ exits +4000 '
	keys Down Down Down Down Enter
	shows "in the locale C, bars are of ASCII characters" \
		'^ +1\.02us +2\.05us +30 +75\.0 [#+]{30,}$'
	screen_check "in the locale C, the screen has only ASCII characters" only_ascii
	quit_top
	table_tests_in_ascii
}
