#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kvm-stats serve: what it writes is held against expositions that have to come out, and
# read by the parsers of Prometheus; over HTTP it meets clients of all kinds; Debian's
# Prometheus scrapes it, where KVM can be used with a real VM, and node_exporter reads
# its file.
#
# usage, from the top of the repository: tools/testing/host/serve.t

set -u

. "$(dirname "$0")/checked.sh"

top=$PWD
out=$top/build/serve-test
lib=$top/tools/lib/kvmstats
command=$top/tools/kvm/kvm_stats
stats=$out/checked/kvm-stats
# What it has not freed at its end is an error, too.
export ASAN_OPTIONS=detect_leaks=1

. "$(dirname "$0")/tap.sh"
point_log=$out/log

# The name of our VM, quotes and all: whatever else runs on this machine, it is left alone.
guest='"tiny" of serve.t'

for room in processes build exposition options http textfile unit vm prometheus node_exporter systemd; do
	. "$(dirname "$0")/serve/$room.sh"
done

mkdir -p "$out"
if ! scripts/packages tools serve >&2; then
	echo "Bail out! what this is built with cannot be installed"
	exit 1
fi
echo "TAP version 13"
build
unit_test
exposition_tests
option_tests
http_tests
textfile_tests
unit_tests
why=$(no_vm_because)
if [ -n "$why" ]; then
	skip "kvm-stats serve with a real VM" "$why"
else
	real_tests
fi
systemd_tests "$why"
if find_prometheus; then
	prometheus_tests "$why"
else
	skip "Prometheus scrapes it" "it cannot be had: $(xargs <"$out/log")"
fi
if find_node_exporter; then
	node_exporter_tests
else
	skip "node_exporter takes the file" "it cannot be had: $(xargs <"$out/log")"
fi
echo "1..$points"
[ "$failures" -eq 0 ]
