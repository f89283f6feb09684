# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t. KUnit's results.

# What KUnit leaves in debugfs, as TAP.
kunit_says()
{
	local status=0

	printf '%s\n' "$@" >"$scratch/results"
	awk -f "$here/kunit.awk" "$scratch/results" >"$scratch/tap" || status=$?
	return $status
}

kunit_fails()
{
	local expected=$1

	shift
	! kunit_says "$@" && grep -qx "not ok [0-9]* - $expected.*" "$scratch/tap"
}

kunit_good()
{
	kunit_says '    # Subtest: kvm_stats_table' '    1..2' '    ok 1 - names' \
		'    ok 2 - sizes' 'ok 1 - kvm_stats_table' &&
		grep -qx 'ok 1 - kvm_stats_table.names' "$scratch/tap" && grep -qx '1..3' "$scratch/tap"
}

kunit_tried()
{
	kunit_says '    # Subtest: s' '    1..1' '    # reads: tried 4000 reads' '    ok 1 - reads' 'ok 1 - s' &&
		grep -qx '# tried: 4000 reads' "$scratch/tap"
}

ok "KUnit's cases become points" kunit_good
ok "a failing case fails, with its suite's name" kunit_fails kvm_stats_table.sizes \
	'    # Subtest: kvm_stats_table' '    1..2' '    ok 1 - names' \
	'    # sizes: EXPECTATION FAILED' '    not ok 2 - sizes' 'not ok 1 - kvm_stats_table'
ok "and what it said is kept" grep -qx '# sizes: EXPECTATION FAILED' "$scratch/tap"
ok "a case of which the result is lost fails" kunit_fails kvm_stats_table.case_2 \
	'    # Subtest: kvm_stats_table' '    1..2' '    ok 1 - names' 'not ok 1 - kvm_stats_table'
ok "what a case tried is a line of the kind that is counted" kunit_tried
ok "a suite without an end fails" kunit_fails kvm_stats_table \
	'    # Subtest: kvm_stats_table' '    1..1' '    ok 1 - names'
ok "no suite at all fails" kunit_fails 'there are suites'
