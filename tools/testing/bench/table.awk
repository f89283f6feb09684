# SPDX-License-Identifier: GPL-2.0-only
# Print the table of the kernels:
# awk -f goal-text.awk -f table.awk rows.list GOALS-EVALUATED KERNEL=FILE...
# The kernels are patched, unpatched, mainline and native. The last one is the kernel of
# this machine; its values are shown as multiples of its first row.

BEGIN {
	for (i = 3; i < ARGC; i++) {
		eq = index(ARGV[i], "=")
		read_rows(substr(ARGV[i], 1, eq - 1), substr(ARGV[i], eq + 1))
	}
	read_goals(ARGV[2])
	ARGC = 2
	wide = 54
	line("", "patched", "unpatched", "mainline", "to mainline", "to unpatched", "native", "  goal")
}

function read_rows(kernel, file,    text, field) {
	while ((getline text <file) > 0) {
		split(text, field, " ")
		if (field[2] != "-")
			value[kernel, field[1]] = field[2]
	}
	close(file)
}

function line(title, patched, unpatched, mainline, to_mainline, to_unpatched, native, goal,    text) {
	text = sprintf("%-" wide "s %9s %9s %9s %12s %12s %8s%s", title, patched, unpatched,
		       mainline, to_mainline, to_unpatched, native, goal)
	sub(/ +$/, "", text)
	print text
}

function show(kernel) {
	if (!((kernel, $1) in value))
		return "-"
	return sprintf("%.10g", int(value[kernel, $1] * 10 + 0.5) / 10)
}

# Return the ratio, or for sizes and numbers the difference.
function relate(kernel,    ours, theirs) {
	if (!(("patched", $1) in value) || !((kernel, $1) in value))
		return "-"
	ours = value["patched", $1]
	theirs = value[kernel, $1]
	if ($2 == "bytes" || $2 == "number")
		return ours == theirs ? "same" : sprintf("%+.10g", ours - theirs)
	return sprintf("%.4f", ours / theirs)
}

function multiple(    floor) {
	floor = value["native", "syscall"]
	if (!(("native", $1) in value) || !floor || $2 == "bytes" || $2 == "number")
		return "-"
	return sprintf("%.2fx", value["native", $1] / floor)
}

/^#/ || !NF { next }

{
	title = $0
	sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]+/, "", title)
	if ($1 == "-") {
		print title
		next
	}
	known[$1] = 1
	line("  " title, show("patched"), show("unpatched"), show("mainline"), relate("mainline"),
	     relate("unpatched"), multiple(), goal[$1])
}

END {
	for (key in value) {
		split(key, part, SUBSEP)
		if (!(part[2] in known)) {
			print part[1] " has the row '" part[2] "', which is not in rows.list" >"/dev/stderr"
			exit 1
		}
	}
}
