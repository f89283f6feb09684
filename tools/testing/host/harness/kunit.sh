# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: programs/kunit.sh, with results of KUnit that are incomplete or failed.
# shellcheck shell=bash

# kunit_fails CASE LINE...: with these lines of KUnit's file in debugfs, the case fails
kunit_fails()
{
	printf '%s\n' "${@:2}" >results
	! "$testing/programs/kunit.sh" results >tap && grep -qx "not ok [0-9]* - $1.*" tap || { cat tap; return 1; }
}

check "a test case of KUnit that fails" kunit_fails s.sizes '    # Subtest: s' '    1..2' '    ok 1 - names' \
	'    not ok 2 - sizes' 'not ok 1 - s'
check "in the format of newer kernels" kunit_fails s.sizes 'KTAP version 1' '1..1' '    KTAP version 1' \
	'    # Subtest: s' '    1..2' '    ok 1 names' '    not ok 2 sizes' 'not ok 1 s'
check "a test case of KUnit whose result is lost" kunit_fails s.case_2 '    # Subtest: s' '    1..2' \
	'    ok 1 - names' 'not ok 1 - s'
check "a suite of KUnit without a result" kunit_fails s '    # Subtest: s' '    1..1' '    ok 1 - names'
check "a kernel without a suite of KUnit" kunit_fails 'the kernel has KUnit tests'
