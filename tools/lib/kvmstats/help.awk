# SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
# Print help_table.h from the list that reference.awk prints with -v texts=1.
#
# Each entry of the table has the first sentence of the text, the kind of the statistic, and the
# architectures on which the statistic has this text.

BEGIN {
	FS = "\t"
	max_width = 84
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

function mask(list,   i, found, missing, text)
{
	for (i = 1; i <= num_all; i++) {
		if (!index(list, " " all[i] " ")) {
			missing = "HELP_" toupper(all[i])
			continue
		}
		found++
		text = text (text == "" ? "" : " | ") "HELP_" toupper(all[i])
	}
	if (found == num_all)
		return "HELP_ALL"
	return found == num_all - 1 ? "HELP_ALL & ~" missing : text
}

# Print a string, in several parts if it is long.
function print_string(text,   at)
{
	gsub(/["\\]/, "\\\\&", text)
	while (length(text) > max_width) {
		for (at = max_width; substr(text, at, 1) != " "; at--)
			;
		printf "\t  \"%s\"\n", substr(text, 1, at)
		text = substr(text, at + 1)
	}
	printf "\t  \"%s\" },\n", text
}

END {
	for (i = 1; i <= count; i++) {
		split(order[i], part, "\t")
		printf "\t{ %s, KVMSTATS_KIND_%s, \"%s\",\n", mask(scopes[order[i]]),
			toupper(part[1]), part[2]
		print_string(part[3])
	}
}
