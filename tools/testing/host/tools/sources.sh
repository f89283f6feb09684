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

source_tests()
{
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
