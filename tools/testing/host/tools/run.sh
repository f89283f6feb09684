# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: run kvm-stats and examine what it prints.
# shellcheck shell=bash

# run_stats STATUS ARGUMENT...: run kvm-stats, leave its output in $found, and fail if its exit
# status is not STATUS
run_stats()
{
	local expected=$1 status

	shift
	found=$("$stats" "$@" 2>&1 9>&-)
	status=$?
	printf '%s\n' "$found"
	[ "$status" -eq "$expected" ] && return
	echo "expected exit status $expected, found $status"
	return 1
}

# prints STATUS REGEX ARGUMENT...: kvm-stats exits with STATUS, and a line of its output
# matches REGEX
prints()
{
	local status=$1 regex=$2 found

	shift 2
	run_stats "$status" "$@" && grep -Eq -e "$regex" <<<"$found"
}

# completes REGEX WORD...: return 0 if the completions that bash offers for the last word of
# "kvm-stats WORD..." match REGEX
completes()
{
	local regex=$1

	shift
	# shellcheck disable=SC2016 # another shell expands this
	bash -c '. "$1"
		COMP_WORDS=("${@:2}")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_kvm_stats
		echo "${COMPREPLY[*]}"' - "$command/share/kvm-stats.bash" "$stats" "$@" >"$out/completed"
	cat "$out/completed"
	grep -Eq -e "$regex" "$out/completed"
}
