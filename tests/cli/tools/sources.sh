# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: statistics of a VM from debugfs, and from QEMU over QMP.
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

# start_qemu ARGUMENT...: start a VM without firmware devices, and wait for its QMP socket
start_qemu()
{
	rm -f "$out/qemu.qmp"
	qemu-system-x86_64 -accel kvm -smp 2 -m 64 -nodefaults -display none -name qmp-test \
		-qmp "unix:$out/qemu.qmp,server=on,wait=off" "$@" >"$out/qemu.out" 2>&1 8>&- 9>&- &
	vmm=$!
	# shellcheck disable=SC2004 # vmms is an associative array
	vmms[$vmm]=1
	until_true 30 test -S "$out/qemu.qmp" && until_true 30 has_two_vcpus
}

has_two_vcpus()
{
	"$stats" list -p "$vmm" 2>/dev/null 9>&- | grep -q " 2  *[a-z]"
}

# QEMU reads the statistics of the VM and of both vCPUs. QEMU 8.1 and later keep the fds of their
# vCPUs open, so that only those of the VM come over QMP.
reads_over_qmp()
{
	prints 0 'source: .*QMP' read -p "$vmm" --qmp "$@" &&
	prints 0 '^vm +remote_tlb_flush ' read -p "$vmm" --qmp "$@" &&
	prints 0 '^vcpu0 +exits ' read -p "$vmm" --qmp "$@" &&
	prints 0 '^vcpu1 +halt_wait_ns .* ns$' read -p "$vmm" --qmp "$@"
}

# Each command shows the source.
shows_qmp_as_source()
{
	prints 0 " $vmm .* (taken.)?qmp +qmp-test" list -p "$vmm" --qmp &&
	prints 0 '"source": "(taken.)?qmp"' list -p "$vmm" --qmp --json &&
	prints 0 '"source": "(taken.)?qmp"' read -p "$vmm" --qmp --json &&
	prints 0 'source: .*QMP' schema -p "$vmm" --qmp -f '^exits$' &&
	prints 0 'source: .*QMP' log -p "$vmm" --qmp -i 0.1 -c 1 -f '^exits$' &&
	prints 0 'source: .*QMP' -1 -p "$vmm" --qmp -f exits &&
	prints 0 'kvm_guest_info.*source="(taken.)?qmp"' serve -1 -p "$vmm" --qmp
}

# `query` prints the answers of QEMU to query-stats, in the format of QMP.
repeats_answers()
{
	run_stats 0 query -p "$vmm" --qmp &&
	jq -e '.return | length == 3' <<<"$found" &&
	jq -e '.return[0].stats | length > 5' <<<"$found" &&
	run_stats 0 schema --json -p "$vmm" --qmp &&
	jq -e '.return[1].stats[] | select(.name == "halt_wait_hist") |
		.type == "log2-histogram" and .unit == "seconds" and .exponent == -9' <<<"$found"
}

names_wrong_sockets()
{
	prints 1 'over QMP: /nonexistent: No such file' read -p "$vmm" --qmp=/nonexistent &&
	prints 1 'over QMP: /dev/null: no process listens' read -p "$vmm" --qmp=/dev/null &&
	prints 1 'found no QMP socket' read -p "$other" --qmp &&
	prints 1 'another process listens' read -p "$other" --qmp="$out/qemu.qmp" &&
	prints 2 'needs the path of a socket' read --qmp=
}

# QEMU greets only one client of a socket.
reports_busy_socket()
{
	local holder result=0

	perl -MIO::Socket::UNIX -e '
		my $socket = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die $!;
		<$socket>; $| = 1; print "connected\n"; sleep 60' "$out/qemu.qmp" \
		>"$out/holder.out" 2>&1 8>&- 9>&- &
	holder=$!
	wait_for_line '^connected' "$out/holder.out" "$holder" &&
	prints 1 'qemu.qmp: the VMM does not greet' read -p "$vmm" --qmp -f exits || result=1
	stop "$holder"
	[ "$result" = 0 ] && prints 0 '^vcpu0' read -p "$vmm" --qmp -f exits
}

# A QEMU that is stopped cannot delay kvm-stats for longer than a second per reading.
survives_stopped_qemu()
{
	local start=$SECONDS reader status=0

	"$stats" read -p "$vmm" --qmp -i 0.5 -c 20 -f '^exits$' >"$out/read.out" 2>&1 8>&- 9>&- &
	reader=$!
	wait_for_line '^# after 1.0 s' "$out/read.out" "$reader" && kill -STOP "$vmm"
	wait "$reader" || status=$?
	kill -CONT "$vmm"
	echo "exit status $status after $((SECONDS - start)) s"
	cat "$out/read.out"
	[ "$status" = 1 ] && [ $((SECONDS - start)) -lt 25 ] &&
	[ "$(grep -c 'over QMP.*does not ' "$out/read.out")" = 1 ]
}

# The values of the VM may be missing.
offers_qmp()
{
	local status=1

	! "$stats" list -p "$vmm" 2>/dev/null 9>&- | grep -q taken || status=0
	prints "$status" 'QEMU listens for QMP on .*/qemu.qmp. Add --qmp' read -p "$vmm"
}

qmp_tests()
{
	local other

	if ! command -v qemu-system-x86_64 >/dev/null || [ "$(uname -m)" != x86_64 ]; then
		skip "statistics are read over QMP" "needs qemu-system-x86_64 on x86_64"
		return
	fi
	check "a VMM without QMP starts" start_vmm
	other=$vmm
	check "QEMU starts" start_qemu
	if "$stats" list -p "$vmm" 2>/dev/null 9>&- | grep -q ' opened '; then
		skip "statistics are read over QMP" "this kernel lets other processes open statistics"
		stop_vmm
		vmm=$other
		stop_vmm
		return
	fi
	check "without --qmp, the message names the socket" offers_qmp
	check "--qmp finds the socket of QEMU" reads_over_qmp
	check "--qmp=SOCKET names it" reads_over_qmp --qmp="$out/qemu.qmp"
	check "all commands show the source" shows_qmp_as_source
	check "query and schema repeat QEMU's answers" repeats_answers
	check "sockets that cannot be used are reported" names_wrong_sockets
	check "a socket that another program uses is reported" reports_busy_socket
	check "a QEMU that does not answer is reported once" survives_stopped_qemu
	stop_vmm
	vmm=$other
	stop_vmm
}
