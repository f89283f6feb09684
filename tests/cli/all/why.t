#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the test program why on the build host: `kvm-stats why` on guests with causes that real processes make.
# With WHY_SECONDS=3600 in the environment, it looks only for false alarms, for an hour and a half.
#
# usage: why.t

set -u

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"

# Print why the program cannot run, or nothing.
why_not()
{
	local reason

	[ -e /sys/kernel/btf/vmlinux ] || { echo "the kernel has no BTF"; return; }
	[ "$(id -u)" = 0 ] || { echo "only root can create cgroups and read the host file"; return; }
	[ "$(nproc)" -ge 2 ] || { echo "there is one CPU"; return; }
	reason=$(why_no_vm)
	[ -z "$reason" ] || echo "$reason"
}

begin
check "kvm-stats and its VMM build" build_plain kvm-stats vmms
check "the test program builds" make -s -C "$ROOT/tests/programs" OUT="$out/programs" TESTS= all
reason=$(why_not)
if [ -n "$reason" ]; then
	skip "kvm-stats why on this host" "$reason"
else
	PATH=$plain:$PATH include_results "$out/programs/why"
fi
finish
