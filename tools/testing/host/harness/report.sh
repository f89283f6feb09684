# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: machine/report: results that are incomplete or wrong.
# shellcheck shell=bash

good='@begin good
|1..2
|ok 1 - first
|ok 2 - second # SKIP no such thing
@exit good 0'

# new_boot LINE...: a directory `dir` with these results
new_boot()
{
	dir=$work/boot
	rm -rf "$dir"
	mkdir "$dir"
	printf '%s\n' "$@" >"$dir/results"
}

# reported STATUS PROGRAM...: run report; its output is in the file tap
reported()
{
	local status=0

	"$testing/machine/report" "$dir" it "${@:2}" >tap 2>&1 || status=$?
	cat tap
	[ $status = "$1" ]
}

# fails REGEX PROGRAM...: a test case that matches fails
fails()
{
	reported 1 "${@:2}" && grep -qE "^not ok [0-9]+ - $1" tap
}

new_boot "$good" @end
check "a good boot passes" reported 0 good
new_boot "$good"
check "a machine that stops early fails" fails 'it boots, runs its tests and powers off'
new_boot '@begin good' '|1..1' '|ok 1 - first'
check "if a machine stops while a program runs, the program fails" fails 'good: runs to its end' good
check "a program that did not run fails" fails 'later: runs' good later
new_boot
check "a machine without results fails" fails 'it boots, runs its tests and powers off'

new_boot "$good" @end
echo '[    1.234567] WARNING: CPU: 0 PID: 1 at virt/kvm/kvm_main.c:1' >"$dir/console"
echo 'kvm .*: VHE mode' >"$dir/log-must"
check "a line of the kernel log fails a boot" fails 'the kernel log is clean' good
check "a kernel log without a required line fails" fails 'the kernel log has: kvm \.\*: VHE mode' good
new_boot "$good" '>[    1.2] WARNING: at x' @end
check "a line of the kernel's ring buffer fails a boot" fails 'the kernel log is clean' good

# program_fails DESCRIPTION REGEX LINE...: the program s with these lines fails
program_fails()
{
	new_boot '@begin s' "${@:3}" @end
	check "a program fails that $1" fails "s: $2" s
}

program_fails "has a failed test case" 'it works' '|1..1' '|not ok 1 - it works' '@exit s 1'
program_fails "prints no plan" 'runs to its end' '|ok 1 - it works' '@exit s 0'
program_fails "runs fewer test cases than planned" 'runs to its end' '|1..2' '|ok 1 - it works' '@exit s 0'
program_fails "exits with an error although all test cases passed" 'runs to its end' \
	'|1..1' '|ok 1 - it works' '@exit s 3'
program_fails "was killed" 'runs to its end' '|1..2' '|ok 1 - it works' '@exit s 137'
program_fails "bails out" 'runs to its end' '|1..2' '|Bail out! no memory' '@exit s 1'
program_fails "runs no test case" 'runs to its end' '|1..0' '@exit s 0'

# must_fail LINE STATUS: a boot in which "the lock is taken" of s must fail; s has this test case
must_fail()
{
	new_boot '@begin s' '|1..1' "|$1" "@exit s $2" @end
	echo "s the lock is taken" >"$dir/must-fail"
}

must_fail 'not ok 1 - the lock is taken' 1
check "a test case that must fail and fails passes" reported 0 s
must_fail 'ok 1 - the lock is taken' 0
check "a test case that must fail and passes fails" fails 's: the lock is taken \(must fail\)' s
must_fail 'ok 1 - the lock is taken # SKIP no lock' 0
check "a test case that must fail and is skipped fails" fails 's: the lock is taken \(must fail\)' s
must_fail 'ok 1 - another one' 0
check "a test case that must fail and did not run fails" fails 's: the lock is taken \(must fail\)' s
