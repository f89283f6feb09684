# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the test programs that are shell scripts, after check.sh: VMMs with a small guest, and KVM's
# vendor module on x86. $work is a directory of the test program.
# shellcheck shell=dash
# shellcheck disable=SC2154 # the test program sets work

started=0		# VMMs
vmms=			# the PIDs of all processes that run until the end
vmm=			# the PID of the VMM that was started last, and the files for its input and output
in=
out=

# start_vmm [OPTION]...: it holds its fifo open for writing, so that it does not end by itself
start_vmm()
{
	started=$((started + 1))
	in=$work/$started.in
	out=$work/$started.out
	rm -f "$in" "$out"
	mkfifo "$in"
	"${0%/*}/vmm" "$@" <>"$in" >>"$out" 2>"$work/vmm.err" &
	vmm=$!
	vmms="$vmms $vmm"
	wait_for_line '^ready' "$out" "$vmm" && grep '^ready' "$out" && return
	cat "$work/vmm.err"
	return 1
}

# order COMMAND REGEX: the VMM executes the command, and prints this in its last line
order()
{
	: >"$out"
	echo "$1" >"$in"
	wait_for_line "$2" "$out" "$vmm"
}

# Write the number of exits of each vCPU to $work/counted.
stop_vcpus()
{
	order stop '^stopped ' && sed 's/^stopped //' "$out" | tr ' ' '\n' >"$work/counted"
}

start_vcpus()
{
	echo start >"$in"
}

end_vmm()
{
	stop "$vmm" KILL
	vmms=$(echo "$vmms " | sed "s/ $vmm / /; s/ $//")
}

vendor=kvm_amd
[ -e "/sys/module/$vendor" ] || vendor=kvm_intel

is_module()
{
	[ -e /sys/module/kvm/initstate ]
}

vendor_is_unused()
{
	[ "$(cat "/sys/module/$vendor/refcnt")" = 0 ]
}

# The kernel closes the files of a VMM shortly after its end.
unload_vendor()
{
	wait_until vendor_is_unused && rmmod "$vendor"
}

# With the parameters of the kernel's command line
load_vendor()
{
	# shellcheck disable=SC2046 # words
	insmod "/modules/$(echo "$vendor" | tr _ -).ko" \
		$(tr ' ' '\n' </proc/cmdline | sed -n "s/^${vendor}[.]//p")
}
