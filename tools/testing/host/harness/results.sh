# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t after check.sh: `results`, which writes docs/results.md only for whole runs of
# the current sources that passed.
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
check "make check is not a whole run" page_is 'Run: make check-all'
run_check 0 --all >/dev/null
check "a whole run is written to the page" page_is ''
echo change >"$check_repo/tools/testing/host/new"
commit_repo
check "results of other sources are refused" page_is 'have changed since make check-all ran'
echo "another change" >"$check_repo/tools/testing/host/new"
run_check 0 a >/dev/null
check "a run on uncommitted changes is refused" page_is 'ran on uncommitted changes'
fake_boot b x86_64 1
commit_repo
run_check 1 --all >/dev/null
check "a run with a failure is refused" page_is 'did not pass since'
