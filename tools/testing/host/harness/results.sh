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

run_check 0 one.t >/dev/null
check "the page is refused after a partial run" refuses_page 'Run: make check'
run_check 0 >/dev/null
check "the page needs the results of make check and of make check-deep" refuses_page 'Run: make check-deep'
run_check 0 --deep >/dev/null
check "the page is written" page
check "the page has a line for each test" grep -qE '^\| host/one.t \| 2 \| 0 \|$' page.md
check "the page has the sum of the repetitions of all tests" grep -qF '| reads by a, b and c | 2 | 51 |' page.md
check "each operation in a list of repetitions is counted" grep -qF '| opens | 1 | 5 |' page.md
check "the page says that no release of Debian was checked" grep -qx 'It was not run.' page.md
mkdir -p "$check_repo/tools/testing/release"
cat >"$check_repo/tools/testing/release/results.list" <<'EOF'
# comment
trixie 2026-11-23 0123456789ab 2 13.7 14.2.0 10.0.13 OK 273 7 0 2 3725
sid 2026-11-23 0123456789ab 2 forky/sid 15.2.0 10.2.0 failed 59 - - - 61
EOF
check "the page has a line for each release of Debian" eval 'page && grep -qF "| trixie (13.7) | 23 November 2026 \
| 0123456789ab | 2 | 14.2.0 | 10.0.13 | OK, 4 min 33 s | 7 passed, 0 failed, 2 skipped, 1 h 2 min |" page.md'
check "a run of a release that did not end its tests failed" \
	grep -qF "| failed, 0 min 59 s | failed, 1 min 1 s |" page.md
cp page.md old.md
rm "$check_repo/build/testing/check-deep.tar.gz"
check "the results of a command that was not run in this checkout remain" \
	eval 'page && cmp page.md old.md && grep "those of .*page.md" said'
rm page.md
check "without an earlier page, there must be results" refuses_page 'Run: make check-deep'
fake_boot b x86_64 1
run_check 1 >/dev/null
check "a run with a failure is refused" refuses_page 'has failures'
