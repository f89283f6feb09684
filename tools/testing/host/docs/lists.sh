# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: the reference has the statistics of the kernel's definition lists, in
# the same order, and the debugfs files of the base kernel. The file reference.list is the output of
# reference.awk.
# shellcheck shell=bash

# list_of TARGET ARCH OPTION...: print "NAME KIND" for each line of the definition lists, with the
# options CONFIG_OPTION
list_of()
{
	local target=$1 arch=$2

	shift 2
	# gcc can print blanks around the size of a histogram.
	gcc -E -P -undef -nostdinc -I "$ROOT/include" -I "$ROOT/arch/$arch/include" \
		"${@/#/-DCONFIG_}" - <<-END | sed 's/\(.\) @/\1\n@/g' |
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
	#if defined(CONFIG_${target}_EXITS)
	#include <linux/kvm_exit_stat_defs.h>
	#endif
	END
		sed -n 's/log2 ns *\[ *32 *\]/log2[32] ns/; s/^@ //p'
}

# same_lists ARCH SCOPES [OPTION...]: print the differences of lists and reference
same_lists()
{
	local target arch=$1 scopes=$2

	shift 2
	for target in vm vcpu; do
		list_of "$target" "$arch" "$@" >list
		[ -s list ] || { echo "$arch has no list for the $target"; return 1; }
		awk -F '\t' -v target="$target" -v scopes="$scopes" '
			$2 == target && index(" " scopes " ", " " $1 " ") { print $3, $4 }' reference.list |
			diff list - || return 1
	done
}

# same_debugfs SOURCE SCOPES: print the differences between the debugfs files of the base
# kernel, which are in the table debugfs_entries of SOURCE, and those of the reference
same_debugfs()
{
	diff <(sed -nE 's/.*(VCPU|VM)_STAT[A-Z_]*\("([^"]*)".*/\2/p' "$BASE/arch/$1" | sort) \
		<(awk -F '\t' -v scopes="$2" 'index(" " scopes " ", " " $1 " ") && $5 != "--" { print $5 }' \
			reference.list | sort)
}

test_lists()
{
	local arch source scopes options

	while read -r arch scopes options; do
		# shellcheck disable=SC2086 # words
		check "the reference agrees with the definition lists of $arch $options" \
			same_lists $arch "${scopes//,/ }" $options
	done <<-END
	x86 x86,x86-sched,x86-exits SCHED_INFO vcpu_EXITS
	arm64 arm64,arm64-sched,arm64-exits SCHED_INFO vcpu_EXITS
	s390 s390
	powerpc book3s PPC_BOOK3S
	powerpc booke
	mips mips
	mips mips,mips-vz KVM_MIPS_VZ
	mips mips,mips-vz,mips-loongson KVM_MIPS_VZ CPU_LOONGSON64
	END
	while read -r source scopes; do
		check "the reference agrees with the debugfs files in arch/$source" \
			same_debugfs "$source" "$scopes"
	done <<-END
	x86/kvm/x86.c x86
	arm64/kvm/guest.c arm64
	s390/kvm/kvm-s390.c s390
	powerpc/kvm/book3s.c book3s
	powerpc/kvm/booke.c booke
	mips/kvm/mips.c mips mips-vz mips-loongson
	END
}
