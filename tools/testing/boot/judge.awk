# SPDX-License-Identifier: GPL-2.0-only
# The verdict channel, line by line, turned into points; see judge and init.

function point(result, desc,    n)
{
	failures_of[suite] += result == "fail"
	if (result == "pass") {
		for (n = reached + 1; n <= stages; n++) {
			if (suite ~ ("^(" stage_suite[n] ")$") && desc ~ stage_point[n])
				reached = n
		}
	}
	print result "\t" suite "\t" desc >>points
}

function fail(desc, why)
{
	point("fail", desc)
	print "FAILED " boot " " suite ": " desc
	if (why != "")
		print "    " why
	failures++
}

# TAP explains a point behind it; programs that do it before the point are
# understood where nothing stands behind.
function explain(n,    i, shown)
{
	for (i = n + 1; i <= lines && !is_point[i]; i++) {
		print "    " text[i]
		shown = 1
	}
	if (shown)
		return
	for (i = n - 1; i > 0 && !is_point[i]; i--)
		;
	for (i++; i < n; i++)
		print "    " text[i]
}

function start_suite(name)
{
	suite = name
	started[name] = 1
	plan = -1
	count = failures = failed = skipped_all = lines = 0
	bail = ""
	delete is_point
	delete failed_line
}

function result(line, ok,    desc, skip)
{
	count++
	desc = line
	sub(/^(not )?ok *[0-9]* *(- )?/, "", desc)
	skip = desc ~ /# *[Ss][Kk][Ii][Pp]/
	is_point[lines] = 1
	if (desc == "")
		desc = "point " count
	if ((suite, desc) in expected) {
		seen[suite, desc] = 1
		if (!ok) {
			failed++
			point("pass", "fails as it must: " desc)
			return
		}
		fail("fails as it must: " desc, skip ? "it was skipped" : "it passed")
		return
	}
	if (skip) {
		point("skip", desc)
		return
	}
	if (ok) {
		point("pass", desc)
		return
	}
	failed++
	failed_line[lines] = desc
	point("fail", desc)
}

# "# tried: 96 orders of closing, 12 ends of VMMs"
function note_tried(line,    count, what)
{
	sub(/^# tried:? /, "", line)
	while (match(line, /^[0-9]+ /)) {
		count = substr(line, 1, RLENGTH - 1)
		line = substr(line, RLENGTH + 1)
		what = line
		if (match(line, /, [0-9]+ /))
			what = substr(line, 1, RSTART - 1)
		line = substr(line, length(what) + 3)
		times[what] += count
		tried_by[what, suite] = suite
	}
}

# What was tried, how often, and how many points failed of the suites that did.
function write_tried(    what, key, part, failed)
{
	for (key in tried_by) {
		split(key, part, SUBSEP)
		failed[part[1]] += failures_of[part[2]]
	}
	for (what in times)
		print what "\t" times[what] "\t" failed[what] + 0 >tried
}

function tap(line)
{
	text[++lines] = line
	# "# vm: 11 descriptors"
	if (line ~ /^# v(m|cpu): [0-9]+ descriptors$/)
		descriptors[$2] = $3
	if (line ~ /^# tried:? [0-9]+ [^ ]/)
		note_tried(line)
	if (line ~ /^1\.\.[0-9]+/) {
		is_point[lines] = 1
		plan = substr(line, 4) + 0
		if (plan == 0 && line ~ /# *[Ss][Kk][Ii][Pp]/) {
			skipped_all = 1
			sub(/^[^#]*/, "", line)
			point("skip", "whole suite " line)
		}
	} else if (line ~ /^ok( |$)/) {
		result(line, 1)
	} else if (line ~ /^not ok( |$)/) {
		result(line, 0)
	} else if (line ~ /^Bail out!/) {
		bail = line
	}
}

function end_suite(status,    n)
{
	for (n = 1; n <= lines; n++) {
		if (n in failed_line) {
			print "FAILED " boot " " suite ": " failed_line[n]
			explain(n)
		}
	}
	if (bail != "")
		fail("runs to its end", bail)
	else if (status == 137)
		fail("runs to its end", "killed, at its time limit or by itself")
	else if (plan < 0)
		fail("prints a plan", "no line 1..N; exit status " status)
	else if (plan != count)
		fail("runs all of its points", "planned " plan ", ran " count "; exit status " status)
	else if (count == 0 && !skipped_all)
		fail("has points", "it ran none")
	else if (status != 0 && failed + failures == 0 && !skipped_all)
		fail("exits with 0", "every point passed, but the exit status is " status)
	finished[suite] = 1
	suite = boot
}

BEGIN {
	while (reach != "" && (getline line <reach) > 0) {
		if (line ~ /^#/ || split(line, part, " ") < 3)
			continue
		stage[++stages] = part[1]
		stage_suite[stages] = part[2]
		stage_point[stages] = part[3]
	}
	while ((getline line <must_fail) > 0) {
		name = line
		sub(/ .*/, "", name)
		sub(/^[^ ]* /, "", line)
		expected[name, line] = 1
	}
	suite = boot
}

/^@suite / { start_suite($2); next }
/^\|/ { sub(/^\|/, ""); tap($0); next }
/^!/ { text[++lines] = "stderr: " substr($0, 2); next }
/^@exit / { end_suite($3); next }
/^@end$/ { complete = 1 }

END {
	if (suite != boot)
		end_suite("unknown: the machine stopped")
	suite = boot
	if (no_end)
		;
	else if (complete)
		point("pass", "boots, runs its tests and powers off")
	else
		fail("boots, runs its tests and powers off",
		     ended != "" ? ended : "the machine stopped before its end marker")
	n = split(suites, wanted, " ")
	for (i = 1; i <= n; i++) {
		if (!(wanted[i] in started)) {
			suite = wanted[i]
			fail("runs", "the boot never got to it")
		}
	}
	for (key in expected) {
		if (key in seen)
			continue
		split(key, part, SUBSEP)
		suite = part[1]
		fail("fails as it must: " part[2], "it never ran")
	}
	if (tried != "")
		write_tried()
	if (facts == "")
		exit
	print "reached", (reached ? stage[reached] : "-") >facts
	print "vm", ("vm:" in descriptors ? descriptors["vm:"] : "-") >facts
	print "vcpu", ("vcpu:" in descriptors ? descriptors["vcpu:"] : "-") >facts
}
