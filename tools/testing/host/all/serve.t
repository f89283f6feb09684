#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test kvm-stats serve: its expositions of sample statistics, which the parsers of Prometheus
# read; HTTP with all kinds of clients; the file for node_exporter; the systemd unit; a real VM,
# where KVM is available; Debian's Prometheus and node_exporter.
#
# usage: serve.t

set -u

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../kvm_stats.sh
. "$ROOT/tools/testing/host/kvm_stats.sh"
# shellcheck source=../vmm.sh
. "$ROOT/tools/testing/host/vmm.sh"

# The name of the guest. Other VMs may run on this machine, also those of another serve.t.
guest="\"tiny\" of serve.t $$"

# shellcheck source=../serve/server.sh
. "$ROOT/tools/testing/host/serve/server.sh"
# shellcheck source=../serve/build.sh
. "$ROOT/tools/testing/host/serve/build.sh"
# shellcheck source=../serve/exposition.sh
. "$ROOT/tools/testing/host/serve/exposition.sh"
# shellcheck source=../serve/options.sh
. "$ROOT/tools/testing/host/serve/options.sh"
# shellcheck source=../serve/http.sh
. "$ROOT/tools/testing/host/serve/http.sh"
# shellcheck source=../serve/clients.sh
. "$ROOT/tools/testing/host/serve/clients.sh"
# shellcheck source=../serve/web.sh
. "$ROOT/tools/testing/host/serve/web.sh"
# shellcheck source=../serve/textfile.sh
. "$ROOT/tools/testing/host/serve/textfile.sh"
# shellcheck source=../serve/unit.sh
. "$ROOT/tools/testing/host/serve/unit.sh"
# shellcheck source=../serve/vm.sh
. "$ROOT/tools/testing/host/serve/vm.sh"
# shellcheck source=../serve/prometheus.sh
. "$ROOT/tools/testing/host/serve/prometheus.sh"
# shellcheck source=../serve/dashboards.sh
. "$ROOT/tools/testing/host/serve/dashboards.sh"
# shellcheck source=../serve/node_exporter.sh
. "$ROOT/tools/testing/host/serve/node_exporter.sh"
# shellcheck source=../serve/systemd.sh
. "$ROOT/tools/testing/host/serve/systemd.sh"

# shellcheck disable=SC2317 # the traps call it
end_all()
{
	stop_systemd
	stop "$node_exporter"
	stop "$prometheus"
	stop "$samples"
	stop_server
	stop_vmms
}

trap 'end_all; exit 1' INT TERM
trap 'explain_exit "$out/log"; end_all' EXIT

"$ROOT/scripts/packages" tools serve >&2 || bail_out "packages cannot be installed"
begin
run_tests build_tests
run_tests exposition_tests
run_tests option_tests
run_tests http_tests
run_tests client_tests
run_tests web_tests
run_tests textfile_tests
run_tests unit_tests
why=$(why_no_vm)
if [ -n "$why" ]; then
	skip "kvm-stats serve reports a real VM" "$why"
else
	run_tests vm_tests
fi
run_tests systemd_tests "$why"
if find_prometheus; then
	run_tests prometheus_tests "$why"
else
	skip "Prometheus scrapes kvm-stats" "Prometheus is not available: $(xargs <"$out/log")"
fi
if find_node_exporter; then
	run_tests node_exporter_tests
else
	skip "node_exporter reads the file" "node_exporter is not available: $(xargs <"$out/log")"
fi
finish
