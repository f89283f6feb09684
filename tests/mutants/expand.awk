# SPDX-License-Identifier: GPL-2.0-only
# Print a line for each mutant of a list, in which FUNCTION:STATISTIC:KIND,KIND... has the kinds that have the
# same result.
{
	place = $1
	sub(/[^:]*$/, "", place)
	count = split(substr($1, length(place) + 1), kind, ",")
	for (i = 1; i <= count; i++) {
		$1 = place kind[i]
		print
	}
}
