# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. The systemd unit.

unit_is_valid()
{
	sed "s|^ExecStart=[^ ]*|ExecStart=$stats|" "$command/kvm-stats.service" >"$out/kvm-stats.service"
	MANPATH=$command systemd-analyze verify --man=no "$out/kvm-stats.service"
}

# What systemd thinks of it, in tenths: its two capabilities and the network are most of that.
unit_is_narrow()
{
	systemd-analyze security --no-pager --offline=true --threshold=25 \
		"$command/kvm-stats.service" | grep -v '^✓'
	[ "${PIPESTATUS[0]}" = 0 ]
}

# What the unit's filter lets through, one a line.
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
	END { for (name in allowed) print name }' "$out/groups" "$command/kvm-stats.service" | sort
}

# With the command as it is installed: the checkers make calls of their own.
filter_is_wide_enough()
{
	make -s -C "$command" O="$out/plain" kvm-stats || return 1
	: >"$out/server.err"
	rm -f "$out/trace"
	strace -D -f -q -o "$out/trace" "$out/plain/kvm-stats" serve --listen 127.0.0.1:0 \
		-g "$guest" 2>"$out/server.err" 9>&- &
	server=$!
	until_true 30 has_line 'serving' "$out/server.err" || return 1
	url=$(sed -n 's/^kvm-stats: serving //p' "$out/server.err")
	scrape && scrape -H 'Accept: application/openmetrics-text' && end_server || return 1
	until_true 10 has_line '+++ exited with 0' "$out/trace" || return 1
	awk '$2 ~ /^[a-z0-9_]+\(/ { sub(/\(.*/, "", $2); print $2 }' "$out/trace" | sort -u >"$out/calls"
	allowed_calls >"$out/allowed" && [ "$(wc -l <"$out/allowed")" -gt 100 ] || return 1
	grep -qx ptrace "$out/allowed" && echo "the filter allows ptrace" && return 1
	# What the service manager's own execve() has to be is allowed by itself.
	comm -23 "$out/calls" "$out/allowed" | grep -vx 'execve\|exit\|prlimit64' >"$out/denied"
	cat "$out/denied"
	[ -s "$out/calls" ] && [ ! -s "$out/denied" ]
}

unit_tests()
{
	if ! command -v systemd-analyze >/dev/null; then
		skip "the systemd unit is valid" "there is no systemd-analyze"
		skip "the unit is narrow" "there is no systemd-analyze"
		skip "its filter allows the system calls that are made" "there is no systemd-analyze"
		return
	fi
	check "the systemd unit is valid" unit_is_valid
	if systemd-analyze --help | grep -q -- --offline; then
		check "the unit is narrow" unit_is_narrow
	else
		skip "the unit is narrow" "this systemd-analyze looks at no files (--offline)"
	fi
	check "its filter allows the system calls that are made" filter_is_wide_enough
	stop "$server"
	server=
}
