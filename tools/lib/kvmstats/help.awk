# SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
# Print help_table.h from the list that reference.awk prints with -v texts=1.
#
# Each entry of the table has the first sentence of the text, the kind of the statistic, and the
# architectures on which the statistic has this text.

BEGIN {
	FS = "\t"
	num_all = split("x86 arm64 s390 book3s booke mips", all, " ")
	print "/* Generated from stats-reference.rst by help.awk. */"
}

$2 == "vm" || $2 == "vcpu" {
	id = $2 "\t" $3 "\t" $6
	if (!(id in scopes))
		order[++count] = id
	sub(/-.*/, "", $1)
	if (!index(scopes[id], " " $1 " "))
		scopes[id] = scopes[id] " " $1 " "
}

function mask(list,   i, text)
{
	for (i = 1; i <= num_all; i++) {
		if (index(list, " " all[i] " "))
			text = text (text == "" ? "" : " | ") "HELP_" toupper(all[i])
	}
	return text
}

END {
	for (i = 1; i <= count; i++) {
		split(order[i], part, "\t")
		gsub(/["\\]/, "\\\\&", part[3])
		printf "\t{ %s, KVMSTATS_KIND_%s, \"%s\", \"%s\" },\n", mask(scopes[order[i]]),
			toupper(part[1]), part[2], part[3]
	}
}
