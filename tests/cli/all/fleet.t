#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Scrape a fleet with Debian's Prometheus: 100 fake hosts with 44 guests of 4 vCPUs each, whose
# metrics the code of kvm-stats serve writes, and the rules of tools/kvm/kvm_stats/share/. Print the number of
# series, the memory of Prometheus for each, the time of a pass of the rules, and how many guests
# that have ended ("ghosts") are in the ratios. It takes four minutes, one CPU, and 1 GB of memory.
#
# usage: fleet.t [minimal|default|all [series|file|proc]]
#
# The second argument is the kind of the hosts, see tests/fleet.c of the command.

set -u

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"

metrics=${1:-default}
kind=${2:-file}
hosts=100 guests=44 vcpus=4
# Series of a guest and of a host, at most.
declare -A guest_limit=([minimal]=13 [default]=52 [all]=78)
host_limit=60
# Prometheus needs 5 minutes of rates until its memory is stable; four are nearly so.
duration=230

port=20100
web=127.0.0.1:20099
fleet=
prometheus=

end_all()
{
	stop "$prometheus"
	stop "$fleet"
}

trap 'end_all; exit 1' INT TERM
trap 'explain_exit "$out/log"; end_all' EXIT

start_fleet()
{
	build_plain "$plain/tests/fleet" || return 1
	: >"$out/fleet"
	# shellcheck disable=SC2046 # names
	"$plain/tests/fleet" "$port" "$hosts" "$guests" "$vcpus" "$metrics" "$kind" $("$ROOT/tests/compare/extra" x86) \
		>"$out/fleet" 2>&1 &
	fleet=$!
	wait_for_line '^ready' "$out/fleet" "$fleet"
}

start_prometheus()
{
	local host

	rm -rf "$out/data"
	{
		printf 'global: {scrape_interval: 15s}\nrule_files: [%s]\nscrape_configs:\n' "$ROOT/tools/kvm/kvm_stats/share/kvm.rules.yml"
		printf -- '- job_name: kvm\n  static_configs:\n  - labels: {cluster: test}\n    targets:\n'
		for ((host = 0; host < hosts; host++)); do
			echo "    - 127.0.0.1:$((port + host))"
		done
	} >"$out/prometheus.yml"
	"$program" --config.file="$out/prometheus.yml" --storage.tsdb.path="$out/data" \
		--web.listen-address="$web" >"$out/prometheus.log" 2>&1 &
	prometheus=$!
	until_true 60 curl -sSf -o "$out/ready" "http://$web/-/ready"
}

# query EXPRESSION: print the value of the first result, or 0
query()
{
	curl -sS --data-urlencode "query=$1" "http://$web/api/v1/query" | jq -r '.data.result[0].value[1] // "0"'
}

all_hosts_are_up()
{
	[ "$(query 'count(up == 1)')" = "$hosts" ]
}

# own METRIC: print the sum of a metric that Prometheus has about itself
own()
{
	awk -v name="$1" '$1 ~ "^" name "({|$)" { sum += $2 } END { printf "%.3f\n", sum }' "$out/own"
}

# is_at_most VALUE LIMIT
is_at_most()
{
	awk -v value="$1" -v limit="$2" 'BEGIN { exit !(value <= limit) }'
}

measure()
{
	local living

	sleep "$duration"
	curl -sSf "http://$web/metrics" >"$out/own" || return 1
	living=$(query 'count(kvm_guest_vcpus)')
	per_guest=$(query "count({__name__=~\"kvm_(guest|vm)_.*\"}) / count(kvm_guest_vcpus)")
	per_host=$(query "count({job=\"kvm\",guest=\"\",__name__!~\"ALERTS.*|up|scrape_.*\"}) / $hosts")
	series=$(own prometheus_tsdb_head_series)
	bytes=$(awk -v memory="$(own process_resident_memory_bytes)" -v series="$series" 'BEGIN { printf "%.0f", memory / series }')
	pass=$(own prometheus_rule_group_last_duration_seconds)
	failures=$(own prometheus_rule_evaluation_failures_total)
	ended=$(query 'count(rate(kvm_guest_run_delay_seconds_total[5m]) unless kvm_guest_vcpus)')
	ratios=$(query 'count(rate(kvm_guest_run_delay_seconds_total[5m]) / kvm_guest_vcpus)')
	ghosts=$(query 'count((rate(kvm_guest_run_delay_seconds_total[5m]) / kvm_guest_vcpus) unless kvm_guest_vcpus)')
	echo "# $series series in memory, $bytes bytes each; $per_guest for a guest, $per_host for a host" >&3
	echo "# the rules take $pass s in each pass; of $living guests, $ratios have a ratio;" \
		"$ended that have ended have a rate, and $ghosts a ratio" >&3
	[ "$living" = $((hosts * guests)) ]
}

# Guests that have started within the last two scrapes have no ratio yet.
has_no_ghosts()
{
	[ "$ended" -gt 0 ] && [ "$ghosts" = 0 ] && [ "$ratios" -gt $((hosts * guests * 9 / 10)) ]
}

# The host of the tests may be busy, so the limit is ten times that of an idle one.
rules_are_fast()
{
	[ "$failures" = 0.000 ] && is_at_most "$pass" 5
}

fleet_tests()
{
	check "the hosts start" start_fleet
	check "Prometheus starts" start_prometheus
	check "it scrapes all $hosts hosts" until_true 90 all_hosts_are_up
	check "after $duration seconds, all guests have values" measure 3>&1
	check "a guest has at most ${guest_limit[$metrics]} series" is_at_most "$per_guest" "${guest_limit[$metrics]}"
	check "a host has at most $host_limit series of its own" is_at_most "$per_host" "$host_limit"
	check "a series takes at most 4 kB of memory" is_at_most "$bytes" 4000
	check "a pass of the rules takes at most 5 seconds, and none fails" rules_are_fast
	check "guests that have ended have rates, but no ratios" has_no_ghosts
}

"$ROOT/scripts/packages" tools serve >&2 || bail_out "packages cannot be installed"
begin
program=$("$ROOT/tests/lib/unpack" prometheus 2>"$out/log")/usr/bin/prometheus
if [ -x "$program" ]; then
	per_guest=9999 per_host=9999 bytes=9999 pass=9999 failures=9999 ended=0 ratios=0 ghosts=9999
	run_tests fleet_tests
else
	skip "Prometheus scrapes $hosts hosts" "prometheus is not available: $(xargs <"$out/log")"
fi
finish
