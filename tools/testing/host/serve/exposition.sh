# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. Made-up statistics, what has to come out of them, and parsers.

# What serve_test printed, under numbers of this one.
unit_test()
{
	local status=0

	"$out/serve_test" >"$out/units" 2>&1 || status=$?
	adopt "$out/units"
	check "serve_test runs to its end" has_line '^1\.\.[1-9]' "$out/units"
	[ $status -eq 0 ] || grep -q '^not ok' "$out/units"
	point $? "serve_test leaves with its verdict"
}

# UPDATE=1 in the environment writes what is expected anew.
as_expected()
{
	local expected=$command/tests/exposition.$1

	"$out/exposition" "$1" >"$out/exposition.$1" || return 1
	[ -z "${UPDATE:-}" ] || cp "$out/exposition.$1" "$expected"
	diff -u "$expected" "$out/exposition.$1"
}

# The parser of Prometheus' Python library takes the standard by its word.
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

# All that was added to the text after parsing has to be noticed, else the above says nothing.
parser_notices()
{
	sed 's/^# EOF$/kvm_vm_exits_total{pid="1"} 1\n# EOF/' "$out/exposition.openmetrics" >"$out/damaged"
	! parses openmetrics "$out/damaged"
}

# But for _count, of which OpenMetrics wants none where there is no _sum.
same_numbers()
{
	grep -v '^#\|_hist[^{]*_count{' "$out/exposition.openmetrics" >"$out/one"
	grep -v '^#\|_hist[^{]*_count{' "$out/exposition.prometheus" | diff "$out/one" -
}

exposition_tests()
{
	check "OpenMetrics is as expected" as_expected openmetrics
	check "the text format is as expected" as_expected prometheus
	check "names, labels and numbers are the same in both" same_numbers
	check "a strict parser takes OpenMetrics" parses openmetrics "$out/exposition.openmetrics"
	check "it would not take a family in two parts" parser_notices
	check "a parser takes the text format" parses prometheus "$out/exposition.prometheus"
}
