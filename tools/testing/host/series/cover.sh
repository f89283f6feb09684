# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t. The statements of the cover letter that a test can check. Each
# function reads the letter on stdin and prints what is wrong.

# The subject has at most 72 columns, the text at most 80.
long_lines() {
	awk 'length($0) > (NR == 1 ? 72 : 80) {
		printf "line %d has %d columns: %s\n", NR, length($0), $0
	}'
}

# The text as one line, without release numbers and addresses.
joined_text() {
	tr -s ' \n' '  ' | sed -E 's,https?://[^ ]*,,g; s/\bv?[0-9]+(\.[0-9]+)+\b//g'
}

# Numbers of patches change when a patch is added. "patch 7", "patches 1 and 2",
# "9 to 13 are", "from 14 on".
patch_numbers() {
	joined_text | grep -oiE \
		-e '\bpatch(es)? (no\.? |number )?[0-9]+\b[^.]{0,20}' \
		-e '\b[0-9]{1,2} (to|and|or) [0-9]{1,2} (is|are|adds?|counts?|documents?|tests?)\b' \
		-e '\bfrom [0-9]{1,2} on\b' \
		-e '[,.;] [0-9]{1,2} (is|are|adds?|counts?|documents?|tests?)\b' |
		sed 's/^/number of a patch: /'
}

# wrong_count COUNT: "33 patches" must be right.
wrong_count() {
	joined_text | grep -oE '\b[0-9]+ patches\b' | grep -vx "$1 patches" |
		sed "s/\$/, but the series has $1/"
}

# wrong_releases TESTED...: the letter names each tested release. Any other release that
# it names is older than these, or that of a tree in scripts/trees.list.
wrong_releases() {
	local release known
	known=$(printf '%s\n' "$@"; awk '!/^#/ { print $2 }' scripts/trees.list)
	grep -oE '\b5\.10\.[0-9]+\b' | sort -V -u >named
	for release; do
		grep -qxF "$release" named || echo "the tested release $release is missing"
	done
	while read -r release; do
		! grep -qxF "$release" <<<"$known" || continue
		[ "$(printf '%s\n' "$release" "$@" | sort -V | head -n 1)" = "$release" ] ||
			echo "$release is not in the line tested of series/5.10/base"
	done <named
}

# missing_files PATHS: names of files must be in the list. A file name has a directory of
# the kernel or of this repository, or a suffix of source files.
missing_files() {
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

# missing_names BASE: identifiers with an underscore (statistics, capabilities, ioctls,
# system calls) must be in the patches, the whole files or the kernel.
missing_names() {
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

letter=series/5.10/cover-letter

# no_problems FILE: it must be empty
no_problems() {
	[ ! -s "$1" ] || { cat "$1"; return 1; }
}

# The letter and the data that it is compared with, in a directory that can be written.
copy_letter() {
	rm -rf series scripts
	cp -r "$repo/series" "$repo/scripts" .
}

t_letter_form() {
	copy_letter
	{
		long_lines <$letter
		patch_numbers <$letter || true
		wrong_count "$(ls series/5.10/[0-9]*.patch | wc -l)" <$letter || true
	} >problems
	no_problems problems
}

t_letter_releases() {
	copy_letter
	wrong_releases $(sed -n 's/^tested //p' series/5.10/base) <$letter >problems
	no_problems problems
}

real_base() {
	copy_letter
	base=$(KVM_STATS_CACHE=$real_cache scripts/base --cached) || {
		echo 'there is no kernel in the cache'
		exit 77
	}
}

t_letter_files() {
	real_base
	{
		git -C "$repo" ls-files
		git -C "$base" ls-tree -r --name-only HEAD
	} >paths
	missing_files paths <$letter >problems || true
	no_problems problems
}

t_letter_names() {
	real_base
	problems=$PWD/problems
	cd "$repo"
	missing_names "$base" <$letter >"$problems" || true
	no_problems "$problems"
}

# expect_problem TEXT FUNCTION ARGUMENT... <LETTER
expect_problem() {
	local text=$1
	shift
	"$@" >problems || true
	cat problems
	grep -qF -e "$text" problems
}

t_letter_checks() {
	printf 'KVM: A subject\n\n%s\n' "$(printf 'x%.0s' {1..81})" |
		expect_problem 'line 3 has 81 columns' long_lines
	printf 'KVM: %s\n' "$(printf 'x%.0s' {1..70})" | expect_problem 'line 1 has' long_lines
	for text in 'Patch 7 counts' 'patches\n1 and 2 make' 'Then 9 to 13 are the tables' \
		'histograms.  6 and 7 count' 'From 14 on each' 'does not, 8 is a KUnit suite'; do
		printf "$text\n" | expect_problem 'number of a patch' patch_numbers
	done
	echo 'In 5.10.218 and 5.10.262, 9 of 10 hosts read 16 and 32 values.' | patch_numbers >problems ||
		true
	no_problems problems
	echo 'These 34 patches' | expect_problem '34 patches, but the series has 33' wrong_count 33
	echo 'Tried on 5.10.7.' | expect_problem 'release 5.10.9 is missing' wrong_releases 5.10.7 5.10.9
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

cover_tests() {
	test_case 'the checks of the cover letter report wrong statements' t_letter_checks
	test_case 'the cover letter has no long lines, no patch numbers, no wrong count' t_letter_form
	test_case 'the cover letter names the releases of series/5.10/base' t_letter_releases
	test_case 'files that the cover letter names exist' t_letter_files
	test_case 'statistics, capabilities and functions that the cover letter names exist' t_letter_names
}
