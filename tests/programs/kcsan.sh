#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Print as TAP whether KCSAN watched memory accesses. The kernel log has the races.

watched=$(sed -n 's/^setup_watchpoints: *//p' /sys/kernel/debug/kcsan)
echo "1..1"
[ "${watched:-0}" -gt 0 ] || printf 'not '
echo "ok 1 - accesses were watched"
sed 's/^/# /' /sys/kernel/debug/kcsan
echo "# tried: ${watched:-0} memory accesses watched for a race"
[ "${watched:-0}" -gt 0 ]
