# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: Prometheus scrapes kvm-stats.
# shellcheck shell=bash

prometheus=
# A web server with sample statistics, which have those of kernels with the series.
samples=

# Prometheus scrapes these samples, too, because the kernel of this machine may lack some statistics
# of the dashboard and the rules.
start_samples()
{
	local dir=$out/samples

	mkdir -p "$dir" && cp "$out/exposition.prometheus" "$dir/metrics.txt" || return 1
	start_on_free_port samples /metrics.txt
}

run_samples()
{
	# shellcheck disable=SC2154 # start_on_free_port sets it
	exec /usr/bin/python3 -m http.server "$samples_port" --bind 127.0.0.1 \
		--directory "$out/samples"
}

start_prometheus()
{
	rm -rf "$out/tsdb"
	start_on_free_port prometheus /-/ready
}

run_prometheus()
{
	# shellcheck disable=SC2154 # start_on_free_port sets it
	exec "$prometheus_bin" --config.file="$out/prometheus.yml" \
		--storage.tsdb.path="$out/tsdb" \
		--web.listen-address="127.0.0.1:$prometheus_port"
}

# start_on_free_port NAME PATH: start run_NAME, which listens on $NAME_port, until it answers with
# the page PATH. Set NAME to its PID. Another program may use the port between free_port and the
# start.
start_on_free_port()
{
	local name=$1 pid

	for _ in 1 2 3; do
		printf -v "${name}_port" %s "$(free_port)"
		"run_$name" >"$out/$name.log" 2>&1 9>&- &
		pid=$!
		printf -v "$name" %s "$pid"
		until_true 20 answers_or_ended "$name" "$2" && is_running "$pid" && return
		stop "$pid"
	done
	tail -n 5 "$out/$name.log"
	return 1
}

# answers_or_ended NAME PATH
answers_or_ended()
{
	local port=${1}_port

	! is_running "${!1}" || curl -sf -m 5 -o /dev/null "http://127.0.0.1:${!port}$2"
}

configure_prometheus()
{
	cat >"$out/prometheus.yml" <<-END &&
	global:
	  scrape_interval: 1s
	  evaluation_interval: 1s
	rule_files: ['$dashboards/kvm.rules.yml']
	scrape_configs:
	  - job_name: kvm
	    static_configs:
	      - targets: ['127.0.0.1:$(port)']
	  - job_name: kvm-samples
	    metrics_path: /metrics.txt
	    static_configs:
	      - targets: ['127.0.0.1:$samples_port']
	END
	"$promtool" check config "$out/prometheus.yml"
}

# query EXPRESSION: print the values with which Prometheus answers
query()
{
	curl -sS -m 10 -G "http://127.0.0.1:$prometheus_port/api/v1/query" \
		--data-urlencode "query=$1" | jq -r '.data.result[].value[1]' 2>>"$out/log"
}

# is_positive EXPRESSION: return 0 if there are values, and all are positive
is_positive()
{
	query "$1" | awk '{ if (!($1 > 0)) bad = 1 } END { exit bad || !NR }'
}

# has_values COUNT EXPRESSION
has_values()
{
	[ "$(query "$2" | grep -c .)" = "$1" ]
}

# answers_rate EXPRESSION
answers_rate()
{
	if ! until_true 30 is_positive "$1"; then
		curl -sS -m 10 "http://127.0.0.1:$prometheus_port/api/v1/targets" |
			jq -c '.data.activeTargets[]'
		return 1
	fi
	echo "$1 = $(query "$1" | xargs)"
}

# Only OpenMetrics contains units, so a unit shows which format Prometheus scraped.
has_unit()
{
	curl -sS -m 10 -G "http://127.0.0.1:$prometheus_port/api/v1/targets/metadata" \
		--data-urlencode 'match_target={job="kvm"}' |
		jq -e '.data[] | select(.metric == "kvm_stats_sample_duration_seconds") |
			.unit == "seconds"'
}

# find_program NAME PACKAGE...: print the path of the program. If it is not installed, unpack the
# packages until one has it. Installing them would start a server on all addresses.
find_program()
{
	local name=$1 package path

	command -v "$name" && return
	shift
	for package; do
		path=$("$ROOT/tools/testing/lib/unpack" "$package" 2>>"$out/log")/usr/bin/$name
		[ ! -x "$path" ] || { echo "$path"; return; }
	done
	return 1
}

# Debian 12 has promtool in the package prometheus, later releases in a package of its own.
find_prometheus()
{
	: >"$out/log"
	prometheus_bin=$(find_program prometheus prometheus) &&
		promtool=$(find_program promtool prometheus promtool)
}

# promtool_accepts FILE
promtool_accepts()
{
	"$promtool" check metrics <"$1"
}

# vm_query_tests WHY: run the tests that need a VM, or skip them if WHY is not empty
vm_query_tests()
{
	local what="Prometheus answers a query for the rate of a VM's exits"

	if [ -n "$1" ]; then
		skip "$what" "$1"
		return
	fi
	check "$what" answers_rate "rate(kvm_guest_exits_total{guest='$guest',uuid='$uuid'}[10s])"
	check "Prometheus has the histogram of a VM" \
		has_values 1 "kvm_guest_halt_wait_hist_seconds_bucket{guest='$guest',le='+Inf'}"
	dashboard_query_tests
	stop_vmm
	check "time series end when their VMM ends" \
		until_true 10 has_values 0 "kvm_guest_exits_total{guest='$guest'}"
}

# prometheus_tests WHY: WHY is empty, or the reason why no VM can run
prometheus_tests()
{
	local why=$1

	rule_tests
	check "promtool check metrics accepts sample statistics" \
		promtool_accepts "$out/exposition.prometheus"
	[ -n "$why" ] || start_guest >/dev/null || why="the VMM did not start"
	"$stats" serve --once -g "$guest" >"$out/once" 2>/dev/null
	check "promtool check metrics accepts the statistics of this machine" \
		promtool_accepts "$out/once"
	check "the server starts for Prometheus" start_server --listen 127.0.0.1:0
	check "a server of sample statistics starts" start_samples
	check "promtool accepts the configuration" configure_prometheus
	check "Prometheus starts" start_prometheus
	check "Prometheus answers a query for a rate" \
		answers_rate 'rate(kvm_stats_samples_total{job="kvm"}[10s])'
	check "Prometheus reports the target as up" is_positive 'up{job="kvm"}'
	check "Prometheus scrapes OpenMetrics" has_unit
	vm_query_tests "$why"
	stop "$prometheus"
	stop "$samples"
	prometheus=
	samples=
	check "SIGTERM ends the server after the scrapes, without leaks" end_server
}
