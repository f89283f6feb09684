#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the kernel's kvm_stat, which the Python of the build host runs: it reads the same values from
# statistics fds (series/7.2-kvm_stat) and from debugfs. The program tools/kvm/kvm_stat prints the same.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=lib/vmm.sh
. "${0%/*}/vmm.sh"
work=/tmp/kvm_stat
mkdir "$work"

kvm_stat()
{
	chroot "$BOOT_HOST" /usr/bin/python3 /tmp/boot/kvm_stat.py "$@" 2>"$work/stderr"
}

# The program in C
kvm_stat_c()
{
	chroot "$BOOT_HOST" /tmp/boot/kvm_stat.static "$@" 2>"$work/stderr"
}

# start OPTION: a VMM whose vCPUs have exited some times, and are stopped
start()
{
	start_vmm "$1" && stop_vcpus
}

# The fields that debugfs has, too. Without 7.2-values, debugfs has one bucket of a histogram, and the fds have all.
has_values_of_debugfs()
{
	kvm_stat -d -i -1 -p "$all" -f '(?!.*_hist$)' >"$work/debugfs" &&
	kvm_stat -k -i -1 -p "$all" -f '(?!.*_hist$)' >"$work/fds" &&
	grep -q '^exits  *[1-9]' "$work/fds" && diff "$work/debugfs" "$work/fds" && [ ! -s "$work/stderr" ]
}

reports_unread()
{
	kvm_stat -k -i -1 -p "$vmm" >"$work/fds"
	cat "$work/fds" "$work/stderr"
	grep -q '^exits  *[1-9]' "$work/fds" && grep -q "^pid $vmm  *unread" "$work/fds" &&
	grep -q "^pid $vmm: the VMM has no statistics fd open of 1 of 1 vm$" "$work/stderr"
}

# Hide the files of KVM in debugfs, as they are in a user namespace.
needs_no_debugfs_files()
{
	mount -t tmpfs none "$BOOT_HOST/sys/kernel/debug/kvm" &&
	kvm_stat -k -i -1 -f '^exits$' >"$work/hidden"
	umount "$BOOT_HOST/sys/kernel/debug/kvm"
	cat "$work/hidden" "$work/stderr"
	grep -q '^exits  *[1-9]' "$work/hidden"
}

locked_down()
{
	grep -qE '\[(integrity|confidentiality)\]' /sys/kernel/security/lockdown 2>/dev/null
}

works_only_with_fds()
{
	kvm_stat -d -i -1 -p "$all" >"$work/debugfs"
	kvm_stat -k -i -1 -p "$all" >"$work/fds"
	head "$work/debugfs" "$work/fds" "$work/stderr"
	grep -q '^exits  *[1-9]' "$work/fds" && ! grep -q '^exits  *[1-9]' "$work/debugfs"
}

# same OPTION...: both programs print the same
same()
{
	kvm_stat "$@" >"$work/python" && kvm_stat_c "$@" >"$work/c"
	cat "$work/stderr"
	[ "$(wc -l <"$work/c")" -gt 5 ] && diff "$work/python" "$work/c"
}

both_have_lines()
{
	[ "$(wc -l <"$work/python")" -ge "$1" ] && [ "$(wc -l <"$work/c")" -ge "$1" ]
}

# The sums of the columns, which are the same whichever line has a hit
sums_of()
{
	awk 'NR > 1 && !/kvm/ { for (i = 3; i <= NF; i++) sum[i] += $i }
		END { for (i = 3; i in sum; i++) printf "%d ", sum[i] }' "$1"
}

# While both programs count, the vCPUs run for a moment.
counts_same_hits()
{
	chroot "$BOOT_HOST" /usr/bin/python3 -u /tmp/boot/kvm_stat.py -l -s 2 -f 'kvm_(exit|pio|userspace_exit)' \
		>"$work/python" 2>"$work/stderr" &
	python=$!
	chroot "$BOOT_HOST" /tmp/boot/kvm_stat.static -l -s 2 -f 'kvm_(exit|pio|userspace_exit)' >"$work/c" 2>&1 &
	c=$!
	# Python's opens hundreds of perf events for each CPU, which takes minutes under emulation.
	until_true 400 both_have_lines 1
	start_vcpus
	sleep 1
	stop_vcpus
	until_true 60 both_have_lines $(($(wc -l <"$work/c") + 3))
	stop "$python" KILL
	stop "$c"
	cat "$work/stderr"
	for file in python c; do
		echo "$file: $(wc -l <"$work/$file") lines, $(sums_of "$work/$file")"
	done
	sums_of "$work/c" | grep -q ' [1-9][0-9]' && [ "$(sums_of "$work/python")" = "$(sums_of "$work/c")" ] &&
	[ "$(head -n 1 "$work/python")" = "$(head -n 1 "$work/c")" ]
}

# What lockdown hides is left out, and reported.
reports_lockdown()
{
	! kvm_stat_c -d -i -1 -p "$all" >"$work/c" || return
	cat "$work/c" "$work/stderr"
	grep -q 'statistics cannot be read: .* The kernel is locked down' "$work/stderr" && ! grep -q '^exits' "$work/c"
}

vm_is_gone()
{
	! ls -d "$BOOT_HOST/sys/kernel/debug/kvm/$all"-* >/dev/null 2>&1
}

# kvm_stat, which reads again after 25 s, must not keep the VM of a VMM that ends.
holds_no_vm()
{
	PYTHONUNBUFFERED=1 chroot "$BOOT_HOST" /usr/bin/python3 /tmp/boot/kvm_stat.py \
		-k -l -s 25 -p "$all" >"$work/log" 2>&1 &
	reader=$!
	wait_until grep -q '^[0-9]' "$work/log"
	kill "$all"
	tries=20
	until vm_is_gone || [ $((tries -= 1)) = 0 ]; do sleep 0.5; done
	vm_is_gone
	gone=$?
	kill "$reader"
	return "$gone"
}

check "a VMM with statistics fds starts" start -s
all=$vmm
check "one with those of its vCPUs starts" start -v
if locked_down; then
	check "lockdown hides the values of debugfs, not those of the fds" works_only_with_fds
	check "the program in C reports the values that lockdown hides" reports_lockdown
else
	check "the values of the fds are those of debugfs" has_values_of_debugfs
	check "the program in C prints the same values of a VM from debugfs" same -d -i -1 -p "$all"
	check "it prints the same sums over all VMs" same -d -i -1
fi
check "it prints the same names of events" same -f help
check "it counts the same hits of tracepoints, and exits by reason" counts_same_hits
check "a VM without an open fd is reported" reports_unread
check "the files of debugfs are not needed" needs_no_debugfs_files
check "no VM is held between the refreshes" holds_no_vm
finish
