# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. Prometheus scrapes it.

free_port()
{
	/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# Between looking for a port and using it, someone else may take it.
start_prometheus()
{
	local tries

	for tries in 1 2 3; do
		rm -rf "$out/tsdb"
		prometheus_port=$(free_port)
		"$prometheus_dir/prometheus" --config.file="$out/prometheus.yml" \
			--storage.tsdb.path="$out/tsdb" --web.listen-address="127.0.0.1:$prometheus_port" \
			>"$out/prometheus.log" 2>&1 9>&- &
		prometheus=$!
		until_true 20 ready_or_gone && kill -0 "$prometheus" 2>/dev/null && return
		stop "$prometheus"
	done
	tail -n 5 "$out/prometheus.log"
	return 1
}

ready_or_gone()
{
	! kill -0 "$prometheus" 2>/dev/null ||
		curl -sf -m 5 -o /dev/null "http://127.0.0.1:$prometheus_port/-/ready"
}

configure_prometheus()
{
	cat >"$out/prometheus.yml" <<-END &&
	global:
	  scrape_interval: 1s
	scrape_configs:
	  - job_name: kvm
	    static_configs:
	      - targets: ['127.0.0.1:$(port)']
	END
	"$prometheus_dir/promtool" check config "$out/prometheus.yml"
}

# query EXPRESSION: the values
query()
{
	curl -sS -m 10 -G "http://127.0.0.1:$prometheus_port/api/v1/query" --data-urlencode "query=$1" |
		jq -r '.data.result[].value[1]' 2>>"$out/log"
}

# is_positive EXPRESSION: every value of it, and there are some
is_positive()
{
	query "$1" | awk '{ if (!($1 > 0)) bad = 1 } END { exit bad || !NR }'
}

# has_values COUNT EXPRESSION
has_values()
{
	[ "$(query "$2" | grep -c .)" = "$1" ]
}

answers_rate()
{
	if ! until_true 30 is_positive "$1"; then
		curl -sS -m 10 "http://127.0.0.1:$prometheus_port/api/v1/targets" | jq -c '.data.activeTargets[]'
		return 1
	fi
	echo "$1 = $(query "$1" | xargs)"
}

# Only OpenMetrics tells units.
knows_unit()
{
	curl -sS -m 10 "http://127.0.0.1:$prometheus_port/api/v1/targets/metadata" |
		jq -e '.data[] | select(.metric == "kvm_stats_sample_duration_seconds") | .unit == "seconds"'
}

# Its package would start a server on all of the machine's addresses, so it is unpacked only.
find_prometheus()
{
	prometheus_dir=$(dirname "$(command -v prometheus)")
	[ -x "$prometheus_dir/promtool" ] && return
	prometheus_dir=$(scripts/unpack prometheus 2>"$out/log")/usr/bin
	[ -x "$prometheus_dir/promtool" ]
}

lint()
{
	"$prometheus_dir/promtool" check metrics <"$1"
}

prometheus_tests()
{
	local why=$1

	check "promtool check metrics passes made-up statistics" lint "$out/exposition.prometheus"
	[ -n "$why" ] || start_vmm || why="the VMM did not start"
	"$stats" serve --once -g "$guest" >"$out/once" 2>/dev/null
	check "promtool check metrics passes those of this machine" lint "$out/once"
	check "it serves for Prometheus" start_server --listen 127.0.0.1:0
	check "promtool takes the configuration" configure_prometheus
	check "Prometheus starts" start_prometheus
	check "it answers a query for a rate" answers_rate 'rate(kvm_stats_samples_total[10s])'
	check "it knows the target as up" is_positive 'up{job="kvm"}'
	check "it has taken OpenMetrics" knows_unit
	if [ -n "$why" ]; then
		skip "it answers a query for the rate of a VM's exits" "$why"
	else
		check "it answers a query for the rate of a VM's exits" answers_rate \
			"rate(kvm_vcpu_exits_total{guest='$guest',pid='$vmm'}[10s])"
		check "it knows a histogram" \
			has_values 2 "kvm_vcpu_halt_wait_hist_seconds_bucket{pid='$vmm',le='+Inf'}"
		stop_vmm
		check "series end with their VMM" \
			until_true 10 has_values 0 "kvm_vcpu_exits_total{guest='$guest'}"
	fi
	stop "$prometheus"
	prometheus=
	check "SIGTERM ends it, and nothing has leaked of the scrapes" end_server
}
