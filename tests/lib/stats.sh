# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tests that are shell scripts, after check.sh: run kvm-stats, and compare its output. $stats is
# its path, and $work a directory of the test.
# shellcheck shell=dash
# shellcheck disable=SC2154 # the test sets stats and work

apart=		# a command that runs kvm-stats as another user, or in another PID namespace
follower=	# the PID of the last follow()

# run STATUS [ARGUMENT]...: the output is in the files stdout and stderr, and all of it in the file both
run()
{
	local expected=$1 status=0

	shift
	# shellcheck disable=SC2086 # words
	$apart "$stats" "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	cat "$work/stdout" "$work/stderr" >"$work/both"
	head -n 30 "$work/both"
	[ "$status" = "$expected" ] && return
	echo "$*: exit status $status, expected $expected"
	return 1
}

# has REGEX: the output has a matching line
has()
{
	grep -Eq -e "$1" "$work/both" && return
	echo "expected: $1"
	return 1
}

has_no()
{
	! grep -E -e "$1" "$work/both"
}

# prints STATUS REGEX [ARGUMENT]...
prints()
{
	local status=$1 regex=$2

	shift 2
	run "$status" "$@" && has "$regex"
}

# follow FILE [ARGUMENT]...: in the background. The output is in the file.
follow()
{
	local file=$work/$1

	shift
	rm -f "$file"
	# shellcheck disable=SC2086 # words
	$apart "$stats" "$@" >"$file" 2>&1 &
	follower=$!
	# shellcheck disable=SC2128,SC2178 # an array in tools.t, which does not call this function
	vmms="$vmms $follower"
}

# appears REGEX FILE [TIMES]: the output of the last follow() has so many such lines
appears()
{
	wait_until has_lines_or_ended "$1" "$work/$2" "${3:-1}" && has_lines "$1" "$work/$2" "${3:-1}" && return
	echo "expected: $1, found:"
	tail -n 20 "$work/$2"
	return 1
}

has_lines()
{
	[ "$(grep -Ec -e "$1" "$2")" -ge "$3" ]
}

has_lines_or_ended()
{
	has_lines "$@" || ! is_running "$follower"
}

# ends STATUS [SIGNAL]
ends()
{
	local status=0

	[ -z "${2:-}" ] || kill "-$2" "$follower"
	wait "$follower" || status=$?
	[ "$status" = "$1" ] && return
	echo "exit status $status, expected $1"
	return 1
}
