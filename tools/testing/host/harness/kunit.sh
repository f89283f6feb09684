# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: guest/kunit.sh, which reads KUnit's files in debugfs.
# shellcheck shell=bash

# kunit LINE...: convert these lines to the file tap
kunit()
{
	printf '%s\n' "$@" >results
	"$testing/guest/kunit.sh" results >tap
}

# kunit_fails CASE LINE...
kunit_fails()
{
	local expected=$1

	shift
	! kunit "$@" && grep -qx "not ok [0-9]* - $expected.*" tap || { cat tap; return 1; }
}

check "the test cases of KUnit become test cases" kunit '    # Subtest: kvm_stats_table' '    1..2' \
	'    ok 1 - names' '    ok 2 - sizes' 'ok 1 - kvm_stats_table'
check "the name of a KUnit test case begins with its suite" grep -qx 'ok 1 - kvm_stats_table.names' tap
check "a KUnit suite is a test case of its own" grep -qx '1..3' tap
check "the format of newer kernels is understood" eval "kunit 'KTAP version 1' '1..1' '    KTAP version 1' \
	'    # Subtest: s' '    # module: kvm' '    1..2' '    ok 1 names' '    ok 2 sizes' 'ok 1 s' &&
	grep -qx 'ok 2 - s.sizes' tap && grep -qx 'ok 3 - s' tap"
check "a failing test case fails" kunit_fails kvm_stats_table.sizes '    # Subtest: kvm_stats_table' \
	'    1..2' '    ok 1 - names' '    # sizes: EXPECTATION FAILED' '    not ok 2 - sizes' 'not ok 1 - kvm_stats_table'
check "the messages of a failed KUnit test case are printed" grep -qx '# sizes: EXPECTATION FAILED' tap
check "a test case whose result is lost fails" kunit_fails kvm_stats_table.case_2 \
	'    # Subtest: kvm_stats_table' '    1..2' '    ok 1 - names' 'not ok 1 - kvm_stats_table'
check "a suite without a result fails" kunit_fails kvm_stats_table \
	'    # Subtest: kvm_stats_table' '    1..1' '    ok 1 - names'
check "a kernel without a suite fails" kunit_fails 'the kernel has KUnit tests'
check "a comment with a count of repetitions is printed" eval "kunit '    # Subtest: s' '    1..1' \
	'    # reads: tried 4000 reads' '    ok 1 - reads' 'ok 1 - s' && grep -qx '# tried: 4000 reads' tap"
