#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Exporters that ask libvirt or QEMU hang while a guest migrates or its QEMU is stopped. Scrape
# kvm-stats serve each second during the live migration of a guest from one QEMU to another one,
# while a QEMU is stopped, and while a VMM is in uninterruptible sleep. This needs /dev/kvm.
#
# usage: migration.t

set -u

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"

guest=migration.$$
uuid=0a1b2c3d-0000-4000-8000-0000000000$(printf %02x $((RANDOM % 256)))
url=
server=
from=
to=
blocked=

end_all()
{
	stop "$server"
	kill -CONT "$to" 2>/dev/null
	stop "$from"
	stop "$to"
	# The child of vfork() shares the memory of its parent, which waits until the child ends.
	[ -z "$blocked" ] || xargs kill -KILL "$blocked" <"/proc/$blocked/task/$blocked/children" 2>/dev/null
}

trap 'end_all; exit 1' INT TERM
trap 'explain_exit "$out/log"; end_all' EXIT

# start_qemu NAME [OPTION]...: set qemu to the PID
start_qemu()
{
	local name=$1

	shift
	qemu-system-x86_64 -machine pc,accel=kvm -cpu qemu64 -m 64 -smp 2 -nodefaults -display none \
		-name "guest=$guest" -uuid "$uuid" -qmp "unix:$out/$name.qmp,server=on,wait=off" "$@" \
		>"$out/$name.log" 2>&1 &
	qemu=$!
	until_true 20 test -S "$out/$name.qmp"
}

# qmp NAME COMMAND...: run QMP's commands, which are JSON, and print the answers
qmp()
{
	/usr/bin/python3 - "$out/$1.qmp" "${@:2}" <<-'END'
	import json, socket, sys
	client = socket.socket(socket.AF_UNIX)
	client.settimeout(20)
	client.connect(sys.argv[1])
	lines = client.makefile('rw')
	lines.readline()
	for command in ['{"execute": "qmp_capabilities"}'] + sys.argv[2:]:
	    lines.write(command + '\n')
	    lines.flush()
	    while True:
	        answer = json.loads(lines.readline())
	        if 'event' not in answer:
	            break
	    print(json.dumps(answer))
	    assert 'return' in answer
	END
}

start_server()
{
	: >"$out/server.err"
	"$plain/kvm-stats" serve -g "$guest" --listen 127.0.0.1:0 2>"$out/server.err" &
	server=$!
	wait_for_line '^kvm-stats: serving' "$out/server.err" "$server" &&
	url=$(sed -n 's/^kvm-stats: serving //p' "$out/server.err")
}

# scrape: fail if the answer takes a second
scrape()
{
	curl -sS -m 1 -o "$out/scraped" "$url" || { echo "no answer within a second"; return 1; }
}

# Print how many VMMs the guest has.
vmms()
{
	grep -c "^kvm_guest_vcpus{guest=\"$guest\",uuid=\"$uuid\"" "$out/scraped"
}

scrape_has()
{
	scrape && grep "$1" "$out/scraped"
}

# scrape_for SECONDS COUNT: each second, the guest has this many VMMs, which are there at once
scrape_for()
{
	local i

	for ((i = 0; i < $1; i++)); do
		sleep 1
		if ! scrape || [ "$(vmms)" != "$2" ]; then
			cat "$out/scraped"
			return 1
		fi
	done
}

both_are_served()
{
	scrape && [ "$(vmms)" = 2 ]
}

# The migration is slow at first, so that it takes some seconds. Both VMMs have the label pid.
migrates()
{
	qmp from '{"execute": "migrate-set-parameters", "arguments": {"max-bandwidth": 20000}}' \
		"{\"execute\": \"migrate\", \"arguments\": {\"uri\": \"unix:$out/stream\"}}" &&
	scrape_for 4 2 && qmp from '{"execute": "query-migrate"}' | grep '"status": "active"' &&
	scrape_has "^kvm_guest_vcpus{.*,pid=\"$from\"} 2" && scrape_has "^kvm_guest_vcpus{.*,pid=\"$to\"} 2" &&
	qmp from '{"execute": "migrate-set-parameters", "arguments": {"max-bandwidth": 1000000000}}' &&
	until_true 30 has_migrated
}

has_migrated()
{
	scrape && qmp from '{"execute": "query-migrate"}' | grep '"status": "completed"'
}

# The series of the guest then have the same labels as before: no pid.
source_ends()
{
	stop "$from"
	from=
	until_true 5 scrape_has "^kvm_guest_vcpus{guest=\"$guest\",uuid=\"$uuid\"} 2" && scrape_for 2 1
}

stopped_is_served()
{
	kill -STOP "$to" && sleep 0.3 && scrape_for 4 1 && scrape_has '^kvm_host_guests{state="stopped"} 1' &&
	scrape_has '^kvm_guest_state{.*,state="stopped"} 1' && kill -CONT "$to" && sleep 0.3 &&
	scrape_has '^kvm_guest_state{.*,state="running"} 1'
}

# A process waits in uninterruptible sleep for the child that it has made with vfork().
# shellcheck disable=SC2016 # Perl expands the variables
blocked_is_served()
{
	perl -e 'open(K, "+<", "/dev/kvm") or die; $vm = ioctl(K, 0xae01, 0) or die;
		open(V, "+<&=$vm") or die; ioctl(V, 0xae41, 0) or die; syscall(58); sleep 1000' &
	blocked=$!
	until_true 10 grep -q '^State:.D' "/proc/$blocked/status" &&
	timeout 5 "$plain/kvm-stats" serve --once -p "$blocked" >"$out/scraped" &&
	grep '^kvm_host_guests{state="blocked"} 1' "$out/scraped" &&
	grep '^kvm_guest_state{.*,state="blocked"} 1' "$out/scraped"
}

migration_tests()
{
	check "the server builds and starts" start_server
	check "a QEMU starts" start_qemu from
	from=$qemu
	check "another one waits for the migration" start_qemu to -incoming "unix:$out/stream"
	to=$qemu
	check "both are served" until_true 10 both_are_served
	check "each second of the migration, the server answers within a second" migrates
	check "after the end of the source the guest has its labels again" source_ends
	check "a stopped QEMU is served, and does not run" stopped_is_served
	check "a VMM in uninterruptible sleep is served, and does not run" blocked_is_served
}

why_not()
{
	if [ ! -w /dev/kvm ]; then
		echo "there is no /dev/kvm that this user can open"
	elif [ "$(uname -m)" != x86_64 ]; then
		echo "it is for x86_64"
	elif ! command -v qemu-system-x86_64 >/dev/null; then
		echo "there is no qemu-system-x86_64"
	fi
}

"$ROOT/scripts/packages" tools serve boot-x86_64 >&2 || bail_out "packages cannot be installed"
begin
why=$(why_not)
if [ -n "$why" ]; then
	skip "the server answers during a migration" "$why"
else
	check "kvm-stats builds" build_plain kvm-stats
	run_tests migration_tests
fi
finish
