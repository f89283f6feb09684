# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t and series_trees.t: checks of the cover letter. Each check reads the
# letter from stdin and prints the problems.
# shellcheck shell=bash

# The subject must have at most 72 columns, the text at most 80.
long_lines()
{
	awk 'length($0) > (NR == 1 ? 72 : 80) {
		printf "line %d has %d columns: %s\n", NR, length($0), $0
	}'
}

# Print the text as one line, without release numbers and URLs.
joined_text()
{
	tr -s ' \n' '  ' | sed -E 's,https?://[^ ]*,,g; s/\bv?[0-9]+(\.[0-9]+)+\b//g'
}

# The letter must not name patches by their number, because numbers change when a patch is
# added: "patch 7", "patches 1 and 2", "9 to 13 are", "from 14 on".
patch_numbers()
{
	joined_text | grep -oiE \
		-e '\bpatch(es)? (no\.? |number )?[0-9]+\b[^.]{0,20}' \
		-e '\b[0-9]{1,2} (to|and|or) [0-9]{1,2} (is|are|adds?|counts?|documents?|tests?)\b' \
		-e '\bfrom [0-9]{1,2} on\b' \
		-e '[,.;] [0-9]{1,2} (is|are|adds?|counts?|documents?|tests?)\b' |
		sed 's/^/number of a patch: /'
}

# wrong_count COUNT: a text like "33 patches" must have the right number.
wrong_count()
{
	joined_text | grep -oE '\b[0-9]+ patches\b' | grep -vx "$1 patches" |
		sed "s/\$/, but the series has $1/"
}

# wrong_releases TESTED...: the letter must name each tested release. Other releases that it
# names must be older, or the release of a tree in scripts/trees.list.
wrong_releases()
{
	local release known named
	known=$(printf '%s\n' "$@"; awk '!/^#/ { print $2 }' scripts/trees.list)
	named=$(grep -oE '\b5\.10\.[0-9]+\b' | sort -V -u)
	for release; do
		grep -qxF "$release" <<<"$named" || echo "the tested release $release is missing"
	done
	while read -r release; do
		! grep -qxF "$release" <<<"$known" || continue
		[ "$(printf '%s\n' "$release" "$@" | sort -V | head -n 1)" = "$release" ] ||
			echo "$release is not in the line 'tested' of series/5.10/base"
	done <<<"$named"
}

# missing_files PATHS: each file that the letter names must be in the list PATHS. A word is
# the name of a file if it starts with a directory of the kernel or of this repository, or
# ends with a suffix of source files.
missing_files()
{
	local name pattern top
	top='Documentation|arch|drivers|fs|include|kernel|lib|mm|scripts|series|tools|virt'
	sed -E 's,https?://[^ ]*,,g' |
		grep -oE '(^|[^A-Za-z0-9_/.<>*-])[A-Za-z0-9_.*/-]+' | grep -oE '[A-Za-z0-9_*].*' |
		sed 's/[.]*$//' | grep -E "^($top)/|\.(c|h|S|rst|sh|py|patch|list)\$" | sort -u |
		while read -r name; do
			pattern=$(sed 's/[.]/\\&/g; s/\*/[^\/]*/g; s,/$,,' <<<"$name")
			grep -qE "(^|/)$pattern(/|\$)" "$1" || echo "there is no file $name"
		done
}

# missing_names BASE: each identifier with an underscore (statistics, capabilities, ioctls,
# system calls) must exist in the patches, the whole files or the kernel.
missing_names()
{
	local name
	grep -oE '\b(CONFIG_)?[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)+\b' | sed 's/^CONFIG_//' | sort -u |
		while read -r name; do
			git grep -qwF -e "$name" -- series/5.10/*.patch include virt arch \
				Documentation tools/testing/selftests ||
				git -C "$1" grep -qwF -e "$name" HEAD -- include virt Documentation \
					kernel fs 'arch/*/kvm' 'arch/*/include' ||
				echo "neither the series nor the kernel has the name $name"
		done
}

LETTER=series/5.10/cover-letter

# no_problems FILE: the file must be empty
no_problems()
{
	[ ! -s "$1" ] || { cat "$1"; return 1; }
}

# check_letter CHECK [ARGUMENT...]: run the check on the letter of this repository
check_letter()
{
	local problems=$PWD/problems
	(cd "$ROOT" && "$@" <"$LETTER") >>"$problems" || true
	no_problems "$problems"
}

t_letter_form()
{
	local patches=("$ROOT"/series/5.10/[0-9]*.patch)
	check_letter long_lines
	check_letter patch_numbers
	check_letter wrong_count ${#patches[@]}
}

t_letter_releases()
{
	local tested
	read -r -a tested < <(sed -n 's/^tested //p' "$ROOT/series/5.10/base")
	check_letter wrong_releases "${tested[@]}"
}

# Set base to a kernel in the cache.
real_base()
{
	base=$("$ROOT/scripts/base" --cached) || {
		echo 'there is no kernel in the cache'
		exit 77
	}
}

t_letter_files()
{
	real_base
	{
		git -C "$ROOT" ls-files
		git -C "$base" ls-tree -r --name-only HEAD
	} >paths
	check_letter missing_files "$PWD/paths"
}

t_letter_names()
{
	real_base
	check_letter missing_names "$base"
}

# expect_problem TEXT CHECK [ARGUMENT...] <LETTER: the check must print TEXT
expect_problem()
{
	local text=$1
	shift
	"$@" >problems || true
	cat problems
	grep -qF -e "$text" problems
}

t_letter_checks()
{
	printf 'KVM: A subject\n\n%s\n' "$(printf 'x%.0s' {1..81})" |
		expect_problem 'line 3 has 81 columns' long_lines
	printf 'KVM: %s\n' "$(printf 'x%.0s' {1..70})" | expect_problem 'line 1 has' long_lines
	for text in 'Patch 7 counts' $'patches\n1 and 2 make' 'Then 9 to 13 are the tables' \
		'histograms.  6 and 7 count' 'From 14 on each' 'does not, 8 is a KUnit suite'; do
		printf '%s\n' "$text" | expect_problem 'number of a patch' patch_numbers
	done
	echo 'In 5.10.218 and 5.10.262, 9 of 10 hosts read 16 and 32 values.' |
		patch_numbers >problems || true
	no_problems problems
	echo 'These 34 patches' | expect_problem '34 patches, but the series has 33' wrong_count 33
	echo 'Tested on 5.10.7.' |
		expect_problem 'release 5.10.9 is missing' wrong_releases 5.10.7 5.10.9
	echo 'On 5.10.7 and 5.10.8.' | expect_problem '5.10.8 is not in' wrong_releases 5.10.7
	echo 'Not on 5.10.6, but on 5.10.7.' | wrong_releases 5.10.7 >problems
	no_problems problems
	printf '%s\n' virt/kvm/kvm_main.c arch/x86/kvm/x86.c >paths
	echo 'in (virt/kvm/gone.c),' | expect_problem 'no file virt/kvm/gone.c' missing_files paths
	echo 'see stats.rst.' | expect_problem 'no file stats.rst' missing_files paths
	echo 'virt/kvm/, x86.c, arch/*/kvm and read/write, /proc/<pid>/fdinfo.' |
		missing_files paths >problems || true
	no_problems problems
	echo 'halt_gone and KVM_CAP_GONE' | expect_problem 'KVM_CAP_GONE' missing_names "$K"
}

add_cover_tests()
{
	test_case 'the cover letter has no long lines, patch numbers or wrong count' t_letter_form
	test_case 'the cover letter names the releases of series/5.10/base' t_letter_releases
	test_case 'files that the cover letter names exist' t_letter_files
	test_case 'statistics, capabilities and functions that the cover letter names exist' \
		t_letter_names
}
