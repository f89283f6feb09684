#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test how the tests themselves can deceive: machines that hang, results that are incomplete or of
# other sources, injected bugs that are not found, and mutants. Nothing is compiled or booted.
# shellcheck disable=SC2015,SC2016,SC2030,SC2031,SC2034 # programs in quotes; variables for sourced files
# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
set -u
testing=$ROOT/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit

begin

# Tests that contain errors which end shell functions.

# tap_test BODY: run a test that has these functions, leave its output in `said`, and return its exit
# status
tap_test()
{
	cat >broken.t <<EOF
set -u
. "$testing/lib/tap.sh"
error()
{
	echo "\${name!}"
	true
}
broken()
{
	check "before" true
	error
	check "not reached" true
}
whole()
{
	check "after" true
}
begin
$1
finish
EOF
	bash broken.t >said 2>&1
}

# tap_fails BODY REGEX...: the test fails, and its output has a line for each REGEX
tap_fails()
{
	local regex status=0

	! tap_test "$1" || status=1
	cat said
	for regex in "${@:2}"; do
		grep -qE -e "$regex" said || { echo "missing: $regex"; status=1; }
	done
	return "$status"
}

# The functions of kvm_stats.sh, which replace some of tap.sh
kvm_stats='ROOT=$PWD; FIXED_ADDRESSES=1; . "$testing/cli/kvm_stats.sh"'
kvm_stats=${kvm_stats//\$testing/$testing}

fails_after_error()
{
	tap_fails 'run_tests broken; run_tests whole' '^ok 1 - before' \
		'^not ok 2 - broken runs all its test cases' '^# An error in an expansion' \
		'name!.*bad substitution' '^ok 3 - after' '^1[.][.]3'
}

fails_in_command()
{
	tap_fails 'expect 0 "it runs" "" error; run_tests whole' '^not ok 1 - it runs' '^ok 2 - after' &&
	tap_fails 'check "it runs" error; run_tests whole' '^not ok 1 - it runs' \
		'^# .*bad substitution' '^ok 2 - after' &&
	tap_fails "$kvm_stats; "'check "it runs" error; run_tests whole' '^not ok 1 - it runs' \
		'^# .*bad substitution' '^ok 2 - after'
}

explains_unset_variable()
{
	tap_fails "$kvm_stats"'; trap '\''explain_exit "$out/log"'\'' EXIT
		check "it runs" eval "echo \$nothing"; run_tests whole' \
		'^# The test ended before' '^# .*nothing: unbound variable' &&
	! grep -q '^1[.][.]' said
}

runs_functions_with_run_tests()
{
	! sed -s '1,/^begin$/d' "$testing"/{cli,static}/*.t | grep -E '^	?[a-z_]+_tests( |$)' |
		grep -vE '^	?run_tests '
}

check "an error in an expansion that ends a function fails the test, and the next function runs" \
	fails_after_error
check "such an error in the command of a test case makes the test case fail" fails_in_command
check "a variable that is not set ends the test, which reports it" explains_unset_variable
check "a function that does not exist fails the test" tap_fails 'run_tests option_tests; run_tests whole' \
	'^not ok 1 - there is a function option_tests' '^ok 2 - after'
check "the tests call functions with test cases with run_tests" runs_functions_with_run_tests

# machine/report: results that are incomplete or wrong.

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
	[ "$status" = "$1" ]
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
new_boot '@begin good'
check "so it does if it has printed nothing" fails 'good: runs to its end' good
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

# machine/machine.sh with a fake QEMU: machines that hang.

# fake_qemu BODY: write a fake QEMU; BODY can use $results, the file for results
fake_qemu()
{
	{
		cat <<-'END'
		#!/bin/bash
		for word; do
			case $word in file,id=results,path=*) results=${word#*path=} ;; esac
		done
		END
		printf '%s\n' "$1"
	} >"$work/qemu"
	chmod +x "$work/qemu"
}

# run_fake NAME SECONDS: run it; it is stopped if it sends nothing for SECONDS; files in $work/NAME
run_fake()
{
	TESTING=$testing qemu=$work/qemu machine=none memory=1 cpus=1 virtio_bus=pci cpu='' cpu_kvm=''
	cpu_flag_kvm='' console=none parameters='' cmdline='' client='' devices='' qemu_args='' host_tsc=''
	kernel=/ mode=tests out=$work/$1 time=$(($2 - 120))
	export BOOT_ACCEL=tcg HARNESS_ACTIVE=1
	mkdir -p "$out"
	# shellcheck source=../machine/machine.sh
	. "$testing/machine/machine.sh"
	# shellcheck source=../machine/qemu.sh
	. "$testing/machine/qemu.sh"
	run_machine >/dev/null 2>&1
}

gone()
{
	[ -s "$1" ] && ! kill -0 "$(cat "$1")" 2>/dev/null
}

fake_qemu 'echo $$ >"${results%/*}/pid"; cd "${results%/*}"
while read -r line; do echo "CPU#0"; done <>monitor.in 1<>monitor.out'
(run_fake hangs 2)
check "a machine that sends nothing is killed" gone hangs/pid
check "the reason why a machine was killed is recorded" grep -q 'sent nothing for 2 s' hangs/ended
check "QEMU is asked what the CPUs do" eval '[ "$(grep -c "^CPU#0" hangs/emulator.log)" = 2 ]'

run_fake interrupted 20 &
for _ in {1..100}; do [ -s interrupted/pid ] && break; sleep 0.1; done
kill -TERM $!
wait $! 2>/dev/null
check "an interrupted runner ends its machine" gone interrupted/pid

fake_qemu 'for i in {1..5}; do echo "|ok $i" >>"$results"; sleep 1; done; echo @end >>"$results"'
(run_fake slow 3)
check "a slow machine that makes progress is not killed" eval '[ ! -f slow/ended ] && [ "$(tail -n 1 slow/results)" = @end ]'

fake_qemu 'echo $$ >"${results%/*}/pid"; echo @end >>"$results"; exec sleep 1000'
start=$SECONDS
(run_fake late 60)
check "a machine that does not power off after its tests is killed" eval 'gone late/pid && [ $((SECONDS - start)) -lt 20 ]'

# machine/boot: injected bugs that are not found.

# A copy of the runner in $work/boots-repo whose machine sends fake results
mkdir -p boots-repo/{scripts/lib,tests/{machine,boots,kernel/bugs/main,arch}}
printf '#!/bin/sh\n' >boots-repo/tests/kernel/kselftests
chmod +x boots-repo/tests/kernel/kselftests
cp "$ROOT/scripts/lib/common.sh" boots-repo/scripts/lib/
cp -r "$testing/lib" boots-repo/tests/
cp -r "$testing"/arch/* boots-repo/tests/arch/
cp "$testing"/machine/{boot,bugs.sh,report} boots-repo/tests/machine/
cat >boots-repo/tests/machine/machine.sh <<'EOS'
progress() { :; }
run_machine()
{
	local bug first=${cmdline##*FIRST_BUG=}

	# The two test cases of each bug fail, except one of `harmless`. `leak` and `crash` end the machine.
	echo "the machine starts with $first" >&2
	for bug in $(tr ' ' '\n' <<<"$bugs" | sed -n "/^$first$/,\$p"); do
		printf '@bug %s\n@begin %s:p\n|1..2\n|not ok 1 - case 1\n' $bug $bug
		[ "$bug" != crash ] || break
		[ $bug = harmless ] && printf "|" || printf "|not "
		printf 'ok 2 - case 2\n@exit %s:p 1\n' $bug
		[ $bug != leak ] || break
	done >"$out/results"
	[ $bug = crash ] || echo @end >>"$out/results"
}
EOS
for bug in a b c d e f leak crash harmless; do
	echo "must fail: p case {1,2}" >boots-repo/tests/kernel/bugs/main/$bug.patch
done
printf '%s\n' 'emulator_packages=' 'describe_emulator() { :; }' >boots-repo/tests/machine/qemu.sh
echo 'make_initramfs() { touch "$out/initramfs.cpio"; }' >boots-repo/tests/machine/initramfs.sh
printf '%s\n' 'build_programs() { :; }' 'choose_programs() { echo "$tests"; }' 'kernel_checkers() { :; }' >boots-repo/tests/machine/programs.sh
mkdir -p "$work/kernel-dir"
touch "$work/kernel-dir/image"

# boot_ends STATUS REGEX ARGUMENT...: boots/b ends with the status and prints REGEX
boot_ends()
{
	local status=0

	NO_INSTALL=1 KERNEL_DIR=$work/kernel-dir boots-repo/tests/boots/b "${@:3}" >said 2>&1 || status=$?
	[ "$status" = "$1" ] && grep -qE -e "$2" said || { cat said; return 1; }
}

{ head -n 1 "$testing/boots/x86_64"; printf '%s\n' arch=x86_64 client= ; } >boots-repo/tests/boots/b
chmod +x boots-repo/tests/boots/b
check "an unknown key of a boot is refused" boot_ends 1 "'must_fial' is not a key" must_fial=x
check "each injected bug makes its test cases fail" \
	boot_ends 0 '^ok .* b:p: case 2 \(fails, as expected\)' bugs='a b'
check "a machine tests several bugs" test "$(grep -c 'machine starts' said)" = 1
check "after a bug that leaves the modules in use, another machine tests the others" \
	boot_ends 0 'machine starts with b$' bugs='a leak b c'
check "their results are those of one boot" \
	test "$(grep -cx -e '1..10' -e 'ok .*(fails, as expected)' said)" = 9
check "a bug whose test case passes fails the boot" \
	boot_ends 1 '^not ok .* harmless:p: case 2 \(must fail\)' bugs='a harmless'
check "a bug that stops the machine fails the boot" \
	boot_ends 1 '^not ok .* crash:p: runs to its end' bugs='a crash b'
check "after such a bug, another machine tests the others" grep -q '^ok .* b:p: case 2' said
check "an unknown bug is refused" boot_ends 1 "there is no bug 'g'" bugs='a g'

# bugs_of COMMIT: print the bugs that QUICK selects for this commit
bugs_of()
{
	echo "$1" >boots-repo/VERSION
	QUICK=yes boot_ends 1 . bugs=all
	sed -n "s,.*repeat.*: tests/boots/b bugs='\(.*\)',\1,p" said
}

selected=$(bugs_of 1)
check "make check tests eight bugs" test "$(wc -w <<<"$selected")" = 8
check "the same commit selects the same bugs" test "$(bugs_of 1)" = "$selected"
check "another commit selects other bugs" test "$(bugs_of 2)" != "$selected"

# programs/kunit.sh, with results of KUnit that are incomplete or failed.

# kunit_fails CASE LINE...: with these lines of KUnit's file in debugfs, the case fails
kunit_fails()
{
	printf '%s\n' "${@:2}" >results
	! "$testing/programs/kunit.sh" results >tap && grep -qx "not ok [0-9]* - $1.*" tap || { cat tap; return 1; }
}

check "a test case of KUnit that fails" kunit_fails s.sizes '    # Subtest: s' '    1..2' '    ok 1 - names' \
	'    not ok 2 - sizes' 'not ok 1 - s'
check "in the format of newer kernels" kunit_fails s.sizes 'KTAP version 1' '1..1' '    KTAP version 1' \
	'    # Subtest: s' '    1..2' '    ok 1 names' '    not ok 2 sizes' 'not ok 1 s'
check "a test case of KUnit whose result is lost" kunit_fails s.case_2 '    # Subtest: s' '    1..2' \
	'    ok 1 - names' 'not ok 1 - s'
check "a suite of KUnit without a result" kunit_fails s '    # Subtest: s' '    1..1' '    ok 1 - names'
check "a kernel without a suite of KUnit" kunit_fails 'the kernel has KUnit tests'

# kernel/variant.sh. If the key of a kernel does not change with its source, the results are of
# another kernel.

repo=$work/variant
mkdir -p "$repo"/{series/5.10,tests/{kernel/{bugs,emulation},mutants}}
touch "$repo/series/5.10/base"
cp "$testing/kernel/variant.sh" "$repo/tests/kernel/"
printf 'diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n' \
	>"$repo/series/5.10/0001-x.patch"

commit_base()
{
	git -C "$repo" -c user.name=n -c user.email=e commit -q --allow-empty -m base
}

key_of()
(
	. "$ROOT/scripts/lib/common.sh"
	. "$testing/kernel/variant.sh"
	ROOT=$repo TESTING=$repo/tests CACHE=$work base=$repo SERIES=5.10
	mkdir -p "$CACHE/tree"
	variant_key "$1"
)

# changes_key COMMAND...: run in that repository
changes_key()
{
	local before

	before=$(key_of patched) && (cd "$repo" && "$@") && [ "$(key_of patched)" != "$before" ]
}

git -C "$repo" init -q
commit_base
check "the key of a variant is stable" test "$(key_of patched)" = "$(key_of patched)"
check "another variant has another key" test "$(key_of patched)" != "$(key_of unpatched)"
check "the key changes with a patch" changes_key sed -i 's/^+x/+y/' series/5.10/0001-x.patch
check "the key changes with an injected bug" changes_key sh -c 'echo x >tests/kernel/bugs/one.patch'
check "the key changes with the base" changes_key commit_base

# mutants/mutate, which must not overlook a place that changes a statistic. The boot `mutants` shows what it
# makes of those that it knows.

mutate_dir=$work/mutate

# mutate STATEMENT: run mutate on a tree with one function that has the statement
mutate()
{
	rm -rf "$mutate_dir"
	mkdir -p "$mutate_dir"/{arch/x/{kvm,include/asm},virt/kvm,include/linux,lib}
	touch "$mutate_dir"/{arch/x/include/asm/kvm_{exit_classes,vcpu_stat_defs},include/linux/kvm_host}.h \
		"$mutate_dir/lib/Makefile"
	printf '#include <linux/kvm_host.h>\n\nstatic void one(struct kvm_vcpu *vcpu)\n{\n%s\n}\n' "$1" \
		>"$mutate_dir/arch/x/kvm/one.c"
	"$testing/mutants/mutate" "$mutate_dir" arch/x/kvm
}

check "mutate takes a statement that counts" mutate '	++vcpu->stat.exits;'
expect 1 "it refuses one that is not known" 'one\(\): not known: .vcpu->stat.exits .= 1;' \
	mutate '	vcpu->stat.exits |= 1;'
expect 1 "and the address of a statistic" 'not known: .count\(&vcpu->stat.exits\);' \
	mutate '	count(&vcpu->stat.exits);'

# `check` in a repository whose boots and tests do nothing.

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
	script "tests/boots/$1" ": '
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
	mkdir -p "$check_repo"/{scripts/lib,tests/{boots/all,cli,static/all}}
	mkdir -p "$check_repo"/tools/{lib/kvmstats,kvm/kvm_stats,kvm/kvm_stat}
	cp "$ROOT/scripts/lib/common.sh" "$check_repo/scripts/lib/"
	cp -r "$testing"/{check,results,lib,arch} "$check_repo/tests/"
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
		script tests/static/$name.t "echo begin $name >>\$trace
			printf '1..2\nok 1 - it runs\nok 2 - more # SKIP no more\n'"
	done
	script tools/lib/kvmstats/tests/one_test.c :
	script build/unit/lib/checked/unit/one_test 'printf "1..1\nok 1 - unit\n"'
	printf 'check-programs:\n\t@echo %s\n' "build/unit/lib/checked/unit/one_test" >"$check_repo/tools/lib/kvmstats/Makefile"
	printf 'check-programs:\n' | tee "$check_repo"/tools/kvm/{kvm_stats,kvm_stat}/Makefile >/dev/null
}

# run_check STATUS ARGUMENT...
run_check()
{
	local expected=$1 status=0

	shift
	: >"$trace"
	"$check_repo/tests/check" "$@" >said 2>&1 || status=$?
	cat said
	[ "$status" = "$expected" ]
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
script tests/static/one.t 'printf "1..1\nok 1 - it runs\n"; exit 3'
check "a test that exits with an error although all its test cases passed makes the run fail" run_check 1
check "such a test counts as one failure" eval 'tail -n 1 said | grep -q ", 1 failed,"'
script tests/static/one.t 'printf "1..2\nok 1 - it runs\n"'
check "a test that runs fewer test cases than planned makes the run fail" run_check 1
script tests/static/one.t 'echo 1..1; sleep 1000 & echo $! >"$trace.pid"; echo "ok 1 - it runs"; wait'
check "a test that never ends makes the run fail, which names it" eval \
	'TIME_LIMIT=2 run_check 1 && grep "one.t was ended: it took more than 2 s" said'
check "what it has started ends, too" timeout 10 tail --pid="$(<"$trace.pid")" -f /dev/null

# ends TEST: check runs it, is killed, and ends the process whose PID is in $trace.pid
ends()
{
	: >"$trace.pid"
	"$check_repo/tests/check" "$1" >said 2>&1 &
	for _ in {1..200}; do
		[ ! -s "$trace.pid" ] || break
		sleep 0.1
	done
	kill -TERM $!
	wait $!
	[ -s "$trace.pid" ] && timeout 10 tail --pid="$(<"$trace.pid")" -f /dev/null
}

script tests/static/one.t 'echo $$ >"$trace.pid"; exec sleep 1000'
check "check ends its tests when it is killed" ends one.t
script tests/boots/b ': "
arch=x86_64
"
echo $$ >"$trace.pid"; exec sleep 1000'
check "it ends the build of a kernel, too" ends b

# `check --all` goes on where it was interrupted. The page of results needs a record of success at
# this commit for each test.

page=$check_repo/build/testing/results.md
records=$check_repo/build/testing/records
tests=$(printf '%s\n' tests/boots/{a,all/e,b,c,d} tests/static/{one,two}.t \
	build/unit/lib/checked/unit/one_test)

# no_page LINE...: results prints no page, but each test without such a record, and why
no_page()
{
	! "$check_repo/tests/results" --page >said 2>&1 || return
	cat said
	sed -n 's/^    //p' said | sort | diff - <(printf '%s\n' "$@" | sort)
}

# all_but TEST REASON: print "TEST: REASON" for all other tests
all_but()
{
	grep -vx "$1" <<<"$tests" | sed "s/$/: $2/"
}

# refused DESCRIPTION SED REASON: no page is printed after this edit of the record of one.t
refused()
{
	cp "$records/tests/static/one.t" record
	sed -i "$2" "$records/tests/static/one.t"
	check "$1 is refused" no_page "tests/static/one.t: $3"
	mv record "$records/tests/static/one.t"
}

make_check_repo
commit_repo
run_check 0 >/dev/null
here=$(git -C "$check_repo" rev-parse --short=12 HEAD)
check "make check omits test cases, so its records make no page" \
	no_page 'tests/boots/all/e: it has no record' \
	"$(all_but tests/boots/all/e "its record is of $here-check")"
fake_boot all/e x86_64 1
commit_repo
run_check 1 --all >/dev/null
check "a run with a failure is refused" no_page 'tests/boots/all/e: it failed'
check "it writes no page" test ! -e "$page"
rm -f "$records/tests/boots/"{all/e,a}
run_check 1 --all >/dev/null
check "check --all runs only tests without a record of success at this commit" eval \
	'[ "$(sort "$trace" | xargs -n 2 | cut -d " " -f 2 | xargs)" = "a all/e" ]'
fake_boot all/e x86_64
commit_repo
run_check 0 --all >/dev/null
here=$(git -C "$check_repo" rev-parse --short=12 HEAD)
check "all tests run at another commit" eval '[ "$(wc -l <"$trace")" = 7 ]'
check "a whole run writes the page, with the commit" grep "^Commit $here, .* cores[.]$" "$page"
check "the page has all tests" eval 'sed -nE "s/^\| ([^ ]+\/[^ ]+) \| .*/\1/p" "$page" |
	diff - <(sed "s,^tests/\|/checked,,g" <<<"$tests" | sort)'
check "the page has the number of test cases" \
	grep '^8 tests: 8 test cases passed, 0 failed, 2 skipped[.]$' "$page"
run_check 0 --all >/dev/null
check "a run without a test to repeat counts all test cases" eval '[ ! -s "$trace" ] && last_line "8 passed, 0 failed, 2 skipped"'
refused "a record of another commit" "s/$here/0123456789ab/" 'its record is of 0123456789ab'
refused "a record of uncommitted changes" "s/$here/&-dirty/" "its record is of $here-dirty"
refused "a record of make check" "s/$here/&-check/" "its record is of $here-check"
refused "a record that has only the exit status" '$!d' 'it failed'
refused "a record without an exit status" '$d' 'its record is of no commit'
refused "a record in which no test case ran" 's/^ok [12].*/& # SKIP/' \
	'it ran no test case, and does not say why'
sed -i.before 's/^ok [12].*/& # SKIP no root/' "$records/tests/static/one.t"
check "the page has the reason why a test skipped all of its test cases" eval \
	'"$check_repo/tests/results" --page | grep "^- static/one.t: no root$"'
mv "$records/tests/static/one.t.before" "$records/tests/static/one.t"
mv "$records/tests/static/one.t" record
check "a missing record is refused" no_page 'tests/static/one.t: it has no record'
rm -r "$records"
mkdir -p "$records/tests/static"
mv record "$records/tests/static/one.t"
check "one record is not a run" no_page "$(all_but tests/static/one.t 'it has no record')"
run_check 0 --all >/dev/null
git -C "$check_repo" -c user.name=a -c user.email=a@localhost commit -q --allow-empty -m change
check "records of another commit are refused" no_page "$(all_but none "its record is of $here")"
echo change >"$check_repo/tests/static/new"
expect 1 "uncommitted changes are refused" 'changes that are in no commit' \
	"$check_repo/tests/results" --page
run_check 0 --all >/dev/null
check "a run on them passes, and removes the page" test ! -e "$page"

finish
