# SPDX-License-Identifier: GPL-2.0-only
# Print the lines that have a term of the column "not" in CONTRIBUTING.md. Its terms are separated
# by commas. Case does not matter, and each word can have an ending such as "s".
#
# usage: awk -f terms.awk CONTRIBUTING.md FILE...

FNR == NR {
	in_table = /^\|/ && (in_table || /^\| not \| write \|/)
	if (!in_table || /^\| (not|---) \|/)
		next
	split($0, column, / *\| */)
	count = split(column[2], term, /, */)
	for (i = 1; i <= count; i++) {
		gsub(/ /, "(\047s|s|ed|ing)?[ \t]+", term[i])
		instead["(^|[^a-z_])" term[i] "(\047s|s|ed|ing)?([^a-z_]|$)"] = column[3]
	}
	next
}

FILENAME == ARGV[1] && /^\|/ { next }

{
	line = tolower($0)
	for (pattern in instead) {
		if (line ~ pattern) {
			print FILENAME ":" FNR ": write \"" instead[pattern] "\": " $0
			bad = 1
		}
	}
}

END {
	for (pattern in instead)
		exit bad
	print "CONTRIBUTING.md has no table of terms"
	exit 1
}
