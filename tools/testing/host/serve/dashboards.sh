# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: the dashboard for Grafana and the rules for Prometheus.
# shellcheck shell=bash

dashboards=$ROOT/dashboards
dashboard=$dashboards/kvm-guests.json

rules_are_valid()
{
	"$promtool" check rules "$dashboards/kvm.rules.yml"
}

rules_work()
{
	(cd "$dashboards" && "$promtool" test rules kvm.test.yml)
}

# Each alert is in the rules' own tests.
alerts_are_tested()
{
	sed -n 's/^ *- alert: //p' "$dashboards/kvm.rules.yml" | sort >"$out/alerts"
	sed -n 's/.*alertname="\([^"]*\)".*/\1/p' "$dashboards/kvm.test.yml" | sort -u |
		diff "$out/alerts" - && [ -s "$out/alerts" ]
}

# Panels have different IDs, do not overlap, and have queries, except for the rows.
dashboard_is_valid()
{
	/usr/bin/python3 - "$dashboard" <<-'END'
	import json, sys
	panels = json.load(open(sys.argv[1]))['panels']
	taken, ids = {}, set()
	for panel in panels:
	    title, grid = panel['title'], panel['gridPos']
	    assert panel['id'] not in ids, title
	    ids.add(panel['id'])
	    assert panel['type'] == 'row' or panel['targets'], title
	    for y in range(grid['y'], grid['y'] + grid['h']):
	        for x in range(grid['x'], grid['x'] + grid['w']):
	            assert x < 24 and (x, y) not in taken, (title, taken.get((x, y)))
	            taken[x, y] = title
	print(len(panels), 'panels')
	sys.exit(len(panels) < 10)
	END
}

# Print the queries of the dashboard, one per line, with all values of its variables.
dashboard_queries()
{
	# shellcheck disable=SC2016 # the variables are those of the dashboard
	jq -r '.panels[].targets[]?.expr' "$dashboard" |
		sed 's/\$__rate_interval/10s/g; s/\$instance/.*/g; s/\$guest/.*/g'
}

# Print the queries of the recording rules.
recorded_names()
{
	sed -n 's/^ *- record: //p' "$dashboards/kvm.rules.yml"
}

# Every query has a result. The labels of the result are not examined.
queries_have_results()
{
	local expression status=0

	while IFS= read -r expression; do
		has_result "$expression" && continue
		echo "no result: $expression"
		status=1
	done
	return "$status"
}

has_result()
{
	[ -n "$(query "$1")" ]
}

dashboard_has_results()
{
	[ "$(dashboard_queries | wc -l)" -gt 20 ] && dashboard_queries | queries_have_results
}

rules_have_results()
{
	[ "$(recorded_names | wc -l)" -gt 5 ] && recorded_names | queries_have_results
}

# Prometheus evaluates all rules without an error.
rules_are_evaluated()
{
	curl -sS -m 10 "http://127.0.0.1:$prometheus_port/api/v1/rules" >"$out/rules.json" &&
	jq -c '.data.groups[].rules[] | select(.health != "ok")' "$out/rules.json" &&
	jq -e '[.data.groups[].rules[].health] | length > 10 and all(. == "ok")' "$out/rules.json"
}

# Prometheus has all metrics that the dashboard and the rules use: a misspelled name has no
# values, which is no error.
metrics_exist()
{
	curl -sS -m 10 "http://127.0.0.1:$prometheus_port/api/v1/label/__name__/values" |
		jq -r '.data[]' | sort >"$out/names"
	{
		dashboard_queries
		sed -n 's/^ *expr://p; /^ *expr: >/,/^ *\(for\|- record\|labels\)/p' \
			"$dashboards/kvm.rules.yml"
	} | grep -oE '\b(kvm|process)_[a-z0-9_]+' | sort -u >"$out/used"
	# Parts of the names of recording rules follow a colon.
	recorded_names | grep -oE '\bkvm_[a-z0-9_]+' | sort -u >"$out/recorded"
	comm -23 "$out/used" <(sort -u "$out/names" "$out/recorded") >"$out/unknown"
	cat "$out/unknown"
	[ "$(wc -l <"$out/used")" -gt 30 ] && [ ! -s "$out/unknown" ]
}

# The tests that need no VM, but promtool.
rule_tests()
{
	check "promtool accepts the rules" rules_are_valid
	check "the rules record the right values and raise the right alerts" rules_work
	check "each alert has a test" alerts_are_tested
	check "the dashboard is valid" dashboard_is_valid
}

# The tests that need a Prometheus that scrapes a VM.
dashboard_query_tests()
{
	check "Prometheus answers all queries of the dashboard" \
		until_true 20 dashboard_has_results
	check "Prometheus records all rules" until_true 20 rules_have_results
	check "Prometheus evaluates all rules without an error" until_true 20 rules_are_evaluated
	check "Prometheus has all metrics that dashboard and rules use" metrics_exist
}
