# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: the other sources of statistics, tracepoints and debugfs.
# shellcheck shell=bash

# All exits of this VMM are for I/O. The two counts differ a little, because the kernel neither
# enables nor reads the counters of two perf events at the same moment.
tracepoints_count()
{
	"$stats" -t -1 -p "$vmm" -f kvm_ >"$out/once" 2>"$out/once.err" 9>&-
	cat "$out/once.err"
	awk '$2 != 0' "$out/once"
	awk '$1 == "kvm_userspace_exit" { all = $2 }
		$1 == "kvm_userspace_exit(IO)" { io = $2 }
		END { exit !(all > 0 && (io - all) ^ 2 <= (all / 1000 + 8) ^ 2) }' "$out/once" &&
	grep -q 'source: KVM tracepoints' "$out/once.err"
}

explains_no_tracepoint()
{
	local why="no tracepoint matches 'nosuch'[.] Run 'kvm-stats -t -f help' for the names"

	prints 0 '^ +kvm_userspace_exit$' -t -f help &&
	prints 1 "$why" -t -1 -p "$vmm" -f nosuch && prints 1 "$why" -t -1 -f nosuch &&
	prints 1 "$why" log --tracepoints -p "$vmm" -f nosuch -c 1 &&
	prints 1 "$why" top --classic -t -p "$vmm" -f nosuch
}

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

debugfs_vm_tests()
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

source_tests()
{
	debugfs_vm_tests
	check "a VMM for debugfs and tracepoints starts" start_vmm -s
	if "$stats" -t -1 -f kvm_userspace_exit 9>&- >"$out/once" 2>&1; then
		check "tracepoints count the events of all threads of a VMM" tracepoints_count
		check "a child event selects its parent event, too" \
			prints 0 '^kvm_userspace_exit +' -t -1 -p "$vmm" -f 'kvm_userspace_exit.IO'
		check "a regular expression without a matching tracepoint is an error" \
			explains_no_tracepoint
	else
		skip "tracepoints are counted" "$(head -n 1 "$out/once")"
	fi
	if "$stats" -d -1 -p "$vmm" 9>&- >"$out/once" 2>&1; then
		check "from debugfs, kvm-stats shows sums over vCPUs" \
			prints 0 'source: debugfs \(sums' -d -1 -p "$vmm"
		check "with debugfs, a request for a single vCPU is an error" \
			prints 1 'no statistics of single vCPUs' -d -1 -p "$vmm" --vcpu 0
	else
		skip "debugfs is read" "$(head -n 1 "$out/once")"
	fi
	stop_vmm
}
