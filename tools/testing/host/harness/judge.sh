# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t. Boots that end in all kinds of ways.

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
