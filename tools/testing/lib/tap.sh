# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests of the build host: print results in the Test Anything Protocol (TAP).
#
#	. "$(dirname "$0")/../lib/tap.sh"
#	begin
#	check "the tool prints its version" tool --version
#	finish
#
# Sets ROOT, the top directory of the repository, so that a test runs from any directory.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd -P)

tap_count=0
tap_failed=0
# If set, a file whose first lines explain a test case that failed.
tap_log=

begin()
{
	echo "TAP version 13"
}

# result STATUS DESCRIPTION: the test case passes if STATUS is 0
result()
{
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - $2"
		return
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $2"
	[ -z "$tap_log" ] || [ ! -s "$tap_log" ] || head -n 20 "$tap_log" | sed 's/^/# /'
}

# skip DESCRIPTION REASON
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# check DESCRIPTION COMMAND...: the command succeeds; its output explains a failure
check()
{
	local what=$1 output status=0

	shift
	output=$("$@" 2>&1 </dev/null) || status=$?
	tap_log='' result "$status" "$what"
	[ "$status" = 0 ] || printf '%s\n' "$output" | head -n 40 | sed 's/^/# /'
}

# expect STATUS DESCRIPTION REGEX COMMAND...: the command exits with STATUS, and a line of
# its output, which is in the file `log`, matches REGEX
expect()
{
	local status=$1 what=$2 regex=$3 got=0

	shift 3
	"$@" >log 2>&1 || got=$?
	[ "$got" = "$status" ] && grep -qE -e "$regex" log
	result $? "$what"
}

# adopt FILE [PREFIX]: the results that another test printed, with new numbers
adopt()
{
	local line

	while IFS= read -r line; do
		case $line in
		"ok "*"# SKIP "*) skip "${2:-}$(sed -E 's/^ok [0-9]+ - //; s/ # SKIP .*//' <<<"$line")" "${line##*# SKIP }" ;;
		"ok "*) tap_log='' result 0 "${2:-}${line#*- }" ;;
		"not ok "*) tap_log='' result 1 "${2:-}${line#*- }" ;;
		"#"*) echo "$line" ;;
		esac
	done <"$1"
}

# bail_out REASON: end without the remaining test cases
bail_out()
{
	echo "Bail out! $1"
	exit 1
}

# Print the plan, and end with the status of the test.
finish()
{
	echo "1..$tap_count"
	exit $((tap_failed > 0))
}
