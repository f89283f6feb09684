#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test the packages on new installations, which boot under emulation, and print how long each step takes.
# systemd runs the service while its package is upgraded, removed and purged. In Debian 11, DKMS builds the
# modules for its kernel, and again after an upgrade; kernels for which it must not build them keep their own.
# Debian 12 has its unmodified kernel. check-host checks both.
#
# usage: dkms.t [RELEASE]...		(needs root; without a RELEASE: bullseye bookworm)
set -u

# shellcheck source=../../../scripts/lib/common.sh
. "$(dirname "$0")/../../../scripts/lib/common.sh"
set +e
# shellcheck source=../../../scripts/lib/debian.sh
. "$ROOT/scripts/lib/debian.sh"
# shellcheck source=../../lib/debian_root.sh
. "$ROOT/tests/lib/debian_root.sh"
# shellcheck source=../../lib/tap.sh
. "$ROOT/tests/lib/tap.sh"

out=$ROOT/build/dkms-test
root=$out/root
export DEB_DIR=$out/deb	# other tests that build packages run at the same time
version=$(cat "$ROOT/VERSION")

in_root()
{
	"$ROOT/tests/release/enter" "$root" "$@"
}

install()
{
	in_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "$@"
}

# make_root RELEASE PACKAGE...
make_root()
{
	rm -rf "$root"
	(debian_root "$1" "$root" "$out" ca-certificates) || return
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
	cp "$out/apt.conf" "$root/etc/apt/apt.conf.d/99mirror"
	mkdir -p "$root/root/kvm-stats" "$root/etc/initramfs-tools"
	cp "$DEB_DIR/kvm-stats"{,-check,-dkms}"_${version}_amd64.deb" "$root/root/"
	printf '%s\n' virtio_pci 9pnet_virtio 9p >"$root/etc/initramfs-tools/modules"	# for boots
	in_root apt-get -q update && install curl qemu-system-x86 seabios systemd-sysv "${@:2}"
}

# built KERNEL: whether the modules of the package are installed for it, and those of the kernel are still there
built()
{
	local module
	for module in kvm kvm-amd kvm-intel; do
		[ -f "$root/lib/modules/$1/updates/dkms/$module.ko" ] || return
		[ -f "$root/lib/modules/$1/kernel/arch/x86/kvm/$module.ko" ] || return
	done
	in_root modinfo -k "$1" -F version kvm | grep -qx "kvm-stats $version"
}

installs()
{
	install "/root/kvm-stats"{,-check,-dkms}"_${version}_amd64.deb" && built "$old"
}

newest()
{
	find "$root/lib/modules" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -V | tail -n 1
}

# The newest kernel of the installation boots under emulation, from its own root directory, and systemd runs a
# script, at whose end the machine is off. Both CPUs are emulated in one thread, see boots/all/debian.
boots()
{
	local kernel
	kernel=$(newest)
	rm -f "$root/root/boot.log" "$root/root/check-host.tap"
	cat >"$root/etc/systemd/system/test.service" <<-'END'
	[Service]
	ExecStart=/root/test
	ExecStopPost=/bin/sh -c 'sync; echo o >/proc/sysrq-trigger'
	StandardOutput=file:/root/boot.log
	StandardError=inherit
	[Install]
	WantedBy=multi-user.target
	END
	in_root systemctl -q enable test
	cat >"$root/root/test" <<-'END'
	#!/bin/bash
	mount -t tmpfs tmpfs /tmp	# 9p has no named pipes
	TIMEFORMAT='%R s'
	set -x
	pid() { systemctl show -p MainPID --value kvm-stats; }
	# The service runs, its process is not $1, and it answers.
	runs() {
		local i
		for i in {1..60}; do
			systemctl -q is-active kvm-stats && [ "$(pid)" != "$1" ] &&
				curl -sf http://localhost:10203/metrics | grep -q '^kvm_stats_' && return
			sleep 1
		done
		systemctl status kvm-stats
		return 1
	}
	life() {
		local first package=$(echo /root/kvm-stats_*.deb)
		dpkg -P kvm-stats-check kvm-stats && dpkg -i "$package" || return
		! systemctl -q is-active kvm-stats && ! systemctl -q is-enabled kvm-stats || return
		dpkg -i "$package" && ! systemctl -q is-active kvm-stats || return
		systemctl start kvm-stats && runs 0 || return
		first=$(pid)
		sed -i 's/^#KVM_STATS_OPTIONS=.*/KVM_STATS_OPTIONS=--metrics=minimal/' /etc/default/kvm-stats
		dpkg -i "$package" && runs "$first" && grep -q =--metrics=minimal /etc/default/kvm-stats || return
		tr '\0' ' ' <"/proc/$(pid)/cmdline" | grep -e --metrics=minimal || return
		first=$(pid)
		dpkg -r kvm-stats && ! systemctl -q is-active kvm-stats && [ ! -e "/proc/$first" ] || return
		[ -e /etc/default/kvm-stats ] && dpkg -P kvm-stats && [ ! -e /etc/default/kvm-stats ]
	}
	uname -r
	cat /proc/uptime
	modprobe kvm_amd
	qemu-system-x86_64 -name web -accel kvm -m 64 -display none -nodefaults -no-user-config &
	sleep 10
	exit_stats=/sys/module/kvm/parameters/exit_stats
	[ ! -e $exit_stats ] || echo 1 >$exit_stats
	{ sleep 20; printf '\r'; sleep 20; } |	# Enter shows the guest
		TERM=vt100 timeout 40 script -qfc 'stty rows 24 cols 80; kvm-stats top -i 1' /root/screen >/dev/null
	kill %1
	wait
	time /usr/lib/kvm-stats/check-host /root/check-host.tap
	if [ -x /usr/sbin/kvm-stats-modules ]; then
		time kvm-stats-modules restore
		time kvm-stats-modules load
		modprobe kvmgt
		dmesg | grep kvmgt
		time dpkg -r kvm-stats-dkms
	fi
	echo "loaded at the end: $(cat /sys/module/kvm/version 2>/dev/null || echo the modules of the kernel)"
	life && echo "the service lives"
	END
	chmod +x "$root/root/test"
	timeout 3600 qemu-system-x86_64 -M pc -cpu EPYC,+svm,+npt -accel tcg,thread=single -m 2048 -smp 2 -display none \
		-no-reboot -serial "file:$out/serial" -kernel "$root/boot/vmlinuz-$kernel" -initrd "$root/boot/initrd.img-$kernel" \
		-fsdev "local,id=root,path=$root,security_model=passthrough" -device virtio-9p-pci,fsdev=root,mount_tag=root \
		-append "root=root rootfstype=9p rootflags=trans=virtio,version=9p2000.L,msize=262144 rw console=ttyS0 panic=-1 tsc=reliable kvm_amd.npt=0"
	cat "$root/root/boot.log"
	grep -q web "$root/root/screen"
}

service_lives()
{
	grep -qx 'the service lives' "$root/root/boot.log"
}

exchanges()
{
	local log=$root/root/boot.log

	grep '^loaded: the modules of kvm-stats' "$log" && grep '^loaded: the modules of the kernel' "$log" &&
		grep '^loaded at the end: the modules of the kernel' "$log"
}

# checks_host KIND: the file of check-host has statistics of this kind, and no failure
checks_host()
{
	local tap=$root/root/check-host.tap

	grep -E "^# statistics: $1," "$tap" && [ "$(grep -c '^ok' "$tap")" -gt 100 ] &&
		! grep -v '# TODO' "$tap" | grep -A 10 '^not ok'
}

# The package of the source does not have the source of the new kernel yet. The installation of the kernel
# must succeed nevertheless.
keeps_own_modules()
{
	install linux-image-amd64 linux-headers-amd64 2>&1 | tee "$out/log"
	[ -z "$(in_root dpkg --audit)" ] || return
	new=$(newest)
	grep -F "kernel $new keeps its own KVM modules: it is of version " "$out/log" |
		grep -F ", and the package linux-source-5.10 is $old_version" && [ "$new" != "$old" ] &&
		built "$old" && ! built "$new" && [ -f "$root/lib/modules/$new/kernel/arch/x86/kvm/kvm.ko" ]
}

upgrades()
{
	install linux-source-5.10 && built "$new" && built "$old"
}

# refuses TEXT COMMAND: after COMMAND has changed copies of the package's files (src) and of the headers (kdir), prepare
# refuses with TEXT, says what to do, and leaves no sources.
refuses()
{
	# shellcheck disable=SC2016 # another shell expands this
	in_root bash -euc '
		rm -rf /tmp/src /tmp/kdir
		cp -r /usr/src/kvm-stats-* /tmp/src
		cp -r "/usr/src/linux-headers-$1" /tmp/kdir
		cd /tmp
		eval "$3"
		! src/prepare 1 "$1" /tmp/kdir >log 2>&1 || exit 1
		cat log
		grep -E "kernel $1 keeps its own KVM modules: .*$2.*\. [A-Z]" log
		[ ! -e src/arch ]' - "$new" "$@"
}

# Built-in code must not know structures that the patches change. enter.c replaces the only function that does, in
# kernel/entry/kvm.c; the boot tests kvmgt.
users_of_structures()
{
	local base
	base=$("$ROOT/scripts/base") || return
	diff <(plain_git -C "$base" grep -lE '(linux|asm)/kvm_host\.h' HEAD -- arch/x86 block drivers fs init ipc kernel lib mm \
		net security sound virt/lib ':!arch/x86/kvm' ':!arch/x86/include/asm/kvm*' ':!drivers/s390') \
		<(printf 'HEAD:%s\n' "$@")
}

removed()
{
	[ -z "$(cd "$root" && find lib/modules/ var/lib/dkms -path '*/dkms/*' -name 'kvm*.ko' | tee /dev/stderr)" ] &&
		[ "$(in_root modinfo -k "$new" -n kvm)" = "/lib/modules/$new/kernel/arch/x86/kvm/kvm.ko" ]
}

# Those of Debian 11 have no publish, because its libbpf is too old.
builds_packages()
{
	rm -rf "$DEB_DIR"
	check "make deb RELEASE=$1 builds the packages" make -C "$ROOT" deb RELEASE="$1"
}

# The archive keeps the release $old of the kernel; that of security updates has the newest.
bullseye()
{
	builds_packages bullseye
	old=5.10.0-32-amd64
	old_version=5.10.223-1
	check "Debian 11 is installed, with $old" make_root bullseye "linux-image-$old" "linux-headers-$old" \
		"linux-source-5.10=$old_version"
	check "apt installs the packages, and DKMS builds the modules" installs
	check "a new kernel without its source keeps its own modules" keeps_own_modules
	new=$(newest)
	check "an upgrade of the source builds them for this kernel, too" upgrades
	check "DKMS builds them again" in_root sh -ec "dkms remove kvm-stats/$version -k $new; dkms install kvm-stats/$version -k $new"
	check "a patch that does not apply is refused" refuses \
		"the patch 5.10/0008-KVM-stats-Add-KVM_STATS_GETFD-and-its-file.patch does not apply" \
		"sed -i 's/^ .*mutex.*/ none/; s/^ #include/ #none/' src/patches/5.10/0008-*"
	check "another architecture is refused" refuses "it is not for x86-64" \
		"sed -i 's/^CONFIG_X86_64=y/CONFIG_ARM64=y/' kdir/.config"
	check "another release of Linux is refused" refuses "it is Linux 6.1.9, and the patches are for 5.10" \
		"printf 'kernelversion:\n\t@echo 6.1.9\n' >kdir/Makefile"
	check "a kernel with KVM built in is refused" refuses "KVM is not a module" \
		"sed -i 's/^CONFIG_KVM=m/CONFIG_KVM=y/' kdir/.config"
	check "a kernel without modversions is refused" refuses "its symbols have no versions" \
		"sed -i '/^CONFIG_MODVERSIONS/d' kdir/.config"
	check "headers without symbol versions are refused" refuses "there is no file /tmp/kdir/Module.symvers" "rm kdir/Module.symvers"
	check "a locked down kernel without a key is refused" refuses "DKMS has no key to sign modules" \
		"mount -t tmpfs tmpfs /sys/kernel/security; echo 'none [integrity] confidentiality' >/sys/kernel/security/lockdown"
	check "it boots with these modules, and kvm-stats top shows a guest" boots
	sed 's/^/# /' "$root/root/boot.log"
	check "the page of the guest has its exits by class" grep -a 'Time %.*Mean' "$root/root/screen"
	check "check-host checks the series" checks_host series
	check "systemd: upgrades restart a service that runs, the removal stops it, the purge cleans up" service_lives
	check "kvm-stats-modules exchanges the modules, and the removal loads those of the kernel" exchanges
	check "kvmgt, which knows structures of KVM, does not load with them" \
		grep "kvmgt: disagrees about version of symbol kvm_" "$root/root/boot.log"
	check "the removal leaves the modules of the kernel" removed
}

bookworm()
{
	builds_packages bookworm
	check "Debian 12 is installed" make_root bookworm linux-image-amd64 \
		"/root/kvm-stats"{,-check}"_${version}_amd64.deb"
	check "it boots with its own modules, and kvm-stats top shows a guest" boots
	sed 's/^/# /' "$root/root/boot.log"
	check "check-host checks mainline's interface" checks_host mainline
	check "systemd: upgrades restart a service that runs, the removal stops it, the purge cleans up" service_lives
}

[ "$(id -u)" = 0 ] || bail_out "only root can make a chroot"
need_packages deb release
mkdir -p "$out"
begin
check "which code of 5.10 outside of KVM knows its structures" users_of_structures \
	drivers/firmware/arm_sdei.c drivers/gpu/drm/i915/gvt/kvmgt.c kernel/entry/kvm.c
[ $# != 0 ] || set -- bullseye bookworm
for release; do
	case $release in bullseye | bookworm) "$release" ;; *) bail_out "there is no test of '$release'" ;; esac
done
rm -rf "$root"
finish
