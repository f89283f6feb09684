# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: the bars of a histogram.
# shellcheck shell=bash

histogram_tests()
{
	start_top && simulate_guests
	keys Down Down Down Down
	shows "the help line offers bars for a histogram" 'Enter bars'
	keys Enter
	shows "the bounds of the bars have units" '^kvm statistics - summary - halt_wait_hist$' \
		'40 samples, 40 new; p50 < 2\.05µs, p99 < 4\.1µs' \
		'^ +1\.02µs +2\.05µs +30 +75\.0 █{30,}$' \
		'^ +2\.05µs +4\.1µs +10 +25\.0 █{10,}[▏▎▍▌▋▊▉]?$'
	screen_check "new samples have a color" sees_color '██' 36
	simulate 'add 101 vcpu0 halt_wait_hist#31 80' 'tick 3000'
	sees '^120 samples'
	keys End
	shows "the bars follow the values, and the last bar has no upper bound" \
		'^ +1\.07s +- +80 +66\.7 █+$' '^ +33\.6ms +67\.1ms +0 +0\.0$'
	keys r
	shows "after a reset there are no samples" "No samples yet. Press 'i'"
	keys i
	shows "i shows the samples before the reset" '120 samples'
	quit_top
}
