# SPDX-License-Identifier: GPL-2.0-only
# Compare the reference of an architecture with the descriptors of the compiled
# kernel:
#
#	awk -v arch=NAME -f describe.awk -f compare-reference.awk REFERENCE DUMP
#
# REFERENCE is the output of reference.awk, DUMP the output of `descriptors`.

function complain(what)
{
	fflush()
	print "reference: " arch " " what >"/dev/stderr"
	wrong = 1
}

# The kernel for mips is built with VZ.
function applies(scope)
{
	return scope == arch || arch == "mips" && scope == "mips-vz" ||
		arch == "mips-loongson" && scope ~ /^mips(-vz)?$/
}

FNR == 1 { file++ }

file == 1 {
	split($0, cell, "\t")
	if (applies(cell[1]) && cell[2] != "debugfs")
		said[cell[2] " " cell[3]] = cell[4]
	next
}

{
	id = $1 " " $2
	what = describe($3, $4, $5, $6, $7, $8)
	num++
	if (!(id in said))
		complain(id " is not documented")
	else if (said[id] != what)
		complain(id " is " what ", and documented as " said[id])
	delete said[id]
}

END {
	if (!num)
		complain("has no descriptors")
	for (id in said)
		complain(id " is documented and does not exist")
	if (!wrong)
		printf "%s: all %d are documented, and no other\n", arch, num
	exit wrong
}
