# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: the reference has the statistics of the kernel's definition lists, in
# the same order. The file reference.list is the output of reference.awk.
# shellcheck shell=bash

# list_of TARGET ARCH OPTION...: print "NAME KIND" for each line of the definition lists in the
# directory $lists, with the options CONFIG_OPTION
list_of()
{
	local target=$1 arch=$2

	shift 2
	gcc -E -P -undef -nostdinc -I "$lists/include" -I "$lists/arch/$arch/include" \
		"${@/#/-DCONFIG_}" - <<-END | sed 's/\(.\) @/\1\n@/g' | sed -n 's/^@ //p'
	#define KVM_STAT_FIELD(declaration)
	#define KVM_STAT_DESC(name, field, kind) @ name kind
	#define KVM_STAT(field, kind) @ field kind
	#define KVM_STAT_AS(field, name, kind) @ name kind
	#define KVM_STAT_ATOMIC(field, kind) @ field kind
	#define KVM_STAT_HIST(field, kind) @ field kind[32]
	#define KVM_EXIT_CLASS(class) @ exit_##class cumulative @ exit_##class##_ns cumulative ns
	#define COUNTER cumulative
	#define COUNTER_NS cumulative ns
	#define INSTANT instant
	#define BOOLEAN instant boolean
	#define PEAK peak
	#define PEAK_NS peak ns
	#define LOG2_NS log2 ns
	#include <asm/kvm_${target}_stat_defs.h>
	#ifdef CONFIG_EXIT_STATISTICS
	#include <linux/kvm_exit_stat_defs.h>
	#endif
	END
}

# page_of TARGET SCOPES: print the same from the reference
page_of()
{
	awk -F '\t' -v target="$1" -v scopes="$2" '
	$2 == target && index(" " scopes " ", " " $1 " ") { print $3, $4 }' reference.list
}

# same_exits ARCH SCOPES OPTION...: the same for a vCPU with exit statistics
same_exits()
{
	local arch=$1 scopes=$2

	shift 2
	list_of vcpu "$arch" "$@" | sed 's/log2 ns *\[ *32 *\]/log2[32] ns/' >list
	page_of vcpu "$scopes" >page
	diff list page && wc -l <list
}

# same_lists ARCH SCOPES [OPTION...]: print the differences of list and reference, or the
# number of statistics if there is no difference
same_lists()
{
	local target arch=$1 scopes=$2

	shift 2
	for target in vm vcpu; do
		# gcc can print blanks around the size of a histogram.
		list_of "$target" "$arch" "$@" | sed 's/log2 ns *\[ *32 *\]/log2[32] ns/' >list
		page_of "$target" "$scopes" >page
		[ -s list ] || { echo "$arch has no list for the $target"; return 1; }
		diff list page || return 1
		wc -l <list
	done
}

test_lists()
{
	local lists=$ROOT
	expect 0 "the reference agrees with the definition lists of x86" '^[0-9]+$' \
		same_lists x86 "x86 x86-sched" SCHED_INFO
	expect 0 "the reference agrees with the lists of x86 with exit statistics" '^[0-9]+$' \
		same_exits x86 "x86 x86-sched x86-exits" SCHED_INFO EXIT_STATISTICS
	expect 0 "the reference agrees with the definition lists of arm64" '^[0-9]+$' \
		same_lists arm64 "arm64 arm64-sched" SCHED_INFO
	expect 0 "the reference agrees with the lists of arm64 with exit statistics" '^[0-9]+$' \
		same_exits arm64 "arm64 arm64-sched arm64-exits" SCHED_INFO EXIT_STATISTICS
	expect 0 "the reference agrees with the definition lists of s390" '^[0-9]+$' same_lists s390 s390
	expect 0 "the reference agrees with the definition lists of powerpc, book3s" '^[0-9]+$' \
		same_lists powerpc book3s PPC_BOOK3S
	expect 0 "the reference agrees with the definition lists of powerpc, booke" '^[0-9]+$' same_lists powerpc booke
	expect 0 "the reference agrees with the definition lists of MIPS" '^[0-9]+$' same_lists mips mips
	expect 0 "the reference agrees with the definition lists of MIPS with VZ" '^[0-9]+$' \
		same_lists mips "mips mips-vz" KVM_MIPS_VZ
	expect 0 "the reference agrees with the definition lists of Loongson64" '^[0-9]+$' \
		same_lists mips "mips mips-vz mips-loongson" KVM_MIPS_VZ CPU_LOONGSON64

	cp -r "$ROOT/include" "$ROOT/arch" source/
	lists=source
	sed -i 's/^KVM_STAT(exits, COUNTER)/KVM_STAT(exits, INSTANT)/' \
		source/arch/arm64/include/asm/kvm_vcpu_stat_defs.h
	expect 1 "a statistic with different types in list and reference is found" '^< exits instant' same_lists arm64 arm64
	echo 'KVM_STAT(more, COUNTER)' >>source/arch/s390/include/asm/kvm_vm_stat_defs.h
	expect 1 "a statistic that the reference does not have is found" '^< more cumulative' \
		same_lists s390 s390
	sed -i '/flush_dcache_exits/d' source/arch/mips/include/asm/kvm_vcpu_stat_defs.h
	expect 1 "a statistic that only the reference has is found" '^> flush_dcache_exits' \
		same_lists mips mips
}
