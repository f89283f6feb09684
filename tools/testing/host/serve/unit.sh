# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: what systemd-analyze reports about the unit, and its filter of system calls.
# shellcheck shell=bash

# write_unit [DROP-IN]: write the unit with the command of the test to $out/unit
write_unit()
{
	local dir=$out/unit

	rm -rf "$dir" && mkdir -p "$dir/kvm-stats.service.d" &&
	sed "s|^ExecStart=[^ ]*|ExecStart=$stats|" "$command/share/kvm-stats.service" \
		>"$dir/kvm-stats.service" &&
	{ [ $# = 0 ] || cp "$1" "$dir/kvm-stats.service.d"; }
}

# unit_is_valid [DROP-IN]
unit_is_valid()
{
	write_unit "$@" &&
	MANPATH=$command/man systemd-analyze verify --man=no "$out/unit/kvm-stats.service"
}

# unit_is_confined TENTHS [DROP-IN]: TENTHS is the limit of the unit's exposure level. The
# capabilities and the network cause most of it.
unit_is_confined()
{
	local threshold=$1

	shift
	write_unit "$@" || return 1
	systemd-analyze security --no-pager --offline=true --threshold="$threshold" \
		"$out/unit/kvm-stats.service" | grep -v '^✓'
	[ "${PIPESTATUS[0]}" = 0 ]
}

# Print the system calls that the unit's filter allows, one per line.
allowed_calls()
{
	systemd-analyze syscall-filter >"$out/groups" &&
	awk '
	function expand(name, to,    i, n, part) {
		if (name !~ /^@/) {
			to[name] = 1
			return
		}
		n = split(members[name], part)
		for (i = 1; i <= n; i++)
			expand(part[i], to)
	}
	FNR == NR && /^@/ { group = $1; next }
	FNR == NR && /^ +[a-z@_0-9]/ { members[group] = members[group] " " $1; next }
	FNR != NR && sub(/^SystemCallFilter=/, "") {
		minus = sub(/^~/, "")
		for (i = 1; i <= NF; i++) {
			delete set
			expand($i, set)
			for (name in set) {
				if (minus)
					delete allowed[name]
				else
					allowed[name] = 1
			}
		}
	}
	END { for (name in allowed) print name }' "$out/groups" "$command/share/kvm-stats.service" | sort
}

# Trace the command without sanitizers, because the sanitizers make system calls of their own.
trace_server()
{
	build_plain kvm-stats || return 1
	: >"$out/server.err"
	rm -f "$out/trace"
	strace -D -f -q -o "$out/trace" "$plain/kvm-stats" serve --listen 127.0.0.1:0 \
		-g "$guest" 2>"$out/server.err" 9>&- &
	server=$!
	wait_for_server 'serving' || return 1
	scrape && scrape -H 'Accept: application/openmetrics-text' && end_server || return 1
	until_true 10 has_line '+++ exited with 0' "$out/trace"
}

filter_allows_calls()
{
	trace_server || return 1
	awk '$2 ~ /^[a-z0-9_]+\(/ { sub(/\(.*/, "", $2); print $2 }' "$out/trace" |
		sort -u >"$out/calls"
	allowed_calls >"$out/allowed" && [ "$(wc -l <"$out/allowed")" -gt 100 ] || return 1
	grep -qx ptrace "$out/allowed" && echo "the filter allows ptrace" && return 1
	# systemd itself always allows the calls that its execve() needs.
	comm -23 "$out/calls" "$out/allowed" | grep -vx 'execve\|exit\|prlimit64' >"$out/denied"
	cat "$out/denied"
	[ -s "$out/calls" ] && [ ! -s "$out/denied" ]
}

unit_tests()
{
	local confined="systemd-analyze security rates the unit 2.5 or better"
	local perfmon=$command/share/perfmon.conf
	local less="with perfmon.conf, it rates the unit 2.0 or better"
	local filter="the unit's filter allows the system calls of serve"

	if ! command -v systemd-analyze >/dev/null; then
		skip "the systemd unit is valid" "systemd-analyze is not installed"
		skip "the unit is valid with perfmon.conf" "systemd-analyze is not installed"
		skip "$confined" "systemd-analyze is not installed"
		skip "$less" "systemd-analyze is not installed"
		skip "$filter" "systemd-analyze is not installed"
		return
	fi
	check "the systemd unit is valid" unit_is_valid
	check "the unit is valid with perfmon.conf" unit_is_valid "$perfmon"
	if systemd-analyze --help | grep -q -- --offline; then
		check "$confined" unit_is_confined 25
		check "$less" unit_is_confined 20 "$perfmon"
	else
		skip "$less" "this systemd-analyze cannot inspect files (--offline)"
		skip "$confined" "this systemd-analyze cannot inspect files (--offline)"
	fi
	check "$filter" filter_allows_calls
	stop_server
}
