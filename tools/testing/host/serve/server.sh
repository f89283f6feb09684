# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: start, scrape and end `kvm-stats serve`.
# shellcheck shell=bash

# The PID of the server, and the URL of its metrics.
server=
url=

# The shell starts programs in the background with SIGINT and SIGQUIT ignored.
default_signals=(env --default-signal=HUP --default-signal=INT --default-signal=QUIT)

# wait_for_server REGEX: wait until the server prints a line that matches. Set url if it
# prints its URL.
wait_for_server()
{
	wait_for_line "$1" "$out/server.err" "$server" || return 1
	url=$(sed -n 's/^kvm-stats: serving //p' "$out/server.err")
}

# start_server ARGUMENT...: start a server. Fail if it does not print that it has started.
start_server()
{
	# Remove the output of the previous server before wait_for_server reads the file. The
	# redirection of the new process could come too late.
	: >"$out/server.err"
	"${default_signals[@]}" "$stats" serve -g "$guest" "$@" >"$out/server.out" 2>"$out/server.err" 9>&- &
	server=$!
	wait_for_server '^kvm-stats: \(serving\|no VM\|watching\)'
}

# end_server [SIGNAL]: the signal, SIGTERM by default, ends the server. The sanitizers report no
# error and no leak.
end_server()
{
	local status=0

	kill -"${1:-TERM}" "$server"
	wait "$server" || status=$?
	server=
	cat "$out/server.err"
	[ "$status" -eq 0 ] && ! has_line 'ERROR\|runtime error' "$out/server.err"
}

stop_server()
{
	stop "$server"
	server=
}

# scrape [CURL'S ARGUMENT]...: write the answer to $out/scraped and $out/headers
scrape()
{
	curl -sS -m 20 "$@" -o "$out/scraped" -D "$out/headers" "$url"
}

free_port()
{
	/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}
