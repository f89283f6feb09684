# SPDX-License-Identifier: GPL-2.0-only
# Print what exit statistics cost as a table:
#
#	awk -f exit-stats.awk rows.list absent=FILE off=FILE on=FILE
#
# The files have counts, "NAME VALUE": of the series without CONFIG_KVM_EXIT_STATS, and with it while
# the exit statistics are off and on. The goals limit what an exit costs in the last two.

BEGIN {
	goal["exit_userspace.off"] = goal["exit_kernel.off"] = 1.001
	goal["exit_userspace.on"] = goal["exit_kernel.on"] = 1.12
	split("exit_userspace exit_kernel halt_poll halt_sleep pread_vcpu vcpu_bytes " \
	      "sizeof_kvm_vcpu text_kvm text_kvm_amd", rows)
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

function line(title, absent, off, on, ratio_off, ratio_on, goal,    text)
{
	text = sprintf("%-54s %9s %9s %9s %12s %12s  %s", title, absent, off, on, ratio_off,
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

function judge(row, state,    limit, value)
{
	limit = goal[row "." state]
	value = ratio(state "." row, "absent." row)
	if (value == "")
		return state " unknown"
	return sprintf("%s %.4f at most %s, %s", state, value, limit,
		       value <= limit ? "met" : "MISSED")
}

!/^#/ {
	name = $1
	sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]+/, "")
	title[name] = $0
}

END {
	line("Exit statistics", "not built", "off", "on", "off ratio", "on ratio", "goal")
	for (i = 1; i in rows; i++) {
		row = rows[i]
		line("  " title[row], show("absent." row), show("off." row), show("on." row),
		     show_ratio(ratio("off." row, "absent." row)),
		     show_ratio(ratio("on." row, "absent." row)),
		     row ".on" in goal ? "8: " judge(row, "off") "; " judge(row, "on") : "")
	}
}
