#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the library and the kvm-stats command on the build host: they build and install, and
# the commands list, schema, read, query and log report what a real VM does, where KVM is available.
# `make check` in tools/lib/kvmstats and tools/kvm/kvm_stats runs the unit tests.
#
# usage: tools.t

set -u

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=kvm_stats.sh
. "$ROOT/tools/testing/host/kvm_stats.sh"
# shellcheck source=vmm.sh
. "$ROOT/tools/testing/host/vmm.sh"
# shellcheck source=tools/run.sh
. "$ROOT/tools/testing/host/tools/run.sh"
# shellcheck source=tools/build.sh
. "$ROOT/tools/testing/host/tools/build.sh"
# shellcheck source=tools/library.sh
. "$ROOT/tools/testing/host/tools/library.sh"
# shellcheck source=tools/arguments.sh
. "$ROOT/tools/testing/host/tools/arguments.sh"
# shellcheck source=tools/kvm_stats_cli.sh
. "$ROOT/tools/testing/host/tools/kvm_stats_cli.sh"
# shellcheck source=tools/unreadable.sh
. "$ROOT/tools/testing/host/tools/unreadable.sh"
# shellcheck source=tools/log.sh
. "$ROOT/tools/testing/host/tools/log.sh"
# shellcheck source=tools/json.sh
. "$ROOT/tools/testing/host/tools/json.sh"
# shellcheck source=tools/sources.sh
. "$ROOT/tools/testing/host/tools/sources.sh"
# shellcheck source=tools/qmp.sh
. "$ROOT/tools/testing/host/tools/qmp.sh"
# shellcheck source=tools/monitor.sh
. "$ROOT/tools/testing/host/tools/monitor.sh"

trap 'stop_vmms; exit 1' INT TERM
trap 'explain_exit "$out/log"; stop_vmms' EXIT

"$ROOT/scripts/packages" tools >&2 || bail_out "packages cannot be installed"
begin
run_tests build_tests
run_tests exit_reason_tests
run_tests fuzz_tests
run_tests example_tests
run_tests argument_tests
run_tests no_kvm_tests
why=$(why_no_vm)
if [ -n "$why" ]; then
	skip "kvm-stats reads a real VMM" "$why"
else
	run_tests cli_tests
	run_tests vmm_completion_tests
	run_tests unreadable_tests
	run_tests log_tests
	run_tests json_tests
	run_tests source_tests
	run_tests qmp_tests
	run_tests monitor_tests
	run_tests running_example_tests
fi
finish
