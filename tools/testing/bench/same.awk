# SPDX-License-Identifier: GPL-2.0-only
# Compare the counts of two runs: awk -v name=KERNEL -f same.awk ROWS ROWS
# They may differ by 0.2 % or by 2 instructions, whichever is more.

FNR == NR { first[$1] = $2; next }

!($1 in first) { next }

{
	compared++
	off = first[$1] - $2
	off = off < 0 ? -off : off
	share = $2 > 0 ? off / $2 : 0
	if (first[$1] != "-" && share > most)
		most = share
	if ((first[$1] == "-") != ($2 == "-") || (share > 0.002 && off > 2)) {
		printf "%s: %s differs: %s and %s\n", name, $1, first[$1], $2
		failed = 1
	}
}

END {
	if (!compared) {
		print name ": no rows to compare"
		exit 1
	}
	printf "%s: %d rows counted twice, differences of at most %.3f %%\n", name, compared, most * 100
	exit failed
}
