# SPDX-License-Identifier: GPL-2.0-only
# Are the counts of two runs alike? awk -v name=KERNEL -f same.awk ROWS ROWS
# 0.2 %, or 2 instructions, which is more of what takes less than 1,000.

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
		printf "%s: %s is %s and %s\n", name, $1, first[$1], $2
		failed = 1
	}
}

END {
	if (!compared) {
		print name ": nothing to compare"
		exit 1
	}
	printf "%s: counted twice, %d rows, at most %.3f %% apart\n", name, compared, most * 100
	exit failed
}
