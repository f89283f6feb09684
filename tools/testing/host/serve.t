#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kvm-stats serve: what it writes is held against expositions that have to come out, and
# read by the parsers of Prometheus; over HTTP it meets clients of all kinds; Debian's
# Prometheus scrapes it. Where KVM can be used, it does so with a real VM.
#
# usage, from the top of the repository: tools/testing/host/serve.t

set -u

# As in tools.t: gcc 12's address checker and vm.mmap_rnd_bits above 28.
if [ -z "${SERVE_T_FIXED:-}" ] && setarch -R true 2>/dev/null; then
	SERVE_T_FIXED=1 exec setarch -R "$0" "$@"
fi

top=$PWD
out=$top/build/serve-test
lib=$top/tools/lib/kvmstats
command=$top/tools/kvm/kvm_stats
stats=$out/checked/kvm-stats
checks="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
# What it has not freed at its end is an error, too.
export ASAN_OPTIONS=detect_leaks=1

. "$(dirname "$0")/tap.sh"
point_log=$out/log

# The name of our VM, quotes and all: whatever else runs on this machine, it is left alone.
guest='"tiny" of serve.t'

# ---- processes, all of which end with this test ----

server=
url=
vmm=
prometheus=

stop()
{
	[ -n "$1" ] || return 0
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

stop_all()
{
	stop "$prometheus"
	stop "$server"
	stop "$vmm"
	prometheus= server= vmm=
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
		[ $SECONDS -lt $end ] || return 1
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
	"$stats" serve -g "$guest" "$@" >"$out/server.out" 2>"$out/server.err" 9>&- &
	server=$!
	until_true 30 has_line '^kvm-stats: \(serving\|no VM\|[0-9]* VMM\)' "$out/server.err" || return 1
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

# ---- builds ----

# The test takes of it what it needs.
build_archive()
{
	rm -f "$out/command.a"
	find "$out/checked/obj" -name '*.o' ! -name main.o ! -name '*_none.o' | sort |
		xargs ar rcs "$out/command.a"
}

build_test()
{
	gcc -std=gnu11 -Wall -Wextra -Werror $checks -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		-I"$lib" -I"$lib/tests" -I"$command" -idirafter include/uapi -o "$out/$1" \
		"$command/tests/$1.c" "$out/command.a" "$out/checked/lib/libkvmstats.a" -lm
}

# All but HTTP, as where libmicrohttpd is not there; that is told.
without_http()
{
	mkdir -p "$out/none" && cp -r "$out/checked/." "$out/none" &&
	make -s -C "$command" HTTP=no CFLAGS="$checks" O="$out/none" kvm-stats || return 1
	! ldd "$out/none/kvm-stats" | grep microhttpd || return 1
	"$out/none/kvm-stats" serve --once -g nobody | grep -q '^kvm_stats_vmms [0-9]' || return 1
	"$out/none/kvm-stats" serve >"$out/none.err" 2>&1
	[ $? -eq 1 ] && grep 'without libmicrohttpd' "$out/none.err"
}

build()
{
	check "kvm-stats builds with address and undefined-behaviour checks" \
		make -s -j2 -C "$command" CFLAGS="$checks" O="$out/checked" kvm-stats
	check "its parts are put together" build_archive
	check "exposition builds" build_test exposition
	check "serve_test builds" build_test serve_test
	check "it builds without libmicrohttpd, and says what is missing" without_http
}

# ---- expositions ----

# What serve_test printed, under numbers of this one.
unit_test()
{
	local line status=0

	"$out/serve_test" >"$out/units" 2>&1 || status=$?
	while IFS= read -r line; do
		case $line in
		"ok "*) point 0 "${line#*- }" ;;
		"not ok "*) point 1 "${line#*- }" ;;
		"#"*) echo "$line" ;;
		esac
	done <"$out/units"
	check "serve_test runs to its end" has_line '^1\.\.[1-9]' "$out/units"
	[ $status -eq 0 ] || grep -q '^not ok' "$out/units"
	point $? "serve_test leaves with its verdict"
}

# UPDATE=1 in the environment writes what is expected anew.
as_expected()
{
	local expected=$command/tests/exposition.$1

	"$out/exposition" "$1" >"$out/exposition.$1" || return 1
	[ -z "${UPDATE:-}" ] || cp "$out/exposition.$1" "$expected"
	diff -u "$expected" "$out/exposition.$1"
}

# The parser of Prometheus' Python library takes the standard by its word.
parses()
{
	/usr/bin/python3 - "$1" "$2" <<-'END'
	import sys
	if sys.argv[1] == 'openmetrics':
	    from prometheus_client.openmetrics.parser import text_string_to_metric_families
	else:
	    from prometheus_client.parser import text_string_to_metric_families
	with open(sys.argv[2], encoding='utf-8', newline='') as file:
	    families = list(text_string_to_metric_families(file.read()))
	print(len(families), 'families')
	sys.exit(len(families) < 10)
	END
}

# All that was added to the text after parsing has to be noticed, else the above says nothing.
parser_notices()
{
	sed 's/^# EOF$/kvm_vm_exits_total{pid="1"} 1\n# EOF/' "$out/exposition.openmetrics" >"$out/damaged"
	! parses openmetrics "$out/damaged"
}

same_numbers()
{
	grep -v '^#' "$out/exposition.openmetrics" >"$out/one"
	grep -v '^#' "$out/exposition.prometheus" | diff "$out/one" -
}

exposition_tests()
{
	check "OpenMetrics is as expected" as_expected openmetrics
	check "the text format is as expected" as_expected prometheus
	check "names, labels and numbers are the same in both" same_numbers
	check "a strict parser takes OpenMetrics" parses openmetrics "$out/exposition.openmetrics"
	check "it would not take a family in two parts" parser_notices
	check "a parser takes the text format" parses prometheus "$out/exposition.prometheus"
}

# ---- options ----

# says STATUS REGEX ARGUMENT...
says()
{
	local status=$1 regex=$2 left=0

	shift 2
	"$stats" serve "$@" >"$out/said" 2>&1 || left=$?
	cat "$out/said"
	[ $left -eq "$status" ] && grep -Eq -e "$regex" "$out/said"
}

option_tests()
{
	check "help is no error" says 0 '^Usage' --help
	check "an unknown option is one" says 2 'serve --help' --frob
	check "words beside options are one" says 2 "found 'word'" word
	check "a name is no address" says 2 'like 127.0.0.1:10203' --listen localhost:80
	check "an interval of no time is an error" says 2 "not '0'" -i 0
	check "an interval that is no number is one" says 2 "not '5x'" -i 5x
	check "once and for ever is one" says 2 'does not --listen' --once --listen 127.0.0.1:0
	check "an address that is not there is told" \
		says 1 'no such address' --listen 192.0.2.77:10203
	check "a name that node_exporter does not read is told" \
		says 0 'end in .prom' --once -g nobody -t "$out/kvm.txt"
}

# ---- HTTP ----

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
	says 1 'Address already in use' --listen "127.0.0.1:$(port)" && has_line 'choose another' "$out/said"
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
	    assert manager.recv(100) == b'READY=1'
	    service.send_signal(signal.SIGTERM)
	    assert manager.recv(100) == b'STOPPING=1'
	    assert service.wait(20) == 0
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

# ---- a file ----

textfile=$out/textfile/kvm.prom

written_once()
{
	rm -rf "$out/textfile" && mkdir -p "$out/textfile" &&
	"$stats" serve --once -g nobody -t "$textfile" && has_line '^kvm_stats_samples_total 1$' "$textfile" &&
	[ "$(ls -A "$out/textfile")" = kvm.prom ] && [ "$(stat -c %a "$textfile")" = 644 ]
}

# The inode changes, the name is always there, and no name but it.
written_again()
{
	local first seen i

	start_server -t "$textfile" -i 0.1 || return 1
	until_true 20 has_line '^kvm_stats_samples_total 2$' "$textfile" || return 1
	first=$(stat -c %i "$textfile")
	for ((i = 0; i < 200; i++)); do
		cat "$textfile" >"$out/seen" || return 1
		seen=$(tail -n 1 "$out/seen")
		[ -n "$seen" ] && [[ $seen != *[!\ -~]* ]] || return 1
	done
	echo "inode $first, then $(stat -c %i "$textfile")"
	[ "$(stat -c %i "$textfile")" != "$first" ] && [ -z "$url" ]
}

removed_at_the_end()
{
	end_server && [ -z "$(ls -A "$out/textfile")" ]
}

# Not a word about the old file's place: what it leads to is not ours.
does_not_follow_links()
{
	echo mine >"$out/mine" && rm -f "$textfile"* && ln -s "$out/mine" "$textfile.new" &&
	"$stats" serve --once -g nobody -t "$textfile" && [ "$(cat "$out/mine")" = mine ] && [ ! -L "$textfile" ]
}

# In a mount of its own: a file system that something else fills, and frees again.
full_disk()
{
	local dir=$out/textfile

	mount -t tmpfs -o size=64k none "$dir" || exit 1
	"$stats" serve -t "$textfile" -i 0.2 -g nobody 2>"$out/full.err" &
	server=$!
	until_true 20 test -s "$textfile" || exit 1
	head -c 60k /dev/zero >"$dir/other" 2>/dev/null
	until_true 20 has_line 'No space left on device; it stays' "$out/full.err" || exit 1
	sleep 1
	cp "$textfile" "$out/kept"
	[ "$(ls "$dir" | xargs)" = "kvm.prom other" ] || exit 1
	rm "$dir/other"
	until_true 20 has_line 'can be written again' "$out/full.err" || exit 1
	end_server
}

survives_full_disk()
{
	local told

	export -f full_disk until_true has_line end_server
	export out stats textfile
	rm -rf "$out/textfile" && mkdir -p "$out/textfile" || return 1
	unshare -m bash -c full_disk || { cat "$out/full.err"; return 1; }
	cat "$out/full.err"
	told=$(grep -c 'No space left' "$out/full.err")
	[ "$told" = 1 ] && has_line '^kvm_stats_samples_total' "$out/kept" &&
		! has_line ERROR "$out/full.err"
}

no_directory()
{
	! "$stats" serve --once -g nobody -t "$out/nowhere/kvm.prom" 2>"$out/said" && cat "$out/said" &&
	has_line 'cannot write .*No such file' "$out/said"
}

textfile_tests()
{
	check "a file is written once" written_once
	check "a file is written again and again, as a whole" written_again
	check "it is gone when nobody writes it any more" removed_at_the_end
	check "a link that lies in wait is not followed" does_not_follow_links
	check "a directory that is not there is told" no_directory
	if unshare -m true 2>/dev/null; then
		check "a full disk is told once, leaves the file, and passes" survives_full_disk
	else
		skip "a full disk is told once, leaves the file, and passes" "takes root, to mount one"
	fi
}

# ---- the unit ----

unit_is_valid()
{
	sed "s|^ExecStart=[^ ]*|ExecStart=$stats|" "$command/kvm-stats.service" >"$out/kvm-stats.service"
	MANPATH=$command systemd-analyze verify --man=no "$out/kvm-stats.service"
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
	local tracer=

	make -s -C "$command" O="$out/plain" kvm-stats || return 1
	strace -f -qq -o "$out/trace" "$out/plain/kvm-stats" serve --listen 127.0.0.1:0 -g "$guest" \
		2>"$out/server.err" 9>&- &
	tracer=$!
	until_true 30 has_line 'serving' "$out/server.err" || return 1
	url=$(sed -n 's/^kvm-stats: serving //p' "$out/server.err")
	scrape && scrape -H 'Accept: application/openmetrics-text' || return 1
	kill -TERM "$(awk 'NR == 1 { print $1 }' "$out/trace")" && wait $tracer || return 1
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
		skip "its filter allows the system calls that are made" "there is no systemd-analyze"
		return
	fi
	check "the systemd unit is valid" unit_is_valid
	check "its filter allows the system calls that are made" filter_is_wide_enough
}

# ---- a real VM ----

vmm_size=

# start_vmm [COMMAND]...: with statistics fds kept open; false if it does not get ready
start_vmm()
{
	rm -f "$out/vmm.in" "$out/vmm.out"
	mkfifo "$out/vmm.in"
	exec 9<>"$out/vmm.in"
	# shellcheck disable=SC2086
	"$@" "$out/vmm" $vmm_size -s -name "guest=$guest" <"$out/vmm.in" >"$out/vmm.out" 2>"$out/vmm.err" 9>&- &
	vmm=$!
	until_true 10 has_line '^ready$' "$out/vmm.out"
}

stop_vmm()
{
	stop "$vmm"
	exec 9>&-
	vmm=
}

# Why no VM can be looked at here; nothing if one can.
no_vm_because()
{
	if ! gcc -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE -pthread \
		-o "$out/vmm" "$command/tests/vmm.c" >"$out/log" 2>&1; then
		echo "the small VMM does not build: $(head -n 1 "$out/log")"
	elif ! start_vmm; then
		cat "$out/vmm.err"
	fi
	stop_vmm
}

freeze_vmm()
{
	echo stop >&9
	until_true 60 has_line '^stopped ' "$out/vmm.out"
}

# series NAME: its values in what was scraped last, of our VMM
series()
{
	local labels="pid=\"$vmm\",guest=\"${guest//\"/\\\\\"}\""

	sed -n "s/^$1{$labels[^}]*} //p" "$out/scraped"
}

numbers_agree()
{
	freeze_vmm && scrape || return 1
	series kvm_vcpu_exits_total >"$out/scraped.exits"
	"$stats" read -p "$vmm" --vcpu all -f '^exits$' | awk '$2 == "exits" { print $3 }' >"$out/read.exits"
	paste "$out/scraped.exits" "$out/read.exits"
	[ "$(wc -l <"$out/read.exits")" = 2 ] && diff "$out/scraped.exits" "$out/read.exits" &&
	[ "$(series kvm_vmm_up)" = 1 ]
}

# It is not in the next scrape, and its memory is let go of before that.
vanishes()
{
	local fds="/proc/$server/fd"

	ls -l "$fds" | grep -q kvm-vcpu-stats || return 1
	stop_vmm
	until_true 3 eval "! ls -l '$fds' | grep -q kvm-vcpu-stats" || return 1
	scrape && ! grep "pid=\"$1\"" "$out/scraped"
}

appears()
{
	start_vmm && until_true 10 eval "scrape && [ -n \"\$(series kvm_vcpu_exits_total)\" ]"
}

# As the unit would run it, or with less: the capabilities are those in the unit.
as_unit()
{
	local caps

	caps=$(sed -n 's/^AmbientCapabilities=//p' "$command/kvm-stats.service" |
		sed 's/CAP_//g; s/ /\n/g' | tr A-Z a-z | grep -vx "${1:-none}" | sed 's/^/,+/' | tr -d '\n')
	# By its fd, because others may not get at files below here.
	setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --inh-caps="-all$caps" \
		--ambient-caps="-all$caps" --bounding-set="-all$caps" \
		/proc/self/fd/8 serve --once -p "$vmm" 8<"$out/plain/kvm-stats" 9>&-
}

# A VMM of a third user, as that user's may be.
unit_sees_others()
{
	start_vmm setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps=+dac_override \
		--ambient-caps=+dac_override || return 1
	as_unit >"$out/scraped" || return 1
	[ "$(series kvm_vmm_up)" = 1 ] && [ "$(series kvm_vcpu_exits_total | wc -l)" = 2 ]
}

unit_needs()
{
	as_unit "$1" >"$out/scraped" || return 1
	[ -z "$(series kvm_vcpu_exits_total)" ] &&
	grep '^kvm_stats_\(unseen_processes\|unreadable_vmms\) [1-9]' "$out/scraped"
}

# 20 VMs and vCPUs, and fewer files than they take: some are told to be missing, and
# clients come in all the same.
too_few_files()
{
	local fewer="--inh-caps=-sys_resource --bounding-set=-sys_resource"

	vmm_size='-m 4 -c 4'
	start_vmm || return 1
	vmm_size=
	# shellcheck disable=SC2086
	(ulimit -n 26 && exec setpriv $fewer "$out/plain/kvm-stats" serve -g "$guest" \
		--listen 127.0.0.1:0 2>"$out/server.err" 9>&-) &
	server=$!
	until_true 20 has_line 'serving' "$out/server.err" || return 1
	url=$(sed -n 's/^kvm-stats: serving //p' "$out/server.err")
	scrape && grep '^kvm_vmm_\(up\|info\)' "$out/scraped" && [ "$(series kvm_vmm_up)" = 0 ] &&
	grep -c 'error="Too many open files' "$out/scraped" && end_server
}

real_tests()
{
	check "a VMM starts" start_vmm
	check "it serves its statistics" start_server --listen 127.0.0.1:0
	check "they are those that read shows" numbers_agree
	check "a VMM that has ended is let go of at once" vanishes "$vmm"
	check "one that starts appears" appears
	check "a strict parser takes what is served" \
		eval "scrape -H 'Accept: application/openmetrics-text' && parses openmetrics '$out/scraped'"
	check "SIGTERM ends it, and nothing has leaked of the VM" end_server
	stop_vmm
	check "too few files for all vCPUs leave some for clients" too_few_files
	stop "$server"
	server=
	stop_vmm
	if [ "$(id -u)" = 0 ] && [ -x "$out/plain/kvm-stats" ] &&
		setpriv --bounding-set +sys_ptrace,+dac_read_search true 2>/dev/null; then
		check "with the unit's capabilities it sees VMMs of all users" unit_sees_others
		check "it needs CAP_SYS_PTRACE" unit_needs sys_ptrace
		check "it needs CAP_DAC_READ_SEARCH" unit_needs dac_read_search
		stop_vmm
	else
		skip "the unit's capabilities are the least that will do" "takes root with all of them"
	fi
}

# ---- Prometheus ----

free_port()
{
	/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# Between looking for a port and using it, someone else may take it.
start_prometheus()
{
	local tries

	for tries in 1 2 3; do
		rm -rf "$out/tsdb"
		prometheus_port=$(free_port)
		"$prometheus_dir/prometheus" --config.file="$out/prometheus.yml" \
			--storage.tsdb.path="$out/tsdb" --web.listen-address="127.0.0.1:$prometheus_port" \
			>"$out/prometheus.log" 2>&1 9>&- &
		prometheus=$!
		until_true 20 ready_or_gone && kill -0 "$prometheus" 2>/dev/null && return
		stop "$prometheus"
	done
	tail -n 5 "$out/prometheus.log"
	return 1
}

ready_or_gone()
{
	! kill -0 "$prometheus" 2>/dev/null ||
		curl -sf -m 5 -o /dev/null "http://127.0.0.1:$prometheus_port/-/ready"
}

configure_prometheus()
{
	cat >"$out/prometheus.yml" <<-END &&
	global:
	  scrape_interval: 1s
	scrape_configs:
	  - job_name: kvm
	    static_configs:
	      - targets: ['127.0.0.1:$(port)']
	END
	"$prometheus_dir/promtool" check config "$out/prometheus.yml"
}

# query EXPRESSION: the values
query()
{
	curl -sS -m 10 -G "http://127.0.0.1:$prometheus_port/api/v1/query" --data-urlencode "query=$1" |
		jq -r '.data.result[].value[1]' 2>>"$out/log"
}

# is_positive EXPRESSION: every value of it, and there are some
is_positive()
{
	query "$1" | awk '{ if (!($1 > 0)) bad = 1 } END { exit bad || !NR }'
}

# has_values COUNT EXPRESSION
has_values()
{
	[ "$(query "$2" | grep -c .)" = "$1" ]
}

answers_rate()
{
	if ! until_true 30 is_positive "$1"; then
		curl -sS -m 10 "http://127.0.0.1:$prometheus_port/api/v1/targets" | jq -c '.data.activeTargets[]'
		return 1
	fi
	echo "$1 = $(query "$1" | xargs)"
}

# Only OpenMetrics tells units.
knows_unit()
{
	curl -sS -m 10 "http://127.0.0.1:$prometheus_port/api/v1/targets/metadata" |
		jq -e '.data[] | select(.metric == "kvm_stats_sample_duration_seconds") | .unit == "seconds"'
}

no_prometheus_because()
{
	prometheus_dir=$(dirname "$(command -v prometheus || echo none/none)")
	[ -x "$prometheus_dir/promtool" ] && return
	# Its package would start a server on all of the machine's addresses.
	prometheus_dir=$(scripts/unpack prometheus 2>"$out/log")/usr/bin
	[ -x "$prometheus_dir/promtool" ] || echo "it cannot be had: $(xargs <"$out/log")"
}

lint()
{
	"$prometheus_dir/promtool" check metrics <"$1"
}

prometheus_tests()
{
	local why=$1

	check "promtool check metrics passes made-up statistics" lint "$out/exposition.prometheus"
	[ -n "$why" ] || start_vmm || why="the VMM did not start"
	"$stats" serve --once -g "$guest" >"$out/once" 2>/dev/null
	check "promtool check metrics passes those of this machine" lint "$out/once"
	check "it serves for Prometheus" start_server --listen 127.0.0.1:0
	check "promtool takes the configuration" configure_prometheus
	check "Prometheus starts" start_prometheus
	check "it answers a query for a rate" answers_rate 'rate(kvm_stats_samples_total[10s])'
	check "it knows the target as up" is_positive 'up{job="kvm"}'
	check "it has taken OpenMetrics" knows_unit
	if [ -n "$why" ]; then
		skip "it answers a query for the rate of a VM's exits" "$why"
	else
		check "it answers a query for the rate of a VM's exits" answers_rate \
			"rate(kvm_vcpu_exits_total{guest='$guest',pid='$vmm'}[10s])"
		check "it knows a histogram" \
			has_values 2 "kvm_vcpu_halt_wait_hist_seconds_bucket{pid='$vmm',le='+Inf'}"
		stop_vmm
		check "series end with their VMM" \
			until_true 10 has_values 0 "kvm_vcpu_exits_total{guest='$guest'}"
	fi
	stop "$prometheus"
	prometheus=
	check "SIGTERM ends it, and nothing has leaked of the scrapes" end_server
}

mkdir -p "$out"
scripts/packages tools serve >&2 || { echo "Bail out! what this is built with cannot be installed"; exit 1; }
echo "TAP version 13"
build
unit_test
exposition_tests
option_tests
http_tests
textfile_tests
unit_tests
why=$(no_vm_because)
if [ -n "$why" ]; then
	skip "kvm-stats serve with a real VM" "$why"
else
	real_tests
fi
missing=$(no_prometheus_because)
if [ -n "$missing" ]; then
	skip "Prometheus scrapes it" "$missing"
else
	prometheus_tests "$why"
fi
echo "1..$points"
[ "$failures" -eq 0 ]
