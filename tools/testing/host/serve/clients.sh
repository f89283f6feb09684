# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: HTTP clients that send too much, send nothing, or are too many.
# shellcheck shell=bash

rejects_large_request()
{
	answers 431 -H "X-Long: $(head -c 60000 /dev/zero | tr '\0' x)" && scrape
}

# closed_by_server FD SECONDS: return 0 if the server closes the connection FD in this time
closed_by_server()
{
	timeout "$2" cat <&"$1" >"$out/rest"
}

# Send a part of a request. Another client gets an answer meanwhile.
hanging_client()
{
	local client status=0

	exec {client}<>"/dev/tcp/127.0.0.1/$(port)" || return 1
	printf 'GET /metrics HTTP/1.1\r\nHost: x\r\nX-' >&"$client"
	scrape -m 3 || status=1
	closed_by_server "$client" 20 || status=1
	exec {client}>&-
	return "$status"
}

# crowd COUNT: connect this many clients at once, more than the server allows, which send nothing.
# Other clients get an answer within half a second: the median of five, because a busy machine can
# delay one of them.
crowd()
{
	/usr/bin/python3 - "$(port)" "$1" <<-'END'
	import http.client, socket, sys, time
	clients = []
	for _ in range(int(sys.argv[2])):
	    client = socket.socket()
	    client.setblocking(False)
	    client.connect_ex(('127.0.0.1', int(sys.argv[1])))
	    clients.append(client)
	durations = []
	for _ in range(5):
	    start = time.monotonic()
	    other = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=20)
	    other.request('GET', '/metrics')
	    assert b'kvm_stats_samples_total' in other.getresponse().read()
	    durations.append(time.monotonic() - start)
	durations.sort()
	print('the answers took %s s' % ', '.join('%.3f' % took for took in durations))
	sys.exit(durations[2] >= 0.5)
	END
}

# count_samples: print how often the server has read the statistics
count_samples()
{
	scrape && sed -n 's/^kvm_stats_samples_total //p' "$out/scraped"
}

# All 400 requests get an answer, and the server reads the statistics at most ten times a second.
flood()
{
	local before after start=$SECONDS most

	before=$(count_samples)
	seq 10 | xargs -P 10 -I N curl -sS -m 30 -o /dev/null -w '%{http_code}\n' \
		"$url?N[1-40]" >"$out/codes" || return 1
	after=$(count_samples)
	most=$(((SECONDS - start + 1) * 10 + 2))
	sort "$out/codes" | uniq -c
	echo "the statistics were read $((after - before)) times, at most $most are expected"
	[ "$(grep -c '^200$' "$out/codes")" = 400 ] && [ $((after - before)) -le "$most" ]
}

client_tests()
{
	check "the server starts for misbehaving clients" start_server --listen 127.0.0.1:0
	check "a request that is too large gets an error" rejects_large_request
	check "a client that hangs does not block others, and is disconnected" hanging_client
	check "60 silent clients do not delay others by half a second" crowd 60
	check "400 silent clients do not delay others by half a second" crowd 400
	check "for a flood of requests, the server reads the statistics only a few times" flood
	check "SIGTERM ends the server after misbehaving clients, without leaks" end_server
}
