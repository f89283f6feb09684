# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. The server under test, what it is asked, and what else has to end with it.

server=
url=
vmm=
prometheus=
node_exporter=

stop()
{
	[ -n "$1" ] || return 0
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

stop_all()
{
	stop_systemd
	stop "$node_exporter"
	stop "$prometheus"
	stop "$server"
	stop "$vmm"
	node_exporter=
	prometheus=
	server=
	vmm=
}

trap 'stop_all; exit 1' INT TERM
trap stop_all EXIT

# check DESCRIPTION COMMAND...: its output is shown if it fails
check()
{
	local what=$1 status=0

	shift
	"$@" >"$out/log" 2>&1 || status=$?
	point $status "$what"
}

# until_true SECONDS COMMAND...
until_true()
{
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		if [ $SECONDS -ge $end ]; then
			echo "in vain waited for: $*"
			return 1
		fi
		sleep 0.1
	done
}

has_line()
{
	grep -q -e "$1" "$2" 2>/dev/null
}

# start_server ARGUMENT...: false if it does not say where it listens
start_server()
{
	# Not by the child alone: what the last one wrote must not be taken for this one's.
	: >"$out/server.err"
	"$stats" serve -g "$guest" "$@" >"$out/server.out" 2>"$out/server.err" 9>&- &
	server=$!
	until_true 30 has_line '^kvm-stats: \(serving\|no VM\|watching\)' "$out/server.err" || return 1
	url=$(sed -n 's/^kvm-stats: serving //p' "$out/server.err")
}

# It has to end by itself, without a word about leaks or the like.
end_server()
{
	local status=0

	kill -TERM "$server"
	wait "$server" || status=$?
	server=
	cat "$out/server.err"
	[ $status -eq 0 ] && ! has_line 'ERROR\|runtime error' "$out/server.err"
}

# scrape [CURL'S ARGUMENT]...: in scraped
scrape()
{
	curl -sS -m 20 "$@" -o "$out/scraped" -D "$out/headers" "$url"
}
