#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the documentation: Sphinx builds the kernel pages without a warning, programs can
# parse the reference, and the pages agree with the headers of the kernel. The examples compile
# with the headers of the kernel, of the unpatched kernel and of the build host.
#
# usage: docs.t

set -u

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
DOCS=$ROOT/tests/static/docs
PAGES=$ROOT/Documentation/virt/kvm
REFERENCE_AWK=$ROOT/tools/lib/kvmstats/reference.awk
TAB=$'\t'
# shellcheck source=../lib/example.sh
. "$ROOT/tests/lib/example.sh"
# shellcheck source=../lib/headers.sh
. "$ROOT/tests/lib/headers.sh"

# Sphinx builds the pages, and warnings are errors.

# Copy the pages, and the files from which they include kernel-doc comments. The page uapi, which only this test has, includes all comments of the uapi
# header.
copy_pages()
{
	local page file

	mkdir -p in source
	cp "$PAGES"/stats*.rst Documentation/virt/kvm/api.rst in/
	printf 'uapi\n====\n\n.. kernel-doc:: include/uapi/linux/kvm_stats.h\n   :internal:\n' >in/uapi.rst
	printf 'KVM\n===\n\n.. toctree::\n\n   api\n   uapi\n' >in/index.rst
	for page in "$PAGES"/stats*.rst; do
		page=${page##*/}
		echo "   ${page%.rst}" >>in/index.rst
	done
	sed -n 's/^\.\. kernel-doc:: //p' in/*.rst | sort -u | while read -r file; do
		mkdir -p "source/${file%/*}"
		cp "$ROOT/$file" "source/$file"
	done
}

# Build the pages. Any output is an error, because sphinx-build -W ignores the warnings that
# kernel-doc prints. Warnings of Python and Perl about the kernel's extensions and about kernel-doc
# itself are left out. They depend on the versions of Sphinx and Perl.
build_pages()
{
	local status=0

	KERNEL=$BASE SOURCE=$PWD/source PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore \
		sphinx-build -q -W --keep-going -c "$DOCS" -d doctrees -b html in out \
		>build.out 2>&1 || status=$?
	grep -vE ' at .*/scripts/kernel-doc line [0-9]+\.$' build.out >build.log
	cat build.log
	[ "$status" = 0 ] && [ ! -s build.log ]
}

# has_text PAGE TEXT: return 0 if the built page has the text
has_text()
{
	sed 's/<[^>]*>//g' "out/$1.html" | grep -qF -e "$2"
}

test_sphinx()
{
	copy_pages
	build_pages >log
	result $? "Sphinx builds the pages and all of api.rst without a warning"
	has_text api "is the number of descriptors" && has_text api "struct kvm_stats_desc"
	result $? "api.rst has the structures of the uapi header"
	has_text stats-internals "struct kvm_stats_file" &&
		has_text stats-internals "kvm_stats_vm_ioctl"
	result $? "the developer's page has the kernel-doc of header and code"
	has_text stats-reference "halt_poll_success_hist"
	result $? "the reference has the statistics"

	! expand "$PAGES"/stats*.rst api.rst | grep -E '.{81}' >log
	result $? "no line of the pages has more than 80 columns"
}

# reference.awk parses the page that describes the statistics. What it understands wrong
# differs from the kernel in test_lists(). These test cases are for what it refuses.

# reference TITLE ENTRY [TEXT]: parse a sample page with one section
reference()
{
	printf '%s\n' Title ===== '' "$1" "${1//?/-}" '' "$2" "    ${3:-It happened.}" >page
	awk -v texts=1 -f "$REFERENCE_AWK" page
}

test_reference_parser()
{
	local vm='VM statistics, x86'

	expect 0 "the text is split after its first sentence" \
		"^x86${TAB}vm${TAB}a${TAB}peak${TAB}--${TAB}It happened[.]${TAB}So is 5[.]10[.]$" \
		reference "$vm" 'a : peak' 'It happened. So is 5.10.'
	expect 1 "an unknown architecture fails" 'page:4: unknown architecture: VM statistics, vax' \
		reference 'VM statistics, vax' 'a : peak'
	expect 1 "an entry without a type fails" "page:7: expected 'NAME : TYPE'" reference "$vm" a
	expect 1 "a type that does not exist fails" 'unknown type: often' reference "$vm" 'a : often'
	expect 1 "a unit that does not exist fails" 'unknown unit: peak, miles' reference "$vm" 'a : peak, miles'
	expect 1 "a text that is not a sentence fails" 'the text of a is not whole sentences' \
		reference "$vm" 'a : peak' something
	expect 1 "a first sentence that is too long fails" 'first sentence of a has 121 characters' \
		reference "$vm" 'a : peak' "$(printf '%0120d' 0)."
	expect 1 "an entry that occurs twice fails" 'a occurs twice for x86' \
		reference "$vm" $'a : peak\n    It happened.\na : peak'
	expect 1 "a page without sections fails" 'no sections of statistics' reference Other 'a : peak'
}

# Write reference.list, the lines of the page of this repository, for the other test cases.
test_reference()
{
	awk -v texts=1 -f "$REFERENCE_AWK" "$PAGES/stats-reference.rst" >reference.list 2>log
	result $? "the parser reads the page of this repository"
	awk -F '\t' '$7 == "" && $2 != "debugfs" { print $3 }' reference.list >log
	[ ! -s log ]
	result $? "each statistic is described by more than one sentence"
}

# The pages agree with the headers and with the reference, and the examples compile. The file
# reference.list is the output of reference.awk.

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

# definitions FILE: print each structure of the statistics and each #define KVM_STATS_* of FILE, a
# header or a page, on one line without comments
definitions()
{
	sed -e '/^#ifdef __KERNEL__/,/^#else/d' -e 's,/[*].*[*]/,,' "$1" | awk '
	function show(line)
	{
		gsub(/[ \t]+/, " ", line)
		sub(/^ /, "", line)
		sub(/ $/, "", line)
		print line
	}
	/^ *#define KVM_STATS_.* / { show($0) }
	/^ *struct kvm_stats_[a-z]+ [{]/ { text = "" ; on = 1 }
	on && !/^#/ { text = text " " $0 }
	on && /};/ { show(text); on = 0 }'
}

# compile_example HEADERS SOURCE: compile it with the linux/kvm.h of HEADERS and the uapi header
compile_example()
{
	local headers=(-isystem "$ROOT/include/uapi")

	case $1 in
	patched) headers=(-isystem patched) ;;
	unpatched) headers+=(-isystem unpatched) ;;
	esac
	gcc -std=gnu11 -Wall -Wextra -Werror "${headers[@]}" -c -o example.o "$2" >log 2>&1
}

# write_fragments FILE: print a source with each literal block of FILE that has a statement
write_fragments()
{
	printf '#include <%s>\n' sys/ioctl.h linux/kvm.h linux/kvm_stats.h
	awk '
	/^::$/ { block = ""; on = 1; next }
	on && /^[^ \t]/ {
		if (block ~ /;/)
			printf "void f%d(int fd, int vm_fd, int kvm_fd);\n" \
			       "void f%d(int fd, int vm_fd, int kvm_fd)\n" \
			       "{\n(void)fd, (void)vm_fd, (void)kvm_fd;\n%s}\n", ++n, n, block
		on = 0
	}
	on { block = block $0 "\n" }' "$1"
}

# test_examples HEADERS: all examples of stats.rst compile
test_examples()
{
	local n

	for n in 1 2; do
		print_example "$n" "$PAGES/stats.rst" >example.c
		[ -s example.c ] && compile_example "$1" example.c
		result $? "program $n of stats.rst compiles with $1 linux/kvm.h"
	done
	# The result of an ioctl is what the fragments show. Nothing uses it.
	write_fragments "$PAGES/stats.rst" | sed 's/^  int \([a-z_]*\) = /  (void)/' >example.c
	[ "$(grep -c ioctl\( example.c)" = "$(grep -c '^  int .*ioctl(' "$PAGES/stats.rst")" ] &&
		compile_example "$1" example.c
	result $? "the fragments of stats.rst compile with $1 linux/kvm.h"
}

# not_in_reference FILE: FILE has the format of mainline.md. Print the statistics of its table that
# the reference does not have.
not_in_reference()
{
	awk -F '\t' '
	FNR == NR { known[$1, $2, $3] = 1; next }
	/^\| [a-z0-9]+[a-z ]* \| v?(VM|CPU) \|/ {
		split($0, cell, / *\| */)
		scope = cell[2] == "all architectures" ? "x86" : cell[2]
		count = split(cell[4], name, "`")
		for (i = 2; i <= count; i += 2) {
			if (!((scope, tolower(cell[3]), name[i]) in known))
				print "mainline.md:" FNR ": " name[i]
		}
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

# described PAGE REGEX: read names, and return 0 if the manual page has a line for each that matches the
# expression, in which @ is the name
described()
{
	local name

	tee names | while read -r name; do
		grep -qE -e "${2/@/$name}" "$ROOT/tools/kvm/kvm_stats/man/$1" || echo "$name is not described"
	done >log
	names_are_known
}

test_manual_pages()
{
	local command=$ROOT/tools/kvm/kvm_stats

	sed -n 's/^\t{ "\(thread_[a-z_]*\)", .*/\1/p' "$command/host_file/layout.c" |
		described kvm-stats-host-file.5 '^\.BR? .*\<@\>'
	result $? "kvm-stats-host-file(5) has each statistic of a thread"
	awk -F '"' '/^\t\t\.name = / { name = $2; remedy = 0 }
		/^\t\t\.remedy = / { remedy = 1 }
		/^\t},/ && remedy { print name; remedy = 0 }' "$command/why/rules.c" |
		described kvm-stats-why.1 "^@( [*])?$TAB"
	result $? "kvm-stats-why(1) has each verdict"
}

test_facts()
{
	local headers

	sed 's/KVM_STATS_[A-Z]*_[*]//g' "$PAGES/stats.rst" api.rst |
		grep -ohE '\<KVM_(GET_)?(CAP_)?(BINARY_)?STATS_[A-Z0-9_]*[A-Z0-9]' | sort -u >names
	undefined '' "$UAPI" <names >log
	names_are_known
	result $? "the uapi header defines each name on the user's page and in api.rst"

	definitions "$UAPI" | grep -vE 'SCALE_|_IO[WR]*\(' | sort >uapi.list
	[ -s uapi.list ] && definitions api.rst | sort | diff uapi.list - >log
	result $? "api.rst has the structures and constants of the uapi header"

	# shellcheck disable=SC2016 # backquotes of reStructuredText
	sed -n 's/^``\([A-Z0-9_]*\)`` *``KVM_STATS_TYPE_.*/\1/p' "$PAGES/stats-internals.rst" >names
	undefined 'KVM_STATS_' "$ROOT/include/linux/kvm_stats.h" "$ROOT"/virt/kvm/kvm_stats*.c \
		<names >log
	names_are_known
	result $? "the kernel defines each kind on the developer's page"

	for headers in patched unpatched installed; do
		test_examples "$headers"
	done

	not_in_reference "$ROOT/docs/mainline.md" >log
	[ ! -s log ]
	result $? "the reference has each statistic in docs/mainline.md"

	grep -qF "$(grep -oiE -m 1 'commit [0-9a-f]{12}' "$ROOT/tests/bench/RESULTS.md" |
		cut -d ' ' -f 2)" "$ROOT/docs/cost.md"
	result $? "docs/cost.md has the results of the commit that the benchmark's page names"
}

# The reference has the statistics of the kernel's definition lists, in the same order, and the
# debugfs files of the base kernel. The file reference.list is the output of reference.awk.

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

# The working directory of all test cases. Files for one case are written here.
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
tap_log=$WORK/log
cd "$WORK" || exit

"$ROOT/scripts/packages" base docs >&2 || bail_out "packages are missing"
BASE=$("$ROOT/scripts/base") || bail_out "there is no kernel tree for kernel-doc"
# The file api.rst in $WORK has only the text that the series adds to the kernel's file.
api=Documentation/virt/kvm/api.rst
patched_file "$BASE" $api . || bail_out "the series cannot be applied to api.rst"
{
	printf 'api\n===\n\n'
	diff "$BASE/$api" $api | sed -nE 's/^> ?//p'
} >api.rst
install_kvm_headers "$BASE" || bail_out "the headers of KVM cannot be installed"
begin
run_tests test_sphinx
run_tests test_reference_parser
run_tests test_reference
run_tests test_facts
run_tests test_manual_pages
run_tests test_lists
finish
