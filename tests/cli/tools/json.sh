# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: JSON, in the format of QEMU's QMP and in that of kvm-stats.
# shellcheck shell=bash

# The table and the JSON of a VMM whose statistics no longer change have the same values.
json_matches_table()
{
	freeze_vmm || return 1
	"$stats" query -p "$vmm" --vcpu 0 9>&- | jq -r '.return[0].stats[] |
		select(.value | type == "number") | "\(.name) \(.value)"' | sort >"$out/json"
	"$stats" read -p "$vmm" --vcpu 0 9>&- | awk '$1 == "vcpu0" && $5 == "" && $4 != "samples" &&
		$2 !~ /^thread_/ && $3 ~ /^[0-9]+$/ { print $2, $3 }' | sort >"$out/table"
	diff "$out/table" "$out/json" && [ -s "$out/json" ]
}

# The names of these threads have the number of the vCPU.
has_threads()
{
	local list

	"$stats" list --json -p "$vmm" 2>/dev/null 9>&- >"$out/found"
	cat "$out/found"
	list=$(jq -r '.vmms[0].threads[] | "\(.vcpu) \(.tid)"' "$out/found") || return
	[ "$(wc -l <<<"$list")" = 2 ] || return
	while read -r vcpu tid; do
		grep -x "CPU $vcpu/KVM" "/proc/$vmm/task/$tid/comm" || return
	done <<<"$list"
}

# The VMMs $first and $vmm run. The first one has the guest web,"1".
lists_as_json()
{
	"$stats" list --json -p "$first,$vmm" 9>&- | tee "$out/answer" |
		jq -e --argjson first "$first" --argjson second "$vmm" '
			[.vmms[] | [.pid, .guest, .vcpus]] | sort ==
			([[$first, "web,\"1\"", 2], [$second, null, 1]] | sort)'
}

reads_several_as_json()
{
	"$stats" read --json -p "$first" -p "$vmm" -i 0.3 -c 2 -f '^exits$' 9>&- |
		tee "$out/answer" | jq -e -s --argjson first "$first" '
			def target: .target == "vm" or (.target == "vcpu\(.vcpu)" and
				(.statistics.exits | .value > 0 and .rate > 0));
			length == 2 and all(.[]; (.vmms | length == 2) and
				all(.vmms[]; (.targets | length > 0) and all(.targets[]; target)) and
				(.time | test("^20[0-9-]{8}T[0-9:]{8}[.][0-9]{3}[+-]")))'
}

several_as_json()
{
	local first=$vmm status=0

	start_vmm -s -c 1 || return 1
	lists_as_json || status=1
	reads_several_as_json || status=1
	cat "$out/answer"
	stop_vmm
	vmm=$first
	return "$status"
}

refuses_several_vmms()
{
	local first=$vmm status=0

	start_vmm -s || return 1
	prints 1 '[0-9]+ are selected' query || status=1
	stop_vmm
	vmm=$first
	return "$status"
}

# query_of ARGUMENT...: print "TARGET NAMES" for each result
query_of()
{
	"$stats" query -p "$vmm" "$@" 9>&- |
		jq -r '.return[] | "\(has("qom-path")) \([.stats[].name] | join(","))"'
}

# QEMU compares whole names, prints the statistics in its own order, and has no result for a VM or
# vCPU without a selected statistic.
selects_names()
{
	query_of --vcpu 0 | sed 's/^true //' | tr , '\n' | grep -xE 'halt_exits|exits' | paste -sd, |
		sed 's/^/true /' >"$out/expected"
	query_of --names halt_exits --vcpu 0 --names exits | diff "$out/expected" - &&
	query_of --names exits,halt_exits --vm --vcpu 0 | diff "$out/expected" - &&
	query_of --names exits,halt_exits -f '^halt_' --vcpu 0 | grep -qx 'true halt_exits' &&
	query_of --names remote_tlb_flush | grep -qx 'false remote_tlb_flush' &&
	grep -q , "$out/expected"
}

# QEMU ignores such names. The others are printed.
reports_unknown_names()
{
	prints 1 "no selected statistic is named 'exit'[.]" query -p "$vmm" --names exit,exits &&
	"$stats" query -p "$vmm" --names exit,exits 2>/dev/null 9>&- |
		jq -e '[.return[].stats[].name] | unique == ["exits"]' &&
	prints 1 '^{"return": \[\]}$' query -p "$vmm" --names exit
}

json_tests()
{
	if ! command -v jq >/dev/null; then
		skip "JSON has the right shape" "jq is not installed"
		return
	fi
	check "a VMM for --json starts" start_vmm -s
	check "list --json has the thread of each vCPU" has_threads
	check "query and the table have the same values" json_matches_table
	check "query --names selects whole names" selects_names
	check "query --names reports names that do not exist" reports_unknown_names
	check "query without -p is an error if there are several VMMs" refuses_several_vmms
	stop_vmm
	check "a VMM with a special name starts" start_vmm -s -name 'web,,"1"'
	check "list --json and read --json show several VMMs, with time and rates" several_as_json
	stop_vmm
}
