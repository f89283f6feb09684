#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Print the results of the kernel's KUnit tests of the statistics as TAP. If they are a
# module, load it, and remove it again, because it holds a reference to KVM's module.
#
# usage: kunit [FILE]...	the files /sys/kernel/debug/kunit/SUITE/results
#
# The kernel's own parser, tools/testing/kunit, reads a kernel log and is Python, which the
# test machine does not have. KUnit keeps 512 bytes of the log of each test case, so the
# result of a case that printed more is missing. It failed.

module=/modules/kvm-stats-kunit.ko
[ $# -eq 0 ] || module=
if [ -f "$module" ]; then
	insmod $module || exit
fi
[ $# -gt 0 ] || set -- /sys/kernel/debug/kunit/kvm_stats*/results
[ -f "$1" ] || set -- /dev/null

# shellcheck disable=SC2016 # an awk program
awk 'function result(passed, description)
{
	count++
	print (passed ? "ok " : "not ok ") count " - " description
	failed += !passed
}

function end_suite(    n)
{
	for (n = 1; n <= planned; n++) {
		if (!(n in seen))
			result(0, suite ".case_" n " (its result is lost, see the kernel log)")
	}
	if (suite != "" && !ended)
		result(0, suite " has a result")
	suite = ""
	planned = 0
	delete seen
}

BEGIN { print "TAP version 13" }

{ sub(/\r$/, ""); indented = sub(/^    /, "") }

indented && /^# Subtest: / { end_suite(); suite = $3; ended = 0; next }
indented && /^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0; next }

# Newer kernels print no "-".
/^(not )?ok [0-9]+ / {
	passed = !sub(/^not /, "")
	number = $2 + 0
	sub(/^ok [0-9]+ (- )?/, "")
	if (indented) {
		seen[number] = 1
		result(passed, suite "." $0)
	} else {
		ended = 1
		result(passed && planned, $0)
		end_suite()
	}
	next
}

# "# CASE: tried COUNT WHAT"
{ sub(/^# [a-z0-9_]+: tried /, "# tried: ") }

{ print ($0 ~ /^#/ ? "" : "# ") $0 }

END {
	end_suite()
	if (!count)
		result(0, "the kernel has KUnit tests of the statistics")
	print "1.." count
	exit failed > 0
}
' "$@"
status=$?
[ ! -f "$module" ] || rmmod kvm_stats_kunit || exit
exit $status
