# SPDX-License-Identifier: GPL-2.0-only
# The files /sys/kernel/debug/kunit/SUITE/results as one TAP stream. KUnit keeps
# 512 bytes of each case's log, so the result of a case that said much is
# missing: it failed.
#
# usage: awk -f kunit.awk FILE...	no file, or none with results, is a failure

function point(result, desc)
{
	points++
	print result " " points " - " desc
	if (result != "ok")
		failed = 1
}

function end_suite(    n)
{
	if (suite == "")
		return
	for (n = 1; n <= planned; n++) {
		if (!(n in seen))
			point("not ok", suite ".case_" n " (its result is lost, see the kernel log)")
	}
	if (!concluded)
		point("not ok", suite " has a result")
	suite = ""
}

BEGIN { print "TAP version 13" }

{ sub(/\r$/, ""); indented = sub(/^    /, "") }

indented && /^# Subtest: / {
	end_suite()
	suite = $3
	planned = concluded = 0
	for (n in seen)
		delete seen[n]
	next
}

indented && /^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0; next }

indented && /^(not )?ok [0-9]+ - / {
	result = /^not/ ? "not ok" : "ok"
	sub(/^not /, "")
	seen[$2 + 0] = 1
	sub(/^ok [0-9]+ - /, "")
	point(result, suite "." $0)
	next
}

!indented && /^(not )?ok [0-9]+ - / {
	concluded = 1
	result = /^not/ ? "not ok" : "ok"
	sub(/^(not )?ok [0-9]+ - /, "")
	point(planned ? result : "not ok", $0)
	end_suite()
	next
}

# "# CASE: tried COUNT WHAT"
{ sub(/^# [a-z0-9_]+: tried /, "# tried: ") }

{ print ($0 ~ /^#/ ? "" : "# ") $0 }

END {
	end_suite()
	if (!points)
		point("not ok", "there are suites of the statistics in this kernel")
	print "1.." points
	exit failed
}
