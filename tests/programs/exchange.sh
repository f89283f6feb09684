#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Exchange KVM's modules 50 times, with a guest on each, and try it while a VM runs. At the end
# those of the series are loaded.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
TIMES=25	# of load and restore

run_guests()
{
	n=0
	while [ "$n" -lt "$TIMES" ]; do
		n=$((n + 1))
		kvm-stats-modules load && /tests/vcpu_run && grep -q kvm-stats /sys/module/kvm/version &&
			kvm-stats-modules restore && /tests/debugfs_list && [ ! -e /sys/module/kvm/version ] || return
	done
}

# A process that has /dev/kvm open prevents the exchange; the modules stay loaded.
refuses()
{
	kvm-stats-modules "$1" 3</dev/kvm >/tmp/refused 2>&1 && return 1
	grep -q "PID .* (kvm-stats-modul" /tmp/refused && kvm-stats-modules status | grep -q "^loaded: .*$2"
}

# A module that does not load: those that were loaded are loaded again.
falls_back()
{
	set -- /lib/modules/*/updates/dkms/kvm-amd.ko
	cp "$1" /tmp
	dd bs=1000 count=1 </tmp/kvm-amd.ko 2>/dev/null >"$1"
	kvm-stats-modules load >/tmp/refused 2>&1
	status=$?
	cp /tmp/kvm-amd.ko "$1"
	[ "$status" != 0 ] && kvm-stats-modules status | grep -q '^loaded: the modules of the kernel' && [ -c /dev/kvm ]
}

check "the modules are exchanged $((2 * TIMES)) times, with guests" run_guests
check "load refuses while a process uses KVM" refuses load "the modules of the kernel"
check "if a module does not load, those of the kernel are loaded again" falls_back
kvm-stats-modules load | sed 's/^/# /'
cp /lib/modules/*/updates/dkms/*.ko /modules/	# module_lifetime loads those
check "restore refuses while a process uses KVM" refuses restore kvm-stats
finish
