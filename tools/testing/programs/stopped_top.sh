#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A monitor that is stopped (Ctrl-Z) has the statistics of a guest open. Kill the QEMU of this
# guest, and start the guest again: nothing of the old VM is left, and the vendor module can be
# removed and loaded again meanwhile.
#
# shellcheck shell=dash

# shellcheck source=lib/suite.sh
. "${0%/*}/suite.sh"
# shellcheck source=lib/qemu.sh
. "${0%/*}/qemu.sh"
work=/tmp/stopped_top
logs=$work/log
module=kvm_amd
[ -d "/sys/module/$module" ] || module=kvm_intel
parameters=$(tr ' ' '\n' </proc/cmdline | sed -n "s/^$module\.//p")
columns=80
screen=$BOOT_HOST/tmp/stopped_top.screen
script=
top=
qemu=

start_guest()
{
	start_qemu again 0 -m 64
	qemu=$!
	wait_until is_listed
}

is_listed()
{
	kvm-stats list 2>/dev/null | grep -q "^ *$qemu .*again"
}

# The tool runs in a terminal of its own, and shows the guest.
start_top()
{
	chroot "$BOOT_HOST" script -qfc 'stty rows 24 cols 80
		echo $$ >/tmp/stopped_top.pid
		TERM=vt100 exec /tmp/boot/kvm-stats top -i 0.5 --columns=pid,exits' \
		/tmp/stopped_top.screen </dev/null >/dev/null 2>&1 &
	script=$!
	wait_until grep -qs again "$screen" || { tail -n 20 "$screen"; return 1; }
	top=$(cat "$BOOT_HOST/tmp/stopped_top.pid") &&
		kill -STOP "$top"
}

kill_guest()
{
	kill -9 "$qemu"
	wait "$qemu" 2>/dev/null
	! ls -d /sys/kernel/debug/kvm/*-* 2>/dev/null
}

reload()
{
	rmmod "$module" || return 1
	# shellcheck disable=SC2086 # words
	insmod "/modules/$(echo $module | tr _ -).ko" $parameters
}

# Another size of the terminal makes top draw all of the screen.
shows_new_guest()
{
	columns=$((columns - 1))
	stty -F "/proc/$top/fd/0" cols "$columns"
	sleep 1
	grep -q "$qemu .*again\|again .*$qemu" "$screen"
}

# script(1) stops itself when top is stopped.
continues()
{
	kill -CONT "$script" "$top"
	wait_until shows_new_guest
}

mkdir -p "$work"
: >"$work/commands"
check "a guest starts" start_guest
check "top shows it, and is stopped" start_top
check "its QEMU is killed, and no VM is left" kill_guest
check "the vendor module is removed and loaded again" reload
check "the guest starts again" start_guest
check "top continues, and shows the new guest" continues
kill -9 "$top" "$qemu"
rm -f "$screen" "$BOOT_HOST/tmp/stopped_top.pid"
finish
