# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t. --json: QMP's words.

# json_is SCHEMA|STATS: whether standard input is what QEMU would answer
json_is()
{
	jq -e --arg what "$1" '
		def u64: type == "number" and . >= 0;
		def value: type == "boolean" or u64 or (type == "array" and all(.[]; u64));
		def result: .provider == "kvm" and (.stats | length > 0) and
			(keys - ["provider", "qom-path", "stats"] == []) and
			all(.stats[]; keys == ["name", "value"] and (.value | value));
		def entry: (keys - ["base", "bucket-size", "exponent", "name", "type", "unit"] == []) and
			(.exponent | type == "number") and (has("base") == (.exponent != 0)) and
			(.type | IN("cumulative", "instant", "peak", "linear-histogram", "log2-histogram")) and
			(has("unit") | not) or (.unit | IN("bytes", "seconds", "cycles", "boolean"));
		def schema: keys == ["provider", "stats", "target"] and all(.stats[]; entry);
		keys == ["return"] and (.return | length == 3 or $what == "schema") and
		all(.return[]; if $what == "schema" then schema else result end)'
}

# The same numbers as in the table, while they stand still.
json_agrees()
{
	freeze_vmm || return 1
	"$stats" read -p "$vmm" -j --vcpu 0 9>&- | jq -r '.return[0].stats[] |
		select(.value | type == "number") | "\(.name) \(.value)"' | sort >"$out/json"
	"$stats" read -p "$vmm" --vcpu 0 9>&- | awk '$1 == "vcpu0" && $5 == "" && $4 != "samples" &&
		$3 ~ /^[0-9]+$/ { print $2, $3 }' | sort >"$out/table"
	diff "$out/table" "$out/json" && [ -s "$out/json" ]
}

pipe_to_json()
{
	local what=$1

	shift
	"$stats" "$@" 9>&- | tee "$out/answer" | json_is "$what"
}

several_vmms_are_too_many()
{
	local status

	start_another_vmm || return 1
	says 1 'there are [0-9]+: choose' read --json
	status=$?
	stop_another_vmm
	return $status
}

json_tests()
{
	if ! command -v jq >/dev/null; then
		skip "--json has the shape of QMP's answers" "jq is not installed"
		return
	fi
	check "a VMM to ask starts" start_vmm -s
	check "read --json has the shape of query-stats" pipe_to_json stats read -p "$vmm" --json
	check "schema --json has the one of query-stats-schemas" pipe_to_json schema schema -p "$vmm" --json
	check "it has the numbers of the table" json_agrees
	check "a VMM is to be chosen" several_vmms_are_too_many
	stop_vmm
}
