# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: `check` in a repository whose boots and tests do nothing.
# shellcheck shell=bash

check_repo=$work/check
trace=$work/trace
unset ARCH CHECK_JOBS

# script FILE BODY: create the executable FILE in that repository
script()
{
	mkdir -p "$check_repo/${1%/*}"
	printf '#!/bin/bash\ntrace=%s\n%s\n' "$trace" "$2" >"$check_repo/$1"
	chmod +x "$check_repo/$1"
}

# fake_boot NAME ARCH [STATUS]: STATUS is that of its test case
fake_boot()
{
	script "tools/testing/boots/$1" ": '
arch=$2
'
[ \"\${1:-}\" != --build ] || exit ${3:-0}
echo begin $1 >>\"\$trace\"
echo 1..1; [ ${3:-0} = 0 ] || printf 'not '; echo 'ok 1 - it runs'; exit ${3:-0}"
}

# Commit all files of that repository.
commit_repo()
{
	git -C "$check_repo" add -A
	git -C "$check_repo" -c user.name=a -c user.email=a@localhost commit -q --allow-empty -m change
}

make_check_repo()
{
	local name

	rm -rf "$check_repo"
	mkdir -p "$check_repo"/{scripts/lib,tools/testing/{boots/all,host/all},tools/lib/kvmstats,tools/kvm/kvm_stats}
	cp "$ROOT/scripts/lib/common.sh" "$check_repo/scripts/lib/"
	cp -r "$testing"/{check,results,lib,arch} "$check_repo/tools/testing/"
	script scripts/packages :
	script scripts/base :
	for name in a b c; do
		fake_boot $name x86_64
	done
	fake_boot d arm64
	fake_boot all/e x86_64
	git -C "$check_repo" init -q
	echo build/ >"$check_repo/.gitignore"
	commit_repo
	for name in one two; do
		script tools/testing/host/$name.t "echo begin $name >>\$trace
			printf '1..2\nok 1 - it runs\nok 2 - more # SKIP no more\n'"
	done
	script tools/lib/kvmstats/tests/one_test.c :
	script build/unit/lib/checked/unit/one_test 'printf "1..1\nok 1 - unit\n"'
	printf 'check-programs:\n\t@echo %s\n' "build/unit/lib/checked/unit/one_test" >"$check_repo/tools/lib/kvmstats/Makefile"
	printf 'check-programs:\n' >"$check_repo/tools/kvm/kvm_stats/Makefile"
}

# run_check STATUS ARGUMENT...
run_check()
{
	local expected=$1 status=0

	shift
	: >"$trace"
	"$check_repo/tools/testing/check" "$@" >said 2>&1 || status=$?
	cat said
	[ $status = "$expected" ]
}

last_line()
{
	[ "$(tail -n 1 said)" = "$1" ] || { tail -n 3 said; return 1; }
}

make_check_repo
check "check runs all tests and boots of its tier" eval \
	'run_check 0 && [ "$(sort "$trace" | xargs -n 2 | cut -d " " -f 2 | xargs)" = "a b c d one two" ]'
check "the last line counts the test cases" last_line "7 passed, 0 failed, 2 skipped"
check "an unknown test is refused" eval 'run_check 1 nothing; grep -q "there is no test .nothing." said'
fake_boot b x86_64 1
check "a failed boot makes the run fail" run_check 1
check "the last line counts the failed boot" last_line "6 passed, 1 failed, 2 skipped"
make_check_repo
script tools/testing/host/one.t 'printf "1..1\nok 1 - it runs\n"; exit 3'
check "a test that exits with an error although all its test cases passed makes the run fail" run_check 1
check "such a test counts as one failure" eval 'tail -n 1 said | grep -q ", 1 failed,"'
script tools/testing/host/one.t 'printf "1..2\nok 1 - it runs\n"'
check "a test that runs fewer test cases than planned makes the run fail" run_check 1

ends_all()
{
	script tools/testing/host/one.t 'echo $$ >"$trace.pid"; exec sleep 1000'
	: >"$trace.pid"
	"$check_repo/tools/testing/check" one.t >said 2>&1 &
	for _ in {1..200}; do
		[ ! -s "$trace.pid" ] || break
		sleep 0.1
	done
	kill -TERM $!
	wait $!
	[ -s "$trace.pid" ] && timeout 10 tail --pid="$(<"$trace.pid")" -f /dev/null
}

check "check ends its tests when it is killed" ends_all
