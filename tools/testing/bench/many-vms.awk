# SPDX-License-Identifier: GPL-2.0-only
# Print the counts of kvm-stats with many VMs as a table: awk -f many-vms.awk WHOLE EACH
#
# The files have the counts of program/many_vms.c, "vms_VMS_vcpus_VCPUS_NAME VALUE": WHOLE with a
# file for each VM, EACH with a file for each VM and each vCPU.

BEGIN {
	title["instructions"] = "instructions of a sample"
	title["calls"] = "system calls of a sample"
	title["files"] = "open fds"
	title["start"] = "instructions until the third sample"
	line("kvm-stats log with many VMs, one file for each", "VM", "VM and vCPU", "ratio")
}

function line(name, whole, each, ratio)
{
	printf "%-54s %9s %12s %9s\n", name, whole, each, ratio
}

FNR == 1 { files++ }
files == 1 { whole[$1] = $2; next }

{
	split($1, part, "_")
	heading = part[2] " VMs of " part[4] " vCPUs"
	if (heading != last)
		print last = heading
	if (!(part[5] in title) || !($1 in whole) || !$2) {
		print "the count '" $1 "' has no title or no value to compare with" >"/dev/stderr"
		exit 1
	}
	line("  " title[part[5]], sprintf("%d", whole[$1] + 0.5), sprintf("%d", $2 + 0.5),
	     sprintf("%.4f", whole[$1] / $2))
}
