#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test kvm-stats top in a terminal of tmux: what the screen shows when keys are pressed, VMMs
# appear and end, and the terminal is resized. Most VMMs are fake, so that every value is known.
# Where KVM is available, there are real VMMs, too.
#
# usage: top.t

set -u
# The expected screens have characters that are not ASCII.
export LC_ALL=C.UTF-8

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../kvm_stats.sh
. "$ROOT/tools/testing/host/kvm_stats.sh"
# shellcheck source=../vmm.sh
. "$ROOT/tools/testing/host/vmm.sh"
# shellcheck source=../top/terminal.sh
. "$ROOT/tools/testing/host/top/terminal.sh"
# shellcheck source=../top/fake.sh
. "$ROOT/tools/testing/host/top/fake.sh"
# shellcheck source=../top/statistics.sh
. "$ROOT/tools/testing/host/top/statistics.sh"
# shellcheck source=../top/guests.sh
. "$ROOT/tools/testing/host/top/guests.sh"
# shellcheck source=../top/histogram.sh
. "$ROOT/tools/testing/host/top/histogram.sh"
# shellcheck source=../top/prompt.sh
. "$ROOT/tools/testing/host/top/prompt.sh"
# shellcheck source=../top/size.sh
. "$ROOT/tools/testing/host/top/size.sh"
# shellcheck source=../top/signals.sh
. "$ROOT/tools/testing/host/top/signals.sh"
# shellcheck source=../top/table.sh
. "$ROOT/tools/testing/host/top/table.sh"
# shellcheck source=../top/times.sh
. "$ROOT/tools/testing/host/top/times.sh"
# shellcheck source=../top/vm.sh
. "$ROOT/tools/testing/host/top/vm.sh"

# shellcheck disable=SC2317 # the traps call it
end_all()
{
	in_tmux kill-server 2>/dev/null
	stop_vmms
}

# shellcheck disable=SC2317 # check calls it
no_reports()
{
	! cat "$out"/report* 2>/dev/null
}

unset TMUX NO_COLOR
trap 'end_all; exit 1' INT TERM
trap 'explain_exit "$out/log"; end_all' EXIT

"$ROOT/scripts/packages" top >&2 || bail_out "packages cannot be installed"
rm -f "$out"/report*
# ncurses does not free all of its memory.
printf '%s\n' leak:libtinfo leak:libncursesw >"$out/known"
begin
check "top builds with sanitizers" build_checked
[ -x "$checked/tests/top_monitor" ] || bail_out "top_monitor does not build"
terminal 80 24 C.UTF-8
run_tests statistics_tests
run_tests guest_tests
run_tests histogram_tests
run_tests prompt_tests
run_tests selected_guest_tests
run_tests unreadable_guest_tests
run_tests resize_tests
run_tests refusal_tests
run_tests guest_table_tests
run_tests time_tests
run_tests vm_tests
run_tests signal_tests
run_tests ascii_tests
check "the sanitizers report nothing" no_reports
finish
