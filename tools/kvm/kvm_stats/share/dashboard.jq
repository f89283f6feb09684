# SPDX-License-Identifier: GPL-2.0-only
# Print a dashboard for Grafana: jq -nR --arg uid kvm-guest -f dashboard.jq kvm-guest.list
#
# A list has, with blank lines between them:
#
#	dashboard TITLE			and in the next line its description
#	row TITLE
#	PANEL UNIT TITLE		a panel; "-": no unit
#		# DESCRIPTION		if it has one
#		LEGEND = QUERY		or QUERY, in panels without a legend
#
# A PANEL is a graph; a table, or table/5 if it has that height; a stat, which is one number; or an
# alarm, which is a stat that is red from 1 on. In queries, HOSTS, HOST and GUEST are what the user
# has selected, and RATE is the interval that Grafana recommends.

def selectors:
	if $uid == "kvm-fleet" then { HOSTS: "job=\"$job\",cluster=~\"$cluster\"" }
	else { HOST: "job=\"$job\",instance=\"$instance\"",
	       GUEST: "job=\"$job\",instance=\"$instance\",guest=\"$guest\"" } end;

def source: { type: "prometheus", uid: "${datasource}" };

# ---- panels ----

# "LEGEND = QUERY" of a graph, or "QUERY"
def target($kind; $number):
	{ refId: ([65 + $number] | implode) }
	+ if $kind == "graph" then capture("^(?<legendFormat>.*?) = (?<expr>.*)")
	  else { expr: ., instant: true } end
	+ if $kind == "table" then { format: "table" } else {} end
	| .expr |= reduce (selectors | to_entries[]) as $set
		(gsub("\\[RATE\\]"; "[$__rate_interval]"); gsub("{\($set.key)(?<end>[,}])"; "{\($set.value)\(.end)"));

def fields($kind; $unit; $description):
	{ min: 0 }
	+ if $unit == "-" then {} else { unit: $unit } end
	+ if $description | test("Needs exit statistics") then { noValue: ("No exit statistics. If they are off, "
		+ "switch them on: echo 1 >/sys/module/kvm/parameters/exit_stats") } else {} end
	+ ({ graph: { custom: { fillOpacity: 10, showPoints: "never" } },
	     stat: { thresholds: { mode: "absolute", steps: [{ color: "green", value: null }] } },
	     alarm: { thresholds: { mode: "absolute",
				    steps: [{ color: "green", value: null }, { color: "red", value: 1 }] } }
	   }[$kind] // {});

# The input is the lines of a panel.
def panel:
	(.[0] | capture("^(?<kind>[a-z]+)(/(?<height>[0-9]+))? (?<unit>[^ ]+) (?<title>.*)")) as $head
	| .[1:] | map(ltrimstr("\t"))
	| (map(select(startswith("# ")) | ltrimstr("# ")) | join(" ")) as $description
	| map(select(startswith("# ") | not)) as $queries
	| { type: ({ graph: "timeseries", alarm: "stat" }[$head.kind] // $head.kind), title: $head.title,
	    datasource: source, fieldConfig: { defaults: fields($head.kind; $head.unit; $description) },
	    targets: [range($queries | length) as $i | $queries[$i] | target($head.kind; $i)],
	    gridPos: (if $head.kind | IN("stat", "alarm") then { w: 4, h: 4 }
		      else { w: 12, h: ($head.height // "8" | tonumber) } end) }
	+ if $description == "" then {} else { description: $description } end
	+ ({ graph: { options: { tooltip: { mode: "multi", sort: "desc" } } },
	     table: { transformations: [{ id: "organize", options: { excludeByName:
			{ Time: true, __name__: true, job: true, cluster: true } } }] }
	   }[$head.kind] // { options: { graphMode: "none" } });

def row: { type: "row", title: .[0][4:], gridPos: { w: 24, h: 1 }, panels: [] };

# Places panels from left to right, and below those before when the 24 columns are full.
def place: reduce .[] as $panel ({ x: 0, y: 0, height: 0, panels: [] };
	if .x + $panel.gridPos.w > 24 then .y += .height | .x = 0 | .height = 0 else . end
	| .panels += [$panel * { id: (.panels | length + 1), gridPos: { x, y } }]
	| .x += $panel.gridPos.w | .height = ([.height, $panel.gridPos.h] | max)) | .panels;

# ---- the dashboard ----

def variable($name; $title; $metric):
	{ name: $name, label: $title, type: "query", datasource: source, refresh: 2, sort: 1,
	  query: { query: "label_values(\($metric), \($name))", refId: $name } };

def variables:
	{ name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" },
	variable("job"; "Job"; "kvm_stats_build_info"),
	variable("cluster"; "Cluster"; "kvm_stats_build_info{job=\"$job\"}")
		+ { multi: true, includeAll: true, allValue: ".*",
		    current: { selected: true, text: ["All"], value: ["$__all"] } },
	if $uid == "kvm-fleet" then empty else
	variable("instance"; "Host"; "kvm_stats_build_info{job=\"$job\",cluster=~\"$cluster\"}"),
	variable("guest"; "Guest"; "kvm_guest_vcpus{\(selectors.HOST)}") end;

# Blank lines separate what is in the list.
[inputs | select(startswith("#") | not)] | join("\n") | split("\n\n") | map(split("\n"))
| (if $uid == "kvm-fleet" then "Guest" else "Fleet" end) as $other
| { title: (.[0][0] | ltrimstr("dashboard ")), uid: $uid, description: .[0][1][1:], tags: ["kvm"],
    graphTooltip: 1, schemaVersion: 38, version: 1, refresh: "1m", time: { from: "now-1h", to: "now" },
    links: [{ title: $other, type: "link", url: "/d/kvm-\($other | ascii_downcase)", includeVars: true,
	      keepTime: true }],
    templating: { list: [variables] },
    panels: (.[1:] | map(if .[0] | startswith("row ") then row else panel end) | place) }
