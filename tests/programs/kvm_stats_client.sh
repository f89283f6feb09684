#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test kvm-stats with a real QEMU: list finds it, and serve shows the values that QEMU reports, while
# a second QEMU starts and ends.
#
# On a kernel without statistics (BOOT_VARIANT=unpatched), serve shows what /proc has.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=lib/qemu.sh
. "${0%/*}/qemu.sh"
exit_stats=/sys/module/kvm/parameters/exit_stats

work=/tmp/client
server=
qemu=
other=
port=10333

# ---- QEMU ----

first_starts()
{
	start_monitored stats-guest -m 64
}

# list_shows PID NAME SOURCE
list_shows()
{
	kvm-stats list >"$work/list" 2>&1
	grep -Eq "^ +$1 +qemu-system-x86 +1 +2 +$3 +$2\$" "$work/list"
}

first_is_listed()
{
	wait_until list_shows "$qemu" stats-guest "$source" || { cat "$work/list"; return 1; }
}

# ---- serve ----

scrape()
{
	wget -q -T 20 -O "$work/metrics" "http://127.0.0.1:$port/metrics"
}

# The kvm-stats of the build host has HTTP.
serve_starts()
{
	chroot "$BOOT_HOST" /tmp/boot/kvm-stats serve --per-vcpu -l "127.0.0.1:$port" 2>"$work/serve" &
	server=$!
	wait_for_line serving "$work/serve" "$server" && scrape && return
	cat "$work/serve"
	return 1
}

# value NAME LABELS [GUEST]: LABELS is a part of the labels
value()
{
	grep "^$1{guest=\"${3:-stats-guest}\",uuid=\"\"$2[,}]" "$work/metrics" | sed 's/.* //'
}

# ascending: sort integers. `sort -n` of busybox reads them into an int, which has 32 bits.
ascending()
{
	awk '{ printf "%20s\n", $1 }' | sort | tr -d ' '
}

# qemu_values STATISTIC: print the values of both vCPUs as QEMU reports them, the lowest first. The
# firmware runs on one vCPU only.
qemu_values()
{
	query query-stats "\"target\": \"vcpu\", \"providers\": [{\"provider\": \"kvm\", \"names\": [\"$1\"]}]" |
		values | sed -n "s/^$1 //p" | ascending
}

# served_vcpus METRIC FACTOR: the same of serve
served_vcpus()
{
	{
		value "$1" ',vcpu="0"'
		value "$1" ',vcpu="1"'
	} | awk -v factor="$2" '{ printf "%.0f\n", $1 * factor }' | ascending
}

agree()
{
	sleep 1		# the answers of serve are cached for some time
	scrape || return 1
	{
		qemu_values exits
		qemu_values exits | awk '{ n += $1 } END { print n }'
		qemu_values halt_wait_ns
		echo 2
	} >"$work/asked"
	{
		served_vcpus kvm_vcpu_exits_total 1
		value kvm_guest_exits_total ''
		served_vcpus kvm_vcpu_halt_wait_seconds_total 1000000000
		value kvm_guest_vcpus ''
	} >"$work/served"
	diff "$work/asked" "$work/served" && grep -q '^[1-9][0-9]' "$work/asked"
}

# The guest is stopped, but the memory management of the kernel can still cause exits.
values_agree()
{
	query stop >/dev/null
	wait_until agree
}

# The guest has its vCPUs and its CPU time, but none of KVM's statistics.
serves_proc()
{
	scrape && [ "$(value kvm_guest_vcpus '')" = 2 ] && [ -n "$(value kvm_guest_cpu_seconds_total '')" ] &&
	grep '^kvm_host_statistics_readable{source="proc",error="this kernel .*"} 0' "$work/metrics" &&
	! grep 'exits_total' "$work/metrics"
}

# ---- a second QEMU, of an unprivileged user ----

other_is_served()
{
	scrape && [ -n "$(value kvm_vcpu_exits_total ',vcpu="1"' other)" ]
}

other_starts()
{
	chroot "$BOOT_HOST" chmod 666 /dev/kvm
	start_qemu other 1000 -m 64
	other=$!
	wait_until list_shows "$other" other "$source" && wait_until other_is_served
}

# Only classes that have exits have series.
classes_grow()
{
	scrape && [ -n "$(value kvm_guest_exits_by_class_total ',class="io"' other)" ] &&
	[ -n "$(value kvm_guest_exit_seconds_total ',class="io"' other)" ] &&
	[ -z "$(value kvm_guest_exits_by_class_total ',class="entry_failed"' other)" ]
}

has_no_classes()
{
	scrape && grep -q '^kvm_exit_stats_enabled 0' "$work/metrics" && ! grep -q by_class "$work/metrics"
}

# Exit statistics add 3 series to those of a guest, and 2 for each class.
exit_statistics_switch()
{
	local off on classes

	wait_until has_no_classes || return 1
	off=$(grep -c '^kvm_\(guest\|vm\)_.*guest="other"' "$work/metrics")
	echo 1 >"$exit_stats"
	wait_until classes_grow || return 1
	on=$(grep -c '^kvm_\(guest\|vm\)_.*guest="other"' "$work/metrics")
	classes=$(grep -c '^kvm_guest_exits_by_class_total.*guest="other"' "$work/metrics")
	echo 0 >"$exit_stats"
	echo "$off series while they are off; $on with $classes classes"
	[ "$off" -le 60 ] && [ "$on" = $((off + 3 + 2 * classes)) ] && wait_until has_no_classes
}

# The time that the vCPUs of the first QEMU have spent in the guest
guest_ns()
{
	qemu_values guest_ns | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

guest_ns_exceeds()
{
	[ "$(guest_ns)" -gt "$1" ]
}

exit_statistics_grow()
{
	local ns

	query cont >/dev/null
	[ "$(guest_ns)" = 0 ] || return 1
	echo 1 >"$exit_stats"
	wait_until guest_ns_exceeds 0 && ns=$(guest_ns) && wait_until guest_ns_exceeds "$ns" || return 1
	echo 0 >"$exit_stats"
	sleep 1
	ns=$(guest_ns)
	sleep 2
	[ "$(guest_ns)" = "$ns" ]
}

kvm_fds()
{
	local fd count=0

	for fd in "/proc/$server/fd"/*; do
		case $(readlink "$fd") in
		*:kvm-*) count=$((count + 1)) ;;
		esac
	done
	echo "$count"
}

# has_forgotten FDS: serve has this number of statistics files, and shows only the first guest.
has_forgotten()
{
	scrape && ! grep -q 'guest="other"' "$work/metrics" && [ -n "$(value kvm_guest_exits_total '')" ] &&
	[ "$(kvm_fds)" = "$1" ]
}

# A kernel with KVM_STATS_OPEN has one file for each VM.
other_ends()
{
	local before

	before=$(kvm_fds)
	kill -KILL "$other"
	wait "$other" 2>/dev/null
	wait_until vm_is_gone || { echo "a process keeps the VM"; return 1; }
	wait_until has_forgotten $((before / 2)) || { echo "$before files before, $(kvm_fds) now"; return 1; }
}

vm_is_gone()
{
	! ls -d "/sys/kernel/debug/kvm/$other"-* 2>/dev/null
}

serve_ends()
{
	kill "$server" && wait "$server"
}

mkdir -p "$work"
logs="$work/log $work/serve"
source='(next|file)'
[ "$BOOT_VARIANT" != unpatched ] || source=proc
[ ! -f "$exit_stats" ] || echo 0 >"$exit_stats"
check "QEMU starts" first_starts
check "list shows QEMU, the name of its guest and the source of its statistics" first_is_listed
check "serve starts" serve_starts
if [ "$source" = proc ]; then
	check "serve shows the guest without statistics" serves_proc
else
	check "stopped: serve shows the values that QEMU reports" values_agree
	check "serve shows a new QEMU, of another user" other_starts
	if [ -f "$exit_stats" ]; then
		check "exit statistics grow in query-stats while they are on" exit_statistics_grow
		check "exit statistics of a running VM appear and disappear in serve" exit_statistics_switch
	else
		skip "exit statistics grow in query-stats" "the kernel does not have them"
		skip "exit statistics of a running VM appear" "the kernel does not have them"
	fi
	check "serve has forgotten that QEMU and closed its files after its end" other_ends
fi
check "SIGTERM ends serve" serve_ends
kill -KILL "$qemu" 2>/dev/null
chroot "$BOOT_HOST" chmod 600 /dev/kvm
finish
