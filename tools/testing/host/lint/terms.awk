# SPDX-License-Identifier: GPL-2.0-only
# Print the lines that have a term of terms.list.
#
# usage: awk -f terms.awk terms.list FILE...

FNR == NR {
	if (/^#/ || !NF)
		next
	split($0, part, "\t")
	gsub(/ /, "[ \t]+", part[1])
	instead["(^|[^a-z_])" part[1] "([^a-z_]|$)"] = part[2]
	next
}

{
	line = tolower($0)
	for (term in instead) {
		if (line ~ term) {
			print FILENAME ":" FNR ": write \"" instead[term] "\": " $0
			bad = 1
		}
	}
}

END { exit bad }
