# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: the pages agree with the headers and with the reference, and the example
# compiles. The file reference.list is the output of reference.awk.
# shellcheck shell=bash

UAPI=$ROOT/include/uapi/linux/kvm_stats.h

# undefined PREFIX FILE...: read names, and print those that no FILE defines
undefined()
{
	local prefix=$1 name

	shift
	while read -r name; do
		grep -qE "^#define $prefix$name\>" "$@" || echo "$name is not defined"
	done
}

# file_size TARGET: compute the size of the file on x86 from the reference
file_size()
{
	awk -F '\t' -v target="$1" '
	$1 ~ /^x86(-sched)?$/ && $2 == target {
		size += 64 + 8 * (match($4, /\[[0-9]+/) ? substr($4, RSTART + 1, RLENGTH - 1) : 1)
	}
	END { print 24 + 48 + size }' reference.list
}

compile_example()
{
	gcc -std=gnu11 -Wall -Wextra -Werror "$@" -o example example.c >log 2>&1
}

# Write the part of linux/kvm.h of the patched kernel that the example uses.
write_kvm_header()
{
	mkdir -p headers/linux
	cp "$UAPI" headers/linux/
	cat >headers/linux/kvm.h <<-'END'
	#include <linux/kvm_stats.h>
	#define KVM_CREATE_VM _IO(0xAE, 0x01)
	#define KVM_CHECK_EXTENSION _IO(0xAE, 0x03)
	END
}

# not_in_reference FILE: FILE has the format of mainline.md. Print the rows for statistics
# that the reference does not have.
not_in_reference()
{
	awk -F '\t' '
	FNR == NR { known[$1, $2, $3] = 1; next }
	/^\| [a-z0-9]+[a-z ]* \| v?(VM|CPU) \|/ {
		split($0, cell, / *\| */)
		scope = cell[2] == "all architectures" ? "x86" : cell[2]
		split(cell[4], name, "`")
		if (!((scope, tolower(cell[3]), name[2]) in known))
			print "mainline.md:" FNR ": " $0
		rows++
	}
	END {
		if (!rows)
			print "mainline.md has no rows"
	}' reference.list "$1"
}

# names_are_known: names were found, and none is undefined
names_are_known()
{
	[ -s names ] && [ ! -s log ]
}

test_facts()
{
	grep -ohE '\<KVM_(GET_)?(CAP_)?(BINARY_)?STATS_[A-Z0-9_]*[A-Z0-9]' "$PAGES"/stats.rst |
		sort -u >names
	undefined '' "$UAPI" <names >log
	names_are_known
	result $? "the uapi header defines each name on the user's page"
	echo KVM_STATS_TYPE_ODD | undefined '' "$UAPI" >log
	check "a name that the header does not define is found" test -s log

	# shellcheck disable=SC2016 # backquotes of reStructuredText
	sed -n 's/^``\([A-Z0-9_]*\)`` *``KVM_STATS_TYPE_.*/\1/p' "$PAGES/stats-internals.rst" >names
	undefined 'KVM_STATS_' "$ROOT/include/linux/kvm_stats.h" "$ROOT"/virt/kvm/kvm_stats*.c \
		<names >log
	names_are_known
	result $? "the kernel defines each kind on the developer's page"

	grep -qE "^${TAB}kvm-stats-size:${TAB}$(file_size vcpu)$" "$PAGES/stats.rst"
	result $? "the page's example of fdinfo has the size of a vCPU's file on x86-64"
	grep -qE "^The file of a VM has $(file_size vm) bytes on x86-64" "$PAGES/stats.rst"
	result $? "the page has the size of a VM's file on x86-64"

	print_example 1 "$PAGES/stats.rst" >example.c
	write_kvm_header
	compile_example -isystem headers
	result $? "the example compiles with the header of the patched kernel"
	compile_example -DKVM_STATS_GETFD=KVM_GET_STATS_FD \
		-DKVM_CAP_STATS_BINARY_FD=KVM_CAP_BINARY_STATS_FD
	result $? "the example compiles with the linux/kvm.h of a later kernel"
	print_example 2 "$PAGES/stats.rst" >example.c
	compile_example -isystem headers
	result $? "the example for all VMs compiles with the header of the patched kernel"

	not_in_reference "$ROOT/docs/mainline.md" >log
	[ ! -s log ]
	result $? "the reference has each statistic in docs/mainline.md"
	# shellcheck disable=SC2016 # backquotes of Markdown
	sed 's/`pf_taken`/`pf_given`/' "$ROOT/docs/mainline.md" >mainline.md
	not_in_reference mainline.md >log
	grep -q pf_given log
	result $? "a statistic in docs/mainline.md that does not exist is found"
}
