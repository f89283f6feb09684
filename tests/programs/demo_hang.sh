#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test what the demonstration reports about a guest that does not come up.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"

# reports REGEX...: the demonstration has failed, and its output has a line for each REGEX
reports()
{
	local regex missing=''

	for regex; do
		grep -qE "$regex" /tmp/output || missing="$missing '$regex'"
	done
	[ "$status" != 0 ] && [ -z "$missing" ] && return
	cat /tmp/output
	echo "exit status $status; no line matches:$missing"
	return 1
}

# demo NAME=VALUE...: run the demonstration with these variables
demo()
{
	# shellcheck disable=SC2163 # the arguments are NAME=VALUE
	(export "$@" && /tests/demo) > /tmp/output 2>&1
	status=$?
}

# A multiboot kernel that prints S on its serial port: cli; mov $0x3f8,%dx; mov $'S',%al;
# out %al,(%dx); nop; nop; jmp to the first nop. Its header has magic, flags, checksum, addresses of
# header and image, no ends, and the entry point.
make_spinning_kernel()
{
	{
		printf '\002\260\255\033\000\000\001\000\376\117\121\344'
		printf '\000\000\020\000\000\000\020\000\000\000\000\000\000\000\000\000\040\000\020\000'
		printf '\372\146\272\370\003\260\123\356\220\220\353\374'
	} > "$BOOT_HOST/tmp/spin"
}

# /bin/sh waits for input on the console, so the guest sleeps.
demo DEMO_HANGS=BusyBox DEMO_APPEND=rdinit=/bin/sh
check "the guest does not come up: its serial port, its registers and what it does" reports \
	'FAILED: the guest did not boot within [0-9]+ s' "BusyBox" "QEMU's stderr is empty" \
	'VM status: running' 'CPU#0.* [RE]IP=[0-9a-f]+.* CR0=' 'CPU#1' ' vcpu0 +exits +[0-9]+' \
	' vcpu0 (runs and )?sleeps.* [0-9.]+ .*per second' ' vcpu1 (runs and )?sleeps.* per second'
make_spinning_kernel
demo DEMO_HANGS=S BOOT_KERNEL=/tmp/spin
check "a guest that spins is recognised" reports 'EIP=0010002[89ab]' ' vcpu0 spins: it runs without exits' \
	' vcpu1 (runs and )?sleeps'
demo BOOT_KERNEL=/nonexistent
check "QEMU does not start: its messages" reports 'FAILED: QEMU has exited' "the end of QEMU's stderr:" \
	"could not open kernel file '/nonexistent'"
finish
