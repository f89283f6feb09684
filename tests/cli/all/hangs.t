#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test that neither a VMM that hangs nor a collector that hangs blocks kvm-stats.
#
# A file system that does not answer blocks the address space of a VMM. Then each read of its
# /proc/PID/cmdline hangs, in all programs of this host, also ps and pgrep. The program jam ends this
# after 30 seconds, if the test does not end it before.
#
# usage: hangs.t

set -u

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"

# The mount disappears with this namespace.
if [ -z "${HANGS_NAMESPACE:-}" ] && unshare -m true 2>/dev/null; then
	HANGS_NAMESPACE=1 exec unshare -m "$0" "$@"
fi

mount=$out/mount
jam=
reader=
server=
logger=
url=
stats=$plain/kvm-stats
# What list, read, log and serve must show of both guests
stat=exits
metric=kvm_guest_exits_total

# in_time COMMAND...: it ends within two seconds, and succeeds. Its output is in $out/found.
in_time()
{
	local start=${EPOCHREALTIME/./} status=0 took

	timeout -s KILL 5 "$@" >"$out/found" 2>"$out/found.err" 9>&- || status=$?
	took=$(((${EPOCHREALTIME/./} - start) / 1000))
	echo "# ${*##*/}: $took ms" >&3
	cat "$out/found.err"
	head -n 20 "$out/found"
	[ "$status" -eq 0 ] && [ "$took" -lt 2000 ]
}

finds()
{
	grep -qE -e "$1" "$out/found" && return
	echo "no line matches: $1"
	return 1
}

# ---- the VMM that hangs ----

jam_vmm()
{
	mkdir -p "$mount"
	: >"$out/jam.out"
	"$plain/tests/jam" "$mount" >"$out/jam.out" 2>"$out/jam.err" 9>&- &
	jam=$!
	wait_for_line '^ready' "$out/jam.out" "$jam" && start_vmm -s -name "stuck.$$" || return
	stuck=$vmm
	echo "file $mount/page" >&9
	wait_for_line '^mapped ' "$out/vmm.out" "$vmm" || return
	# This reads the page with the lock of the address space, so that the VMM cannot change it.
	dd if="/proc/$vmm/mem" bs=4096 skip="$(sed -n 's/^mapped //p' "$out/vmm.out")" count=1 \
		>"$out/dd.out" 2>&1 9>&- &
	reader=$!
	wait_for_line '^held' "$out/jam.out" "$jam" && echo map >&9 && until_true 10 is_jammed
}

# This process reads the command line until it does not succeed.
is_jammed()
{
	timeout -s KILL 0.5 cat "/proc/$stuck/cmdline" >"$out/cmdline" 2>/dev/null 9>&- &
	sleep 0.2
	[ ! -s "$out/cmdline" ]
}

end_jam()
{
	kill -KILL ${jam:+"$jam"} ${reader:+"$reader"} 2>/dev/null
	jam=
	reader=
	umount -l "$mount" 2>/dev/null
}

clean_up()
{
	end_jam
	stop "$logger"
	kill -CONT ${server:+"$server"} 2>/dev/null
	stop "$server"
	kill -KILL "${!vmms[@]}" 2>/dev/null
	stop_vmms
}

lists_both()
{
	in_time "$stats" list -p "$stuck,$fine" && finds "^ *$stuck .* - [(]provisional[)]$" &&
	finds "^ *$fine .* fine[.]$$\$"
}

reads_both()
{
	in_time "$stats" read --json -f "^$stat\$" -p "$stuck,$fine" &&
	finds '"guest": null, "provisional": true' &&
	finds "\"guest\": \"fine[.]$$\".*\"$stat\": {\"value\": [0-9]"
}

reads_by_name()
{
	in_time "$stats" read -f "^$stat\$" -g "fine.$$" && finds "guest \"fine[.]$$\"" &&
	finds "$stat +[0-9]"
}

# top draws its first screen before the address space is free again.
shows_both()
{
	local status=0 terminal

	: >"$out/found"
	script -qfec "stty cols 120 rows 24
		TERM=xterm timeout --foreground 10 $stats top -p $stuck,$fine" "$out/found" >"$out/top" 2>&1 9>&- &
	terminal=$!
	until_true 5 has_line "fine[.]$$" "$out/found" && finds 'vmm .provis' || status=1
	stop "$terminal"
	return "$status"
}

scrapes_both()
{
	in_time curl -sS -m 5 "$url" && finds '^kvm_stats_provisional_names 1$' &&
	finds "^$metric{guest=\"fine[.]$$\",uuid=\"\"} [0-9]" &&
	finds "^kvm_guest_info{.*,pid=\"$stuck\"" &&
	finds "^kvm_guest_cpu_seconds_total{guest=\"(pid $stuck|[^\"]+)\"" &&
	[ "$(grep -c "^$metric{" "$out/found")" = 2 ] &&
	[ "$(grep -c '^kvm_guest_state{.*state="[rb]' "$out/found")" = 2 ]
}

is_named()
{
	"$stats" list -p "$stuck" >"$out/found" 2>"$out/found.err" 9>&-
	grep -q " stuck[.]$$\$" "$out/found"
}

# Meanwhile, log shows the other guests. It shows the name as soon as it can be read.
logs_name()
{
	grep "fine[.]$$" "$out/log.out" >"$out/found" && wait_for_line "stuck[.]$$" "$out/log.out" "$logger" &&
	stop "$logger"
}

start_programs()
{
	: >"$out/server.err"
	: >"$out/log.err"
	"$stats" serve --listen 127.0.0.1:0 -p "$stuck,$fine" >"$out/server.out" 2>"$out/server.err" 9>&- &
	server=$!
	"$stats" log -i 0.5 -f "^$stat\$" -p "$stuck,$fine" >"$out/log.out" 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_line 'serving' "$out/server.err" "$server" &&
	wait_for_line 'watching 2 VMMs' "$out/log.err" "$logger"
	url=$(sed -n 's/^kvm-stats: serving //p' "$out/server.err")
	[ -n "$url" ]
}

jam_tests()
{
	check "the address space of a VMM is blocked" jam_vmm
	check "another VMM starts" start_vmm -s -name "fine.$$"
	fine=$vmm
	check "serve and log start" start_programs
	check "list shows both within two seconds" lists_both
	check "read prints the statistics of both" reads_both
	check "read -g prints the selected guest" reads_by_name
	check "top shows both" shows_both
	check "a scrape has both" scrapes_both
	end_jam
	check "the guest has its name when its VMM does not hang any more" until_true 10 is_named
	check "log shows it" logs_name
}

# ---- the collector that hangs ----

is_refused()
{
	curl -sS -m 9 -o "$out/found" -w '%{http_code}\n' "$url" >"$out/code" && grep -qx 503 "$out/code"
}

collector_tests()
{
	kill -STOP "$server"
	curl -sS -m 20 -o /dev/null "$url" 9>&- &
	sleep 0.2
	check "/healthz answers while the collector does not" in_time curl -sSf "${url%/metrics}/healthz"
	check "a scrape fails after five seconds" is_refused
	check "the next one fails at once" in_time curl -sS "$url"
	check "the reason is reported" \
		wait_for_line "PID $server, has not answered for 5 s" "$out/server.err" "$server"
	kill -CONT "$server"
	check "the next answer is reported" wait_for_line 'answers again' "$out/server.err" "$server"
	check "a scrape succeeds again" in_time curl -sSf "$url"
}

trap 'clean_up; exit 1' INT TERM
trap 'explain_exit "$out/log"; clean_up' EXIT
exec 3>&1

"$ROOT/scripts/packages" tools >&2 || bail_out "packages cannot be installed"
begin
why=$(why_no_vm)
[ -n "$why" ] || [ -n "${HANGS_NAMESPACE:-}" ] || why="needs permission to mount a file system"
[ -n "$why" ] || [ -w /dev/fuse ] || why="needs /dev/fuse"
if [ -n "$why" ]; then
	skip "kvm-stats with a VMM that hangs" "$why"
else
	check "kvm-stats builds" build_plain all vmms
	# Without statistics of KVM, there is what /proc has.
	if [ -n "$(why_no_statistics)" ]; then
		stat=cpu_ns
		metric=kvm_guest_cpu_seconds_total
	fi
	run_tests jam_tests
	run_tests collector_tests
fi
finish
