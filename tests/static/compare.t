#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2317 # the functions are arguments of expect
#
# Test `make compare` with sample statistics: which differences and reasons fail, and which objects
# the program that reads descriptors refuses.
#
# usage: tests/static/compare.t

set -u
# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
tools=$ROOT/tests/compare
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2034 # tap.sh reads it
tap_log=$work/log
cd "$work" || exit 1

# compare LINE...: compare the sample statistics, with these lines as mainline-differences
compare()
{
	printf '%s\n' '# reasons' '' "$@" >differences
	awk -v arch=x86 -v extensions="${extensions:-}" -f "$tools/compare.awk" differences ours mainline
}

printf '%s\n' 'vm a 0 1 peak' 'vcpu typed 0 1 instant' 'vcpu more 8 1 peak' 'vcpu own_ns 16 1 peak' >ours
printf '%s\n' 'vm a 8 1 peak' 'vcpu typed 0 1 instant boolean' 'vcpu gone 8 1 peak' >mainline
typed='x86 vcpu typed differs it is no boolean'
more=$'* vcpu more extra counted here\nx86 vcpu own_* extra own'
gone='x86 vcpu gone missing too new'

begin
expect 0 "differences with reasons pass" '^x86: 1 equal, 1 different, 1 missing, 2 extra; .*: 1$' \
	compare "$typed" "$more" "$gone" 'x86 vm late later from 9.9 on' 'arm64 vm none missing elsewhere'
expect 1 "another type or unit without a reason fails" \
	"typed: 'differs' .ours: instant, mainline's: instant boolean" compare "$more" "$gone"
expect 1 "an extra statistic without a reason fails" "more: 'extra' .*no reason" compare "$typed" "$gone"
extensions='other own_*'
expect 0 "an extra statistic of the extensions needs no reason" ', 2 extra;' \
	compare "$typed" "$gone" '* vcpu more extra counted here'
expect 1 "another extra statistic needs one" "more: 'extra' .*no reason" compare "$typed" "$gone"
extensions=
expect 1 "a missing statistic without a reason fails" "gone: 'missing' .*no reason" compare "$typed" "$more"
expect 1 "a reason of another kind fails" "differences:6: vcpu gone is not 'extra'" \
	compare "$typed" "$more" "${gone/missing/extra}"
expect 1 "a reason for a statistic that does not exist fails" 'differences:7: neither has vm gone' \
	compare "$typed" "$more" "$gone" "${gone/vcpu/vm}"
expect 1 "a reason that is given twice fails" 'differences:7: vcpu gone is listed twice' \
	compare "$typed" "$more" "$gone" "${gone/x86/\*}"
expect 1 "a line without a reason fails" 'differences:3: expected' compare 'x86 vm late later'

# descriptors SOURCE: print the descriptors in the compiled object
descriptors()
{
	echo 'struct desc { int flags; short exponent, size; int offset, bucket_size; char name[48]; };' \
		"$1" | gcc -x c -c -o object.o - && "$tools/descriptors" object.o
}

expect 0 "descriptors are printed" '^vcpu hist 16 32 log2\[32\] ns$' \
	descriptors 'struct desc kvm_vcpu_stats_desc[] = { { 0x24, -9, 32, 16, 0, "hist" } };'
expect 1 "an object without descriptors fails" 'no array' \
	descriptors 'extern struct desc kvm_vm_stats_desc[]; void *used = kvm_vm_stats_desc;'
expect 1 "an array without contents fails" 'no array' descriptors 'struct desc kvm_vm_stats_desc[2];'
expect 1 "an incomplete descriptor fails" 'vm is incomplete' \
	descriptors 'const char kvm_vm_stats_desc[100] = "x";'
expect 1 "an unknown type fails" '"odd" has the flag value 7' \
	descriptors 'struct desc kvm_vm_stats_desc[] = { { 7, 0, 1, 0, 0, "odd" } };'
finish
