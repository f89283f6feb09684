#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the kernel's kvm_stat, which the Python of the build host runs: it reads the same values from
# statistics fds (series/7.2-kvm_stat) and from debugfs.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"

work=/tmp/kvm_stat
mkdir "$work"

kvm_stat()
{
	chroot "$BOOT_HOST" /usr/bin/python3 /tmp/boot/kvm_stat "$@" 2>"$work/stderr"
}

# start NAME OPTION: a VMM with two vCPUs, which have exited some times and are stopped. Its standard
# input is the FIFO $work/NAME.
start()
{
	mkfifo "$work/$1"
	"${0%/*}/vmm" "$2" -c 2 <"$work/$1" >"$work/$1.out" &
	echo $! >"$work/$1.pid"
	eval "exec $3>\"\$work/$1\""
	wait_until grep -q '^ready' "$work/$1.out" && echo stop >&"$3" &&
	wait_until grep -q '^stopped' "$work/$1.out"
}

# The fields that debugfs has, too. kvm_stat shows a histogram of debugfs in the same way.
has_values_of_debugfs()
{
	pid=$(cat "$work/all.pid")
	kvm_stat -d -i -1 -p "$pid" >"$work/debugfs" && kvm_stat -k -i -1 -p "$pid" >"$work/fds" &&
	grep -q '^exits  *[1-9]' "$work/fds" && diff "$work/debugfs" "$work/fds" && [ ! -s "$work/stderr" ]
}

reports_unread()
{
	pid=$(cat "$work/vcpus.pid")
	kvm_stat -k -i -1 -p "$pid" >"$work/fds"
	cat "$work/fds" "$work/stderr"
	grep -q '^exits  *[1-9]' "$work/fds" && grep -q "^pid $pid  *unread" "$work/fds" &&
	grep -q "^pid $pid: the VMM has no statistics fd open of 1 of 1 vm$" "$work/stderr"
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
	pid=$(cat "$work/all.pid")
	kvm_stat -d -i -1 -p "$pid" >"$work/debugfs"
	kvm_stat -k -i -1 -p "$pid" >"$work/fds"
	head "$work/debugfs" "$work/fds" "$work/stderr"
	grep -q '^exits  *[1-9]' "$work/fds" && ! grep -q '^exits  *[1-9]' "$work/debugfs"
}

vm_is_gone()
{
	! ls -d "$BOOT_HOST/sys/kernel/debug/kvm/$pid"-* >/dev/null 2>&1
}

# kvm_stat, which reads again after 25 s, must not keep the VM of a VMM that ends.
holds_no_vm()
{
	pid=$(cat "$work/all.pid")
	PYTHONUNBUFFERED=1 chroot "$BOOT_HOST" /usr/bin/python3 /tmp/boot/kvm_stat \
		-k -l -s 25 -p "$pid" >"$work/log" 2>&1 &
	reader=$!
	wait_until grep -q '^[0-9]' "$work/log"
	kill "$pid"
	tries=20
	until vm_is_gone || [ $((tries -= 1)) = 0 ]; do sleep 0.5; done
	vm_is_gone
	gone=$?
	kill "$reader"
	return "$gone"
}

check "a VMM with statistics fds starts" start all -s 7
check "one with those of its vCPUs starts" start vcpus -v 8
if locked_down; then
	check "lockdown hides the values of debugfs, not those of the fds" works_only_with_fds
else
	check "the values of the fds are those of debugfs" has_values_of_debugfs
fi
check "a VM without an open fd is reported" reports_unread
check "the files of debugfs are not needed" needs_no_debugfs_files
check "no VM is held between the refreshes" holds_no_vm
finish
