#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Print as TAP whether kmemleak found leaks since the tests began. /tmp/begun has the seconds
# of uptime at that time.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"

kmemleak=/sys/kernel/debug/kmemleak

# kmemleak ignores objects that are younger than 5 seconds, and reports only what it found
# in two scans. Do not scan stacks: old pointers there can hide a leak.
scan_for_leaks()
{
	sleep 6
	echo stack=off >$kmemleak && echo scan >$kmemleak && echo scan >$kmemleak
}

# Print the reports about objects that were allocated since the tests began.
new_leaks()
{
	awk -v most=$(($(uptime_seconds) - $(cat /tmp/begun))) '
	/^unreferenced object/ { first = $0; next }
	/^  comm / && first != "" {
		age = $0
		sub(/.*\(age /, "", age)
		ours = age + 0 <= most
		if (ours)
			print first
		first = ""
	}
	ours' $kmemleak
}

echo "1..1"
if grep -qs '\[[ic]' /sys/kernel/security/lockdown; then
	echo "ok 1 - nothing is leaked # SKIP kmemleak reports in debugfs, which lockdown closes"
	exit 0
fi
if ! scan_for_leaks; then
	echo "not ok 1 - nothing is leaked"
	echo "# kmemleak does not scan: it is disabled, or has disabled itself"
	exit 1
fi
new_leaks >/tmp/leaks
if [ -s /tmp/leaks ]; then
	# A leak has 10 lines and more, so only the first ones are printed.
	echo "not ok 1 - nothing is leaked"
	echo "# $(grep -c '^unreferenced object' /tmp/leaks) objects, the first of them:"
	sed 's/^/# /; 60q' /tmp/leaks
	exit 1
fi
echo "ok 1 - nothing is leaked"
echo "# $(grep -c '^unreferenced object' $kmemleak) objects from before the tests do not count"
