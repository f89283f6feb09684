#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the systemd unit with perfmon.conf, which Linux 5.10 needs: the build host's systemd runs it in
# the root directory of the build host, in a PID namespace. Outside of it, root has a VM. In the
# namespace its process is not known, so the guest has no name.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=lib/vmm.sh
. "${0%/*}/vmm.sh"
work=/tmp
dir=$BOOT_HOST/tmp/unit		# /tmp/unit in the chroot
port=10203
logs=/tmp/systemd.log

# The script that runs in the namespaces, with the root directory of the build host.
write_init()
{
	mkdir -p "$dir"
	cp /boot/kvm-stats.service /boot/perfmon.conf "$dir"
	cat >"$dir/init" <<-INIT
	mount --make-rprivate /
	mount -t proc proc /proc
	mount -t tmpfs none /run
	mount -t tmpfs none /var/lib
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mkdir -p /run/units/kvm-stats.service.d
	cd /run/units
	for name in sysinit basic shutdown network umount; do
		printf '[Unit]\nDefaultDependencies=no\n' >\$name.target
	done
	printf '[Unit]\nRequires=kvm-stats.service\n' >test.target
	cp /tmp/boot/kvm-stats /tmp/boot/kvm-stats-http /run
	# The build host may have neither of the groups.
	sed 's|^ExecStart=[^ ]*|ExecStart=/run/kvm-stats|; /^SupplementaryGroups=/d' /tmp/unit/kvm-stats.service \
		>kvm-stats.service
	sed '/^SupplementaryGroups=/d' /tmp/unit/perfmon.conf >kvm-stats.service.d/perfmon.conf
	printf '[Service]\nEnvironmentFile=\nEnvironment=KVM_STATS_OPTIONS=--listen=127.0.0.1:$port\n' \
		>kvm-stats.service.d/test.conf
	export container=kvm-stats SYSTEMD_UNIT_PATH=/run/units
	exec /lib/systemd/systemd --system --unit=test.target --log-target=console \
		--log-level=info --show-status=no
	INIT
}

start_systemd()
{
	chroot "$BOOT_HOST" chmod 666 /dev/kvm
	chroot "$BOOT_HOST" unshare --pid --fork --mount --kill-child bash /tmp/unit/init \
		</dev/null >/tmp/systemd.log 2>&1 &
	systemd=$!
}

scrape()
{
	wget -q -T 20 -O /tmp/metrics "http://127.0.0.1:$port/metrics"
}

# has_only MASK PROGRAM: the process of the unit that executes the program has only these capabilities. It
# cannot get others, because NoNewPrivs is set.
has_only()
{
	local process

	for process in /proc/[0-9]*; do
		[ "$(cat "$process/comm" 2>/dev/null)" = "$2" ] && cat "$process/status"
	done >/tmp/status
	grep -E '^(Uid|Cap|NoNewPrivs)' /tmp/status
	awk -v mask="$1" '$1 == "Uid:" { uid = $2 >= 61184 && $2 <= 65519 && $2 == $3 }
		/^Cap(Prm|Eff|Amb):/ { caps += $2 == mask }
		/^CapBnd:/ { caps += $2 == "0000004000000000" }
		$1 == "NoNewPrivs:" { privs = $2 == 1 }
		END { exit !(uid && caps == 4 && privs) }' /tmp/status
}

reads_vm()
{
	scrape
	grep -E '^kvm_(guest_|host_stat)' /tmp/metrics | head -n 20
	grep -qx "kvm_guest_vcpus{guest=\"pid $vmm\",uuid=\"\"} 1" /tmp/metrics &&
	grep -qx "kvm_guest_exits_total{guest=\"pid $vmm\",uuid=\"\"} [1-9].*" /tmp/metrics &&
	grep -qx 'kvm_host_statistics_readable{source="next",error=""} 1' /tmp/metrics
}

if [ ! -x "$BOOT_HOST/lib/systemd/systemd" ]; then
	skip "the unit with perfmon.conf runs under systemd" "there is no /lib/systemd/systemd"
	finish
fi
write_init
check "a VMM of root starts" start_vmm -c 1
start_systemd
check "the unit with perfmon.conf runs under systemd, and serves" wait_until scrape
check "its only capability is CAP_PERFMON" has_only 0000004000000000 kvm-stats
check "the process that listens has no capability" has_only 0000000000000000 kvm-stats-http
check "it reads the VM of root" reads_vm
kill -KILL "$systemd" "$vmm"
finish
