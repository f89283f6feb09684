#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2317 # the functions are arguments of expect
#
# Test `make compare` with sample statistics: the comparison with mainline and its
# reasons, the comparison with the reference, and the program that reads descriptors
# from objects. docs.t tests reference.awk, which reads the reference.
#
# usage: tools/testing/host/compare.t

set -u
# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
tools=$ROOT/tools/testing/compare
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2034 # tap.sh reads it
tap_log=$work/log
cd "$work" || exit 1
begin

# ---- comparison with mainline ----

# sides OURS MAINLINE: write two dumps with common lines. Add OURS to one and MAINLINE
# to the other.
sides()
{
	local both='vm a cumulative none pow10 0 1 0 0
vcpu h log2 seconds pow10 -9 32 0 0'

	printf '%s\n' "$both" ${1:+"$1"} >ours
	printf '%s\n' "$both" ${2:+"$2"} >mainline
}

# compare LINE...: compare the dumps, with these lines as mainline-differences
compare()
{
	printf '%s\n' '# reasons' '' "$@" >differences
	awk -v arch=x86 -f "$tools/describe.awk" -f "$tools/compare.awk" differences ours mainline
}

counter='none pow10 0 1 0 8'
sides "" ""
expect 0 "statistics that both have are equal" '^x86: 2 equal, 0 different, 0 missing, 0 extra' \
	compare
expect 0 "the output shows the type and the unit of a statistic" \
	'^x86 +vcpu +h +log2\[32\] ns +log2\[32\] ns +equal$' compare
expect 1 "a reason without a difference fails" 'differences:3: vm a is not .differs. on x86' \
	compare "x86 vm a differs it does"
expect 1 "a reason for all architectures without a difference fails" \
	"differences:3: vcpu gone is not" \
	compare "* vcpu gone missing it is gone"
expect 0 "a reason for another architecture is ignored" '^x86: 2 equal' \
	compare "s390 vcpu gone missing it is gone"
expect 0 "statistics of later versions are shown" '^x86 +vm +late +- +- +later: from 9[.]9 on$' \
	compare "x86 vm late later from 9.9 on"
expect 1 "a statistic that exists, but is listed as one of a later version, fails" \
	"vm a is not 'later'" \
	compare "x86 vm a later from 9.9 on"
expect 1 "a line without a reason fails" 'differences:3: expected' \
	compare "x86 vm late later"
expect 1 "an unknown kind of difference fails" 'differences:3: expected' \
	compare "x86 vm a absent because"
expect 1 "two reasons for one difference fail" 'differences:4: vm b is listed twice' \
	compare "x86 vm b later one" "* vm b later two"

sides "" "vcpu gone cumulative $counter"
expect 1 "a missing statistic without a reason fails" 'vcpu gone is missing .*no reason' compare
expect 0 "a missing statistic with a reason passes" 'gone .* missing: too new for us$' \
	compare "x86 vcpu gone missing too new for us"
expect 1 "a reason for a statistic of the VM does not count for the vCPU" \
	'vcpu gone is missing .*no reason' \
	compare "x86 vm gone missing too new"
expect 1 "a reason of the wrong kind does not count" 'vcpu gone is missing .*no reason' \
	compare "x86 vcpu gone extra too new"

sides "vm more peak $counter" ""
expect 1 "an extra statistic without a reason fails" 'vm more is extra .*ours: peak' compare
expect 0 "an extra statistic with a reason passes" 'more .* extra: counted here$' \
	compare "* vm more extra counted here"

sides "vcpu d instant $counter" "vcpu d cumulative $counter"
expect 1 "a different type without a reason fails" \
	'vcpu d is different .ours: instant, mainline.s: cumulative' compare
expect 0 "a different type with a reason passes" '^x86: 2 equal, 1 different' \
	compare "x86 vcpu d differs it goes down, too"
sides "vcpu d instant boolean pow10 0 1 0 8" "vcpu d instant none pow10 0 1 0 8"
expect 1 "a different unit fails" \
	'vcpu d is different .ours: instant boolean, mainline.s: instant\)' compare
sides "vcpu d cumulative seconds pow10 -9 1 0 8" "vcpu d cumulative seconds pow10 -6 1 0 8"
expect 1 "a different exponent fails" \
	'ours: cumulative ns, mainline.s: cumulative seconds\*pow10\^-6' compare
sides "vcpu d log2 none pow10 0 32 0 8" "vcpu d log2 none pow10 0 64 0 8"
expect 1 "a different number of buckets fails" 'ours: log2\[32\], mainline.s: log2\[64\]' compare
sides "vcpu d linear none pow10 0 10 5 8" "vcpu d linear none pow10 0 10 6 8"
expect 1 "a different bucket size fails" 'ours: linear\[10x5\], mainline.s: linear\[10x6\]' compare
sides "vcpu d cumulative none pow10 0 1 0 8" "vcpu d cumulative none pow10 0 1 0 16"
expect 0 "a different offset passes" '^x86: 3 equal' compare
sides "vm a cumulative $counter" ""
expect 1 "a name that is listed twice fails" 'ours:3: vm a is listed twice' compare
: >ours
: >mainline
expect 1 "dumps without statistics fail" 'nothing to compare' compare

# ---- comparison with the reference ----

# documented DUMP-LINE...: compare these descriptors with a sample reference
documented()
{
	printf 'x86\tvm\ta\tcumulative\tfile\nx86\tdebugfs\told\t--\told\narm64\tvm\tb\tpeak\t--\n' >list
	printf 'x86-sched\tvcpu\ts\tpeak\t--\n' >>list
	printf '%s\n' "$@" >dump
	awk -v arch=x86 -f "$tools/describe.awk" -f "$tools/compare-reference.awk" list dump
}

expect 0 "a documented statistic passes" '^x86: all 1 are documented' \
	documented "vm a cumulative none pow10 0 1 0 0"
expect 1 "a statistic that is not documented fails" 'vm c is not documented' \
	documented "vm a cumulative none pow10 0 1 0 0" "vm c peak none pow10 0 1 0 8"
expect 1 "a statistic documented with another type fails" \
	'vm a is peak, and documented as cumulative' \
	documented "vm a peak none pow10 0 1 0 0"
expect 0 "a statistic of kernels with CONFIG_SCHED_INFO passes" '^x86: all 2 are documented' \
	documented "vm a cumulative none pow10 0 1 0 0" "vcpu s peak none pow10 0 1 0 0"
expect 1 "a documented statistic that does not exist fails" \
	'vm a is documented and does not exist' \
	documented "vcpu c peak none pow10 0 1 0 0"

# ---- descriptors in objects ----

# object NAME SOURCE...: compile the lines of SOURCE, with the structure of a descriptor before them
object()
{
	local name=$1

	shift
	{
		echo 'struct desc { unsigned int flags; short exponent; unsigned short size;'
		echo '	unsigned int offset, bucket_size; char name[48]; };'
		printf '%s\n' "$@"
	} >"$name.c"
	gcc -c -o "$name.o" "$name.c"
}

descriptors()
{
	./descriptors "$@"
}

gcc -std=gnu11 -O2 -Wall -Wextra -Werror -o descriptors "$tools/descriptors.c" -lelf >log 2>&1
result $? "the program that reads objects compiles"
object both 'static const struct desc kvm_vm_stats_desc[] = { { 1, 0, 1, 8, 0, "pages" } };' \
	'static const struct desc kvm_vcpu_stats_desc[] = { { 0x24, -9, 32, 16, 0, "hist" } };' \
	'const void *used[] = { kvm_vcpu_stats_desc, kvm_vm_stats_desc };'
object vm 'const struct desc kvm_vm_stats_desc[] = { { 0, 0, 1, 0, 0, "flush" } };'
expect 0 "a descriptor is printed" '^vcpu hist log2 seconds pow10 -9 32 0 16$' descriptors both.o
expect 0 "descriptors of the VM come first, in the order of the objects" '^flush pages hist $' \
	bash -c './descriptors vm.o both.o | cut -d" " -f2 | tr "\n" " "'
object empty 'const struct desc kvm_vm_stats_desc[0] = { };'
expect 0 "an empty array has no descriptors" '^0$' bash -c './descriptors empty.o | wc -l'
expect 1 "a file that is not an object fails" 'both[.]c: not an ELF object' descriptors both.c
expect 1 "a missing file fails" 'none[.]o: No such file' descriptors none.o
object other 'extern const struct desc kvm_vm_stats_desc[]; const void *p = kvm_vm_stats_desc;'
expect 1 "an object that only refers to an array fails" \
	'other[.]o: the object has no array of descriptors' descriptors other.o
object short 'const char kvm_vm_stats_desc[100] = "x";'
expect 1 "an array whose size is not a multiple of a descriptor's size fails" \
	"'kvm_vm_stats_desc' has 100 bytes" descriptors short.o
object flags 'const struct desc kvm_vm_stats_desc[] = { { 7, 0, 1, 0, 0, "odd" } };'
expect 1 "an unknown type fails" "'odd' has the flag value 7" descriptors flags.o
object noname 'const struct desc kvm_vm_stats_desc[] = { { 1, 0, 1, 0, 0, "" } };'
expect 1 "a descriptor without a name fails" 'has an empty name' descriptors noname.o
object bss 'struct desc kvm_vm_stats_desc[2];'
expect 1 "an array without contents fails" "'kvm_vm_stats_desc' reaches beyond|cannot be read" \
	descriptors bss.o

finish
