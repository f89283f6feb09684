# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. Over HTTP: formats, methods, and clients that are slow, silent or many.

# answers STATUS [CURL'S ARGUMENT]...
answers()
{
	local status=$1

	shift
	scrape "$@" || return 1
	cat "$out/headers"
	head -n 1 "$out/headers" | grep -q " $status "
}

has_header()
{
	cat "$out/headers"
	tr -d '\r' <"$out/headers" | grep -qix -e "$1"
}

gives_openmetrics()
{
	answers 200 -H "Accept: $1" &&
	has_header 'content-type: application/openmetrics-text; version=1\.0\.0; charset=utf-8' &&
	[ "$(tail -n 1 "$out/scraped")" = "# EOF" ]
}

gives_text()
{
	answers 200 "$@" && has_header 'content-type: text/plain; version=0\.0\.4; charset=utf-8' &&
	! grep '^# EOF' "$out/scraped"
}

# The length of what GET would give, and nothing of it.
head_is_short()
{
	answers 200 --head && has_header 'content-length: [1-9][0-9]*' && ! grep kvm_ "$out/scraped"
}

leads_to_metrics()
{
	curl -sS -m 20 "${url%metrics}" | grep -F 'href="/metrics"'
}

# What was open as fd $1 has been closed by the other side.
was_closed()
{
	timeout "$2" cat <&"$1" >"$out/rest"
}

port()
{
	local rest=${url##*:}

	echo "${rest%/*}"
}

hanging_client()
{
	local client status=0

	exec {client}<>"/dev/tcp/127.0.0.1/$(port)" || return 1
	printf 'GET /metrics HTTP/1.1\r\nHost: x\r\nX-' >&$client
	scrape -m 3 || status=1
	was_closed $client 20 || status=1
	exec {client}>&-
	return $status
}

# More than there is room for, and none of them says anything.
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
	return $status
}

samples()
{
	scrape && sed -n 's/^kvm_stats_samples_total //p' "$out/scraped"
}

# All get an answer, and the statistics are read ten times a second and no more often.
flood()
{
	local before after start=$SECONDS most

	before=$(samples)
	seq 10 | xargs -P 10 -I N curl -sS -m 30 -o /dev/null -w '%{http_code}\n' "$url?N[1-40]" \
		>"$out/codes" || return 1
	after=$(samples)
	most=$(((SECONDS - start + 1) * 10 + 2))
	sort "$out/codes" | uniq -c
	echo "read $((after - before)) times, at most $most expected"
	[ "$(grep -c '^200$' "$out/codes")" = 400 ] && [ $((after - before)) -le $most ]
}

port_is_taken()
{
	says 1 'Address already in use' --listen "127.0.0.1:$(port)" &&
	has_line 'Choose another' "$out/said"
}

large_request()
{
	answers 431 -H "X-Long: $(head -c 60000 /dev/zero | tr '\0' x)" && scrape
}

# sd_notify(3), seen from the other side.
tells_manager()
{
	/usr/bin/python3 - "$stats" <<-'END'
	import os, signal, socket, subprocess, sys
	for path in '\0kvm-stats-test-%d' % os.getpid(), os.path.abspath('build/serve-test/notify'):
	    if os.path.exists(path):
	        os.unlink(path)
	    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	    manager.bind(path)
	    manager.settimeout(20)
	    env = dict(os.environ, NOTIFY_SOCKET=path.replace('\0', '@'))
	    service = subprocess.Popen([sys.argv[1], 'serve', '-l127.0.0.1:0', '-gnobody'], env=env)
	    try:
	        assert manager.recv(100) == b'READY=1'
	        service.send_signal(signal.SIGTERM)
	        assert manager.recv(100) == b'STOPPING=1'
	        assert service.wait(20) == 0
	    finally:
	        service.kill()
	END
}

ip6_is_served()
{
	start_server --listen '[::1]:0' && [[ $url == 'http://[::1]:'*/metrics ]] && answers 200 -g &&
	end_server
}

http_tests()
{
	check "it serves" start_server --listen 127.0.0.1:0
	check "who asks for nothing gets the text format" gives_text
	check "who asks for OpenMetrics gets it" gives_openmetrics application/openmetrics-text
	check "HEAD is answered like GET, without a body" head_is_short
	check "other methods are not allowed" answers 405 -X POST -d frob
	check "those that are, are told" has_header 'allow: GET, HEAD'
	url=${url}x check "another path is not found" answers 404
	check "the front page leads to /metrics" leads_to_metrics
	check "a port that is taken is told" port_is_taken
	check "a request that is too large gets an error" large_request
	check "a client that hangs holds up nobody, and is cut off" hanging_client
	check "a crowd of silent clients does not, either" crowd
	check "a flood of requests is answered by few readings" flood
	check "SIGTERM ends it, and nothing has leaked" end_server
	check "the service manager is told of begin and end" tells_manager
	if grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
		check "it serves over IPv6" ip6_is_served
	else
		skip "it serves over IPv6" "this machine has no IPv6"
	fi
}
