#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The host file on this kernel: the test cases of host_file_test, `kvm-stats publish`, who can read
# the file, and what it has after KVM's modules are removed and loaded again.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
dir=${0%/*}
work=/tmp/host_file.$$
host=/run/kvm-stats/host.pin
group=995		# kvm-stats in /etc/group

# ---- host_file_test ----

# Print its results with the numbers of this program. It prints "ok 1 - DESCRIPTION" and "1..COUNT".
include_results()
{
	local line count=0

	while read -r line; do
		case $line in
		'ok '* | 'not ok '*)
			count=$((count + 1))
			[ "${line#not }" = "$line" ]
			result $? "${line#* - }"
			;;
		TAP* | 1..*) ;;
		*) echo "# ${line#\# }" ;;
		esac
	done <"$work/results"
	grep -qx "1..$count" "$work/results" && [ $count -gt 0 ]
}

# ---- kvm-stats publish ----

# prints PATTERN STATUS ARGUMENT...: the command publish prints this, and ends with the exit status
prints()
{
	local pattern=$1 expected=$2 status=0

	shift 2
	kvm-stats publish "$@" >"$work/output" 2>&1 || status=$?
	cat "$work/output"
	[ "$status" = "$expected" ] && grep -qE "$pattern" "$work/output"
}

proves()
{
	prints '^proof: ' 0 --check && ! grep '^limit: ' "$work/output" && [ ! -e "$host" ]
}

no_process_is_left()
{
	! grep -sa '^kvm-stats' /proc/[0-9]*/cmdline
}

# Keep the VMM's standard input open as fd 7: it ends when that is closed.
start_vmm()
{
	rm -f "$work/commands"
	mkfifo "$work/commands"
	"$dir/vmm" -m 3 -c 2 <"$work/commands" >"$work/vmm" 2>&1 &
	vmm=$!
	exec 7>"$work/commands"
	wait_until grep -q ^ready "$work/vmm"
}

end_vmm()
{
	exec 7>&-
	wait "$vmm"
}

shows_vms()
{
	prints '^now: 3 VMs, 6 vCPUs$' 0 --status
}

shows_no_vms()
{
	prints '^now: 0 VMs, 0 vCPUs$' 0 --status
}

is_stale()
{
	prints "$host is stale: .*Run: kvm-stats publish" 1 --status
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

kvm_is_unused()
{
	[ "$(cat "/sys/module/$vendor/refcnt")" = 0 ]
}

# The kernel closes the files of a VMM shortly after its end.
unload()
{
	wait_until kvm_is_unused && rmmod "$vendor" && rmmod kvm
}

# A reader that has read a part of a pass holds no module.
unloads_while_a_reader_pauses()
{
	(dd bs=8 count=1 of="$work/pass" 2>"$work/dd" && unload) <"$host" && [ -s "$work/pass" ]
}

# With the parameters of the kernel's command line
load()
{
	# shellcheck disable=SC2046 # words
	insmod /modules/kvm.ko && insmod "/modules/$(echo "$vendor" | tr _ -).ko" \
		$(tr ' ' '\n' </proc/cmdline | sed -n "s/^${vendor}[.]//p")
}

is_removed()
{
	kvm-stats publish --remove && [ ! -e /run/kvm-stats ] && ! grep /run/kvm-stats /proc/mounts &&
		prints 'is not published[.] Run: kvm-stats publish' 1 --status
}

vendor=kvm_amd
[ -e "/sys/module/$vendor" ] || vendor=kvm_intel
mkdir "$work" || exit
"$dir/host_file_test" >"$work/results" 2>&1
include_results
check "host_file_test ends with a plan" [ $? = 0 ]
check "publish --check proves the program, and publishes nothing" proves
check "publish --status reports that nothing is published" prints 'is not published' 1 --status
check "publish publishes the file" prints "^$host: published for group kvm-stats$" 0
check "no process is left" no_process_is_left
check "without a VM, the file is empty" shows_no_vms
check "a VMM with 3 VMs starts" start_vmm
check "the file has these VMs and their vCPUs" shows_vms
check "it has one record for each" has_records 9
check "a member of the group can read it" is_readable_by_members
check "another user cannot" is_refused_to_others
check "publishing again is possible" prints "^$host: published" 0
check "the file still has the VMs" shows_vms
end_vmm
check "after the end of the VMM, it is empty" wait_until shows_no_vms
check "KVM's modules can be removed while a reader pauses" unloads_while_a_reader_pauses
check "without the modules, the file is stale" is_stale
check "the modules can be loaded again" load
check "a VMM starts on them" start_vmm
check "the file is still stale" is_stale
check "a stale file has no VM" has_records 0
check "publishing again makes it valid" prints "^$host: published" 0
check "it has these VMs" shows_vms
end_vmm
check "publish --remove removes it" is_removed
rm -r "$work"
finish
