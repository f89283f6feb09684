# SPDX-License-Identifier: GPL-2.0-only
# Print the lines that have a term of terms.list, and what to write instead. Case does not matter,
# and each word can have an ending such as "s".
#
# usage: awk -f terms.awk terms.list FILE...

FNR == NR {
	if (/^#/)
		next
	split($0, column, /: */)
	count = split(column[1], term, /, */)
	for (i = 1; i <= count; i++) {
		gsub(/ /, "(\047s|s|ed|ing)?[ \t]+", term[i])
		instead["(^|[^a-z_])" term[i] "(\047s|s|ed|ing)?([^a-z_]|$)"] = column[2]
	}
	next
}

{
	line = tolower($0)
	for (pattern in instead) {
		if (line ~ pattern) {
			print FILENAME ":" FNR ": write \"" instead[pattern] "\": " $0
			bad = 1
		}
	}
}

END { exit bad }
