# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t. The programs that run in boots.

# Of a checkout with two programs, one of which has just been made.
programs_are_kept()
{
	(
		. "$here/programs.sh"
		cache=$scratch/cache arch=x programs=$scratch/programs
		kept=$cache/tests/x-0123456789abcdef
		mkdir -p "$programs" "$cache/tests" "$scratch/new" "$scratch/used"
		touch "$programs"/{new_one,new-one.list,old_one} "$scratch/used/own"
		keep_programs "$kept" new_one no_program
		programs=$scratch/new
		take_programs "$kept"
		programs=$scratch/used
		take_programs "$kept"
		[ "$(ls "$scratch/new" | xargs)" = "new-one.list new_one" ] && [ "$(ls "$scratch/used")" = own ]
	)
}

ok "programs that have been made are kept for checkouts that have none" programs_are_kept
