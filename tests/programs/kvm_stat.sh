#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the kernel's kvm_stat, which the Python of the build host runs: it reads the same values from
# statistics fds (series/7.2-kvm_stat) and from debugfs.
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
	chroot "$BOOT_HOST" /usr/bin/python3 /tmp/boot/kvm_stat "$@" 2>"$work/stderr"
}

# start OPTION: a VMM whose vCPUs have exited some times, and are stopped
start()
{
	start_vmm "$1" && stop_vcpus
}

# The fields that debugfs has, too. kvm_stat shows a histogram of debugfs in the same way.
has_values_of_debugfs()
{
	kvm_stat -d -i -1 -p "$all" >"$work/debugfs" && kvm_stat -k -i -1 -p "$all" >"$work/fds" &&
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

vm_is_gone()
{
	! ls -d "$BOOT_HOST/sys/kernel/debug/kvm/$all"-* >/dev/null 2>&1
}

# kvm_stat, which reads again after 25 s, must not keep the VM of a VMM that ends.
holds_no_vm()
{
	PYTHONUNBUFFERED=1 chroot "$BOOT_HOST" /usr/bin/python3 /tmp/boot/kvm_stat \
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
else
	check "the values of the fds are those of debugfs" has_values_of_debugfs
fi
check "a VM without an open fd is reported" reports_unread
check "the files of debugfs are not needed" needs_no_debugfs_files
check "no VM is held between the refreshes" holds_no_vm
finish
