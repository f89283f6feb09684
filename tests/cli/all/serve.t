#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test kvm-stats serve from outside: HTTP with all kinds of clients, the rights of its processes, the
# file for node_exporter, nginx in front of it, promtool, the dashboards, the systemd unit; and a real
# VM, where KVM is available.
#
# usage: serve.t

set -u

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"

# The name of the guest. Other VMs may run on this machine, also those of another serve.t.
guest="\"tiny\" of serve.t $$"
uuid=0a1b2c3d-0000-4000-8000-000000000001
share=$command/share
samples=$command/tests/exposition.openmetrics
dashboards=$plain/share

# The PIDs of the server and of nginx, and the URL of the metrics
server=
nginx=
url=

# ---- the server ----

# The shell starts programs in the background with SIGINT and SIGQUIT ignored.
default_signals=(env --default-signal=HUP --default-signal=INT --default-signal=QUIT)

# wait_for_server REGEX: wait until the server prints a line that matches. Set url if it prints it.
wait_for_server()
{
	wait_for_line "$1" "$out/server.err" "$server" || return 1
	url=$(sed -n 's/^kvm-stats: serving //p' "$out/server.err")
}

# start_server ARGUMENT...: start a server. Fail if it does not print that it has started.
start_server()
{
	# Before wait_for_server reads the file. The redirection of the new process could come too late.
	: >"$out/server.err"
	"${default_signals[@]}" "$stats" serve -g "$guest" "$@" >"$out/server.out" 2>"$out/server.err" 9>&- &
	server=$!
	wait_for_server '^kvm-stats: \(serving\|watching\)'
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

# scrape_has REGEX
scrape_has()
{
	scrape && grep "$1" "$out/scraped"
}

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
	tr -d '\r' <"$out/headers" | grep -qix -e "$1"
}

# Print the port of the server.
port()
{
	local rest=${url##*:}

	echo "${rest%/*}"
}

free_port()
{
	/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# serve_prints STATUS REGEX ARGUMENT...
serve_prints()
{
	exits_with "$1" "$2" "$stats" serve "${@:3}"
}

# ---- the build and the command line ----

# build_without DIRECTORY VARIABLE...
build_without()
{
	local none=$out/$1

	shift
	build_plain all || return 1
	mkdir -p "$none" && cp -r "$plain/." "$none" && rm -f "$none"/kvm-stats{,-http} "$none/obj/serve/http.o" &&
	make -s -C "$command" "$@" O="$none" all
}

# Only the program that serves HTTP links libmicrohttpd, and what that links. Without it the command
# does all except HTTP, and says so.
without_http()
{
	build_without none HTTP=no && [ ! -e "$out/none/kvm-stats-http" ] || return 1
	! ldd "$plain/kvm-stats" | grep 'microhttpd\|gnutls\|seccomp\|yaml\|libcrypt' || return 1
	"$out/none/kvm-stats" serve --once -g nobody | grep -q '^kvm_host_vcpus [0-9]' || return 1
	stats=$out/none/kvm-stats serve_prints 1 'no program kvm-stats-http .*--textfile.*libmicrohttpd-dev'
}

without_libraries()
{
	build_without few ZLIB=no SECCOMP=no || return 1
	! ldd "$out/few/kvm-stats-http" | grep -w 'libz\|libseccomp' || return 1
	stats=$out/few/kvm-stats start_server --listen 127.0.0.1:0 &&
	answers 200 -H 'Accept-Encoding: gzip' && ! has_header 'content-encoding:.*' &&
	grep '^kvm_stats_samples_total' "$out/scraped" && end_server
}

addresses_are_checked()
{
	local address

	for address in 127.0.0.1:10203 0.0.0.0:1 '[::1]:65535' '[::]:0' '[fe80::1:2]:80' :9177 :0; do
		serve_prints 0 '^Usage' --listen "$address" --help || return 1
	done
	for address in '' : :x :65536 '[]:80' 127.0.0.1 127.0.0.1: 127.0.0.1:65536 127.0.0.1:-1 \
		127.0.0.1:8x localhost:80 ::1:80 '[::1]' '[::1:80' '[::1]80' '[127.0.0.1]:80' \
		'127.0.0.1: 80' 127.0.0.1:99999999999999999999; do
		serve_prints 2 'such as 127.0.0.1:10203' --listen "$address" --help || return 1
	done
}

refuses_address()
{
	serve_prints 1 "'ip address' lists" --listen 192.0.2.77:10203 && [ "$(wc -l <"$out/found")" = 1 ]
}

option_tests()
{
	check "kvm-stats and its tests build with sanitizers" build_checked
	check "without libmicrohttpd, serve reports what is missing; the command never links it" without_http
	check "without zlib and libseccomp, serve works" without_libraries
	check "a removed option says where to go" \
		serve_prints 2 'no longer exists.*nginx.conf .*--textfile' --web.config.file x.yml
	check "addresses are numeric, with a port" addresses_are_checked
	check "an interval without a file is a usage error" \
		serve_prints 2 'Add --textfile' -i 5 --listen 127.0.0.1:0
	check "--once with an interval is a usage error" serve_prints 2 'cannot be combined' --once -i 5
	check "--once with --listen is a usage error" \
		serve_prints 2 'cannot be combined' --once --listen 127.0.0.1:0
	check "an address that this machine does not have is reported before anything is searched" refuses_address
	check "a file name that node_exporter does not read gets a warning" \
		serve_prints 0 'end in .prom' --once -g nobody -t "$out/kvm.txt"
}

# ---- HTTP ----

# selects FORMAT HEADER VALUE: the answer to a request with this header has the format
selects()
{
	answers 200 -H "$2: $3" >/dev/null || return 1
	case $1 in
	openmetrics)
		has_header 'content-type: application/openmetrics-text; version=1\.0\.0; charset=utf-8' &&
		[ "$(tail -n 1 "$out/scraped")" = "# EOF" ]
		;;
	text)
		has_header 'content-type: text/plain; version=0\.0\.4; charset=utf-8' &&
		! grep '^# EOF' "$out/scraped"
		;;
	gzip)
		has_header 'content-encoding: gzip' && has_header 'vary: Accept, Accept-Encoding' &&
		gzip -dc "$out/scraped" | grep -q '^kvm_stats_samples_total'
		;;
	plain)
		! has_header 'content-encoding:.*' && grep -q '^kvm_stats_samples_total' "$out/scraped"
		;;
	esac || { echo "$2: $3: not $1"; return 1; }
}

# The second value of openmetrics is that of Prometheus 2.42.
accept_is_respected()
{
	local type=application/openmetrics-text value

	for value in '' '*/*' text/plain 'text/html,application/xhtml+xml,*/*;q=0.8' application/json; do
		selects text Accept "$value" || return 1
	done
	for value in 'Application/OpenMetrics-Text ; Version=1.0.0' \
		"$type;version=1.0.0,$type;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"; do
		selects openmetrics Accept "$value" || return 1
	done
	for value in gzip 'GZip;q=0.5, deflate' 'br;q=1.0, gzip;q=0.8, *;q=0.1'; do
		selects gzip Accept-Encoding "$value" || return 1
	done
	for value in '' identity deflate; do
		selects plain Accept-Encoding "$value" || return 1
	done
}

answers_head()
{
	answers 200 --head && has_header 'content-length: [1-9][0-9]*' && ! grep kvm_ "$out/scraped"
}

other_methods_are_refused()
{
	answers 405 -X POST -d frob && has_header 'allow: GET, HEAD'
}

# other_path PATH STATUS REGEX: the answer at the path
other_path()
{
	url=${url%/metrics}$1 answers "$2" && grep "$3" "$out/scraped"
}

# Print how often the server had read the statistics when it made its last answer.
last_sample()
{
	scrape && sed -n 's/^kvm_stats_samples_total //p' "$out/scraped"
}

# next_sample NUMBER: set `sample` to the next other number. The server caches an answer for as long as it
# took to make it.
next_sample()
{
	sample=$(last_sample) && [ "$sample" != "$1" ]
}

# A check of the health does not read the statistics.
is_healthy()
{
	local before sample

	before=$(last_sample)
	other_path /healthz 200 '^ok$' && until_true 20 next_sample "$before" || return 1
	echo "samples: $before, then $sample"
	[ "$sample" = $((before + 1)) ]
}

has_process_metrics()
{
	scrape_has '^process_' || return 1
	awk '$1 == "process_open_fds" { good += $2 >= 5 && $2 < 1000 }
		$1 == "process_resident_memory_bytes" { good += $2 > 100000 }
		$1 == "process_virtual_memory_bytes" { good += $2 > 1000000 }
		$1 == "process_cpu_seconds_total" { good += $2 > 0 && $2 < 100 }
		$1 == "process_start_time_seconds" { good += now - $2 < 600 && now - $2 > -2 }
		END { exit good != 5 }' now="$(date +%s)" "$out/scraped"
}

# The server listens on all addresses: those of IPv4, and of IPv6 if the machine has it.
serves_all_addresses()
{
	start_server --listen :0 && echo "$url" || return 1
	url=http://127.0.0.1:$(port)/metrics answers 200 || return 1
	[[ $url != *'[::]'* ]] || url="http://[::1]:$(port)/metrics" answers 200 -g || return 1
	end_server
}

serves_ipv6()
{
	start_server --listen '[::1]:0' && [[ $url == 'http://[::1]:'*/metrics ]] && answers 200 -g && end_server
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

used_port_is_reported()
{
	serve_prints 1 'Address already in use.*Choose another' --listen "127.0.0.1:$(port)"
}

http_tests()
{
	check "the server starts" start_server --listen 127.0.0.1:0
	check "Accept and Accept-Encoding select the format" accept_is_respected
	check "/healthz answers without reading the statistics" is_healthy
	check "the server reports what its process uses" has_process_metrics
	check "the answer to HEAD has the headers of GET, and no body" answers_head
	check "other methods are not allowed" other_methods_are_refused
	check "an unknown path is not found" other_path /metricsx 404 /metrics
	check "the front page links to /metrics" other_path / 200 'href="/metrics"'
	check "a request with HTTP/1.1 needs the header Host" without_host 1.1 400
	check "a request with HTTP/1.0 does not need it" without_host 1.0 200
	check "a port that is in use is reported" used_port_is_reported
	check "SIGTERM ends the server, without leaks" end_server
	check "without an address the server listens on all" serves_all_addresses
	if grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
		check "the server uses IPv6" serves_ipv6
	else
		skip "the server uses IPv6" "this machine has no IPv6"
	fi
}

# ---- clients that misbehave ----

# Send a part of a request. Another client gets an answer meanwhile.
hanging_client()
{
	local client status=0

	exec {client}<>"/dev/tcp/127.0.0.1/$(port)" || return 1
	printf 'GET /metrics HTTP/1.1\r\nHost: x\r\nX-' >&"$client"
	scrape -m 3 || status=1
	# The server closes the connection.
	timeout 20 cat <&"$client" >"$out/rest" || status=1
	exec {client}>&-
	return "$status"
}

# crowd COUNT [TEXT]: connect this many clients at once, which send TEXT and do not read. Others still get
# their answer, half a second later at most than ten answers took without the crowd. Each time is the
# median of five. The server disconnects idle clients after five seconds.
crowd()
{
	/usr/bin/python3 - "$(port)" "$1" "${2:-}" <<-'END'
	import http.client, socket, sys, time
	port, clients = int(sys.argv[1]), []
	def duration():
	    start = time.monotonic()
	    other = http.client.HTTPConnection('127.0.0.1', port, timeout=20)
	    other.request('GET', '/metrics')
	    assert b'kvm_stats_samples_total' in other.getresponse().read()
	    return time.monotonic() - start
	def median():
	    return sorted(duration() for _ in range(5))[2]
	alone = median()
	for _ in range(int(sys.argv[2])):
	    client = socket.socket()
	    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
	    client.setblocking(bool(sys.argv[3]))
	    client.connect_ex(('127.0.0.1', port))
	    if sys.argv[3]:
	        client.send(sys.argv[3].encode('latin1').decode('unicode_escape').encode('latin1'))
	    clients.append(client)
	crowded = median()
	print(f'an answer took {alone:.3f} s, and {crowded:.3f} s with the crowd')
	sys.exit(crowded > 10 * alone + 0.5)
	END
}

# All 400 requests get an answer, and the server reads the statistics at most ten times a second.
flood()
{
	local before after start=$SECONDS most

	before=$(last_sample)
	seq 10 | xargs -P 10 -I N curl -sS -m 30 -o /dev/null -w '%{http_code}\n' \
		"$url?N[1-40]" >"$out/codes" || return 1
	after=$(last_sample)
	most=$(((SECONDS - start + 1) * 10 + 2))
	sort "$out/codes" | uniq -c
	echo "the statistics were read $((after - before)) times, at most $most are expected"
	[ "$(grep -c '^200$' "$out/codes")" = 400 ] && [ $((after - before)) -le "$most" ]
}

client_tests()
{
	local request='GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'

	check "the server starts for misbehaving clients" start_server --listen 127.0.0.1:0
	check "a request that is too large gets an error" \
		answers 431 -H "X-Long: $(head -c 60000 /dev/zero | tr '\0' x)"
	check "a client that hangs does not block others, and is disconnected" hanging_client
	check "400 silent clients do not delay others" crowd 400
	check "20 clients that do not read the answer do not delay others" crowd 20 "$request"
	check "60 clients that send garbage do not delay others" crowd 60 '\x16\x03\x01\x02\x00\xff\x00\r\n\r\n'
	check "for a flood of requests, the server reads the statistics only a few times" flood
	check "SIGTERM ends the server after misbehaving clients, without leaks" end_server
}

# ---- the rights of the process that talks to clients ----

# Print the PID of the process that listens on the port of the server.
listening_process()
{
	local inode

	inode=$(awk -v port="$(printf ':%04X' "$(port)")" '$4 == "0A" && index($2, port) { print $10 }' /proc/net/tcp)
	find "/proc/$server"/task/*/children -exec cat {} + | tr ' ' '\n' | while read -r child; do
		[ -z "$(find "/proc/$child/fd" -lname "socket:\[$inode\]")" ] || echo "$child"
	done
}

# The server, which has rights, does not have the listening socket. The process that listens has no
# rights. Its only fds are this socket, a socket to the server, standard error, and those of epoll and
# eventfd.
process_has_no_rights()
{
	local pid

	pid=$(listening_process)
	[ -n "$pid" ] || return 1
	grep -E '^(Name|Uid|Gid|Groups|Cap|NoNew|Seccomp)' "/proc/$pid/status"
	ls -l "/proc/$pid/fd"
	awk '/^Cap/ { caps += $2 == "0000000000000000" } /^NoNewPrivs:/ { privs = $2 }
		/^Seccomp:/ { filter = $2 } /^(Uid|Gid):/ { root += $2 == 0 || $3 == 0 }
		END { exit !(caps == 5 && privs == 1 && filter == 2 && !root) }' "/proc/$pid/status" &&
	[ "$(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)" = 2 ] &&
	[ -z "$(find "/proc/$pid/fd" -type l ! -lname 'socket:*' ! -lname 'anon_inode:\[event*' \
		! -lname "$out/server.err")" ]
}

# If one of the two processes is killed, the other one ends.
ends_with_other()
{
	local pid status=0

	pid=$(listening_process)
	kill -KILL "$pid" && wait "$server" || status=$?
	server=
	[ "$status" = 1 ] && has_line 'has ended or does not work' "$out/server.err" || return 1
	stats=$plain/kvm-stats start_server --listen 127.0.0.1:0 || return 1
	pid=$(listening_process)
	kill -KILL "$server" && wait "$server"
	server=
	until_true 10 has_ended "$pid"
}

has_ended()
{
	! is_running "$1"
}

rights_tests()
{
	local what="the process that listens has no rights, and no statistics"

	if [ "$(id -u)" != 0 ]; then
		skip "$what" "needs root, to examine the process"
		return
	fi
	check "the server without sanitizers builds" build_plain kvm-stats
	stats=$plain/kvm-stats check "it starts" start_server --listen 127.0.0.1:0
	check "$what" process_has_no_rights
	check "if one process is killed, the other one ends" ends_with_other
	stop_server
}

# ---- the file for node_exporter ----

textfile=$out/textfile/kvm.prom

# write_once: `kvm-stats serve --once` writes the file, which all users can read
write_once()
(
	umask 077
	"$stats" serve --once -g nobody -t "$textfile"
)

written_once()
{
	rm -rf "$out/textfile" && mkdir -p "$out/textfile" && write_once &&
	has_line '^kvm_stats_samples_total 1$' "$textfile" && ! has_line process_ "$textfile" &&
	[ "$(ls -A "$out/textfile")" = kvm.prom ] && [ "$(stat -c %a "$textfile")" = 644 ]
}

# The server replaces the file atomically: the file always exists and is always complete.
written_again()
{
	local first last i

	start_server -t "$textfile" -i 0.1 || return 1
	until_true 20 has_line '^kvm_stats_samples_total \([2-9]\|[0-9][0-9]\)' "$textfile" || return 1
	first=$(stat -c %i "$textfile")
	for ((i = 0; i < 200; i++)); do
		cat "$textfile" >"$out/read" || return 1
		last=$(tail -n 1 "$out/read")
		[ -n "$last" ] && [[ $last != *[!\ -~]* ]] || return 1
	done
	# The file system may reuse inode numbers, so one comparison is not enough.
	until_true 5 has_other_inode "$first" && [ -z "$url" ]
}

has_other_inode()
{
	[ "$(stat -c %i "$textfile")" != "$1" ]
}

# removed_by SIGNAL: the server ends and removes the file
removed_by()
{
	start_server -t "$textfile" -i 0.1 && until_true 20 test -s "$textfile" &&
	end_server "$1" && [ -z "$(ls -A "$out/textfile")" ]
}

# A server that nohup(1) starts ignores SIGHUP.
nohup_ignores_hangup()
{
	: >"$out/server.err"
	nohup "$stats" serve -g "$guest" -t "$textfile" -i 0.1 </dev/null >"$out/server.out" 2>"$out/server.err" 9>&- &
	server=$!
	until_true 20 test -s "$textfile" && kill -HUP "$server" && sleep 0.5 && is_running "$server" && end_server
}

# A symbolic link under the name of the temporary file must not redirect the output.
does_not_follow_links()
{
	echo mine >"$out/mine" && rm -f "$textfile"* && ln -s "$out/mine" "$textfile.new" &&
	write_once && [ "$(cat "$out/mine")" = mine ] && [ ! -L "$textfile" ]
}

# Fill the file system of the file in a mount namespace, and free it again.
full_disk()
{
	local dir=$out/textfile

	: >"$out/full.err"
	mount -t tmpfs -o size=64k none "$dir" || exit 1
	"$stats" serve -t "$textfile" -i 0.2 -g nobody 2>"$out/full.err" &
	server=$!
	trap 'stop "$server"' EXIT
	until_true 20 test -s "$textfile" || exit 1
	head -c 60k /dev/zero >"$dir/other" 2>/dev/null
	until_true 20 has_line 'No space left on device' "$out/full.err" || exit 1
	sleep 1
	cp "$textfile" "$out/kept"
	[ "$(echo "$dir"/*)" = "$textfile $dir/other" ] || exit 1
	rm "$dir/other"
	until_true 20 has_line 'writing succeeds again' "$out/full.err" || exit 1
	cp "$out/full.err" "$out/server.err"
	end_server
}

survives_full_disk()
{
	export -f full_disk until_true uptime_seconds has_line end_server stop
	export out stats textfile
	rm -rf "$out/textfile" && mkdir -p "$out/textfile" || return 1
	unshare -m bash -c full_disk || { cat "$out/full.err"; return 1; }
	cat "$out/full.err"
	[ "$(grep -c 'No space left' "$out/full.err")" = 1 ] &&
	has_line '^kvm_stats_samples_total' "$out/kept" && ! has_line ERROR "$out/full.err"
}

# With and without --once
reports_unusable_path()
{
	mkdir -p "$out/textfile/directory.prom" &&
	serve_prints 1 'cannot write: No such file' -g nobody --once -t "$out/nowhere/kvm.prom" &&
	serve_prints 1 'cannot write: Is a directory' -g nobody -t "$out/textfile/directory.prom" &&
	serve_prints 1 'cannot write: No such file' -g nobody -t "$out/textfile/new.prom/" &&
	rmdir "$out/textfile/directory.prom"
}

textfile_tests()
{
	local what="a full disk is reported once, the file stays until the disk has space again" signal

	check "--once writes a file" written_once
	check "the file is complete at every moment while the server updates it" written_again
	stop_server
	for signal in TERM HUP QUIT INT; do
		check "SIG$signal ends the server, which removes the file" removed_by "$signal"
	done
	check "a server under nohup ignores SIGHUP" nohup_ignores_hangup
	check "a symbolic link under the temporary name is not followed" does_not_follow_links
	check "serve does not start with a path that no file can have" reports_unusable_path
	if unshare -m true 2>/dev/null; then
		check "$what" survives_full_disk
	else
		skip "$what" "needs root, to mount a file system"
	fi
}

# ---- parsers, the rules for Prometheus, the dashboards for Grafana ----

# find_program NAME PACKAGE...: print the path of the program. If it is not installed, unpack the
# packages until one has it. Installing them would start a server on all addresses.
find_program()
{
	local name=$1 package path

	command -v "$name" && return
	shift
	for package; do
		path=$("$ROOT/tests/lib/unpack" "$package" 2>>"$out/log")
		find "$path"/usr/{bin,sbin} -name "$name" -executable 2>/dev/null | grep . && return
	done
	return 1
}

# parses FILE: parse OpenMetrics with Prometheus' Python library, which is strict
parses()
{
	/usr/bin/python3 - "$1" <<-'END'
	import sys
	from prometheus_client.openmetrics.parser import text_string_to_metric_families
	with open(sys.argv[1], encoding='utf-8', newline='') as file:
	    families = list(text_string_to_metric_families(file.read()))
	print(len(families), 'families')
	sys.exit(len(families) < 10)
	END
}

# promtool_accepts FILE
promtool_accepts()
{
	"$promtool" check metrics <"$1"
}

promtool_accepts_samples()
{
	"$checked/tests/serve_test" "$out/samples" && promtool_accepts "$out/samples"
}

# The rules, and the queries of the dashboards as rules
queries_are_valid()
{
	# shellcheck disable=SC2016 # the variables are those of the dashboards
	jq -r '.panels[].targets[]?.expr' "$dashboards"/*.json |
		sed 's/\$__rate_interval/10s/g; s/\$\(job\|cluster\|instance\|guest\)/.*/g' >"$out/queries"
	{
		printf 'groups:\n- name: dashboards\n  rules:\n'
		jq -R '{ record: "a:b\(input_line_number)", expr: . }' "$out/queries" | jq -cs '.[]' | sed 's/^/  - /'
	} >"$out/dashboard.rules.yml"
	[ "$(wc -l <"$out/queries")" -gt 50 ] &&
	"$promtool" check rules "$share/kvm.rules.yml" "$out/dashboard.rules.yml"
}

# The rules raise the right alerts. Each alert has a test, and a description of what to do.
rules_work()
{
	(cd "$share" && "$promtool" test rules kvm.test.yml) || return 1
	sed -n 's/^ *- alert: //p' "$share/kvm.rules.yml" | sort >"$out/alerts"
	sed -n 's/.*alertname="\([^"]*\)".*/\1/p' "$share/kvm.test.yml" | sort -u |
		diff "$out/alerts" - && [ -s "$out/alerts" ] &&
	sed -n 's/^## //p' "$share/alerts.md" | tr -d ' ' | tr , '\n' | sort | diff "$out/alerts" -
}

# write_hosts: write what a host of each kind exports with each --metrics: one with the series, one with the
# host file of an unpatched kernel, and one that has only /proc
write_hosts()
{
	local kind metrics extra

	extra=$("$ROOT/tests/compare/extra" x86)
	build_plain "$plain/tests/sample_host" || return 1
	for kind in series file proc; do
		for metrics in minimal default all; do
			# shellcheck disable=SC2086 # several names
			"$plain/tests/sample_host" "$metrics" "$kind" $extra >"$out/host.$kind.$metrics" || return 1
		done
	done
}

# has_few METRICS MOST: a guest has at most so many series on each host, and a host 60 of its own. A fleet
# must not have too many.
has_few()
{
	local kind guest host

	for kind in series file proc; do
		guest=$(grep -c '^kvm_.*uuid=' "$out/host.$kind.$1")
		host=$(grep -v '^#' "$out/host.$kind.$1" | grep -vc uuid=)
		echo "a guest has $guest series, and a host of kind $kind has $host"
		[ "$guest" -ge 5 ] && [ "$guest" -le "$2" ] && [ "$host" -ge 10 ] && [ "$host" -le 60 ] || return
	done
}

# Each metric that a panel or an alert names is exported by a host of each kind, or the panel or a
# comment of the rule says what it needs. They use all metrics about guests and hosts: the default is
# what they need. A misspelled name has no values, which is no error for Prometheus.
metrics_exist()
{
	/usr/bin/python3 - "$share" "$out" "$samples" "$dashboards" <<-'END'
	import json, re, sys
	share, out, samples, dashboards = sys.argv[1:]
	WORD = re.compile(r'\b(?:kvm|process)_[a-z0-9_]+')
	def names(path):
	    return {re.match('[a-z0-9_]+', line)[0] for line in open(path) if line[0] not in '#\n'}
	hosts = {kind: names(f'{out}/host.{kind}.default') for kind in ('series', 'file', 'proc')}
	# Guests of the sample hosts have no limit and no exits by class.
	everywhere = {'kvm_guest_throttled_seconds_total', 'kvm_guest_cpu_limit_binds'}
	more = 'series or modules|exit statistics'
	lacks = {'series': None, 'file': more, 'proc': more + "|KVM's statistics"}
	known = set.union(names(samples), everywhere, *hosts.values())
	used, wrong = set(), []
	def check(where, text, needs):
	    for name in WORD.findall(text):
	        used.add(name)
	        for kind, metrics in hosts.items():
	            if name not in (metrics | everywhere if lacks[kind] else known) and \
	               not re.search(lacks[kind] or '$^', needs):
	                wrong.append(f'{where}: a host of kind {kind} has no {name}')
	for dashboard in 'kvm-fleet.json', 'kvm-guest.json':
	    for panel in json.load(open(f'{dashboards}/{dashboard}'))['panels']:
	        for target in panel.get('targets', []):
	            check(panel['title'], target['expr'], panel.get('description', ''))
	# A comment "Needs" is in front of an alert, or of a group.
	alert, expr, needs, group_needs = '', False, '', ''
	for line in open(f'{share}/kvm.rules.yml'):
	    word = line.split()
	    if word[:2] == ['#', 'Needs']:
	        needs = line
	    elif word[:2] == ['-', 'name:']:
	        group_needs, needs = needs, ''
	    elif word[:2] == ['-', 'alert:']:
	        alert, alert_needs, needs = word[2], needs + group_needs, ''
	    elif word[:1] == ['expr:']:
	        expr = True
	    elif word[:1] == ['for:']:
	        expr = False
	    if expr:
	        check(alert, line, alert_needs)
	about = {name for metrics in hosts.values() for name in metrics if re.match('kvm_(guest|vm|host)_', name)
	         and not name.endswith(('_count', '_sum'))}
	wrong += [f'no panel and no alert uses {name}' for name in about - used]
	print('\n'.join(wrong), len(used), 'metrics')
	sys.exit(len(used) < 50 or bool(wrong))
	END
}

parser_tests()
{
	local what="promtool accepts sample statistics"

	check "a strict parser accepts sample statistics" parses "$samples"
	check "the dashboards are made" build_plain dashboards
	# Debian 12 has promtool in the package prometheus, later releases in a package of its own.
	if ! promtool=$(find_program promtool prometheus promtool); then
		skip "$what" "promtool is not available: $(xargs <"$out/log")"
		return
	fi
	check "$what" promtool_accepts_samples
	check "promtool accepts the rules and the queries of the dashboards" queries_are_valid
	check "the rules raise the right alerts, which are described" rules_work
}

dashboard_tests()
{
	check "hosts of each kind write their metrics" write_hosts
	check "with --metrics=minimal, a guest has at most 13 series" has_few minimal 13
	check "with --metrics=default, a guest has at most 52 series" has_few default 52
	check "with --metrics=all, a guest has at most 78 series" has_few all 78
	check "hosts of each kind export what panels and alerts use, or these say what they need" metrics_exist
}

# ---- nginx in front ----

# make_certificates: an authority of clients, a client of it, one of no authority, and the server
make_certificates()
{
	local name

	mkdir -p "$out/nginx" && cd "$out/nginx" || return 1
	for name in server clients other; do
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
			-subj "/CN=$name" -addext subjectAltName=IP:127.0.0.1 -keyout "$name.key" -out "$name.crt" || return 1
	done
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=prometheus \
		-keyout client.key -out client.csr &&
	openssl x509 -req -in client.csr -CA clients.crt -CAkey clients.key -CAcreateserial -days 2 -out client.crt
}

nginx_answers()
{
	! is_running "$nginx" || answers 400 -k >/dev/null 2>&1
}

# The shipped file, with the paths and ports of the test
start_nginx()
{
	local listen

	start_server --listen 127.0.0.1:0 || return 1
	listen=$(free_port)
	{
		echo "error_log stderr; pid $out/nginx/pid; daemon off; events {} http { access_log off;"
		for name in client_body proxy fastcgi uwsgi scgi; do
			echo "${name}_temp_path $out/nginx/$name;"
		done
		sed "s|/etc/kvm-stats|$out/nginx|; s/127.0.0.1:10203/127.0.0.1:$(port)/
			s/listen 10204/listen 127.0.0.1:$listen/; /\[::\]/d" "$share/nginx.conf"
		echo "}"
	} >"$out/nginx/nginx.conf"
	[ "$(id -u)" != 0 ] || sed -i '1s/^/user root; /' "$out/nginx/nginx.conf"
	"$nginx_bin" -p "$out/nginx" -e stderr -c "$out/nginx/nginx.conf" 2>"$out/nginx/log" 9>&- &
	nginx=$!
	url=https://127.0.0.1:$listen/metrics
	until_true 20 nginx_answers
	is_running "$nginx" || { cat "$out/nginx/log"; return 1; }
}

scrape_with_certificate()
{
	local dir=$out/nginx

	answers "$1" --cacert "$dir/server.crt" --cert "$dir/$2.crt" --key "$dir/$2.key" "${@:3}"
}

# One connection for both requests. The second one reuses it.
keeps_alive()
{
	scrape_with_certificate 200 client -v "$url" -o /dev/null -H 'Accept: application/openmetrics-text' \
		2>"$out/nginx/verbose" && grep -i 're-using existing connection' "$out/nginx/verbose" &&
	has_header 'content-type: application/openmetrics-text.*' && parses "$out/scraped"
}

refuses_without_certificate()
{
	answers 400 --cacert "$out/nginx/server.crt" && scrape_with_certificate 400 other &&
	! has_line kvm_ "$out/scraped" && ! scrape_with_certificate 200 client --tls-max 1.1 &&
	url=${url%metrics} scrape_with_certificate 404 client
}

nginx_tests()
{
	if ! nginx_bin=$(find_program nginx nginx); then
		skip "nginx with the shipped configuration starts" "nginx is not available: $(xargs <"$out/log")"
		return
	fi
	check "certificates are made" make_certificates
	check "nginx with the shipped configuration starts" start_nginx
	check "a client with a certificate gets the statistics" scrape_with_certificate 200 client
	check "the connection of a client stays open between two scrapes" keeps_alive
	check "a client without the right certificate gets an error" refuses_without_certificate
	stop "$nginx"
	nginx=
	check "SIGTERM ends the server behind nginx, without leaks" end_server
}

# ---- the unit under a real systemd, the first process of a PID namespace ----

systemd=
systemd_dir=$out/systemd
# What the unit listens on. If it is empty, the unit listens on all addresses.
systemd_address=127.0.0.1

# Print why systemd cannot run here, or nothing.
why_no_systemd()
{
	if [ ! -x /lib/systemd/systemd ]; then
		echo "systemd is not installed"
	elif [ "$(id -u)" != 0 ] || ! unshare --pid --fork --mount --cgroup true 2>/dev/null; then
		echo "needs root, to create namespaces"
	elif [ -z "$(findmnt -n -t cgroup2 -o TARGET)" ]; then
		echo "this machine has no cgroup2"
	fi
}

# write_units PORT [DROP-IN]: the unit with the command of the test, empty units for the targets that each
# service depends on, and the script that runs in the namespaces, whose argument is $out
write_units()
{
	local units=$systemd_dir/units name

	rm -rf "$units" && mkdir -p "$units/kvm-stats.service.d" &&
	sed "s|^ExecStart=[^ ]*|ExecStart=/run/kvm-stats|" "$share/kvm-stats.service" >"$units/kvm-stats.service" &&
	{ [ $# = 1 ] || cp "$2" "$units/kvm-stats.service.d"; } || return 1
	for name in sysinit basic shutdown network umount; do
		printf '[Unit]\nDefaultDependencies=no\n' >"$units/$name.target"
	done
	printf '[Unit]\nRequires=kvm-stats.service\n' >"$units/test.target"
	cat >"$units/kvm-stats.service.d/test.conf" <<-CONF
	[Service]
	EnvironmentFile=
	Environment=KVM_STATS_OPTIONS=--listen=$systemd_address:$1
	StandardError=append:$systemd_dir/service.err
	CONF
	# udev and the package create the groups. Machines without them may not have these.
	{ getent group kvm && getent group kvm-stats; } >/dev/null ||
		echo SupplementaryGroups= >>"$units/kvm-stats.service.d/test.conf"
	cat >"$systemd_dir/init" <<-'INIT'
	set -e
	mount --make-rprivate /
	mount -t proc proc /proc
	umount -R /sys/fs/cgroup 2>/dev/null || true
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mount -t tmpfs none /run
	cp "$1/plain/kvm-stats" "$1/plain/kvm-stats-http" /run/
	cp -r "$1/systemd/units" /run/units
	if [ -x "$1/plain/tests/vmm" ]; then
		setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps=+dac_override \
			--ambient-caps=+dac_override "$1/plain/tests/vmm" -s -name "guest=unit" \
			<"$1/systemd/vmm.in" >"$1/systemd/vmm.out" 2>&1 &
	fi
	mount --bind "$(tty)" /dev/console
	export container=kvm-stats SYSTEMD_UNIT_PATH=/run/units
	exec /lib/systemd/systemd --system --unit=test.target --log-target=console \
		--log-level=info --show-status=no
	INIT
}

# start_systemd [DROP-IN]: systemd logs to the terminal that script(1) creates.
start_systemd()
{
	local port

	port=$(free_port)
	systemd_cgroup=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/kvm-stats-test-$$
	rm -rf "$systemd_dir" && mkdir -p "$systemd_dir" && write_units "$port" "$@" &&
	mkfifo "$systemd_dir/vmm.in" && mkdir "$systemd_cgroup" || return 1
	exec 9<>"$systemd_dir/vmm.in"
	# shellcheck disable=SC2016 # another shell expands this
	bash -c 'echo $$ >"$2/cgroup.procs" && exec script -qfc \
		"unshare --pid --fork --mount --uts --ipc --cgroup --kill-child \
			bash $1/systemd/init $1" "$1/systemd/log"' \
		- "$out" "$systemd_cgroup" </dev/null >/dev/null 2>&1 9>&- &
	systemd=$!
	url=http://127.0.0.1:$port/metrics
	until_true 30 scrape 2>/dev/null || { tail -n 20 "$systemd_dir/log"; cat "$systemd_dir/service.err"; return 1; }
}

stop_systemd()
{
	[ -n "$systemd" ] || return 0
	# When systemd ends, the kernel kills all processes of its PID namespace. Then unshare and
	# script end, too.
	kill -KILL "$(systemd_pid)" 2>/dev/null || stop "$systemd"
	wait "$systemd" 2>/dev/null
	systemd=
	exec 9>&-
	until_true 10 no_processes >/dev/null
	find "$systemd_cgroup" -depth -type d -exec rmdir {} + 2>/dev/null
}

no_processes()
{
	! find "$systemd_cgroup" -name cgroup.procs -exec cat {} + 2>/dev/null | grep -q .
}

systemd_pid()
{
	cat "$systemd_cgroup/init.scope/cgroup.procs"
}

# No process of the unit has a capability, or can get one. All have a filter of system calls. systemd_unit
# tests the unit with perfmon.conf in a test machine.
processes_are_confined()
{
	local pid

	sort -n "$systemd_cgroup/system.slice/kvm-stats.service/cgroup.procs" | while read -r pid; do
		cat "/proc/$pid/status"
	done >"$systemd_dir/status"
	grep -E '^(Name|Uid|Cap|NoNew|Seccomp)' "$systemd_dir/status"
	awk '
		$1 == "Name:" { count[$2]++; all++ }
		$1 == "Uid:" { uids += $2 >= 61184 && $2 <= 65519 && $2 == $3 }
		/^Cap(Prm|Eff|Amb):/ { right += $2 == "0000000000000000" }
		$1 == "NoNewPrivs:" { privs += $2 } $1 == "Seccomp:" { filter += $2 }
		END { exit !(count["kvm-stats"] == 1 && count["kvm-stats-http"] == 1 &&
			count["kvmstats-reader"] == all - 2 &&
			uids == all && right == 3 * all && privs == all && filter == 2 * all) }' "$systemd_dir/status"
}

# The host file has no values in a PID namespace. All the rest comes from /proc.
unit_sees_vmm()
{
	until_true 20 scrape_has '^kvm_guest_state{guest="unit",uuid="",state="running"} 1' &&
	grep '^kvm_guest_run_delay_seconds_total{guest="unit"' "$out/scraped" &&
	grep '^kvm_host_statistics_readable{source="proc",error="[^"].*} 0$' "$out/scraped"
}

# Without a permission that it needs, the unit would report it.
unit_stops()
{
	nsenter --all --target "$(systemd_pid)" systemctl stop kvm-stats.service &&
	nsenter --all --target "$(systemd_pid)" systemctl show -p Result,ExecMainStatus,ActiveState \
		kvm-stats.service >"$systemd_dir/show"
	cat "$systemd_dir/show" "$systemd_dir/service.err"
	[ "$(sort "$systemd_dir/show" | xargs)" = "ActiveState=inactive ExecMainStatus=0 Result=success" ] &&
	! has_line 'not permitted\|hidepid\|failed' "$systemd_dir/service.err"
}

# Requests of this machine to itself come from the address that they go to, as if from another
# machine: the unit allows the loopback addresses only.
scrape_as_other()
{
	curl -sS -m 2 -o "$out/scraped" "${url/127.0.0.1/$1}" && grep '^kvm_host_vcpus ' "$out/scraped"
}

refuses_other_machine()
{
	systemd_address='' start_systemd && ! scrape_as_other "$1"
}

# The commands of tools/kvm/kvm_stats/share/README.md, with the address of this machine as that of Prometheus
allows_prometheus()
{
	local readme=$share/README.md drop_in=$out/listen.conf

	grep -qx 'echo KVM_STATS_OPTIONS=--listen=:10203 >>/etc/default/kvm-stats' "$readme" &&
	sed -n '/listen.conf <</,/^END$/{//d; p}' "$readme" | sed "s/192.0.2.10/$1/" >"$drop_in" &&
	grep -qx "IPAddressAllow=$1" "$drop_in" &&
	systemd_address='' start_systemd "$drop_in" && scrape_as_other "$1"
}

# systemd_tests WHY: WHY is empty, or the reason why no VM can run
systemd_tests()
{
	local why address what="the unit runs under systemd, and serves"

	why=$(why_no_systemd)
	if [ -n "$why" ]; then
		skip "$what" "$why"
		return
	fi
	check "the command of the unit builds" build_plain kvm-stats
	check "$what" start_systemd
	check "its processes have no capabilities" processes_are_confined
	if [ -n "$1" ]; then
		skip "the unit sees a VMM of another user" "$1"
	else
		check "the unit sees a VMM of another user, and says why it has no statistics" unit_sees_vmm
	fi
	check "the unit stops without an error" unit_stops
	stop_systemd
	address=$(hostname -I | cut -d' ' -f1)
	if [ -z "$address" ]; then
		skip "the unit refuses other machines" "this machine has only loopback addresses"
		return
	fi
	check "the unit refuses other machines, also if it listens on all addresses" refuses_other_machine "$address"
	stop_systemd
	check "with the commands of tools/kvm/kvm_stats/share/README.md it serves another machine" allows_prometheus "$address"
	stop_systemd
}

# ---- a real VM ----

# start_guest: start a VMM with the guest name of these tests
start_guest()
{
	start_vmm -s -name "guest=$guest" -uuid "$uuid"
}

guest_is_scraped()
{
	scrape_has "^kvm_guest_exits_total{guest=\"${guest//\"/\\\\\"}\",uuid=\"$uuid\"} [1-9]"
}

# No label has the number of an fd or the PID, which would begin new series after a restart of the VMM.
has_few_series()
{
	local vcpu guest

	vcpu=$(grep -c "^kvm_vcpu_.*uuid=\"$uuid\"" "$out/scraped")
	guest=$(grep -c "^kvm_\(guest\|vm\)_.*uuid=\"$uuid\"" "$out/scraped")
	echo "the guest has $guest series, its two vCPUs have $vcpu"
	[ "$guest" -ge 20 ] && [ "$guest" -le 60 ] && [ "$vcpu" -ge 20 ] && [ "$vcpu" -le 100 ] &&
	! grep -v '^kvm_guest_info{' "$out/scraped" | grep '[{,]\(fd\|pid\)="'
}

parsers_accept_vm()
{
	scrape && { [ -z "$promtool" ] || promtool_accepts "$out/scraped"; } &&
	scrape -H 'Accept: application/openmetrics-text' && parses "$out/scraped"
}

# ---- a user who may read the published host file ----

# Values of KVM without a right: the server is a member of the group. Neither of its processes has a
# capability.
member_serves()
{
	local pids

	"$plain/kvm-stats" publish || return 1
	: >"$out/server.err"
	setpriv --reuid 65533 --regid 65533 --groups "$(getent group kvm-stats | cut -d: -f3)" --inh-caps=-all \
		--bounding-set=-all --no-new-privs "$out/member/kvm-stats" serve -g "$guest" --listen 127.0.0.1:0 \
		2>"$out/server.err" 9>&- &
	server=$!
	wait_for_server serving && guest_is_scraped || return 1
	pids="$server $(cat "/proc/$server"/task/*/children)"
	for pid in $pids; do
		grep -E '^(Name|Uid|Groups|Cap)' "/proc/$pid/status"
		[ "$(grep -c '^Cap[A-Z][a-z]*:[[:space:]]*0*$' "/proc/$pid/status")" = 5 ] || return 1
	done
	grep '^kvm_host_statistics_readable{source="file",error=""} 1$' "$out/scraped"
}

member_tests()
{
	local what="a member of the group reads the published statistics, without any capability" why

	why=$(why_no_host_file)
	if [ -n "$why" ]; then
		skip "$what" "$why"
		return
	fi
	getent group kvm-stats >/dev/null || groupadd --system kvm-stats
	# The directory of the build may not be accessible to other users.
	mkdir -p "$out/member" && cp "$plain/kvm-stats" "$plain/kvm-stats-http" "$out/member"
	# Another test may use the published file at the same time.
	exec 8>/tmp/publish.lock
	flock 8
	check "$what" member_serves
	stop_server
	"$plain/kvm-stats" publish --remove
	exec 8>&-
}

vm_tests()
{
	check "a VMM starts" start_guest
	check "the server starts with a VMM" start_server --listen 127.0.0.1:0 --per-vcpu
	check "a scrape has the values of the VM" until_true 10 guest_is_scraped
	check "a guest has at most 60 series, a vCPU 50" has_few_series
	check "parsers accept the values of a VM" parsers_accept_vm
	check "SIGTERM ends the server with a VMM, without leaks" end_server
	member_tests
	check "--once reports that -f matches nothing, and fails" \
		serve_prints 1 "no statistic.* matches '.nosuch.'" --once -g "$guest" -f '^nosuch$'
	stop_vmm
}

# shellcheck disable=SC2317 # the traps call it
end_all()
{
	stop_systemd
	stop "$nginx"
	stop_server
	stop_vmms
}

trap 'end_all; exit 1' INT TERM
trap 'explain_exit "$out/log"; end_all' EXIT

"$ROOT/scripts/packages" tools serve >&2 || bail_out "packages cannot be installed"
begin
promtool=
run_tests option_tests
run_tests http_tests
run_tests client_tests
run_tests rights_tests
run_tests textfile_tests
run_tests parser_tests
run_tests dashboard_tests
run_tests nginx_tests
no_vm=$(why_no_vm)
why=${no_vm:-$(why_no_statistics)}
if [ -n "$why" ]; then
	skip "kvm-stats serve reports a real VM" "$why"
else
	run_tests vm_tests
fi
run_tests systemd_tests "$no_vm"
finish
