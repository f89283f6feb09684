# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: statistics of a VM from debugfs.
# shellcheck shell=bash

# Write a command that runs kvm-stats with debugfs mounted, which other processes do not see. Print
# why it cannot be, or nothing.
mount_debugfs()
{
	cat >"$out/with-debugfs" <<-END
		#!/bin/sh
		exec unshare --mount sh -c 'grep -q " /sys/kernel/debug debugfs" /proc/mounts ||
			mount -t debugfs debugfs /sys/kernel/debug || exit 99
			exec "\$@"' - "\$@"
	END
	chmod +x "$out/with-debugfs"
	if ! "$out/with-debugfs" true 2>/dev/null; then
		echo "debugfs cannot be mounted here"
	elif ! "$out/with-debugfs" test -d "/sys/kernel/debug/kvm"; then
		echo "this kernel has no KVM statistics in debugfs"
	fi
}

# The vCPUs run no more. If the kernel is locked down, debugfs has only some of the values.
debugfs_has_vm_values()
{
	freeze_vmm || return 1
	"$out/with-debugfs" "$stats" list -p "$vmm" >"$out/listed" 9>&-
	"$out/with-debugfs" "$stats" read -p "$vmm" >"$out/read" 9>&- || return 1
	cat "$out/listed"
	grep -E '^#|^vm ' "$out/read"
	# shellcheck disable=SC2016 # another shell expands this
	awk '$1 == "vm" { print $2, $3 }' "$out/read" | "$out/with-debugfs" sh -c '
		while read -r name value; do
			[ "$(cat "/sys/kernel/debug/kvm/$1"-*/"$name")" = "$value" ] || exit 1
		done' - "$vmm" || return 1
	grep -q "^ *$vmm .* taken+debugfs " "$out/listed" &&
	grep -q '^# .*keeps open and debugfs' "$out/read" &&
	grep -qE '^vm +pages_4k ' "$out/read" && ! grep -qE '^vm +(guest_mode|exits) ' "$out/read" &&
	grep -qE '^vcpu1 +exits ' "$out/read"
}

source_tests()
{
	local what="values of a VM whose fd the VMM does not keep open come from debugfs"
	local why vmm

	why=$(mount_debugfs)
	start_vmm -v >"$out/log"
	if [ -n "$why" ]; then
		skip "$what" "$why"
	elif "$stats" list -p "$vmm" 2>/dev/null 9>&- | grep -q ' opened '; then
		skip "$what" "this kernel lets other processes open statistics"
	else
		check "$what" debugfs_has_vm_values
	fi
	stop_vmm
}
