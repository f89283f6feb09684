# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t. `check` itself, in a repository whose kernels, boots and tests do
# nothing but write down when they begin and end.

check_repo=$scratch/check
out=$check_repo
trace=$scratch/trace
unset ARCH CHECK_JOBS

# script FILE BODY
script()
{
	mkdir -p "$check_repo/${1%/*}"
	printf '#!/bin/bash\ntrace=%s\n%s\n' "$trace" "$2" >"$check_repo/$1"
	chmod +x "$check_repo/$1"
}

make_check_repo()
{
	local boot=tools/testing/boot name

	rm -rf "$check_repo"
	mkdir -p "$check_repo/$boot"
	cp -r "$here"/{check,common.sh,manifest.sh,judge.awk,arch} "$check_repo/$boot"
	script scripts/packages :
	script scripts/base :
	script $boot/busybox :
	script $boot/build 'echo begin build $(nice) | tee -a "$trace" >&2; sleep 0.4; echo end build >>"$trace"; echo /kernel
		[ "${*: -1}" != broken ]'
	script $boot/boot 'while [ "$1" != --name ]; do shift; done
		out=$(dirname "$0")/../../../build/boot/$2; mkdir -p "$out"
		echo begin boot $(nice) >>"$trace"; sleep 1; echo end boot >>"$trace"
		printf "pass\tsuite\tit runs\n" >"$out/points"'
	printf 'boot %s x86_64\n' a b c d >"$check_repo/$boot/boots"
	for name in one two; do
		script tools/testing/host/$name.t 'echo begin host $(nice) >>"$trace"; sleep 0.4; echo end host >>"$trace"
			printf "1..1\nok 1 - it runs\n"'
	done
}

# run_check ARGUMENT...: in the repository, with a trace of its own
run_check()
{
	: >"$trace"
	"$check_repo/tools/testing/boot/check" "$@" >"$scratch/check.out" 2>"$scratch/check.err"
	check_status=$?
	cat "$scratch/check.out" "$scratch/check.err"
}

check_says()
{
	grep -q -e "$1" "$scratch/check.out" "$scratch/check.err"
}

# never_more BUILDS HOSTS BOOTS ALL: at the same time, until so many builds have ended and after it
never_more()
{
	awk -v builds="$1" -v hosts="$2" -v boots="$3" -v all="$4" '
	{ now[$2] += $1 == "begin" ? 1 : -1; ended += $0 == "end build" }
	ended < builds && now["host"] + now["boot"] > 1 ||
	now["host"] > hosts || now["boot"] > boots || now["host"] + now["boot"] > all {
		print "too many at line " NR
		bad = 1
	}
	END { exit bad || NR == 0 }' "$trace"
}

all_run()
{
	run_check && check_says '^6 passed, 0 failed, 0 skipped$' && [ $check_status = 0 ] &&
		[ "$(grep -c end "$trace")" = 10 ]
}

# all_begin KIND NICENESS
all_begin()
{
	! grep "^begin $1" "$trace" | grep -vxF "begin $1 $2" && grep -q "^begin $1" "$trace"
}

stand_back()
{
	all_begin host "$(nice)" && all_begin boot $(($(nice) + 5)) && all_begin build $(($(nice) + 5))
}

runs_beside_boots()
{
	# For ten seconds it waits for them.
	script tools/testing/host/one.t 'echo begin host >>"$trace"; met=
		while [ -z "$met" ] && [ $SECONDS -lt 10 ]; do
			sleep 0.1
			[ $(($(grep -c "begin boot" "$trace") - $(grep -c "end boot" "$trace"))) -lt 2 ] || met=yes
		done
		echo end host >>"$trace"; echo 1..1; [ "$met" ] || echo -n "not "; echo "ok 1 - it meets two boots"
		[ "$met" ]'
	# It has two kernels and looks for the others for long.
	script tools/testing/boot/build 'case $(grep -c "begin look" "$trace") in [01]) ;; *) sleep 3 ;; esac
		echo begin look >>"$trace"; echo end look >>"$trace"; echo /kernel'
	run_check && never_more 0 1 2 3 && check_says '^6 passed, 0 failed'
}

one_at_a_time()
{
	CHECK_JOBS=1 run_check && never_more 4 1 1 1 && check_says '^6 passed, 0 failed'
}

broken_kernel_fails()
{
	printf '\tvariant broken\n' >>"$check_repo/tools/testing/boot/boots"
	run_check && [ $check_status = 1 ] && check_says '^FAILED d: is built and booted' &&
		check_says '^5 passed, 1 failed'
}

# Killed at work, it leaves nothing behind that goes on.
takes_all_along()
{
	script tools/testing/host/one.t 'echo $$ >"$trace.pid"; exec sleep 1000'
	: >"$trace.pid"
	"$check_repo/tools/testing/boot/check" one.t &
	for _ in {1..100}; do
		[ ! -s "$trace.pid" ] || break
		sleep 0.1
	done
	# Again and again, while it ends what it has started.
	while kill -TERM $! 2>/dev/null; do
		sleep 0.001
	done
	wait $!
	[ -s "$trace.pid" ] && ends "$(cat "$trace.pid")"
}

# ends PID: within ten seconds
ends()
{
	local tries=100

	while kill -0 "$1" 2>/dev/null; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

make_check_repo
ok "check runs all tests and boots, and adds them up" all_run
ok "one at a time while kernels are built, then two boots and a test" never_more 4 1 2 3
ok "boots and builds stand back behind tests of the build machine" stand_back
make_check_repo
ok "CHECK_JOBS=1 runs one at a time" one_at_a_time
ok "only what is named runs" eval 'run_check b two.t && check_says "^2 passed" && [ "$(grep -c end "$trace")" = 3 ]'
ok "what is not there is refused" eval 'run_check nothing; check_says "no boot or test .nothing.; there are: a b c d one.t two.t" && [ $check_status = 1 ]'
ok "a kernel that cannot be built fails its boot alone" broken_kernel_fails
make_check_repo
ok "a test of the build machine runs beside two boots" runs_beside_boots
ok "a check that is killed takes all along" takes_all_along
