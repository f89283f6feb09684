# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: tests that contain errors which end shell functions.
# shellcheck shell=bash

# tap_test BODY: run a test that has these functions, leave its output in `said`, and return its exit
# status
tap_test()
{
	cat >broken.t <<EOF
set -u
. "$testing/lib/tap.sh"
error()
{
	echo "\${name!}"
	true
}
broken()
{
	check "before" true
	error
	check "not reached" true
}
whole()
{
	check "after" true
}
begin
$1
finish
EOF
	bash broken.t >said 2>&1
}

# tap_fails BODY REGEX...: the test fails, and its output has a line for each REGEX
tap_fails()
{
	local regex status=0

	! tap_test "$1" || status=1
	cat said
	for regex in "${@:2}"; do
		grep -qE -e "$regex" said || { echo "missing: $regex"; status=1; }
	done
	return $status
}

# The functions of kvm_stats.sh, which replace some of tap.sh
kvm_stats='ROOT=$PWD; FIXED_ADDRESSES=1; . "$testing/host/kvm_stats.sh"'
kvm_stats=${kvm_stats//\$testing/$testing}

fails_after_error()
{
	tap_fails 'run_tests broken; run_tests whole' '^ok 1 - before' \
		'^not ok 2 - broken runs all its test cases' '^# An error in an expansion' \
		'name!.*bad substitution' '^ok 3 - after' '^1[.][.]3'
}

fails_in_command()
{
	tap_fails 'expect 0 "it runs" "" error; run_tests whole' '^not ok 1 - it runs' '^ok 2 - after' &&
	tap_fails 'check "it runs" error; run_tests whole' '^not ok 1 - it runs' \
		'^# .*bad substitution' '^ok 2 - after' &&
	tap_fails "$kvm_stats; "'check "it runs" error; run_tests whole' '^not ok 1 - it runs' \
		'^# .*bad substitution' '^ok 2 - after'
}

explains_unset_variable()
{
	tap_fails "$kvm_stats"'; trap '\''explain_exit "$out/log"'\'' EXIT
		check "it runs" eval "echo \$nothing"; run_tests whole' \
		'^# The test ended before' '^# .*nothing: unbound variable' &&
	! grep -q '^1[.][.]' said
}

runs_functions_with_run_tests()
{
	! sed -s '1,/^begin$/d' "$testing"/host/*.t | grep -E '^	?[a-z_]+_tests( |$)' |
		grep -vE '^	?run_tests '
}

check "an error in an expansion that ends a function fails the test, and the next function runs" \
	fails_after_error
check "such an error in the command of a test case makes the test case fail" fails_in_command
check "a variable that is not set ends the test, which reports it" explains_unset_variable
check "a function that does not exist fails the test" tap_fails 'run_tests option_tests; run_tests whole' \
	'^not ok 1 - there is a function option_tests' '^ok 2 - after'
check "the tests call functions with test cases with run_tests" runs_functions_with_run_tests
