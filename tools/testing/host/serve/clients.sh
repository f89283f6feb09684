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

# Connect more clients than the server allows, and send nothing.
crowd()
{
	local clients=() client status=0 i

	for ((i = 0; i < 60; i++)); do
		exec {client}<>"/dev/tcp/127.0.0.1/$(port)" || return 1
		clients+=("$client")
	done
	scrape -m 4 || status=1
	for client in "${clients[@]}"; do
		exec {client}>&-
	done
	return "$status"
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
	check "many silent clients do not block others" crowd
	check "for a flood of requests, the server reads the statistics only a few times" flood
	check "SIGTERM ends the server after misbehaving clients, without leaks" end_server
}
