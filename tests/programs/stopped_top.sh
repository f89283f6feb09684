#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Switch exit statistics on and off while top shows a guest. Then stop top (Ctrl-Z), which has the
# statistics of the guest open, kill the QEMU of this guest, and start the guest again: nothing of
# the old VM is left, and the vendor module can be removed and loaded again meanwhile.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=lib/qemu.sh
. "${0%/*}/qemu.sh"
work=/tmp/stopped_top
logs=$work/log
module=kvm_amd
[ -d "/sys/module/$module" ] || module=kvm_intel
exit_stats=/sys/module/kvm/parameters/exit_stats
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

# The tool runs in a terminal of its own, and shows the guest. It reads keys from fd 5.
start_top()
{
	chroot "$BOOT_HOST" script -qfc 'stty rows 24 cols 80
		echo $$ >/tmp/stopped_top.pid
		TERM=vt100 exec /tmp/boot/kvm-stats top -i 0.5 --columns=pid,exits' \
		/tmp/stopped_top.screen <"$work/keys" >/dev/null 2>&1 &
	script=$!
	exec 5>"$work/keys"
	wait_until grep -qs again "$screen" || { tail -n 20 "$screen"; return 1; }
	top=$(cat "$BOOT_HOST/tmp/stopped_top.pid")
}

# shows REGEX: another size of the terminal makes top draw all of the screen again, with REGEX
shows()
{
	local drawn

	drawn=$(wc -c <"$screen")
	columns=$((columns - 1))
	stty -F "/proc/$top/fd/0" cols "$columns"
	sleep 1
	tail -c "+$((drawn + 1))" "$screen" | grep -aq "$1"
}

# Enter opens the guest, and Backspace goes back.
exit_statistics_switch()
{
	echo 0 >"$exit_stats"
	printf '\r' >&5
	wait_until shows 'Exit statistics are off' || return 1
	echo 1 >"$exit_stats"
	wait_until shows 'uest [0-9.]*%.*alted [0-9.]*%' || return 1
	echo 0 >"$exit_stats"
	wait_until shows 'Exit statistics are off' || return 1
	printf '\177' >&5
}

kill_guest()
{
	kill -STOP "$top"
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

# script(1) stops itself when top is stopped.
continues()
{
	kill -CONT "$script" "$top"
	wait_until shows "$qemu .*again\|again .*$qemu"
}

mkdir -p "$work"
: >"$work/commands"
mkfifo "$work/keys"
check "a guest starts" start_guest
check "top shows it" start_top
if [ -f "$exit_stats" ]; then
	check "top shows exit statistics while they are on" exit_statistics_switch
else
	skip "top shows exit statistics" "the kernel does not have them"
fi
check "top is stopped, its QEMU is killed, and no VM is left" kill_guest
check "the vendor module is removed and loaded again" reload
check "the guest starts again" start_guest
check "top continues, and shows the new guest" continues
kill -9 "$top" "$qemu"
rm -f "$screen" "$BOOT_HOST/tmp/stopped_top.pid"
finish
