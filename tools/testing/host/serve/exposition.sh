# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: compare the exposition of sample statistics with the expected text, and
# parse it.
# shellcheck shell=bash

# matches_expected openmetrics|prometheus: compare the exposition with the expected text. With
# UPDATE=1 in the environment, write the expected text first.
matches_expected()
{
	local expected=$command/tests/exposition.$1

	"$checked/tests/exposition" "$1" >"$out/exposition.$1" || return 1
	[ -z "${UPDATE:-}" ] || cp "$out/exposition.$1" "$expected"
	diff -u "$expected" "$out/exposition.$1"
}

# parses openmetrics|prometheus FILE: parse the file with Prometheus' Python library, which is
# strict
parses()
{
	/usr/bin/python3 - "$1" "$2" <<-'END'
	import sys
	if sys.argv[1] == 'openmetrics':
	    from prometheus_client.openmetrics.parser import text_string_to_metric_families
	else:
	    from prometheus_client.parser import text_string_to_metric_families
	with open(sys.argv[2], encoding='utf-8', newline='') as file:
	    families = list(text_string_to_metric_families(file.read()))
	print(len(families), 'families')
	sys.exit(len(families) < 10)
	END
}

# Verify that the parser is strict: it must reject a family whose lines are not together.
parser_rejects_split_family()
{
	sed 's/^# EOF$/kvm_vm_exits_total{pid="1"} 1\n# EOF/' "$out/exposition.openmetrics" \
		>"$out/damaged"
	! parses openmetrics "$out/damaged"
}

# In OpenMetrics a histogram without _sum must not have _count.
formats_match()
{
	grep -v '^#\|_hist[^{]*_count{' "$out/exposition.openmetrics" >"$out/one"
	grep -v '^#\|_hist[^{]*_count{' "$out/exposition.prometheus" | diff "$out/one" -
}

# Without the option --per-vcpu, exactly the metrics of vCPUs are missing.
default_has_no_vcpus()
{
	"$checked/tests/exposition" openmetrics default >"$out/default" || return 1
	grep -v '^\(# [A-Z]* \)\?kvm_vcpu_' "$out/exposition.openmetrics" | diff - "$out/default"
}

# set_exit_stats VALUE: set the parameter in $out/sys, which is the one of the process files in
# $out/proc
set_exit_stats()
{
	mkdir -p "$out/proc" "$out/sys/module/kvm/parameters"
	echo "$1" >"$out/sys/module/kvm/parameters/exit_stats"
}

exposition_with()
{
	set_exit_stats "$1"
	EXPOSITION_PROC=$out/proc "$checked/tests/exposition" openmetrics
}

# kvm_guest_exit_work_seconds and kvm_guest_exit_reasons are not exit statistics.
off_has_no_exit_statistics()
{
	exposition_with N >"$out/off" || return 1
	sed '/kvm_\(guest\|vcpu\)_\(exits_by_class\|exit_seconds\|exit_hist\|guest_seconds\|userspace\|halted\)/d
		/^kvm_exit_stats_enabled/s/1$/0/' "$out/exposition.openmetrics" | diff - "$out/off"
}

on_has_them()
{
	exposition_with Y | diff "$out/exposition.openmetrics" -
}

# Two samples with the same name and labels make an exposition invalid.
no_duplicates()
{
	sed '/^#/d; s/ [^ ]*$//' "$out/exposition.prometheus" | sort | uniq -d >"$out/duplicates"
	cat "$out/duplicates"
	[ ! -s "$out/duplicates" ]
}

exposition_tests()
{
	check "the OpenMetrics exposition has the expected text" matches_expected openmetrics
	check "the exposition in Prometheus' text format has the expected text" matches_expected prometheus
	check "both formats have the same names, labels and values" formats_match
	check "without --per-vcpu only the metrics of vCPUs are missing" default_has_no_vcpus
	check "while exit statistics are off, exactly they are missing" off_has_no_exit_statistics
	check "while they are on, they are there" on_has_them
	check "no sample has the name and the labels of another" no_duplicates
	check "a strict parser accepts OpenMetrics" \
		parses openmetrics "$out/exposition.openmetrics"
	check "the strict parser rejects a family in two parts" parser_rejects_split_family
	check "a parser accepts the text format" parses prometheus "$out/exposition.prometheus"
}
