# SPDX-License-Identifier: GPL-2.0-only
# Compare the reference of an architecture with the descriptors of the compiled
# kernel:
#
#	awk -v arch=NAME -f describe.awk -f compare-reference.awk REFERENCE DUMP
#
# REFERENCE is the output of reference.awk. DUMP is the output of `descriptors`.

function report(what)
{
	fflush()
	print "reference: " arch " " what >"/dev/stderr"
	failed = 1
}

# Return 1 if a statistic of this scope exists here. The kernel for mips is built with VZ.
function applies(scope)
{
	return scope == arch || arch == "mips" && scope == "mips-vz" ||
		arch == "mips-loongson" && scope ~ /^mips(-vz)?$/
}

# The kernel need not have CONFIG_SCHED_INFO.
function is_optional(scope)
{
	return scope == arch "-sched"
}

FNR == 1 { file++ }

file == 1 {
	split($0, cell, "\t")
	if ((applies(cell[1]) || is_optional(cell[1])) && cell[2] != "debugfs")
		documented[cell[2] " " cell[3]] = cell[4]
	if (is_optional(cell[1]))
		optional[cell[2] " " cell[3]]
	next
}

{
	id = $1 " " $2
	what = describe($3, $4, $5, $6, $7, $8)
	count++
	if (!(id in documented))
		report(id " is not documented")
	else if (documented[id] != what)
		report(id " is " what ", and documented as " documented[id])
	delete documented[id]
}

END {
	if (!count)
		report("has no descriptors")
	for (id in documented)
		if (!(id in optional))
			report(id " is documented and does not exist")
	if (!failed)
		printf "%s: all %d are documented, and nothing else is\n", arch, count
	exit failed
}
