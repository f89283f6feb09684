# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot: the test programs in programs/, compiled for an architecture in $programs.
# shellcheck shell=bash

programs_make()
{
	make -s -C "$TESTING/programs" OUT="$programs" CC="$cc" CC32="$cc32" "$@"
}

# Print the names of the programs in programs/ that the boot needs. The programs `mutants` and
# `host_file_exits` run other programs, which the boot needs, too. The programs that test run delay and
# exit statistics do not compile for s390.
needed_programs()
{
	local needed=$tests

	if [[ " $tests " == *" mutants "* ]]; then
		needed+=' vcpu_halt vcpu_run'
		[ "$arch" = s390x ] || needed+=' exit_stats l1d_flush run_delay'
	fi
	[[ " $tests " != *" host_file_exits "* ]] || needed+=' exit_stats'
	programs_make list |
		if [[ " $tests " == *" all "* ]]; then cat; else grep -xFf <(xargs -n 1 <<<"$needed"); fi || true
}

build_programs()
{
	local wanted

	wanted=$(needed_programs | xargs)
	mkdir -p "$programs"
	exec 8>"$programs.lock"
	flock 8
	run_logged "$out/programs.log" programs_make -j"$JOBS" TESTS="$wanted"
	exec 8>&-
}

# Print the names of the programs that `all` selects: those in C, the kselftests, kunit and
# kvm_stats_cli.
available_programs()
{
	printf '%s\n' kunit kvm_stats_cli
	programs_make list
	[ -z "$kselftests" ] || find "$kselftests" -type f -printf '%f\n'
}

# Checkers of the kernel's own, which report after all tests.
kernel_checkers()
{
	! grep -qx CONFIG_DEBUG_KMEMLEAK=y "$kernel/config" || echo leaks
	! grep -qx CONFIG_KCSAN=y "$kernel/config" || echo kcsan
	! grep -qx CONFIG_GCOV_KERNEL=y "$kernel/config" || echo gcov
}

# Print what the boot runs: the programs that `tests` selects, and the kernel's checkers.
choose_programs()
{
	local all program chosen=

	all=$(available_programs | sort | xargs)
	for program in $tests; do
		[[ " all $all " == *" ${program#-} "* ]] || [ -f "$TESTING/programs/$program.sh" ] ||
			die "there is no test program '${program#-}' for $arch" "The programs are: $all"
		case $program in
		all) chosen+=" $all" ;;
		-*) chosen=$(tr ' ' '\n' <<<"$chosen" | grep -vxFe "${program#-}" | xargs) ;;
		*) chosen+=" $program" ;;
		esac
	done
	xargs <<<"$chosen $(kernel_checkers)"
}
