# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: machine/report, which turns what a machine sent into TAP.
# shellcheck shell=bash

good='@begin good
|TAP version 13
|1..2
|ok 1 - first
|ok 2 - second # SKIP no such thing
@exit good 0'

# new_boot LINES: a directory `dir` with these results
new_boot()
{
	dir=$work/boot
	rm -rf "$dir"
	mkdir "$dir"
	printf '%s\n' "$1" >"$dir/results"
}

# reported STATUS PROGRAM...: run report; its output is in the file tap
reported()
{
	local expected=$1 status=0

	shift
	"$testing/machine/report" "$dir" it "$@" >tap 2>&1 || status=$?
	cat tap
	[ $status = "$expected" ]
}

has()
{
	grep -qE -e "$1" tap || { cat tap; return 1; }
}

# fails REGEX PROGRAM...: a test case that matches fails
fails()
{
	local regex=$1

	shift
	reported 1 "$@" && has "^not ok [0-9]+ - $regex"
}

new_boot "$good
@end"
check "a good boot passes" reported 0 good
check "the name of a test case begins with its program" has '^ok 1 - good: first$'
check "a skipped test case keeps its reason" has '^ok 2 - good: second # SKIP no such thing$'
check "the plan counts the test cases" has '^1\.\.4$'

new_boot "$good"
check "a machine that stops early fails" fails 'it boots, runs its tests and powers off'
check "the results before a machine stopped are printed" has '^ok 1 - good: first$'
echo "the machine sent nothing for 2 s" >"$dir/ended"
check "a machine that was stopped fails" fails 'it boots, runs its tests and powers off'
check "the reason why a machine was stopped is printed" has '^# the machine sent nothing for 2 s'

new_boot '@begin good
|1..2
|ok 1 - first'
check "if a machine stops while a program runs, the program fails" fails 'good: runs to its end' good later
check "a program that did not run fails" has '^not ok [0-9]+ - later: runs'
new_boot ''
check "a machine without results fails" fails 'it boots, runs its tests and powers off'
check "the end of the emulator's messages is printed" eval 'echo "qemu: no such machine" >"$dir/emulator.log"; reported 1 && has "^# qemu: no such machine"'

# log_fails LINE: this line of the kernel log fails the boot
log_fails()
{
	new_boot "$good
@end"
	echo "[    1.234567] $1" >"$dir/console"
	check "a line of the kernel log fails a boot: $1" fails 'the kernel log is clean' good
}

log_fails 'WARNING: CPU: 0 PID: 1 at virt/kvm/kvm_main.c:1'
log_fails 'Oops: 0002 [#1] SMP'
log_fails 'BUG: KASAN: use-after-free in kvm_stats_read'
log_fails 'WARNING: possible circular locking dependency detected'
log_fails 'INFO: task kvm-stats:77 blocked for more than 120 seconds.'
log_fails 'refcount_t: underflow; use-after-free.'
log_fails 'BUG kvm_vcpu: Objects remaining in kvm_vcpu on __kmem_cache_shutdown()'
log_fails '    not ok 2 - sizes'
echo 'not ok 2 - sizes' >"$dir/log-allow"
check "a boot can allow a line of the kernel log" reported 0 good
echo '[    1.0] kvm [1]: VHE mode initialized' >"$dir/console"
echo 'kvm .*: VHE mode' >"$dir/log-must"
check "a kernel log with all required lines passes" reported 0 good
echo '[    1.0] kvm [1]: Hyp mode initialized' >"$dir/console"
check "a kernel log without a required line fails" fails 'the kernel log has: kvm \.\*: VHE mode' good
new_boot "$good
>[    1.2] WARNING: at x
@end"
check "the kernel's ring buffer is checked in addition to the console" fails 'the kernel log is clean' good
new_boot "$good
>init: ERROR: the kernel cannot be locked down
@end"
check "an error of the machine's init fails the boot" fails 'the kernel log is clean' good
new_boot "$good
@end"
echo 'a test says WARNING: and BUG:' >"$dir/console"
check "what a test program writes to the console is not the kernel log" reported 0 good

# program_fails DESCRIPTION LINES REGEX: the program s with these lines fails
program_fails()
{
	new_boot "@begin s
$2
@end"
	check "a program fails that $1" fails "s: $3" s
}

program_fails "has a failed test case" '|1..1
|not ok 1 - it works
|# because
@exit s 1' 'it works'
check "the comment after a failed test case is printed" has '^# because$'
program_fails "prints no plan" '|ok 1 - it works
@exit s 0' 'runs to its end'
program_fails "runs fewer test cases than planned" '|1..2
|ok 1 - it works
@exit s 0' 'runs to its end'
program_fails "exits with an error although all test cases passed" '|1..1
|ok 1 - it works
@exit s 3' 'runs to its end'
program_fails "was killed" '|1..2
|ok 1 - it works
@exit s 137' 'runs to its end'
program_fails "bails out" '|1..2
|Bail out! no memory
@exit s 1' 'runs to its end'
program_fails "runs no test case" '|1..0
@exit s 0' 'runs to its end'
new_boot '@begin s
|1..0 # SKIP no guest
@exit s 0
@end'
check "a program can skip all test cases" reported 0 s
check "a program that skips all test cases counts as one skipped test case" has '^ok 1 - s: all # SKIP no guest$'
new_boot '@begin s
|1..1
|no such device
|not ok 1 - it works
@exit s 1
@end'
check "output that is not TAP is printed as comments" eval 'reported 1 s && has "^# no such device$"'

# must_fail LINES: a boot in which "the lock is taken" must fail
must_fail()
{
	new_boot "@begin s
|1..1
$1
@end"
	echo "s the lock is taken" >"$dir/must-fail"
}

must_fail '|not ok 1 - the lock is taken
@exit s 1'
check "a test case that must fail and fails passes" reported 0 s
must_fail '|ok 1 - the lock is taken
@exit s 0'
check "a test case that must fail and passes fails" fails 's: the lock is taken \(must fail\)' s
must_fail '|ok 1 - the lock is taken # SKIP no lock
@exit s 0'
check "a test case that must fail and is skipped fails" fails 's: the lock is taken \(must fail\)' s
must_fail '|ok 1 - another one
@exit s 0'
check "a test case that must fail and did not run fails" fails 's: the lock is taken \(must fail\)' s
