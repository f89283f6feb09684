# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests of the build host, which bash runs: check.sh, and functions with test cases.
#
#	. "$(dirname "$0")/../lib/tap.sh"
#	begin
#	check "the tool prints its version" tool --version
#	run_tests option_tests		# a function with more test cases
#	finish
#
# Bash does not end a script after an error in an expansion, such as $((08)) or ${name!}. It ends
# all functions, and continues with the next command of the script or of an eval. So functions that
# may contain such errors run in an eval: otherwise a test could pass without some of its cases.
#
# Sets ROOT, the top directory of the repository, so that a test runs from any directory.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# What a test compiles has no warnings.
export WERROR=1

# shellcheck source-path=tests/lib source=check.sh
. "$ROOT/tests/lib/check.sh"

begin()
{
	echo "TAP version 13"
}

# run_tests FUNCTION [ARGUMENT]...: run a function with test cases. If an error ends it early, this is
# a failed test case.
run_tests()
{
	local tap_whole=

	if ! declare -F "$1" >/dev/null; then
		result 1 "there is a function $1"
		return
	fi
	eval '"$@"; tap_whole=yes'
	[ -n "$tap_whole" ] && return
	result 1 "$1 runs all its test cases" ''
	echo "# An error in an expansion ended it. Standard error shows the line."
}

# expect STATUS DESCRIPTION REGEX COMMAND...: the command exits with STATUS, and a line of
# its output, which is in the file `log`, matches REGEX
expect()
{
	local status=$1 what=$2 regex=$3 got=0

	shift 3
	eval '"$@" >log 2>&1' || got=$?
	[ "$got" = "$status" ] && grep -qE -e "$regex" log
	result $? "$what"
}

# bail_out REASON: end without the remaining test cases
bail_out()
{
	tap_ended=yes
	echo "Bail out! $1"
	exit 1
}

# explain_exit [LOG]: print that the test ended early, and the file LOG, the output of the test case that
# was running. A trap on EXIT calls it: bash ends if it expands a variable that is not set.
explain_exit()
{
	[ -z "$tap_ended" ] || return 0
	echo "# The test ended before its last test case:"
	explain "${1:-}"
}
