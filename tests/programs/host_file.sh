#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The host file on this kernel: the test cases of host_file_test, `kvm-stats publish`, who can read
# the file, and, unless KVM is built in, what it has after KVM's modules are removed and loaded again.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=../lib/stats.sh
. "${0%/*}/stats.sh"
# shellcheck source=lib/vmm.sh
. "${0%/*}/vmm.sh"
dir=${0%/*}
work=/tmp/host_file.$$
stats=kvm-stats
host=/run/kvm-stats/host.pin
group=995		# kvm-stats in /etc/group

# ---- kvm-stats publish ----

proves()
{
	prints 0 '^proof: ' publish --check && has_no '^limit: ' && [ ! -e "$host" ]
}

no_process_is_left()
{
	! grep -sa '^kvm-stats' /proc/[0-9]*/cmdline
}

shows_vms()
{
	prints 0 '^now: 3 VMs, 6 vCPUs$' publish --status
}

shows_no_vms()
{
	prints 0 '^now: 0 VMs, 0 vCPUs$' publish --status
}

is_stale()
{
	prints 1 "$host is stale: .*Run .kvm-stats publish. as root" publish --status
}

# Print the types of the records in a pass, one in each line. The size of a record is its second word.
record_types()
{
	cat "$host" >"$work/pass" || return
	hexdump -v -e '4/2 "%u " "\n"' "$work/pass" | awk '
	skip > 0 { skip--; next }
	{ print $1; skip = ($3 + 65536 * $4) / 8 - 1 }'
}

# has_records COUNT: the pass is whole and has this number of records of VMs (2) and vCPUs (3)
has_records()
{
	record_types >"$work/types" && [ "$(sed -n '1p;$p' "$work/types" | tr '\n' ' ')" = "1 5 " ] &&
		[ "$(grep -cx '[23]' "$work/types")" = "$1" ]
}

is_readable_by_members()
{
	"$dir/as" "$group" 0 /bin/cat "$host" >"$work/pass" && [ -s "$work/pass" ] &&
		"$dir/as" "$group" 0 /bin/kvm-stats publish --status | grep '^now: 3 VMs, 6 vCPUs$'
}

is_refused_to_others()
{
	! "$dir/as" 1000 0 /bin/cat "$host" >"$work/pass" 2>"$work/refused" && [ ! -s "$work/pass" ] &&
		cat "$work/refused" && grep -q 'Permission denied' "$work/refused" &&
		! "$dir/as" 1000 0 /bin/kvm-stats publish --status
}

# ---- KVM's modules ----

unload()
{
	unload_vendor && rmmod kvm
}

# A reader that has read a part of a pass holds no module.
unloads_while_a_reader_pauses()
{
	(dd bs=8 count=1 of="$work/pass" 2>"$work/dd" && unload) <"$host" && [ -s "$work/pass" ]
}

load()
{
	insmod /modules/kvm.ko && load_vendor
}

module_tests()
{
	check "KVM's modules can be removed while a reader pauses" unloads_while_a_reader_pauses
	check "without the modules, the file is stale" is_stale
	check "the modules can be loaded again" load
	check "a VMM starts on them" start_vmm -m 3 -c 2
	check "the file is still stale" is_stale
	check "a stale file has no VM" has_records 0
	check "publishing again makes it valid" prints 0 "^$host: published" publish
	check "it has these VMs" shows_vms
	end_vmm
}

is_removed()
{
	kvm-stats publish --remove && [ ! -e /run/kvm-stats ] && ! grep /run/kvm-stats /proc/mounts &&
		prints 1 'is not published[.] Run .kvm-stats publish. as root' publish --status
}

mkdir "$work" || exit
HOST_FILE_RELAY=$dir/kvm-stats-relay
export HOST_FILE_RELAY
include_results "$dir/host_file_test"
check "publish --check proves the program, and publishes nothing" proves
check "publish --status reports that nothing is published" prints 1 'is not published' publish --status
check "publish publishes the file" prints 0 "^$host: published for group kvm-stats$" publish
check "no process is left" no_process_is_left
check "without a VM, the file is empty" shows_no_vms
check "a VMM with 3 VMs starts" start_vmm -m 3 -c 2
check "the file has these VMs and their vCPUs" shows_vms
check "it has one record for each" has_records 9
check "a member of the group can read it" is_readable_by_members
check "another user cannot" is_refused_to_others
check "publishing again is possible" prints 0 "^$host: published" publish
check "the file still has the VMs" shows_vms
end_vmm
check "after the end of the VMM, it is empty" wait_until shows_no_vms
if is_module; then
	module_tests
else
	check "publish --status reports that KVM is built in" prints 0 '^KVM: built in$' publish --status
fi
check "publish --remove removes it" is_removed
rm -r "$work"
finish
