#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Run qemu_query_stats while exit statistics are on. Other programs of the boot run while they are
# off.
#
# shellcheck shell=dash

parameter=/sys/module/kvm/parameters/exit_stats
if ! echo 1 >$parameter; then
	echo "1..0 # SKIP this kernel does not have exit statistics"
	exit 0
fi
status=0
"${0%/*}/qemu_query_stats" || status=$?
echo 0 >$parameter
exit $status
