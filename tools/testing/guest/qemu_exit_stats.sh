#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Run qemu_query_stats with exit statistics. Other programs of the boot run without them.
#
# shellcheck shell=dash

parameter=/sys/module/kvm/parameters/exit_stats
if ! echo Y >$parameter; then
	echo "1..0 # SKIP this kernel does not have exit statistics"
	exit 0
fi
status=0
"${0%/*}/qemu_query_stats" || status=$?
echo N >$parameter
exit $status
