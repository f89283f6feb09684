#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The definition lists of the statistics declare the fields of a structure and describe them.
# Test that the descriptors match the structure, and that the compiler reports wrong lines.
#
# usage: lists.t	(ARCH="ARCH..." selects architectures)
#
# The kernel tree does not change: a changed list is in a directory that the compiler searches
# first.
# shellcheck disable=SC2317 # check_arch calls the functions

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=../../scripts/lib/common.sh
. "$ROOT/scripts/lib/common.sh"
# shellcheck source=../lib/arch.sh
. "$ROOT/tests/lib/arch.sh"
# shellcheck source=../kernel/variant.sh
. "$TESTING/kernel/variant.sh"
# shellcheck source=../kernel/kernel.sh
. "$TESTING/kernel/kernel.sh"

# The longest name that fits, and a name that is too long.
name_47=a23456789_123456789_123456789_123456789_1234567
name_48=${name_47}8

# ---- compiling ----

# Compile the object with kbuild, which records the command.
compile_by_kbuild()
{
	kernel_make KBUILD_MODULES=1 "$object" >"$log" 2>&1
}

# Write a source file with the descriptors and two arrays. The size of each array is the size of
# a structure, which size_of reads from the symbol of the array.
write_source()
{
	cat >"$work/lists.c" <<-EOF
	#include "$src/virt/kvm/kvm_stats_desc.c"
	const char size_of_vm[sizeof(struct kvm_vm_stat)] = "";
	const char size_of_vcpu[sizeof(struct kvm_vcpu_stat)] = "";
	EOF
}

# compile SCRIPT: compile with the vCPU list to which sed has applied SCRIPT
compile()
{
	local command

	sed "$1" "$list" >"$work/include/asm/kvm_vcpu_stat_defs.h"
	command=$(sed -n '1s/^[^:]*:= //p' "$(dirname "$obj/$object")/.kvm_stats_desc.o.cmd")
	command=${command/ -nostdinc / -nostdinc -I$work/include }
	(cd "$obj" && eval "${command% *} -o $work/lists.o $work/lists.c") >"$log" 2>&1 </dev/null
}

# ---- reading the object ----

# size_of vm|vcpu: print the size of the structure
size_of()
{
	LC_ALL=C readelf -sW "$work/lists.o" | awk -v symbol="size_of_$1" '$8 == symbol { print $3 }'
}

# Return 0 if the values of the descriptors fill the structures without a gap.
descriptors_fit()
{
	"$descriptors" "$work/lists.o" | awk -v vm="$(size_of vm)" -v vcpu="$(size_of vcpu)" '
	function report(what) { print "error: " what; wrong = 1 }
	{
		if ($3 != end[$1] + 0)
			report($1 " " $2 " is at " $3 ", not at " +end[$1])
		end[$1] = $3 + 8 * $4
	}
	END {
		if (end["vm"] != vm)
			report("descriptors of the VM end at " end["vm"] " of " vm)
		if (end["vcpu"] != vcpu)
			report("descriptors of the vCPU end at " end["vcpu"] " of " vcpu)
		exit wrong
	}' >"$log"
}

# has_name NAME: return 0 if NAME is the name of a statistic of the vCPU
has_name()
{
	"$descriptors" "$work/lists.o" | awk -v name="$1" '$1 == "vcpu" && $2 == name { found = 1 }
		END { exit !found }'
}

# lacks_name NAME: return 0 if NAME is not the name of a statistic of the vCPU
lacks_name()
{
	! has_name "$1"
}

# ---- test cases ----

# check_arch DESCRIPTION COMMAND...
check_arch()
{
	local what=$1 status=0

	shift
	"$@" </dev/null || status=$?
	grep -E 'error' "$log" >"$tap_log" || true
	result "$status" "$arch: $what"
}

# accepted SCRIPT COMMAND...: return 0 if the changed list compiles, the descriptors fit, and
# COMMAND succeeds
accepted()
{
	compile "$1" && descriptors_fit && "${@:2}"
}

# rejected MESSAGE SCRIPT: return 0 if the compiler reports MESSAGE for the first changed line of
# the list
rejected()
{
	local changed=asm/kvm_vcpu_stat_defs.h line

	! compile "$2" || return 1
	line=$(diff "$list" "$work/include/$changed" | sed -n '1s/.*[ac]//p')
	grep -m 1 'error:' "$log" | grep -q -e "$1" && grep -q -F -e "$changed:$line:" "$log"
}

# leaves_gap SCRIPT MESSAGE: return 0 if the changed list compiles, but the descriptors do not fit
leaves_gap()
{
	compile "$1" && ! descriptors_fit && grep -q -e "$2" "$log"
}

# Lines are inserted before the line of signal_exits, which each architecture has.
test_list()
{
	local line=signal_exits

	check_arch "the lists compile, and the descriptors fit the structures" \
		accepted "" has_name "$line"
	check_arch "a new line adds a statistic" \
		accepted "/($line,/i KVM_STAT(new_statistic, COUNTER)" has_name new_statistic
	check_arch "an unknown kind is reported" \
		rejected "KVM_STATS_COUNTR. undeclared" "s/($line, COUNTER)/($line, COUNTR)/"
	check_arch "a missing kind is reported" \
		rejected "requires 2 arguments" "s/($line, COUNTER)/($line)/"
	check_arch "a name of 47 characters is accepted" \
		accepted "s/KVM_STAT($line,/KVM_STAT_AS($line, $name_47,/" \
		has_name "$name_47"
	check_arch "a name of 48 characters is reported" \
		rejected "negative width in bit-field" \
		"s/KVM_STAT($line,/KVM_STAT_AS($line, $name_48,/"
	check_arch "two equal lines are reported" \
		rejected "duplicate member .$line" "/($line,/p"
	check_arch "a line that is also in the common list is reported" \
		rejected "duplicate member .halt_wakeup" \
		"/($line,/i KVM_STAT(halt_wakeup, COUNTER)"
	check_arch "a descriptor of a field that does not exist is reported" \
		rejected "no member named .no_such_field" \
		"/($line,/i KVM_STAT_DESC(name, no_such_field, COUNTER)"
	check_arch "a field without a descriptor leaves a gap" \
		leaves_gap "/($line,/i KVM_STAT_FIELD(u64 undescribed)" \
		"vcpu $line is at"
	check_arch "a last field without a descriptor leaves a gap" \
		leaves_gap "\$a KVM_STAT_FIELD(u64 undescribed)" "descriptors of the vCPU end"
	check_arch "a field that is not a u64 leaves a gap" \
		leaves_gap "/($line,/i KVM_STAT_FIELD(u32 half) KVM_STAT_DESC(half, half, COUNTER)" \
		"vcpu $line is at"
	check_arch "a line within an #ifdef adds a statistic if the option is set" \
		accepted "/($line,/i #ifdef CONFIG_MMU\nKVM_STAT(conditional, COUNTER)\n#endif" \
		has_name conditional
	check_arch "a line within an #ifdef adds no statistic if the option is not set" \
		accepted "/($line,/i #ifndef CONFIG_MMU\nKVM_STAT(conditional, COUNTER)\n#endif" \
		lacks_name conditional
}

test_arch()
{
	set_dirs lists
	lock_dirs
	tree=$(variant_tree patched)
	checkout_source
	configure
	# kbuild needs the path with "..", as the makefiles in arch/*/kvm have it.
	object=$kvm_dir/../../../virt/kvm/kvm_stats_desc.o
	list=$src/${kvm_dir%/kvm}/include/asm/kvm_vcpu_stat_defs.h
	check_arch "kbuild compiles the lists" compile_by_kbuild
	write_source
	test_list
}

config=main
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/include/asm"
tap_log=$work/tap.log
begin
base=$(base_tree)
descriptors=$TESTING/compare/descriptors
archs=x86_64
[ -n "${QUICK:-}" ] || archs+=" mips-vz ppc64le"
for arch in ${ARCH:-$archs}; do
	load_arch "$arch"
	need_packages kernel "$packages"
	test_arch
done
finish
