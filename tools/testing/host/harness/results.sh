# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t after check.sh: `results`, which writes docs/results.md.
# shellcheck shell=bash

make_check_repo
script tools/testing/host/one.t 'printf "1..2\nok 1 - a\n# tried: 20 reads by a, b and c\nok 2 - b\n# tried: 5 opens, 1 reads by a, b and c\n"'
script tools/testing/host/two.t 'printf "1..1\nok 1 - a\n# tried: 30 reads by a, b and c\n"'

page()
{
	"$check_repo/tools/testing/results" --page "$work/page.md" >said 2>&1
}

refuses_page()
{
	! page && grep -q "$1" said && [ ! -f page.md ] || { cat said; return 1; }
}

commit_repo
run_check 0 one.t >/dev/null
check "the page is refused without a whole run" refuses_page 'Run: make check-all'
run_check 0 >/dev/null
check "make check is not a whole run" refuses_page 'Run: make check-all'
run_check 0 --all >/dev/null
check "the page is written" page
check "the page names the commit, the number of cores and the times of the run" \
	grep -qE "^Commit $(git -C "$check_repo" rev-parse --short=12 HEAD), [0-9]+ [A-Z][a-z]+ 20[0-9]+, $(nproc) cores[.] Kernels" page.md
check "the page has a line for each test, with its time" \
	grep -qE '^\| host/one.t \| 2 \| 0 \| [0-9]+ \| [0-9]+ \| [0-9a-f]{12} \|$' page.md
check "the page has the sum of the repetitions of all tests" grep -qF '| reads by a, b and c | 2 | 51 |' page.md
check "each operation in a list of repetitions is counted" grep -qF '| opens | 1 | 5 |' page.md
check "the page says that no release of Debian was checked" grep -qx 'It was not run.' page.md
mkdir -p "$check_repo/tools/testing/release" "$check_repo/docs"
cat >"$check_repo/tools/testing/release/results.list" <<'EOF'
# comment
trixie 2026-11-23 0123456789ab 2 13.7 14.2.0 10.0.13 OK 273 500 40 61 7 0 2 3725 7200 360 600
sid 2026-11-23 0123456789ab 2 forky/sid 15.2.0 10.2.0 failed 59 60 1 1 - - - 61 62 1 1
EOF
check "the page has a line for each release of Debian" eval 'page && grep -qF "| trixie (13.7) | 23 November 2026 \
| 0123456789ab | 2 | 14.2.0 | 10.0.13 | OK, 4 min 33 s, 8 min 20 s CPU \
| 0 min 40 s, 1 min 1 s CPU | 7 passed, 0 failed, 2 skipped, 1 h 2 min, 2 h 0 min CPU | 6 min 0 s, 10 min 0 s CPU |" page.md'
check "a run of a release that did not end its tests failed" \
	eval 'grep -qF "| failed, 0 min 59 s, 1 min 0 s CPU |" page.md && grep -qF "| failed, 1 min 1 s," page.md'

cp page.md "$check_repo/docs/results.md"
commit_repo
check "a commit of documents and results changes no result" page
echo change >"$check_repo/tools/testing/host/new"
commit_repo
rm page.md
check "results of other sources are refused" refuses_page 'have changed since make check-all ran'
run_check 0 >/dev/null
check "make check says at which commit check-all passed last" \
	grep -q 'make check-all last passed at commit .*Since then, 1 commits have changed' said

missing()
{
	"$check_repo/tools/testing/results" --missing "$check_repo/docs/results.md"
}

check "every test has a row" missing
fake_boot new x86_64
commit_repo
check "a test without a row is reported" eval '[ "$(missing)" = boots/new ]'
rm "$check_repo"/build/testing/check-all.tar.gz*
run_check 0 new >/dev/null
cp "$check_repo/docs/results.md" page.md
check "a test that the whole run did not have gets a row from a run of its own" \
	eval 'page && grep -qE "^\| boots/new \| 1 \| 0 \|" page.md && grep -q "^| boots/a |" page.md'
echo "another change" >"$check_repo/tools/testing/host/new"
run_check 0 new >/dev/null
check "a run on uncommitted changes is refused" eval '! page && grep -q "ran on uncommitted changes" said'
rm page.md
fake_boot b x86_64 1
commit_repo
run_check 1 --all >/dev/null
run_check 1 b >/dev/null
check "a run with a failure is refused" refuses_page 'did not pass since'
fake_boot b x86_64
commit_repo
run_check 0 b >/dev/null
check "a test that failed, was corrected and passed gets a row from its own run" eval 'page &&
	grep -qx "Failed in this run, and passed afterwards: boots/b." page.md &&
	grep -q "^| boots/b |.*| $(git -C "$check_repo" rev-parse --short=12 HEAD) |" page.md'
check "the page names what changed after the whole run, and what ran then" eval '
	xargs -d "\n" <page.md | grep -q "Changed after this run: .tools/testing/boots/b.\. Tests that ran after that: boots/b\."'
