# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: the pages agree with the headers and with the reference, and the examples
# compile. The file reference.list is the output of reference.awk.
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

# file_size TARGET [SCOPE]: compute the size of the file on x86 from the reference, with the statistics
# that x86 has in this scope, too
file_size()
{
	awk -F '\t' -v target="$1" -v scope="x86-${2:-sched}" '
	($1 == "x86" || $1 == "x86-sched" || $1 == scope) && $2 == target {
		size += 64 + 8 * (match($4, /\[[0-9]+/) ? substr($4, RSTART + 1, RLENGTH - 1) : 1)
	}
	END { print 24 + 48 + size }' reference.list
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

# repeated_sentences FILE...: print the sentences that occur twice
repeated_sentences()
{
	# shellcheck disable=SC2016 # an address of sed
	sed -s '/^::$/d; $G' "$@" | awk -v RS= '{
		gsub(/[ \n\t]+/, " ")
		count = split($0, sentence, /[.:] +/)
		for (i = 1; i <= count; i++) {
			text = sentence[i]
			sub(/[.:]* *$/, "", text)
			if (text ~ /^[A-Z].* .* .* / && text !~ /===/ && seen[text]++)
				print text
		}
	}'
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

test_facts()
{
	local headers n

	sed 's/KVM_STATS_[A-Z]*_[*]//g' "$PAGES/stats.rst" api.rst |
		grep -ohE '\<KVM_(GET_)?(CAP_)?(BINARY_)?STATS_[A-Z0-9_]*[A-Z0-9]' | sort -u >names
	undefined '' "$UAPI" <names >log
	names_are_known
	result $? "the uapi header defines each name on the user's page and in api.rst"

	definitions "$UAPI" | grep -vE 'SCALE_|_IO[WR]*\(' | sort >uapi.list
	[ -s uapi.list ] && definitions api.rst | sort | diff uapi.list - >log
	result $? "api.rst has the structures and constants of the uapi header"

	repeated_sentences api.rst "$PAGES/stats.rst" "$PAGES/stats-internals.rst" >log
	[ ! -s log ]
	result $? "no sentence occurs twice in api.rst and the pages for users and developers"

	# shellcheck disable=SC2016 # backquotes of reStructuredText
	sed -n 's/^``\([A-Z0-9_]*\)`` *``KVM_STATS_TYPE_.*/\1/p' "$PAGES/stats-internals.rst" >names
	undefined 'KVM_STATS_' "$ROOT/include/linux/kvm_stats.h" "$ROOT"/virt/kvm/kvm_stats*.c \
		<names >log
	names_are_known
	result $? "the kernel defines each kind on the developer's page"

	grep -qE "^${TAB}kvm-stats-size:${TAB}$(file_size vcpu)$" "$PAGES/stats.rst"
	result $? "the page's example of fdinfo has the size of a vCPU's file on x86-64"
	tr -s ' \n' ' ' <"$PAGES/stats.rst" |
		grep -qF " The file of a VM has $(file_size vm) bytes on x86-64."
	result $? "the page has the size of a VM's file on x86-64"
	grep -qF " On x86-64 the file of a vCPU has $(file_size vcpu exits) bytes." "$PAGES/stats.rst"
	result $? "the page has the size of a vCPU's file with exit statistics on x86-64"

	for headers in patched unpatched installed; do
		test_examples "$headers"
	done
	for n in 1 2; do
		print_indented_program "$n" "$ROOT/CONTRIBUTING.md" >example.c
		grep -q 'int main' example.c && gcc -std=gnu11 -Wall -Wextra -Werror \
			-I "$ROOT/tools/testing/lib" -I "$ROOT/tools/lib/kvmstats" \
			-c -o example.o example.c >log 2>&1
		result $? "program $n of CONTRIBUTING.md compiles"
	done

	not_in_reference "$ROOT/docs/mainline.md" >log
	[ ! -s log ]
	result $? "the reference has each statistic in docs/mainline.md"

	grep -qF "$(grep -oiE -m 1 'commit [0-9a-f]{12}' "$ROOT/tools/testing/bench/RESULTS.md" |
		cut -d ' ' -f 2)" "$ROOT/docs/cost.md"
	result $? "docs/cost.md has the results of the commit that the benchmark's page names"

	"$ROOT/tools/testing/mutants/record" --check >"$tap_log" 2>&1
	result $? "the survey of statistics has the numbers of mutants of mutants/*.list"

	if "$ROOT/tools/testing/results" --last-all | grep -q 'has no run'; then
		skip "docs/results.md has a row for each test" "make results has not recorded a run yet"
	else
		"$ROOT/tools/testing/results" --missing "$ROOT/docs/results.md" >"$tap_log" 2>&1
		result $? "docs/results.md has a row for each test"
	fi
}
