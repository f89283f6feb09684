# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: HTTP with well-behaved clients: formats, methods, paths, addresses.
# shellcheck shell=bash

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

answers_openmetrics()
{
	answers 200 -H "Accept: application/openmetrics-text" &&
	has_header 'content-type: application/openmetrics-text; version=1\.0\.0; charset=utf-8' &&
	[ "$(tail -n 1 "$out/scraped")" = "# EOF" ]
}

answers_text()
{
	answers 200 && has_header 'content-type: text/plain; version=0\.0\.4; charset=utf-8' &&
	! grep '^# EOF' "$out/scraped"
}

answers_head()
{
	answers 200 --head && has_header 'content-length: [1-9][0-9]*' &&
	! grep kvm_ "$out/scraped"
}

answers_gzip()
{
	answers 200 -H 'Accept-Encoding: gzip' && has_header 'content-encoding: gzip' &&
	has_header 'vary: Accept, Accept-Encoding' &&
	gzip -dc "$out/scraped" | grep '^kvm_stats_samples_total'
}

answers_plain()
{
	answers 200 -H 'Accept-Encoding: gzip;q=0, br' && ! has_header 'content-encoding:.*' &&
	grep '^kvm_stats_samples_total' "$out/scraped"
}

# A check of the health does not read the statistics.
is_healthy()
{
	local before after

	# Until then, the answers of earlier checks are cached, each with its own number of samples.
	sleep 0.2
	before=$(count_samples)
	url=${url%metrics}healthz answers 200 && [ "$(cat "$out/scraped")" = ok ] || return 1
	sleep 0.2
	after=$(count_samples)
	echo "samples: $before, then $after"
	[ "$after" = $((before + 1)) ]
}

has_process_metrics()
{
	scrape && grep '^process_' "$out/scraped"
	awk '$1 == "process_open_fds" { good += $2 >= 5 && $2 < 1000 }
		$1 == "process_resident_memory_bytes" { good += $2 > 100000 }
		$1 == "process_cpu_seconds_total" { good += $2 > 0 && $2 < 100 }
		$1 == "process_start_time_seconds" { good += now - $2 < 600 && now - $2 > -2 }
		END { exit good != 4 }' now="$(date +%s)" "$out/scraped"
}

# The server listens on all addresses: those of IPv4, and of IPv6 if the machine has it.
serves_all_addresses()
{
	start_server --listen :0 && echo "$url" || return 1
	url=http://127.0.0.1:$(port)/metrics answers 200 || return 1
	[[ $url != *'[::]'* ]] || url="http://[::1]:$(port)/metrics" answers 200 -g || return 1
	end_server
}

# without_host VERSION STATUS: send a request without the header Host
without_host()
{
	local client answer

	exec {client}<>"/dev/tcp/127.0.0.1/$(port)" || return 1
	printf 'GET / HTTP/%s\r\n\r\n' "$1" >&"$client"
	answer=$(timeout 10 cat <&"$client")
	exec {client}>&-
	echo "$answer"
	[[ $answer == "HTTP/1."?" $2 "* ]]
}

front_page_has_link()
{
	curl -sS -m 20 "${url%metrics}" | grep -F 'href="/metrics"'
}

unknown_path_is_not_found()
{
	url=${url}x answers 404
}

# Print the port of the server.
port()
{
	local rest=${url##*:}

	echo "${rest%/*}"
}

used_port_is_reported()
{
	serve_prints 1 'Address already in use' --listen "127.0.0.1:$(port)" &&
	has_line 'Choose another' "$out/printed"
}

# Receive the messages of sd_notify(3), as a service manager does.
notifies_manager()
{
	/usr/bin/python3 - "$stats" "$out/notify" <<-'END'
	import os, signal, socket, subprocess, sys
	for path in '\0kvm-stats-test-%d' % os.getpid(), sys.argv[2]:
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

serves_ipv6()
{
	start_server --listen '[::1]:0' && [[ $url == 'http://[::1]:'*/metrics ]] &&
	answers 200 -g && end_server
}

http_tests()
{
	check "the server starts" start_server --listen 127.0.0.1:0
	check "a request without Accept gets the text format" answers_text
	check "a request that accepts OpenMetrics gets OpenMetrics" answers_openmetrics
	check "a request that accepts gzip gets a compressed answer" answers_gzip
	check "a request that refuses gzip gets a plain answer" answers_plain
	check "/healthz answers without reading the statistics" is_healthy
	check "the server reports what its process uses" has_process_metrics
	check "the answer to HEAD has the headers of GET, and no body" answers_head
	check "other methods are not allowed" answers 405 -X POST -d frob
	check "the answer lists the allowed methods" has_header 'allow: GET, HEAD'
	check "an unknown path is not found" unknown_path_is_not_found
	check "a request with HTTP/1.1 needs the header Host" without_host 1.1 400
	check "a request with HTTP/1.0 does not need it" without_host 1.0 200
	check "the front page links to /metrics" front_page_has_link
	check "a port that is in use is reported" used_port_is_reported
	check "SIGTERM ends the server, without leaks" end_server
	check "without an address the server listens on all" serves_all_addresses
	check "the service manager is notified of start and end" notifies_manager
	if grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
		check "the server uses IPv6" serves_ipv6
	else
		skip "the server uses IPv6" "this machine has no IPv6"
	fi
}
