# SPDX-License-Identifier: GPL-2.0-only
# Print the files that match no pattern "F:" of MAINTAINERS, as get_maintainer.pl reads it: a
# pattern that ends in "/" is a folder with all below it, "*" matches within one name.
#
# usage: awk -f maintainers.awk MAINTAINERS LIST-OF-FILES

FNR == NR {
	if ($1 != "F:")
		next
	pattern = $2
	gsub(/[.+]/, "\\\\&", pattern)
	gsub(/\*/, "[^/]*", pattern)
	gsub(/\?/, "[^/]", pattern)
	patterns["^" pattern (pattern ~ /\/$/ ? "" : "$")]
	next
}

{
	for (pattern in patterns)
		if ($0 ~ pattern)
			next
	print $0 " matches no pattern of MAINTAINERS"
	bad = 1
}

END { exit bad }
