#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The lists of statistics declare the fields of a structure and describe them. Test
# that the descriptors match the structure, and that the compiler reports wrong lines.
#
# usage: tools/testing/host/lists.t	(ARCH="ARCH..." selects architectures)
#
# Nothing in the kernel tree is changed: a changed list is in a directory that the
# compiler searches first.
set -euo pipefail
. "$(dirname "$0")/../boot/common.sh"
. "$boot_dir/variant.sh"
. "$boot_dir/kernel.sh"
. "$boot_dir/descriptors.sh"
. "$(dirname "$0")/tap.sh"

# The longest name that fits, and one that is too long.
name_47=a23456789_123456789_123456789_123456789_1234567
name_48=${name_47}8

# ---- compiling ----

# kbuild compiles the object once, for its command.
compile_by_kbuild()
{
	kernel_make KBUILD_MODULES=1 "$object" >"$log" 2>&1 </dev/null
}

# The arrays show the sizes of the structures in the symbol table.
write_source()
{
	cat >"$work/lists.c" <<-EOF
	#include "$src/virt/kvm/kvm_stats_desc.c"
	const char size_of_vm[sizeof(struct kvm_vm_stat)] = "";
	const char size_of_vcpu[sizeof(struct kvm_vcpu_stat)] = "";
	EOF
}

# compile SCRIPT: with the list of the vCPU as sed's SCRIPT changes it
compile()
{
	local command

	sed "$1" "$list" >"$work/include/asm/kvm_vcpu_stat_defs.h"
	command=$(sed -n '1s/^[^:]*:= //p' "$(dirname "$obj/$object")/.kvm_stats_desc.o.cmd")
	command=${command/ -nostdinc / -nostdinc -I$work/include }
	(cd "$obj" && eval "${command% *} -o $work/lists.o $work/lists.c") >"$log" 2>&1 </dev/null
}

# ---- what was compiled ----

size_of()
{
	LC_ALL=C readelf -sW "$work/lists.o" | awk -v symbol="size_of_$1" '$8 == symbol { print $3 }'
}

# Is each descriptor's offset the end of the one before? Do all fill the structure?
fits()
{
	"$descriptors" "$work/lists.o" | awk -v vm="$(size_of vm)" -v vcpu="$(size_of vcpu)" '
	function complain(what) { print "error: " what; wrong = 1 }
	{
		if ($9 != end[$1])
			complain($1 " " $2 " is at " $9 ", not at " +end[$1])
		end[$1] = $9 + 8 * $7
	}
	END {
		if (end["vm"] != vm)
			complain("descriptors of the VM end at " end["vm"] " of " vm)
		if (end["vcpu"] != vcpu)
			complain("descriptors of the vCPU end at " end["vcpu"] " of " vcpu)
		exit wrong
	}' >"$log"
}

# has_names NAME...: each of them is the name of a statistic of the vCPU
has_names()
{
	local name names

	names=$("$descriptors" "$work/lists.o" | awk '$1 == "vcpu" { print $2 }')
	for name; do
		grep -qxF -e "$name" <<<"$names" || return 1
	done
}

lacks_names()
{
	local name

	for name; do
		! has_names "$name" || return 1
	done
}

# ---- test cases ----

report()
{
	grep -E 'error' "$log" >"$point_log" || true
	point "$1" "$arch: $2"
}

# check WHAT COMMAND...
check()
{
	local what=$1 status=0

	shift
	"$@" || status=$?
	report "$status" "$what"
}

# accepted SCRIPT COMMAND...: the changed list compiles, fits, and COMMAND succeeds
accepted()
{
	compile "$1" && fits && "${@:2}"
}

# rejected MESSAGE SCRIPT: the compiler reports MESSAGE, and the first changed line of the list
rejected()
{
	local changed=asm/kvm_vcpu_stat_defs.h line

	! compile "$2" || return 1
	line=$(diff "$list" "$work/include/$changed" | sed -n '1s/.*[ac]//p')
	grep -m 1 'error:' "$log" | grep -q -e "$1" && grep -q -F -e "$changed:$line:" "$log"
}

# leaves_gap SCRIPT MESSAGE: the changed list compiles and does not fit
leaves_gap()
{
	compile "$1" && ! fits && grep -q -e "$2" "$log"
}

# The fields within the first #ifdef of the list, which are there if its option is set.
test_condition()
{
	local option names there=lacks_names not_there=has_names

	option=$(sed -n '/^#ifdef /{s///p;q}' "$list")
	[ -n "$option" ] || return 0
	names=$(sed -n "/^#ifdef $option/,/^#/s/^KVM_STAT[A-Z_]*(\([^,]*\),.*/\1/p" "$list")
	if grep -qx "$option=y" "$obj/.config"; then
		there=has_names not_there=lacks_names
	fi
	check "lines within #ifdef $option, with the option as configured" \
		accepted "" "$there" $names
	check "lines within #ifdef $option, with the opposite" \
		accepted "s/^#ifdef $option/#ifndef $option/" "$not_there" $names
}

# A line of the architecture's list, in front of which others are inserted.
test_list()
{
	local line=signal_exits

	check "the lists compile, and the descriptors fit the structures" accepted "" has_names "$line"
	check "a new line is all that a statistic needs" \
		accepted "/($line,/i KVM_STAT(new_statistic, COUNTER)" has_names new_statistic
	check "an unknown kind" \
		rejected "KVM_STATS_COUNTR. undeclared" "s/($line, COUNTER)/($line, COUNTR)/"
	check "no kind" \
		rejected "requires 2 arguments" "s/($line, COUNTER)/($line)/"
	check "a name of 47 characters is accepted" \
		accepted "s/KVM_STAT($line,/KVM_STAT_AS($line, $name_47,/" has_names "$name_47"
	check "a name of 48 characters" \
		rejected "negative width in bit-field" "s/KVM_STAT($line,/KVM_STAT_AS($line, $name_48,/"
	check "two equal lines" \
		rejected "duplicate member .$line" "/($line,/p"
	check "a line that is in the common list, too" \
		rejected "duplicate member .halt_wakeup" "/($line,/i KVM_STAT(halt_wakeup, COUNTER)"
	check "a descriptor of a field that does not exist" \
		rejected "no member named .no_such_field" "/($line,/i KVM_STAT_DESC(name, no_such_field, COUNTER)"
	check "a field without a descriptor leaves a gap" \
		leaves_gap "/($line,/i KVM_STAT_FIELD(u64 undescribed)" "vcpu $line is at"
	check "a last field without a descriptor leaves a gap" \
		leaves_gap "\$a KVM_STAT_FIELD(u64 undescribed)" "descriptors of the vCPU end"
	check "a field that is not a u64 leaves a gap" \
		leaves_gap "/($line,/i KVM_STAT_FIELD(u32 half) KVM_STAT_DESC(half, half, COUNTER)" \
		"vcpu $line is at"
	test_condition
}

test_arch()
{
	set_dirs look
	lock_dirs
	tree=$(variant_tree patched)
	checkout_source
	configure
	object=$kvm_dir/../../../virt/kvm/kvm_stats_desc.o	# spelled as in arch/*/kvm/Makefile
	list=$src/${kvm_dir%/kvm}/include/asm/kvm_vcpu_stat_defs.h
	check "kbuild compiles the lists" compile_by_kbuild
	write_source
	test_list
}

config=main
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/include/asm"
point_log=$work/point.log
echo "TAP version 13"
base=$(base_tree)
descriptors=$(descriptors_program)
for arch in ${ARCH:-x86_64 mips-vz ppc64le}; do
	load_arch "$arch"
	"$repo/scripts/packages" kernel "$packages"
	test_arch
done
echo "1..$points"
[ "$failures" = 0 ]
