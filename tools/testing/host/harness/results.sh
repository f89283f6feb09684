# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t after check.sh: `check --all` goes on where it was interrupted, and `results`
# writes docs/results.md only from complete runs of committed sources.
# shellcheck shell=bash

# page_is REGEX: writing the page prints REGEX and writes nothing; without REGEX, it writes the page
page_is()
{
	rm -f page.md
	"$check_repo/tools/testing/results" --page "$work/page.md" >said 2>&1
	cat said
	if [ -n "$1" ]; then [ ! -f page.md ] && grep -q "$1" said; else [ -f page.md ]; fi
}

make_check_repo
commit_repo
run_check 0 >/dev/null
check "make check omits test cases, and has no results for the page" page_is 'Run: make check-all'
fake_boot all/e x86_64 1
commit_repo
run_check 1 --all >/dev/null
check "a run with a failure is refused" page_is 'Correct them'
rm -f "$check_repo/build/testing/records/tools/testing/boots/"{all/e,a}
run_check 1 --all >/dev/null
check "check --all runs only tests without a record of success at this commit" eval \
	'[ "$(sort "$trace" | xargs -n 2 | cut -d " " -f 2 | xargs)" = "a all/e" ]'
fake_boot all/e x86_64
commit_repo
run_check 0 --all >/dev/null
check "all tests run at another commit" eval '[ "$(wc -l <"$trace")" = 7 ]'
check "a whole run is written to the page" page_is ''
check "the page has all tests" "$check_repo/tools/testing/results" --missing page.md
run_check 0 --all >/dev/null
check "a run without a test to repeat counts all test cases" eval '[ ! -s "$trace" ] && last_line "8 passed, 0 failed, 2 skipped"'
mkdir -p "$check_repo/docs"
cp page.md "$check_repo/docs/results.md"
mkdir "$check_repo/build/testing/coverage"
echo '{"files": [{"filename": "5.10/virt/kvm/a.c", "line_covered": 1, "line_total": 2, "branch_covered": 3,
	"branch_total": 4}]}' >"$check_repo/build/testing/coverage/kernel.json"
echo 123456789abc >"$check_repo/build/testing/coverage/kernel.commit"
has_coverage() { grep -q '^| virt/kvm/a.c | 1 of 2 | 3 of 4 | 123456789abc |$' page.md; }
check "the page has what make coverage counted" eval 'page_is "" && has_coverage'
rm -r "$check_repo/build/testing/coverage"
check "the page keeps it" eval '"$check_repo/tools/testing/results" --page "$work/page.md" && has_coverage'
whole=$(git -C "$check_repo" rev-parse --short=12 HEAD)
echo change >"$check_repo/tools/testing/host/new"
commit_repo
check "results of other sources are refused" page_is 'have changed since all tests ran'
run_check 0 a >/dev/null
check "check says where all tests last passed, and what has come since" \
	grep "last passed at commit $whole or later. Later commits .*: 1[.]$" said
check "a row has the commit of its run" eval 'page_is "" &&
	[ "$(grep -c "| $(git -C "$check_repo" rev-parse HEAD | cut -c -12) |$" page.md)" = 1 ]'
check "the page says what has changed since the oldest row" grep -q 'Changed after' page.md
echo "another change" >"$check_repo/tools/testing/host/new"
rm -r "$check_repo/build/testing/records"
run_check 0 a >/dev/null
check "a run on uncommitted changes is refused" page_is 'on committed sources'
