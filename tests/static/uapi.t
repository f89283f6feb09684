#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test include/uapi/linux/kvm_stats.h: it compiles in each language from which programs
# include it, for 32 and 64 bits, with the linux/kvm.h of several kernels, before and after
# that header. It defines the layout and the values that released kernels and clients use.
#
# usage: uapi.t
#
# The test only compiles, so that it needs no 32-bit libraries.

set -u

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=../lib/headers.sh
. "$ROOT/tests/lib/headers.sh"
uapi=$ROOT/include/uapi
header=$uapi/linux/kvm_stats.h
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tap_log=$work/log

# The sample is the build host's linux/kvm.h without what v5.14 does not have.
write_kvm_header_of_5_14()
{
	mkdir -p "$work/v5.14/linux"
	sed -E -e '/define KVM_STATS_(TYPE_LINEAR_HIST|TYPE_LOG_HIST|UNIT_BOOLEAN)/d' \
		-e 's/(define KVM_STATS_TYPE_MAX).*/\1 KVM_STATS_TYPE_PEAK/' \
		-e 's/(define KVM_STATS_UNIT_MAX).*/\1 KVM_STATS_UNIT_CYCLES/' \
		-e 's/__u32 bucket_size;/__u32 unused;/' \
		-e 's/__DECLARE_FLEX_ARRAY\(char, name\);/char name[];/' \
		/usr/include/linux/kvm.h >"$work/v5.14/linux/kvm.h"
}

# Write a source for each order of the headers. KVM_H is the version of linux/kvm.h, such as 514,
# or 0 if it does not define the statistics. If two values differ, SAME is an array of -1 elements,
# which is an error.
write_source()
{
	cat >"$work/layout.h" <<-'END'
	#include <stddef.h>

	#define NAME2(line) same_in_line_##line
	#define NAME(line) NAME2(line)
	#define SAME(a, b) typedef char NAME(__LINE__)[(a) == (b) ? 1 : -1]
	#define AT(type, field, offset, size) \
		SAME(offsetof(struct type, field) * 100 + \
		     sizeof(((struct type *)0)->field), (offset) * 100 + (size))

	SAME(sizeof(struct kvm_stats_header), 24);
	AT(kvm_stats_header, flags, 0, 4);
	AT(kvm_stats_header, name_size, 4, 4);
	AT(kvm_stats_header, num_desc, 8, 4);
	AT(kvm_stats_header, id_offset, 12, 4);
	AT(kvm_stats_header, desc_offset, 16, 4);
	AT(kvm_stats_header, data_offset, 20, 4);

	/* In C++, these two are larger with the linux/kvm.h of v6.1. */
	#if !defined(__cplusplus) || KVM_H <= 514
	SAME(sizeof(struct kvm_stats_desc), 16);
	SAME(offsetof(struct kvm_stats_desc, name), 16);
	#endif
	AT(kvm_stats_desc, flags, 0, 4);
	AT(kvm_stats_desc, exponent, 4, 2);
	AT(kvm_stats_desc, size, 6, 2);
	AT(kvm_stats_desc, offset, 8, 4);
	#if KVM_H != 514
	AT(kvm_stats_desc, bucket_size, 12, 4);
	SAME(KVM_STATS_TYPE_MAX, KVM_STATS_TYPE_LOG_HIST);
	SAME(KVM_STATS_UNIT_MAX, KVM_STATS_UNIT_BOOLEAN);
	#endif

	SAME(sizeof(struct kvm_stats_open), 8);
	AT(kvm_stats_open, flags, 0, 4);
	AT(kvm_stats_open, reserved, 4, 4);

	SAME(sizeof(struct kvm_stats_next), 16);
	AT(kvm_stats_next, vm, 0, 8);
	AT(kvm_stats_next, flags, 8, 4);
	AT(kvm_stats_next, fd, 12, 4);

	SAME(sizeof(struct kvm_stats_vcpus), 32);
	AT(kvm_stats_vcpus, vm, 0, 8);
	AT(kvm_stats_vcpus, num_desc, 8, 4);
	AT(kvm_stats_vcpus, desc_offset, 12, 4);
	AT(kvm_stats_vcpus, records_offset, 16, 4);
	AT(kvm_stats_vcpus, record_size, 20, 4);
	AT(kvm_stats_vcpus, data_offset, 24, 4);
	AT(kvm_stats_vcpus, reserved, 28, 4);

	SAME(sizeof(struct kvm_stats_record), 16);
	AT(kvm_stats_record, vcpu_id, 0, 8);
	AT(kvm_stats_record, reserved, 8, 8);

	SAME(KVM_STATS_GETFD, _IO(0xAE, 0xce));
	SAME(KVM_GET_STATS_FD, KVM_STATS_GETFD);
	SAME(KVM_CAP_STATS_BINARY_FD, 203);
	SAME(KVM_CAP_BINARY_STATS_FD, 203);
	SAME(KVM_STATS_OPEN, _IOW(0xAE, 0xce, char[8]));
	SAME(KVM_STATS_NEXT, _IOWR(0xAE, 0xce, char[16]));
	SAME(KVM_STATS_CAP_GETFD, 1);
	SAME(KVM_STATS_CAP_OPEN, 2);
	SAME(KVM_STATS_CAP_NEXT, 4);
	SAME(KVM_STATS_HEADER_VCPUS, 1);

	SAME(KVM_STATS_TYPE_SHIFT, 0);
	SAME(KVM_STATS_TYPE_MASK, 0xf);
	SAME(KVM_STATS_TYPE_CUMULATIVE, 0);
	SAME(KVM_STATS_TYPE_INSTANT, 1);
	SAME(KVM_STATS_TYPE_PEAK, 2);
	SAME(KVM_STATS_TYPE_LINEAR_HIST, 3);
	SAME(KVM_STATS_TYPE_LOG_HIST, 4);

	SAME(KVM_STATS_UNIT_SHIFT, 4);
	SAME(KVM_STATS_UNIT_MASK, 0xf0);
	SAME(KVM_STATS_UNIT_NONE, 0x00);
	SAME(KVM_STATS_UNIT_BYTES, 0x10);
	SAME(KVM_STATS_UNIT_SECONDS, 0x20);
	SAME(KVM_STATS_UNIT_CYCLES, 0x30);
	SAME(KVM_STATS_UNIT_BOOLEAN, 0x40);

	SAME(KVM_STATS_BASE_SHIFT, 8);
	SAME(KVM_STATS_BASE_MASK, 0xf00);
	SAME(KVM_STATS_BASE_POW10, 0x000);
	SAME(KVM_STATS_BASE_POW2, 0x100);
	SAME(KVM_STATS_BASE_MAX, KVM_STATS_BASE_POW2);

	SAME(KVM_STATS_SCALE_SHIFT, KVM_STATS_BASE_SHIFT);
	SAME(KVM_STATS_SCALE_MASK, KVM_STATS_BASE_MASK);
	SAME(KVM_STATS_SCALE_POW10, KVM_STATS_BASE_POW10);
	SAME(KVM_STATS_SCALE_POW2, KVM_STATS_BASE_POW2);
	SAME(KVM_STATS_SCALE_MAX, KVM_STATS_BASE_MAX);

	/* If the exponent is unsigned, -Wtype-limits reports that it is never negative. */
	int is_negative(const struct kvm_stats_desc *desc);
	int is_negative(const struct kvm_stats_desc *desc)
	{
		return desc->exponent < 0;
	}
	END
	printf '#include <%s>\n' linux/kvm_stats.h linux/kvm.h linux/kvm_stats.h |
		cat - "$work/layout.h" >"$work/before.c"
	printf '#include <%s>\n' linux/kvm.h linux/kvm_stats.h linux/kvm.h |
		cat - "$work/layout.h" >"$work/after.c"
	printf '#include <%s>\n' linux/kvm_stats.h |
		cat - "$work/layout.h" >"$work/alone.c"
}

# compiles COMPILER LANGUAGE FLAGS...
compiles()
{
	local compiler=$1 language=$2 order

	shift 2
	for order in before after alone; do
		"$compiler" -x "$language" -Wall -Wextra -Werror "$@" \
			-idirafter "/usr/include/$(gcc -print-multiarch)" \
			-c -o "$work/layout.o" "$work/$order.c" >"$work/log" 2>&1 || return
	done
}

# compiles_with HEADERS COMPILER LANGUAGE FLAGS...: the same with the linux/kvm.h of HEADERS. First
# the header of this repository is an installed one, in a program that must be ISO C. Then it is a
# header of the program.
compiles_with()
{
	local headers=$1

	shift
	case $headers in
	patched)
		compiles "$@" -DKVM_H=0 -pedantic-errors -isystem "$work/patched" &&
			compiles "$@" -DKVM_H=0 -I "$work/patched" ;;
	unpatched)
		compiles "$@" -DKVM_H=0 -pedantic-errors -isystem "$uapi" -isystem "$work/unpatched" &&
			compiles "$@" -DKVM_H=0 -I "$uapi" -isystem "$work/unpatched" ;;
	v5.14)
		compiles "$@" -DKVM_H=514 -pedantic-errors -I "$uapi" -isystem "$work/v5.14" ;;
	installed)
		compiles "$@" -DKVM_H=601 -pedantic-errors -I "$uapi" ;;
	esac
}

# test_standards HEADERS COMPILER LANGUAGE STANDARD...
test_standards()
{
	local headers=$1 compiler=$2 language=$3 standard bits

	shift 3
	if ! command -v "$compiler" >/dev/null; then
		skip "the header compiles with $compiler" "$compiler is not installed"
		return
	fi
	for standard in "$@"; do
		for bits in 32 64; do
			compiles_with "$headers" "$compiler" "$language" -std="$standard" -m"$bits"
			result $? "$headers linux/kvm.h: the header compiles with $compiler -std=$standard -m$bits"
		done
	done
}

"$ROOT/scripts/packages" base uapi >&2 || bail_out "packages are missing"
BASE=$("$ROOT/scripts/base") || bail_out "there is no kernel tree for the headers"
begin
write_source
(cd "$work" && install_kvm_headers "$BASE") || bail_out "the headers of KVM cannot be installed"
write_kvm_header_of_5_14
for headers in patched unpatched v5.14 installed; do
	run_tests test_standards $headers gcc c c89 gnu89 c99 c11 gnu11
	run_tests test_standards $headers g++ c++ c++98 c++11 c++17
	run_tests test_standards $headers clang c c89 c11
done
head -n 1 "$header" | grep -q 'GPL-2.0 WITH Linux-syscall-note'
result $? "the licence of the header permits programs with any licence"
finish
