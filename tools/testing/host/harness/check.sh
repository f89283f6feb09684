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
[ \"\${1:-}\" = --build ] && { echo build $1 >>\"\$trace\"; exit ${3:-0}; }
echo begin $1 >>\"\$trace\"; sleep 0.3; echo end $1 >>\"\$trace\"
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
		script tools/testing/host/$name.t "echo begin $name >>\$trace; sleep 0.2; echo end $name >>\$trace
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

# last_line TEXT
last_line()
{
	[ "$(tail -n 1 said)" = "$1" ] || { tail -n 3 said; return 1; }
}

ran()
{
	local expected=$1 found

	found=$(sed -n 's/^begin //p' "$trace" | sort | xargs)
	[ "$found" = "$expected" ] || { echo "ran: $found, expected: $expected"; return 1; }
}

make_check_repo
check "check runs the tests of its tier" run_check 0
check "the last line counts the test cases" last_line "7 passed, 0 failed, 2 skipped"
check "all tests and all boots ran, but no boot of boots/all" ran "a b c d one two"
check "kernels are built before the first test runs" test "$(sed '/^begin/,$d' "$trace" | grep -c build)" = 4
check "a named test runs alone" eval 'run_check 0 b two.t && ran "b two"'
check "a named test of boots/all runs" eval 'run_check 0 e && ran "all/e"'
check "an unknown test is refused" eval 'run_check 1 nothing; grep -q "there is no test .nothing." said'
check "ARCH selects boots" eval 'ARCH=arm64 run_check 1; ran d; grep -q lists.t said'
check "an unknown architecture is refused before any test runs" \
	eval 'ARCH=pdp11 run_check 1; grep -q "there is no architecture .pdp11." said && ran ""'
check "--all runs all tests" eval 'run_check 0 --all && last_line "8 passed, 0 failed, 2 skipped"'
check "--list prints the paths of all tests" eval 'run_check 0 --list && [ "$(grep -c . said)" = 8 ] && grep -qx tools/testing/boots/all/e said'
check "check says that check-all has not run" eval 'run_check 0 && grep -q "has no whole run of make check-all" said'
check "an unknown option is refused" eval 'run_check 1 --slow; grep -q "unknown option" said'

fake_boot b x86_64 1
check "a failed boot makes the run fail" run_check 1
check "the last line counts the failed boot" last_line "6 passed, 1 failed, 2 skipped"
check "the output names the failed boot" grep -q '^FAILED .*boots/b' said
make_check_repo
script tools/testing/host/one.t 'printf "1..1\nok 1 - it runs\n"; exit 3'
check "a test that exits with an error although all its test cases passed makes the run fail" run_check 1
check "such a test counts as one failure" eval 'tail -n 1 said | grep -q ", 1 failed,"'
script tools/testing/host/one.t 'printf "1..2\nok 1 - it runs\n"'
check "a test that runs fewer test cases than planned makes the run fail" run_check 1

# Wait at most 10 seconds for the end of a process.
ends()
{
	for _ in {1..100}; do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

ends_all()
{
	make_check_repo
	script tools/testing/host/one.t 'echo $$ >"$trace.pid"; exec sleep 1000'
	: >"$trace.pid"
	"$check_repo/tools/testing/check" one.t >said 2>&1 &
	for _ in {1..200}; do
		[ ! -s "$trace.pid" ] || break
		sleep 0.1
	done
	kill -TERM $!
	wait $!
	[ -s "$trace.pid" ] && ends "$(cat "$trace.pid")"
}

check "check ends its tests when it is killed" ends_all
