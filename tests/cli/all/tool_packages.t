#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test the packages of the tools: `make deb` and `make rpm` build them, lintian reports nothing, and
# the Debian packages work when they are installed. They are installed in a copy of this machine's
# file system: an overlay that ends with its mount namespace.
#
# usage: tool_packages.t

set -u

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"

packaging=$ROOT/tools/kvm/kvm_stats/packaging
out=$ROOT/build/tool-packages-test
version=$(cat "$ROOT/VERSION")
library=libkvmstats${version%%.*}

# in_overlay COMMAND...: run it as root in a copy of the file system, with the Debian packages in
# /mnt
in_overlay()
{
	# shellcheck disable=SC2016 # another shell expands this
	unshare --mount bash -euc '
		debs=$1 root=$2/root
		shift 2
		mount -t tmpfs none "${root%/*}"
		mkdir "$root" "${root%/*}/upper" "${root%/*}/work"
		mount -t overlay none "$root" \
			-o "lowerdir=/,upperdir=${root%/*}/upper,workdir=${root%/*}/work"
		for dir in proc dev sys; do
			mount --rbind "/$dir" "$root/$dir"
		done
		mount --bind "$debs" "$root/mnt"
		mount -t tmpfs none "$root/tmp"
		exec chroot "$root" "$@"' - "$out/deb" "$out/overlay" "$@"
}

builds_debs()
{
	"$packaging/deb" "$out/deb" &&
	[ -f "$(echo "$out/deb/kvm-stats_${version}_"*.deb)" ] &&
	[ -f "$(echo "$out/deb/kvm-stats-check_${version}_"*.deb)" ] &&
	[ -f "$(echo "$out/deb/kvm-stat_${version}_"*.deb)" ] &&
	[ -f "$(echo "$out/deb/${library}_${version}_"*.deb)" ] &&
	[ -f "$(echo "$out/deb/libkvmstats-dev_${version}_"*.deb)" ]
}

lintian_is_silent()
{
	[ -z "$(lintian --profile debian "$out/deb"/*.changes | tee /dev/stderr)" ]
}

# The package of the library has the file of symbols, by which dpkg-shlibdeps determines the oldest
# version of the library that a program needs.
has_symbols()
{
	dpkg-deb --ctrl-tarfile "$(echo "$out/deb/${library}_${version}_"*.deb)" |
		tar -xO ./symbols >"$out/symbols" &&
	grep -qx "libkvmstats.so.${version%%.*} $library #MINVER#" "$out/symbols" &&
	grep -qx ' kvmstats_strerror@KVMSTATS_1.1 1.1' "$out/symbols"
}

# The scripts that run in the overlay

# shellcheck disable=SC2016 # another shell expands this
used='
	export LC_ALL=C
	dpkg -i /mnt/kvm-stat{,s,s-check}_*.deb /mnt/libkvmstats-dev_*.deb "/mnt/$2"_*.deb >/tmp/dpkg 2>&1 ||
		{ cat /tmp/dpkg; exit 1; }
	[ "$(command -v kvm-stats)" = /usr/bin/kvm-stats ]
	[ "$(kvm-stats --version)" = "kvm-stats $1" ]
	[ "$(kvm_stat --version)" = "kvm_stat $1" ]
	kvm-stats list --json | grep -q "^{\"vmms\": "
	kvm-stats top 2>&1 </dev/null | grep -q "needs a terminal"
	/usr/lib/kvm-stats/check-host --no 2>&1 | grep -q "^check-host: usage"
	/usr/lib/kvm-stats/stats_abi | grep "^ok\|SKIP"
	man -w kvm_stat kvm-stats kvm-stats-top kvm-stats-why kvm-stats-serve kvmstats_rate
	man -w kvm-stats-publish kvm-stats-host-file kvm-stats-record
	[ -f /usr/share/bash-completion/completions/kvm-stats ]
	[ -x /usr/libexec/kvm-stats-http ]
	/usr/libexec/kvm-stats-relay --help | grep "^Usage"
	getent group kvm-stats
	kvm-stats publish --help | grep "^Usage"
	[ -f /usr/lib/udev/rules.d/90-kvm-stats.rules ]
	find /lib/systemd/system -name "kvm-stats-*" | sort | xargs -n 1 basename | xargs |
		sed "s|kvm-stats-||g" | grep "^publish.service record.service relay.service relay.socket$"
	systemctl --root=/ cat kvm-stats.service 2>/dev/null | grep "^ExecStart=/usr/bin/kvm-stats" ||
		grep "^ExecStart=/usr/bin/kvm-stats" /lib/systemd/system/kvm-stats.service
	cp /usr/share/doc/libkvmstats-dev/examples/own.c /tmp/
	gcc -o /tmp/own /tmp/own.c $(pkg-config --cflags --libs libkvmstats)
	ldd /tmp/own | grep "libkvmstats.so.* => /.*libkvmstats"'

# shellcheck disable=SC2016 # another shell expands this
removed='
	files() { find /usr /lib/ /etc -xdev -name "*kvm*stat*" | sort; }
	files >/tmp/before
	dpkg -i /mnt/kvm-stat{,s,s-check}_*.deb /mnt/libkvmstats-dev_*.deb "/mnt/$2"_*.deb >/dev/null 2>&1
	[ "$(files | wc -l)" -gt "$(wc -l </tmp/before)" ]
	dpkg -P kvm-stat kvm-stats kvm-stats-check libkvmstats-dev "$2" >/tmp/dpkg 2>&1 || { cat /tmp/dpkg; exit 1; }
	files | diff /tmp/before -
	! command -v kvm-stats kvm_stat'

# Version 1.0 of kvm-stats contained the test programs. Its exporter was the dynamic user kvm-stats: while
# it runs, libnss-systemd also shows a group of that name, as for the file in /etc/userdb.
# shellcheck disable=SC2016 # another shell expands this
upgraded='
	export LC_ALL=C
	mkdir /tmp/old
	dpkg-deb -R /mnt/kvm-stats_*.deb /tmp/old
	dpkg-deb -x /mnt/kvm-stats-check_*.deb /tmp/old
	sed -i "s/^Version: .*/Version: 1.0/" /tmp/old/DEBIAN/control
	rm /tmp/old/DEBIAN/{postinst,prerm}
	dpkg-deb --root-owner-group -b /tmp/old /tmp/old.deb
	dpkg -i /tmp/old.deb
	sed -i "/^kvm-stats:/d" /etc/group /etc/gshadow
	mkdir -p /etc/userdb
	echo "{\"groupName\": \"kvm-stats\", \"gid\": 64213}" >/etc/userdb/kvm-stats.group
	sed -i "s/^group:.*/group: files systemd/" /etc/nsswitch.conf
	getent group kvm-stats
	[ -x /usr/lib/kvm-stats/check-host ]
	dpkg -i /mnt/kvm-stats-check_*.deb && exit 1
	dpkg -i /mnt/kvm-stats_*.deb
	grep "^kvm-stats:" /etc/group
	[ ! -e /usr/lib/kvm-stats/check-host ]
	dpkg -i /mnt/kvm-stats-check_*.deb
	[ -x /usr/lib/kvm-stats/check-host ]
	dpkg -r kvm-stats-check
	dpkg -i /tmp/old.deb
	grep "^kvm-stats:" /etc/group && exit 1
	dpkg -i /mnt/kvm-stats{,-check}_*.deb
	[ -x /usr/lib/kvm-stats/check-host ]
	kvm-stats serve --once --qmp=/run/socket | grep "^kvm_stats_build_info"'

debs_upgrade()
{
	in_overlay bash -euxc "$upgraded"
}

debs_work()
{
	in_overlay bash -euxc "$used" - "$version" "$library"
}

debs_can_be_removed()
{
	in_overlay bash -euxc "$removed" - "$version" "$library"
}

deb_tests()
{
	local program

	for program in dh lintian; do
		if ! command -v "$program" >/dev/null; then
			skip "make deb builds packages" "there is no command $program"
			return
		fi
	done
	check "make deb builds the tools, the test programs, $library and libkvmstats-dev" builds_debs
	check "the package of the library has a file of symbols" has_symbols
	check "lintian reports neither errors nor warnings" lintian_is_silent
	if [ "$(id -u)" = 0 ] && in_overlay true 2>/dev/null; then
		check "the installed packages work: command, pages, completion, library" debs_work
		check "they replace version 1.0, which was one package with the test programs" debs_upgrade
		check "the packages can be removed" debs_can_be_removed
	else
		skip "the installed packages work" "needs root, and a file system for an overlay"
	fi
}

builds_rpms()
{
	"$packaging/rpm" "$out/rpm"
}

# has_files PACKAGE REGEX...
has_files()
{
	local package regex

	package=$out/rpm/$1-$version-1.$(uname -m).rpm
	shift
	rpm -qpl "$package" >"$out/files" || return
	for regex; do
		grep -qE "$regex" "$out/files" || { echo "$package has no $regex"; return 1; }
	done
}

rpms_are_complete()
{
	has_files kvm-stats '/bin/kvm-stats$' '/libexec/kvm-stats-http$' 'man1/kvm-stats-top.1' \
		'/kvm-stats.service$' \
		'/kvm-stats-publish.service$' '/kvm-stats-relay.socket$' \
		'/kvm-stats-relay.service$' \
		'/libexec/kvm-stats-relay$' '/sysusers.d/kvm-stats.conf$' '/90-kvm-stats.rules$' \
		'^/etc/default/kvm-stats$' '/kvm-stats/kvm-guest.json$' '/kvm-stats/alerts.md$' &&
	rpm -qp --scripts "$out/rpm/kvm-stats-$version-1.$(uname -m).rpm" >"$out/scripts" &&
	grep -q 'try-restart kvm-stats.service' "$out/scripts" &&
	grep -q 'disable --now kvm-stats.service' "$out/scripts" &&
	grep -q 'systemd-sysusers --root=/ kvm-stats.conf' "$out/scripts" &&
	has_files kvm-stat '/bin/kvm_stat$' 'man1/kvm_stat.1' &&
	has_files libkvmstats "/libkvmstats.so.${version%%.*}$" &&
	has_files libkvmstats-devel '/kvmstats.h$' '/libkvmstats.so$' '/libkvmstats.pc$' \
		'man3/kvmstats_rate.3'
}

# The command in the RPM package runs.
rpm_works()
{
	local dir=$out/rpm/files

	rm -rf "$dir" && mkdir -p "$dir" &&
	rpm2cpio "$out/rpm/kvm-stats-$version-1.$(uname -m).rpm" | cpio -id --quiet -D "$dir" &&
	[ "$("$dir/usr/bin/kvm-stats" --version)" = "kvm-stats $version" ]
}

rpm_tests()
{
	if ! command -v rpmbuild >/dev/null; then
		skip "make rpm builds packages" "there is no command rpmbuild"
		return
	fi
	check "make rpm builds packages with rpmbuild" builds_rpms
	check "the RPM packages are complete" rpms_are_complete
	check "the command in the RPM package runs" rpm_works
}

"$ROOT/scripts/packages" deb rpm tool-packages >&2 || bail_out "packages cannot be installed"
mkdir -p "$out/overlay"
begin
run_tests deb_tests
run_tests rpm_tests
finish
