# SPDX-License-Identifier: GPL-2.0-only
# The goals. report.awk has the functions. Each call has the number of the goal, the row
# of the table that shows the result, a value, and its limit. The README explains the
# goals.

# Return the cost of reading all values of a VM and all values of a vCPU.
function both_reads()
{
	return value("patched.pread_vm") + value("patched.pread_vcpu")
}

# Return the cost of reading as many files of debugfs as the fds have statistics.
function as_many_files()
{
	return ratio("patched.debugfs", "patched.debugfs_files") * value("patched.statistics")
}

function set_goals()
{
	at_most(1, "pread_8", ratio("patched.pread_8", "mainline.pread_8"), 1)
	at_most(1, "pread_64", ratio("patched.pread_64", "mainline.pread_64"), 1.05)
	at_most(2, "getfd_vm", ratio("patched.getfd_vm", "mainline.getfd_vm"), 0.9)
	at_most(2, "getfd_vcpu", ratio("patched.getfd_vcpu", "mainline.getfd_vcpu"), 0.9)
	at_most(7, "whole_64", ratio("patched.whole_64", "mainline.loop_64"), 0.9)
	at_most(7, "whole_1024", ratio("patched.whole_1024", "mainline.loop_1024"), 0.9)
	within(3, "loop_1024", ratio("patched.loop_1024", "patched.loop_1"), 0.02)
	at_most(4, "exit_userspace", ratio("patched.exit_userspace", "unpatched.exit_userspace"), 1.001)
	at_most(4, "exit_kernel", ratio("patched.exit_kernel", "unpatched.exit_kernel"), 1.001)
	costs(4, "halt_poll", value("patched.halt_poll") - value("unpatched.halt_poll"))
	costs(4, "halt_sleep", value("patched.halt_sleep") - value("unpatched.halt_sleep"))
	at_least(6, "debugfs", divide(value("patched.debugfs"), both_reads()), 400)
	at_least(6, "statistics", divide(as_many_files(), both_reads()), 400)
}
