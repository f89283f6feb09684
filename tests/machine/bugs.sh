# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot: injected bugs, the patches in kernel/bugs/$config. One boot tests KVM's modules
# with one bug after the other. The text of a patch describes the bug, and has some of these lines:
#   must fail: PROGRAM TEST CASE	test cases that must fail; braces expand as in bash
#   log must: REGEX			a line that the kernel log must have
#   tests: PROGRAM...			test programs in addition to those of `must fail`
#   parameters: MODULE.NAME=VALUE...	parameters of modules, in addition to those of the boot
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # boot uses and sets the variables

# The directory of the kernel that has the bug
declare -A bug_kernel

# bug_lines KEY BUG: print the values of these lines of the patch
bug_lines()
{
	sed -n "s/^$1: //p" "$TESTING/kernel/bugs/$config/$2.patch"
}

# Print all bugs or, if QUICK is set, as `make check` does, eight that the id of the commit selects.
all_bugs()
{
	local bug commit

	commit=$(commit_id)
	for bug in "$TESTING/kernel/bugs/$config"/*.patch; do
		bug=${bug##*/}
		echo "$(echo "$commit ${bug%.patch}" | sha256sum) ${bug%.patch}"
	done | sort | sed "s/.* //; ${QUICK:+8q}" | sort
}

# Set `bugs`, what the boot runs, and what it must find.
choose_bugs()
{
	local bug

	[ "$bugs" != all ] || bugs=$(all_bugs | xargs)
	tests='' test_programs=''
	for bug in $bugs; do
		[ -f "$TESTING/kernel/bugs/$config/$bug.patch" ] ||
			die "there is no bug '$bug'" "The bugs are: $(QUICK='' all_bugs | xargs)"
		bug_kernel[$bug]=$(kernel_of "$bug")
		tests+=" $(bug_programs "$bug")"
		test_programs+=" $(bug_programs "$bug" | sed "s/^/$bug:/")"
		must_fail+=$'\n'$(bug_must_fail "$bug" | sed "s/^/$bug:/")
		log_must+=$'\n'$(bug_lines 'log must' "$bug" | sed "s/^/^$bug: .*/")
	done
}

# bug_must_fail BUG: print its test cases that must fail
bug_must_fail()
{
	local line

	bug_lines 'must fail' "$1" | sed 's/[^[:alnum:]_.,{}]/\\&/g' | while IFS= read -r line; do
		eval "printf '%s\n' $line"
	done
}

# bug_programs BUG: print its test programs, and the kernel's checkers
bug_programs()
{
	{
		bug_lines tests "$1" | tr ' ' '\n'
		bug_lines 'must fail' "$1" | cut -d ' ' -f 1
		kernel_checkers
	} | awk '!seen[$0]++'
}

# KVM's modules for init
bug_files()
{
	local bug

	for bug in $bugs; do
		mkdir -p "$root/bugs/$bug"
		cp "${bug_kernel[$bug]}"/modules/*.ko "$root/bugs/$bug/"
		bug_lines parameters "$bug" >"$root/bugs/$bug/parameters"
	done
}

# Run the machine until it has reached each bug. It ends after a bug that leaves KVM's modules in
# use. The files of each run are in $out/BUG, where BUG is the first one of the run.
run_bugs()
{
	local whole=$out words=$cmdline bug out cmdline

	say "to repeat these injected bugs: ${folder#"$ROOT"/}/$name bugs='$bugs'"
	for bug in $bugs; do
		! grep -qsx "@bug $bug" "$whole"/*/results || continue
		out=$whole/$bug
		cmdline="$words FIRST_BUG=$bug"
		mkdir "$out"
		ln "$whole/initramfs.cpio" "$out/"
		run_machine
		grep -qx "@bug $bug" "$out/results" || break
	done
}
