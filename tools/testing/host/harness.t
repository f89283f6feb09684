#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The harness judges machines that misbehave: a stand-in for QEMU writes what a
# broken boot would.
set -u
here=$(cd "$(dirname "$0")/../boot" && pwd -P)
. "$here/common.sh"
. "$here/machine.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
points=0
failed=0

ok()
{
	local what=$1

	shift
	points=$((points + 1))
	if "$@" >"$scratch/out" 2>&1; then
		echo "ok $points - $what"
	else
		failed=1
		echo "not ok $points - $what"
		sed 's/^/# /' "$scratch/out" "$out/judged" "$out/points" 2>/dev/null
	fi
}

# machine BODY: what the stand-in does; it knows $verdict and $console
machine()
{
	{
		cat <<-'EOF'
		#!/bin/bash
		for word; do
			case $word in
			file,id=verdict,path=*) verdict=${word#*path=} ;;
			file:*) console=${word#file:} ;;
			esac
		done
		EOF
		printf '%s\n' "$1"
	} >"$scratch/qemu"
	chmod +x "$scratch/qemu"
}

# boot_it SUITE...: run the stand-in and judge it
boot_it()
{
	(run_machine) >/dev/null 2>&1
	"$here/judge" "$out" it "$@" >"$out/judged" 2>&1
	verdict_status=$?
}

new_boot()
{
	out=$scratch/$1
	mkdir -p "$out"
	limit=${2:-20}
}

judged_failed()
{
	[ $verdict_status -ne 0 ] && grep -q "^fail	.*$1" "$out/points"
}

judged_passed()
{
	[ $verdict_status = 0 ] && ! grep -q '^fail' "$out/points"
}

has_point()
{
	grep -qxF "$1	$2	$3" "$out/points"
}

shows()
{
	grep -qF -e "$1" "$out/judged"
}

gone()
{
	! kill -0 "$(cat "$out/pid")" 2>/dev/null
}

good_suite='printf "%s\n" "@suite good" "|TAP version 13" "|1..2" "|ok 1 - first" "|ok 2 - second # SKIP no such thing" "@exit good 0" >"$verdict"'
the_end='echo "@end" >>"$verdict"'

qemu=$scratch/qemu machine=none memory=1 cpus=1 virtio_bus=pci cpu_tcg=none cpu_kvm=none console=none parameters= cmdline='' client= devices= qemu_args= kernel=/
mode=tests
export BOOT_ACCEL=tcg

echo "TAP version 13"
echo "1..65"

new_boot good
machine "$good_suite; $the_end"
boot_it good
ok "a good boot passes" judged_passed
ok "its points are counted" has_point pass good first
ok "a skipped point is counted as skipped" has_point skip good "second # SKIP no such thing"

new_boot dies
machine "$good_suite; kill -KILL \$\$"
boot_it good
ok "a machine that dies fails" judged_failed "boots, runs its tests and powers off"
ok "what it said before that counts" has_point pass good first

new_boot dies-in-suite
machine 'printf "%s\n" "@suite good" "|1..2" "|ok 1 - first" >"$verdict"'
boot_it good later
ok "a machine that dies within a suite fails that suite" judged_failed "runs all of its points"
ok "and the suite that it never got to" has_point fail later runs

new_boot silent
machine ':'
boot_it good
ok "no verdict at all fails" judged_failed "boots, runs its tests and powers off"

new_boot hangs 2
machine "$good_suite"'; echo $$ >"${verdict%/*}/pid"; exec sleep 1000'
boot_it good
ok "a machine that hangs is killed at its time limit" gone
ok "and fails" judged_failed "boots, runs its tests and powers off"
ok "saying why" shows "time limit of 2 s"

new_boot interrupted
machine 'echo $$ >"${verdict%/*}/pid"; exec sleep 1000'
(run_machine) >/dev/null 2>&1 &
for _ in {1..100}; do [ -s "$out/pid" ] && break; sleep 0.1; done
kill -TERM $!
wait $!
ok "a harness that is interrupted takes its machine along" gone

log_fails()
{
	new_boot "log-$1"
	machine "$good_suite; echo '[    1.234567] $2' >\"\$console\"; $the_end"
	boot_it good
	ok "the kernel log fails a boot: $1" judged_failed "kernel log of it is clean"
}

log_fails warn 'WARNING: CPU: 0 PID: 1 at virt/kvm/kvm_main.c:1'
log_fails oops 'Oops: 0002 [#1] SMP'
log_fails kasan 'BUG: KASAN: use-after-free in kvm_stats_read'
log_fails lockdep 'WARNING: possible circular locking dependency detected'
log_fails hung 'INFO: task kvm-stats:77 blocked for more than 120 seconds.'
log_fails refcount 'refcount_t: underflow; use-after-free.'
log_fails busy-cache 'BUG kvm_vcpu: Objects remaining in kvm_vcpu on __kmem_cache_shutdown()'

log_fails kunit '    not ok 2 - sizes'

new_boot log-allowed
echo 'not ok 2 - sizes' >"$out/log-allow"
machine "$good_suite; echo '[    1.234567]     not ok 2 - sizes' >\"\$console\"; $the_end"
boot_it good
ok "what a boot allows in its kernel log is no failure" judged_passed

log_must()
{
	new_boot "log-must-$points"
	echo 'kvm .*: VHE mode' >"$out/log-must"
	machine "$good_suite; echo '[    1.0] kvm [1]: $1' >\"\$console\"; $the_end"
	boot_it good
}

log_must 'VHE mode initialized'
ok "a kernel log that has what it must have is a success" judged_passed
log_must 'Hyp mode initialized'
ok "one that has not is a failure" judged_failed "kernel log has: kvm .*: VHE mode"

new_boot log-ring
machine "$good_suite; echo '>[    1.2] WARNING: at x' >>\"\$verdict\"; $the_end"
boot_it good
ok "the ring buffer counts as well as the console" judged_failed "kernel log of it is clean"

new_boot console-noise
machine "$good_suite; echo 'a test says WARNING: and BUG:' >\"\$console\"; $the_end"
boot_it good
ok "what a test writes to the console is no kernel log" judged_passed

suite_fails()
{
	new_boot "suite-$points"
	machine "printf '%s\n' '@suite s' $2 >\"\$verdict\"; $the_end"
	boot_it s
	ok "a suite fails that $1" judged_failed "$3"
}

suite_fails "has a failed point" "'|1..1' '|not ok 1 - it works' '|# because' '@exit s 1'" "it works"
ok "and the reason is shown" shows "# because"
suite_fails "prints no plan" "'|ok 1 - it works' '@exit s 0'" "prints a plan"
suite_fails "runs fewer points than planned" "'|1..2' '|ok 1 - it works' '@exit s 0'" "runs all of its points"
suite_fails "exits with an error though all passed" "'|1..1' '|ok 1 - it works' '@exit s 3'" "exits with 0"
suite_fails "was killed" "'|1..2' '|ok 1 - it works' '@exit s 137'" "runs to its end"

must_fail()
{
	new_boot "must-fail-$points"
	echo "s the lock is not taken" >"$out/must-fail"
	machine "printf '%s\n' '@suite s' '|1..1' $1 >\"\$verdict\"; $the_end"
	boot_it s
}

must_fail "'|not ok 1 - the lock is not taken' '@exit s 1'"
ok "a point that must fail and does is a success" judged_passed
must_fail "'|ok 1 - the lock is not taken' '@exit s 0'"
ok "one that passes is a failure" judged_failed "the lock is not taken"
must_fail "'|ok 1 - something else' '@exit s 0'"
ok "one that never ran is a failure" judged_failed "the lock is not taken"

# A configuration: what the fragments ask for is there, or it is an error.
config_says()
{
	(
		. "$here/kernel.sh"
		base=none tree=none arch=test config=main config_main=fragment
		boot_dir=$scratch obj=$scratch/obj log=$scratch/log
		mkdir -p "$boot_dir/config" "$obj"
		printf 'CONFIG_A=y\nCONFIG_B=m\n' >"$boot_dir/config/fragment"
		kernel_make() { printf '%s\n' $resolved >"$obj/.config"; }
		resolved=$1
		configure
	)
}

config_refused()
{
	! config_says "$1" 2>"$scratch/said" && grep -q "took no effect.*CONFIG_B=m" "$scratch/said"
}

ok "a configuration that has all lines of its fragments is taken" \
	config_says "CONFIG_A=y CONFIG_B=m"
ok "one in which a line took no effect is refused, naming it" \
	config_refused "CONFIG_A=y CONFIG_B=y"

# An architecture like another one begins with its objects, unless it has some.
begins_with()
{
	(
		. "$here/kernel.sh"
		arch=mips-vz like=mipsel obj=$scratch/5.10-mips-vz-main
		begin_with_objects 2>/dev/null
		[ "$(cat "$obj/.config")" = "$1" ] && [ ! -e "$obj/fragments" ]
	)
}

rm -rf "$scratch"/5.10-*
mkdir "$scratch"/5.10-mips{el,-vz}-main
touch "$scratch/5.10-mipsel-main/fragments"
echo theirs >"$scratch/5.10-mipsel-main/.config"
ok "an architecture begins with the objects of the one that it is like" begins_with theirs
echo ours >"$scratch/5.10-mips-vz-main/.config"
ok "but not if it has its own" begins_with ours

# What a variant is made of, in a repository with a series of one step.
variant_repo=$scratch/variant
mkdir -p "$variant_repo"/{series/5.10,scripts/lib,virt/kvm,tools/testing/boot/mutations,tools/testing/boot/emulation}
(cd "$variant_repo" && touch scripts/series virt/kvm/kvm_stats.c tools/testing/boot/variant.sh &&
	printf 'A step\n---\nadd virt/kvm/kvm_stats.c\n' >series/5.10/0001-step.patch &&
	git init -q && git -c user.name=n -c user.email=e commit -q --allow-empty -m base)

key_of_variant()
{
	(
		. "$here/variant.sh"
		repo=$variant_repo base=$variant_repo
		set -o pipefail
		variant_key "$1"
	)
}

# changes_key COMMAND...: run in that repository
changes_key()
{
	local before

	before=$(key_of_variant patched) && (cd "$variant_repo" && "$@") &&
		[ "$(key_of_variant patched)" != "$before" ]
}

ok "the key of a variant stays" test "$(key_of_variant patched)" = "$(key_of_variant patched)"
ok "another variant has another" test "$(key_of_variant patched)" != "$(key_of_variant step:1)"
ok "it changes with a file of the series" changes_key sh -c 'echo x >virt/kvm/kvm_stats.c'
ok "with its mode" changes_key chmod +x virt/kvm/kvm_stats.c
ok "with a step" changes_key sed -i 's/A step/The step/' series/5.10/0001-step.patch
ok "with a mistake that is put on top" changes_key touch tools/testing/boot/mutations/one.patch
ok "with the base" changes_key git -c user.name=n -c user.email=e commit -q --allow-empty -m another
rm "$variant_repo/virt/kvm/kvm_stats.c"
no_key()
{
	! key_of_variant patched >/dev/null
}

ok "without a file of the series there is none" no_key

# Of a checkout with two programs, one of which has just been made.
programs_are_kept()
{
	(
		. "$here/programs.sh"
		cache=$scratch/cache arch=x programs=$scratch/programs
		kept=$cache/tests/x-0123456789abcdef
		mkdir -p "$programs" "$cache/tests" "$scratch/new" "$scratch/used"
		touch "$programs"/{new_one,new-one.list,old_one} "$scratch/used/own"
		keep_programs "$kept" new_one no_program
		programs=$scratch/new
		take_programs "$kept"
		programs=$scratch/used
		take_programs "$kept"
		[ "$(ls "$scratch/new" | xargs)" = "new-one.list new_one" ] && [ "$(ls "$scratch/used")" = own ]
	)
}

ok "programs that have been made are kept for checkouts that have none" programs_are_kept

manifest_refused()
{
	printf 'boot b x86_64\n\ttest all\n' >"$scratch/boots"
	(
		. "$here/manifest.sh"
		manifest=$scratch/boots results=$scratch
		boot_args b
	) 2>"$scratch/said"
	[ $? -ne 0 ] && grep -q "'test' means nothing here" "$scratch/said"
}

ok "a word in the manifest that means nothing is refused" manifest_refused

# What tests find in their environment.
manifest_environment()
{
	printf 'boot b x86_64\n\tenv A=1 B=2\n' >"$scratch/boots"
	(
		. "$here/manifest.sh"
		manifest=$scratch/boots results=$scratch
		boot_args b
		[[ " ${args[*]} " == *" --env A=1 --env B=2 "* ]]
		env=(A=1 "B=2 3") arch=x86_64 variant=patched mode=tests client= modules= suites= limit=3
		eval "$(boot_env)"
		[ "$A" = 1 ] && [ "$B" = "2 3" ]
	)
}

ok "a boot may set its tests' environment" manifest_environment

# One kernel on another machine.
manifest_overrides()
{
	printf 'boot b x86_64\n\tmachine %s\n\tcpu POWER8\n\tcmdline a b=c\n' pseries,x=y >"$scratch/boots"
	(
		. "$here/manifest.sh"
		manifest=$scratch/boots results=$scratch
		boot_args b
		set -- "${args[@]}"
		while [ "$1" != --must-fail ]; do
			[ "$1" != --set ] || override "$2"
			shift
		done
		[ "$machine" = pseries,x=y ] && [ "$cpu_tcg" = POWER8 ] && [ "$cmdline" = "a b=c" ]
	)
}

setting_refused()
{
	! (override busybox=/bin/true) 2>"$scratch/said" && grep -q "'busybox' cannot be set" "$scratch/said"
}

ok "a boot may have its own machine, CPU and command line" manifest_overrides
ok "a setting that no boot may have is refused" setting_refused

# How far a boot got.
reached()
{
	grep -qx "reached $1" "$out/facts"
}

reaches()
{
	new_boot "reach-$points"
	machine "printf '%s\n' $2 >\"\$verdict\"; $the_end"
	boot_it
	ok "$3" reached "$1"
}

reaches KUnit "'@suite kunit' '|ok 1 - kvm_stats_table.names' '|1..1' '@exit kunit 0'" "a passed KUnit case is how far a boot got"
reaches vCPU "'@suite kunit' '|ok 1 - x' '|1..1' '@exit kunit 0' '@suite stats_abi' '|1..2' '|ok 1 - vcpu.header' '|ok 2 - vm.header' '@exit stats_abi 0'" "the furthest counts, not the last"
reaches VM "'@suite stats_abi' '|1..2' '|ok 1 - vm.header' '|not ok 2 - vcpu.header' '@exit stats_abi 1'" "a point that failed reaches nothing"
reaches - "'@suite vcpu_run' '|1..1' '|ok 1 - mmio # SKIP no guest' '@exit vcpu_run 0'" "neither does one that was skipped"
reaches guest "'@suite vcpu_run' '|1..1' '|ok 1 - mmio.runs' '@exit vcpu_run 0'" "a guest that ran is the furthest"

descriptors_kept()
{
	grep -qx "vm 11" "$out/facts" && grep -qx "vcpu -" "$out/facts"
}

new_boot descriptors
machine "printf '%s\n' '@suite stats_abi' '|1..1' '|ok 1 - vm.header' '|# vm: 11 descriptors' '@exit stats_abi 0' >\"\$verdict\"; $the_end"
boot_it
ok "the number of descriptors is kept" descriptors_kept

tried_is()
{
	printf '%b\n' "$@" | diff - <(sort "$out/tried")
}

new_boot tried
machine "printf '%s\n' '@suite a' '|1..1' '|ok 1 - x' '|# tried: 20 reads by a, b and c' '|# tried: 5 opens, 1 reads by a, b and c' '@exit a 0' \
	'@suite b' '|1..1' '|not ok 1 - x' '|# tried: 30 reads by a, b and c' '@exit b 1' >\"\$verdict\"; $the_end"
boot_it
ok "what was tried is added up, with the failures of the suites that tried it" \
	tried_is 'opens\t5\t0' 'reads by a, b and c\t51\t1'

# What KUnit leaves in debugfs, as TAP.
kunit_says()
{
	local status=0

	printf '%s\n' "$@" >"$scratch/results"
	awk -f "$here/kunit.awk" "$scratch/results" >"$scratch/tap" || status=$?
	return $status
}

kunit_fails()
{
	local expected=$1

	shift
	! kunit_says "$@" && grep -qx "not ok [0-9]* - $expected.*" "$scratch/tap"
}

kunit_good()
{
	kunit_says '    # Subtest: kvm_stats_table' '    1..2' '    ok 1 - names' \
		'    ok 2 - sizes' 'ok 1 - kvm_stats_table' &&
		grep -qx 'ok 1 - kvm_stats_table.names' "$scratch/tap" && grep -qx '1..3' "$scratch/tap"
}

kunit_tried()
{
	kunit_says '    # Subtest: s' '    1..1' '    # reads: tried 4000 reads' '    ok 1 - reads' 'ok 1 - s' &&
		grep -qx '# tried: 4000 reads' "$scratch/tap"
}

ok "KUnit's cases become points" kunit_good
ok "a failing case fails, with its suite's name" kunit_fails kvm_stats_table.sizes \
	'    # Subtest: kvm_stats_table' '    1..2' '    ok 1 - names' \
	'    # sizes: EXPECTATION FAILED' '    not ok 2 - sizes' 'not ok 1 - kvm_stats_table'
ok "and what it said is kept" grep -qx '# sizes: EXPECTATION FAILED' "$scratch/tap"
ok "a case of which the result is lost fails" kunit_fails kvm_stats_table.case_2 \
	'    # Subtest: kvm_stats_table' '    1..2' '    ok 1 - names' 'not ok 1 - kvm_stats_table'
ok "what a case tried is a line of the kind that is counted" kunit_tried
ok "a suite without an end fails" kunit_fails kvm_stats_table \
	'    # Subtest: kvm_stats_table' '    1..1' '    ok 1 - names'
ok "no suite at all fails" kunit_fails 'there are suites'

exit $failed
