# SPDX-License-Identifier: GPL-2.0-only
# Count instructions by function:
# awk -v begin=ADDRESS -v end=ADDRESS -f profile.awk SYMBOLS LOG
# SYMBOLS has the functions of /proc/kallsyms, sorted. LOG is QEMU's log "exec" with one
# instruction in each block. A run is what is between the two addresses. Interrupts make
# some runs longer, so the median run is printed.

FNR == NR {
	address[++symbols] = $1
	symbol[symbols] = $3 ($4 != "" ? " " $4 : "")
	next
}

/^Trace / {
	split($0, part, "/")
	pc = part[2]
	if (pc == begin) {
		inside = 1
		runs++
	} else if (pc == end) {
		inside = 0
	} else if (inside) {
		total[runs]++
		count[runs, pc]++
	}
}

function symbol_of(pc,    low, high, middle) {
	if (pc < "8000000000000000")
		return "(user space)"
	low = 0
	high = symbols
	while (low < high) {
		middle = int((low + high + 1) / 2)
		if (address[middle] <= pc)
			low = middle
		else
			high = middle - 1
	}
	return low ? symbol[low] : "(unknown)"
}

# Return the number of the median run.
function middle_run(    i, j, less) {
	for (i = 1; i <= runs; i++) {
		less = 0
		for (j = 1; j <= runs; j++)
			less += total[j] < total[i] || (total[j] == total[i] && j < i)
		if (less == int(runs / 2))
			return i
	}
}

END {
	if (!runs || inside) {
		print "profile.awk: " (runs ? "the last run does not end" : "no run") " in the log" >"/dev/stderr"
		exit 1
	}
	run = middle_run()
	for (key in count) {
		split(key, part, SUBSEP)
		if (part[1] == run)
			sum[symbol_of(part[2])] += count[key]
	}
	printf "%8d  all\n", total[run]
	for (name in sum)
		printf "%8d  %s\n", sum[name], name | "sort -k1,1nr -k2"
	close("sort -k1,1nr -k2")
}
