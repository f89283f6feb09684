# SPDX-License-Identifier: GPL-2.0-only
# Print the table of native cycles:
# awk -f goal-text.awk -f copy-table.awk copy.list GOALS-EVALUATED ROWS
# ROWS has "NAME MEDIAN LOW HIGH" and "copy_bytes BYTES".

BEGIN {
	while ((getline text <ARGV[3]) > 0) {
		split(text, field, " ")
		median[field[1]] = field[2]
		spread[field[1]] = field[3] " to " field[4]
	}
	read_goals(ARGV[2])
	ARGC = 2
	line("Copying " median["copy_bytes"] " bytes of values, natively", "cycles",
	     "80% of rounds", "to reference", "  goal")
}

function line(title, cycles, range, ratio, goal,    text) {
	text = sprintf("%-54s %9s %16s %13s%s", title, cycles, range, ratio, goal)
	sub(/ +$/, "", text)
	print text
}

/^#/ || !NF { next }

{
	title = $0
	sub(/^[^ \t]+[ \t]+/, "", title)
	if (!($1 in median)) {
		line("  " title, "-", "-", "-", goal[$1])
		next
	}
	line("  " title, median[$1], spread[$1],
	     sprintf("%.3f", median[$1] / median["copy_unrolled"]), goal[$1])
}
