#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The statistics of exits in the host file: the test cases of exits_test, and those of exit_stats, which
# read it, and `kvm-stats publish --exits`.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=../lib/stats.sh
. "${0%/*}/stats.sh"
# shellcheck source=lib/vmm.sh
. "${0%/*}/vmm.sh"
dir=${0%/*}
work=/tmp/host_file_exits.$$
stats=kvm-stats
host=/run/kvm-stats/host.pin
pins=/run/kvm-stats/bpf

tracepoints_are_pinned()
{
	[ "$(find "$pins" -name 'exits-*' | wc -l)" = 4 ]
}

no_tracepoint_is_pinned()
{
	[ "$(find "$pins" -name 'exits-*' | wc -l)" = 0 ] && ! kvm-stats publish --status | grep '^exits:'
}

count_links()
{
	"$dir/as" bpf | cut -d ' ' -f 3
}

# The file that is mounted elsewhere keeps its own link, and no link to a tracepoint.
is_detached()
{
	[ "$(count_links)" = $((links + 1)) ]
}

# As in a container. While the file is mounted somewhere, its file system exists.
mount_elsewhere()
{
	: >"$work/host" && mount -o bind "$host" "$work/host"
}

# The tracepoints are in the module kvm, which they hold.
vendor_is_reloaded()
{
	unload_vendor && ! rmmod kvm && load_vendor
}

# Several units and users can publish at the same time.
publish_at_once()
{
	kvm-stats publish --exits & kvm-stats publish --exits & kvm-stats publish --exits &
	wait
}

# start_command [OPTION]...: start a command that counts exits; its process is $pid
start_command()
{
	kvm-stats log --exits -i 0.2 "$@" >"$work/log" 2>&1 &
	pid=$!
}

# added LINKS: there are so many links more than at the start
added()
{
	[ "$(count_links)" = $((links + $1)) ]
}

has_sampled()
{
	wait_for_line "$vmm" "$work/log" "$pid"
}

mkdir "$work" || exit
links=$(count_links)
include_results "$dir/exits_test"
start_command
first=$pid
start_command
second=$pid
check "two commands count exits" wait_until added 6
stop "$first" KILL
check "after the first is killed, the second has them" wait_until added 5
check "publish --exits publishes the same links" prints 0 "^$host: published" publish --exits
check "there is one more iterator" added 6
stop "$second"
check "after the second has ended, they are published" wait_until added 5
check "a VMM starts" start_vmm -c 1
start_command -p "$vmm"
check "a command shows it" has_sampled
check "it has attached nothing, because the file is published" added 5
stop "$pid"
end_vmm
check "publish --remove removes them" kvm-stats publish --remove
check "nothing is left" wait_until added 0
check "publish --check --exits proves the programs" prints 0 '^exits: counted by class$' publish --check --exits
check "publish --exits publishes the file" prints 0 "^$host: published" publish --exits
check "the tracepoints are pinned" tracepoints_are_pinned
check "publish --status reports that exits are counted" prints 0 '^exits: counted by class$' publish --status
if is_module; then
	check "KVM's vendor module can be removed and loaded again" vendor_is_reloaded
	# If KVM's files belong to that module, the file is stale, and has no vCPU.
	check "publish --exits publishes the file for it" prints 0 "^$host: published" publish --exits
fi
include_results "$dir/exit_stats"
check "publish --exits again is possible" prints 0 "^$host: published" publish --exits
check "the tracepoints are pinned again" tracepoints_are_pinned
check "publish without --exits publishes the file" prints 0 "^$host: published" publish
check "it no longer counts exits" no_tracepoint_is_pinned
check "publish --exits counts them again" prints 0 "^$host: published" publish --exits
publish_at_once >/dev/null
check "several processes that publish at once leave one set of pins" tracepoints_are_pinned
check "the file is mounted elsewhere" mount_elsewhere
check "publish --remove removes it" kvm-stats publish --remove
check "no program is attached then" wait_until is_detached
umount "$work/host" 2>/dev/null
rm -r "$work"
finish
