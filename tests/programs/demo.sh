#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The demonstration of `make run`: start a Linux guest with the unmodified QEMU of the build
# host, and show its statistics live, as comments of TAP.
#
# shellcheck shell=dash
# shellcheck disable=SC3040 # the shell is busybox's, which has pipefail
#
# The exit status is 0 only if statistics were read and changed.

set -o pipefail

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=lib/qemu.sh
. "${0%/*}/qemu.sh"

INTERVAL=3		# seconds
COUNT=3
BOOT_SECONDS=200	# the time limit of a guest's boot, for a busy build host

SHOWN='^(exits|io_exits|halt_exits|irq_injections|pf_fixed|halt_wait_ns|mmu_cache_miss)$'
# These show whether a vCPU sleeps, spins or exits.
STATE='^(exits|io_exits|mmio_exits|irq_exits|halt_exits|pf_taken|pf_fixed|blocking)$'

work=$BOOT_HOST/tmp/demo		# /tmp/demo for QEMU, which runs in a chroot
qemu=

say()
{
	echo
	echo "== $*"
}

# show_end FILE TITLE
show_end()
{
	[ -s "$1" ] || { echo "$2 is empty"; return; }
	echo "the end of $2:"
	tail -n 15 "$1" | awk '{ print "    " $0 }'
}

die()
{
	echo
	echo "FAILED: $*"
	show_end "$work/guest.serial" "the guest's serial port"
	show_end "$work/log" "QEMU's stderr"
	! alive || explain_guest
	exit 1
}

clean_up()
{
	[ -z "$qemu" ] || kill -9 "$qemu" 2> /dev/null
	rm -rf "$work"
}

alive()
{
	[ -n "$qemu" ] && kill -0 "$qemu" 2> /dev/null
}

start_guest()
{
	# With huge pages, all memory of the guest would soon be mapped.
	echo never > /sys/kernel/mm/transparent_hugepage/enabled 2> /dev/null

	mkdir -p "$work" || die "cannot write $work"
	start_monitored demo -m 256 -kernel "$BOOT_KERNEL" -initrd "$BOOT_GUEST_INITRD" \
		-append "console=ttyS0 quiet panic=-1 $DEMO_APPEND" -serial file:/tmp/demo/guest.serial ||
		die "QEMU has exited"
}

# demo_hang sets DEMO_HANGS to what a guest that will not come up prints before it hangs.
hangs()
{
	[ -n "$DEMO_HANGS" ] && grep -q "$DEMO_HANGS" "$work/guest.serial" 2> /dev/null && sleep 5
}

# Returns 1 if the guest is not ready in time.
wait_for_guest()
{
	local waited=0

	until grep -q 'stats-guest: ready' "$work/guest.serial" 2> /dev/null; do
		alive || die "QEMU has exited"
		if hangs || [ $waited -ge $BOOT_SECONDS ]; then
			echo "   the guest did not boot within $waited s"
			return 1
		fi
		sleep 1
		waited=$((waited + 1))
		[ $((waited % 5)) -ne 0 ] || echo "   $waited s"
	done
	echo "   the guest runs: $(grep 'stats-guest: ready' "$work/guest.serial")"
}

# Print for each vCPU what it does, from the table of `kvm-stats read -i 1 -c 1`. The host's
# timer interrupts a vCPU that spins, which is an exit, too.
classify_vcpus()
{
	awk '
	function state(cpu)
	{
		if (!total[cpu])
			return "has never run"
		if (value[cpu, "blocking"] == "true")
			return "sleeps, and exits " rate[cpu, "exits"] " times per second"
		if (rate[cpu, "halt_exits"])
			return "runs and sleeps in turn: " rate[cpu, "exits"] " exits and " \
			       rate[cpu, "halt_exits"] " halts per second"
		if (rate[cpu, "exits"] - rate[cpu, "irq_exits"] < 1)
			return "spins: it runs without exits except for interrupts of the host"
		return "runs and exits " rate[cpu, "exits"] " times per second"
	}
	/^vcpu/ {
		value[$1, $2] = $3
		rate[$1, $2] = $NF + 0
		if ($2 == "exits") { total[$1] = $3; order[++count] = $1 }
	}
	END {
		for (i = 1; i <= count; i++)
			print "    " order[i] " " state(order[i])
	}'
}

# Why a guest hangs: the state of QEMU, the registers of the vCPUs, and their statistics.
explain_guest()
{
	SECONDS_MAX=10
	for command in 'info status' 'info registers -a'; do
		echo "QEMU's monitor, $command:"
		query human-monitor-command "\"command-line\": \"$command\"" |
			awk '{ gsub(/\\r\\n/, "\n"); print }' |
			grep -oE 'VM status: .*|CPU#.*|[RE]IP=[^ ]*|HLT=.|CR[034]=[^ ]*' |
			awk '/^(VM|CPU)/ { printf "%s    ", sep; sep = "\n" } { printf "%s ", $0 } END { print "" }'
	done
	echo "kvm-stats read -p $qemu -i 1 -c 1:"
	kvm-stats read -p "$qemu" -i 1 -c 1 -f "$STATE" > /tmp/state || return
	sed 's/^/    /' /tmp/state
	echo "what the vCPUs do:"
	classify_vcpus < /tmp/state
}

# The emulation sometimes loses a guest, see docs/testing.md. It is not likely to lose two.
start_another_guest()
{
	explain_guest
	say "Starting another guest"
	kill -9 "$qemu"
	wait "$qemu"
	rm -r "$work"
	start_guest
	wait_for_guest || die "the guest did not boot within $BOOT_SECONDS s"
}

show_list()
{
	kvm-stats list || die "kvm-stats list"
}

show_rates()
{
	kvm-stats read -p "$qemu" -i $INTERVAL -c $COUNT -f "$SHOWN" | tee /tmp/rates ||
		die "kvm-stats read"
	awk '
	{ for (i = 1; i < NF; i++) if ($i == "exits" && $NF + 0 > 0) moved++ }
	END { exit !(moved >= '$COUNT') }' /tmp/rates ||
		die "'exits' did not increase in each of $COUNT intervals"
}

# Of both vCPUs together, per second: how often the guest exits, and how long KVM takes for it.
show_exits()
{
	echo 1 > /sys/module/kvm/parameters/exit_stats || die "cannot switch exit statistics on"
	kvm-stats read -p "$qemu" -i $INTERVAL -c 2 -f '^exit_' > /tmp/exits || die "kvm-stats read"
	awk '
	/^vcpu/ && $2 !~ /^exit_hist/ {
		if (sub(/_ns$/, "", $2))
			ns[$2] = ns[$2] * ($1 != "vcpu0") + $NF
		else
			count[$2] = count[$2] * ($1 != "vcpu0") + $NF
	}
	END {
		for (class in count)
			if (count[class] > 0)
				printf "%8.0f exits/s %10.1f us each  %s\n", count[class], \
				       ns[class] / count[class] / 1000, class
	}' /tmp/exits | sort -rn > /tmp/classes
	[ -s /tmp/classes ] || die "no class of exits has a rate"
	cat /tmp/classes
}

show_qmp()
{
	local answer command='{"execute": "query-stats", "arguments": {"target": "vcpu", "providers": [{"provider": "kvm", "names": ["exits", "halt_exits", "io_exits"]}]}}'

	echo "-> $command"
	answer=$(ask "$command") || die "QMP answered $answer"
	echo "<- $answer"
	echo "$answer" | grep -q '"name": "exits", "value": [1-9]' ||
		die "QEMU's answer has no exits"
}

stop_guest()
{
	local answer waited=0

	answer=$(query quit) || die "QMP answered $answer"
	while alive; do
		[ $waited -lt 300 ] || die "QEMU did not exit within 30 s"
		usleep 100000
		waited=$((waited + 1))
	done
	wait "$qemu" || die "QEMU's exit status was $?"
	qemu=
}

# The boot sets DEMO_HOST to the kernel of the build host if that has the host file.
show_next_step()
{
	echo "Your own kernel, $DEMO_HOST, needs no patch for that. To see the VMs of this host:"
	echo "    make tools && sudo build/tools/kvm-stats list"
	echo "'sudo build/tools/kvm-stats publish' lets the members of a group see them without root."
}

show()
{
	trap clean_up EXIT
	trap 'exit 1' HUP INT TERM

	# Keep the kernel's messages off the console. The log has them.
	dmesg -n 4

	say "Linux $(uname -r), $BOOT_VARIANT, in an emulated test machine with $(nproc) CPUs"

	if [ -d "/lib/modules/$(uname -r)/updates" ]; then
		say "kvm-stats-modules load: exchange KVM's modules of this unmodified kernel"
		kvm-stats-modules load || die "kvm-stats-modules load"
	fi

	say "Starting a guest: $(chroot "$BOOT_HOST" "$QEMU" --version | head -n 1), accel=kvm, 2 vCPUs"
	start_guest

	say "Waiting for the guest to boot"
	wait_for_guest || start_another_guest

	say "kvm-stats list: the VMs of this machine"
	show_list

	say "kvm-stats read -p $qemu -i $INTERVAL -c $COUNT: values, and rates per second"
	show_rates

	if [ -e /sys/module/kvm/parameters/exit_stats ]; then
		say "echo 1 > /sys/module/kvm/parameters/exit_stats: exits by class, and their times"
		show_exits
	fi

	say "query-stats: the same statistics from QEMU, by QMP"
	show_qmp

	say "Shutting the guest down"
	stop_guest

	say "OK: the statistics of a real guest, live"
	[ -z "${DEMO_HOST:-}" ] || show_next_step
}

echo "1..1"
(show 2>&1) | awk '{ print "# " $0; fflush() }' || not="not "
echo "${not:-}ok 1 - the statistics of a real guest change"
[ -z "${not:-}" ]
