# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: node_exporter reads the file.
# shellcheck shell=bash

node_exporter=

# Unpack the package without installing it: it would start a server.
find_node_exporter()
{
	node_exporter_bin=$(command -v prometheus-node-exporter) && return
	node_exporter_bin=$("$ROOT/tools/testing/lib/unpack" prometheus-node-exporter 2>"$out/log")/usr/bin
	node_exporter_bin=$node_exporter_bin/prometheus-node-exporter
	[ -x "$node_exporter_bin" ]
}

node_exporter_answers()
{
	curl -sf -m 5 -o "$out/scraped" "http://127.0.0.1:$node_exporter_port/metrics"
}

start_node_exporter()
{
	mkdir -p "$out/collected" && rm -f "$out/collected"/* &&
	sed '/\(^\| \)process_/d' "$out/exposition.prometheus" >"$out/collected/kvm.prom" || return 1
	node_exporter_port=$(free_port)
	"$node_exporter_bin" --collector.disable-defaults --collector.textfile \
		--collector.textfile.directory="$out/collected" \
		--web.listen-address="127.0.0.1:$node_exporter_port" \
		2>"$out/node_exporter.log" 9>&- &
	node_exporter=$!
	until_true 20 node_exporter_answers || { cat "$out/node_exporter.log"; return 1; }
}

# node_exporter exports each sample of the file with its labels. It writes numbers as floats, and
# adds empty labels, so that all samples of a metric have the same ones. Prometheus ignores these.
# The file has no metrics of the process of kvm-stats: they have the names of node_exporter's own.
node_exporter_has_all()
{
	grep '^node_textfile_scrape_error 0$' "$out/scraped" ||
		{ cat "$out/node_exporter.log"; return 1; }
	/usr/bin/python3 - "$out/collected/kvm.prom" "$out/scraped" <<-'END'
	import sys
	from prometheus_client.parser import text_string_to_metric_families
	def samples(name):
	    with open(name, encoding='utf-8', newline='') as file:
	        for family in text_string_to_metric_families(file.read()):
	            for name, labels, value, *_ in family.samples:
	                if 'le' in labels:
	                    labels['le'] = float(labels['le'])
	                # node_exporter stores the count of a bucket in 64 bits, so larger sample
	                # values do not fit. No kernel counts that far.
	                if family.type == 'histogram' and float(value) >= 2 ** 64:
	                    continue
	                labels = sorted(item for item in labels.items() if item[1] != '')
	                yield family.type, name, tuple(labels), float(value)
	written, collected = set(samples(sys.argv[1])), set(samples(sys.argv[2]))
	print(len(written), 'samples were written; these are missing:')
	print(*(written - collected), sep='\n')
	sys.exit(len(written) < 100 or not written <= collected)
	END
}

node_exporter_tests()
{
	check "node_exporter starts" start_node_exporter
	check "node_exporter exports all samples of the file" node_exporter_has_all
	stop "$node_exporter"
	node_exporter=
}
