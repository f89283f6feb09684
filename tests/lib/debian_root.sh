# SPDX-License-Identifier: GPL-2.0-only
# Sourced after scripts/lib/debian.sh: makes the root directory of a minimal installation of another release
# of Debian. This needs mmdebstrap, and root.
# shellcheck shell=bash

# The mirror may be a snapshot, whose index has expired.
debian_root_options() {
	echo 'Acquire::Check-Valid-Until "false"; Acquire::Languages "none";'
	apt-config dump | grep -E '^Acquire::https?::Proxy' || true
}

# debian_root RELEASE DIRECTORY LOGS PACKAGE,...: install the release and these packages in
# DIRECTORY. LOGS is a directory for files of this installation.
debian_root() {
	local release=$1 root=$2 logs=$3
	debian_release_sources "$release" >"$logs/sources.list"
	debian_root_options >"$logs/apt.conf"
	mmdebstrap --variant=minbase --include="$4" --aptopt="$logs/apt.conf" \
		"$release" "$root" "$logs/sources.list" >"$logs/chroot.log" 2>&1 </dev/null && return
	! grep -q 'does not have a Release file' "$logs/chroot.log" || die \
		"the mirror has no release '$release'" "$(grep -m 1 '^E: ' "$logs/chroot.log")"
	die "mmdebstrap cannot make a chroot of $release; it says (whole log: $logs/chroot.log):" \
		"$(grep '^E: ' "$logs/chroot.log" | head -n 5)"
}
