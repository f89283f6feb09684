# SPDX-License-Identifier: GPL-2.0-only
# Print what exit statistics cost as a table:
#
#	awk -f exit-stats.awk rows.list unpatched=FILE off=FILE on=FILE
#
# The files have counts, "NAME VALUE": of 5.10 without the series, and of the series without and
# with exit statistics. The goal limits what an exit costs with exit statistics.

BEGIN {
	goal["exit_userspace"] = goal["exit_kernel"] = 1.05
	split("exit_userspace exit_kernel halt_poll halt_sleep pread_vcpu vcpu_bytes", rows)
	for (i = 2; i < ARGC; i++)
		read_counts(ARGV[i])
	ARGC = 2
}

function read_counts(argument,    part, text, field)
{
	split(argument, part, "=")
	while ((getline text <part[2]) > 0) {
		split(text, field, " ")
		count[part[1] "." field[1]] = field[2]
	}
	close(part[2])
}

function line(title, unpatched, off, on, ratio_off, ratio_on, goal,    text)
{
	text = sprintf("%-54s %9s %9s %9s %12s %12s  %s", title, unpatched, off, on, ratio_off,
		       ratio_on, goal)
	sub(/ +$/, "", text)
	print text
}

function show(name)
{
	return name in count ? sprintf("%.10g", count[name]) : "-"
}

function ratio(name, base)
{
	return name in count && base in count ? count[name] / count[base] : ""
}

function show_ratio(value)
{
	return value == "" ? "-" : sprintf("%.4f", value)
}

function judge(row, value)
{
	if (!(row in goal))
		return ""
	if (value == "")
		return "8: unknown"
	return sprintf("8: %.4f at most %s, %s", value, goal[row],
		       value <= goal[row] ? "met" : "MISSED")
}

!/^#/ {
	name = $1
	sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]+/, "")
	title[name] = $0
}

END {
	line("Exit statistics", "unpatched", "off", "on", "off ratio", "on ratio", "goal")
	for (i = 1; i in rows; i++) {
		row = rows[i]
		off = ratio("off." row, "unpatched." row)
		on = ratio("on." row, "unpatched." row)
		line("  " title[row], show("unpatched." row), show("off." row), show("on." row),
		     show_ratio(off), show_ratio(on), judge(row, on))
	}
}
