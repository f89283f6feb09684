#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test kvm-stats-relay with files instead of the host file, and with readers of all kinds; and the
# units with systemd-analyze.
#
# usage: relay.t

# in_background changes its own copy of variables.
# shellcheck disable=SC2030,SC2031

set -u

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"

relay=$checked/kvm-stats-relay
# The directory of the socket and the file
export RELAY_DIR=$out
pid=
# The PIDs of tests in the background
declare -A background=()
# A command that runs the relay
relay_as=()

build_relay()
{
	make -s -C "$command" O="$checked" BPF=no kvm-stats-relay \
		CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all' &&
	build_plain BPF=no kvm-stats-relay
}

# python ARGUMENT...: run the script on standard input, which imports $out/readers.py
python()
{
	PYTHONPATH=$out /usr/bin/python3 -B - "$@"
}

write_readers()
{
	cat >"$out/readers.py" <<-'END'
	import os, socket, struct, subprocess, sys, time
	from threading import Thread

	file = os.environ['RELAY_DIR'] + '/file'
	path = os.environ['RELAY_DIR'] + '/socket'

	def record(kind, flags, size, identity=0, content=b''):
	    content = content.ljust(size - 16, b'.')
	    return struct.pack('=HHIQ', kind, flags, size, identity) + content

	def make_pass(megabytes=0, flags=0, mark=b''):
	    """A pass with records of VMs, or only header and end"""
	    return b''.join([record(1, flags, 104, 0x4b564d484f535431, mark)] +
	        [record(2, 0, 1 << 15, i) for i in range(megabytes * 32)] + [record(5, flags, 40)])

	def publish(data):
	    """Replaces the file at once: the relay reads the old one or the new one."""
	    with open(file + '.new', 'wb') as new:
	        new.write(data)
	    os.rename(file + '.new', file)

	# The socket exists a moment before the relay listens.
	def connect():
	    reader = socket.socket(socket.AF_UNIX)
	    reader.settimeout(60)
	    end = time.monotonic() + 10
	    while True:
	        try:
	            reader.connect(path)
	            return reader
	        except ConnectionRefusedError:
	            assert time.monotonic() < end
	            time.sleep(0.01)

	def read_all(reader):
	    parts = []
	    while not parts or parts[-1]:
	        parts.append(reader.recv(1 << 20))
	    reader.close()
	    return b''.join(parts)

	def next_pass(before):
	    """The first pass that is not `before`, which is shared for longer if it took long"""
	    got = before
	    while got == before:
	        time.sleep(0.12)
	        got = read_all(connect())
	    return got

	def gets_nothing(reader, seconds):
	    reader.settimeout(seconds)
	    try:
	        return reader.recv(1, socket.MSG_PEEK) == None
	    except TimeoutError:
	        reader.settimeout(60)
	        return True

	def take(reader, size):
	    """Takes so many bytes: fewer mean that the relay has ended the connection."""
	    got = b''
	    while len(got) < size:
	        part = reader.recv(size - len(got))
	        assert part, 'disconnected after %d of %d bytes' % (len(got), size)
	        got += part
	    return got

	def take_slowly(reader):
	    """Keeps the connection until it is shut down."""
	    def work():
	        try:
	            while take(reader, 1 << 18):
	                time.sleep(1)
	        except AssertionError:
	            reader.close()
	    Thread(target=work, daemon=True).start()
	END
}

start_relay()
{
	rm -f "$RELAY_DIR/socket"
	"${relay_as[@]}" "$relay" --listen "$RELAY_DIR/socket" "$RELAY_DIR/file" \
		2>"$RELAY_DIR/relay.err" &
	pid=$!
	until_true 10 test -S "$RELAY_DIR/socket"
}

# The relay ends without an error, a leak, or its socket.
end_relay()
{
	local status=0

	kill -TERM "$pid"
	wait "$pid" || status=$?
	pid=
	cat "$RELAY_DIR/relay.err"
	[ "$status" = 0 ] && [ ! -e "$RELAY_DIR/socket" ]
}

stop_relay()
{
	stop "$pid"
	pid=
}

# ---- passes ----

sends_whole_passes()
{
	python <<-'END'
	from readers import *
	before = None
	for data in [make_pass(5), make_pass(0)]:
	    publish(data)
	    assert next_pass(before) == data
	    before = data
	# A copy can have several passes.
	data = make_pass(2)
	publish(data + make_pass(1))
	assert next_pass(before) == data
	END
}

# The second reader gets the same pass, although the file has changed. On a busy machine, it may be
# too late, so this is repeated.
shares_passes()
{
	python <<-'END'
	from readers import *
	for _ in range(20):
	    publish(make_pass(1, mark=b'old'))
	    time.sleep(0.12)
	    start = time.monotonic()
	    first = connect()
	    one = read_all(first)
	    publish(make_pass(1, mark=b'new'))
	    both = [one, read_all(connect())]
	    if time.monotonic() - start < 0.1:
	        break
	time.sleep(0.12)
	assert both == [make_pass(1, mark=b'old')] * 2, 'not shared'
	assert read_all(connect()) == make_pass(1, mark=b'new'), 'shared for too long'
	END
}

passes_flags_on()
{
	python <<-'END'
	from readers import *
	before = read_all(connect())
	for flags in 1, 2:
	    publish(make_pass(flags=flags))
	    before = next_pass(before)
	    assert before == make_pass(flags=flags)
	END
}

# reports REGEX: readers get no byte, and one message, whose text matches, for all of them
reports()
{
	: >"$RELAY_DIR/relay.err"
	python <<-'END' || return 1
	from readers import *
	time.sleep(0.12)
	for _ in range(3):
	    assert read_all(connect()) == b''
	END
	cat "$RELAY_DIR/relay.err"
	grep -q -e "$RELAY_DIR/file: $1" "$RELAY_DIR/relay.err" &&
	[ "$(wc -l <"$RELAY_DIR/relay.err")" = 1 ]
}

recovers()
{
	python <<-'END'
	from readers import *
	publish(make_pass())
	assert read_all(connect()) == make_pass()
	END
}

reports_missing_file()
{
	rm -f "$RELAY_DIR/file"
	reports 'No such file or directory. Publish it: kvm-stats publish$' && recovers
}

# write_file CODE: Python code for the content
write_file()
{
	rm -f "$RELAY_DIR/file"
	python "$1" <<-'END'
	from readers import *
	publish(eval(sys.argv[1]))
	END
}

# A good pass between two bad ones makes the relay report the second one, too.
reports_bad_files()
{
	local end='No data available. It ends before its last record$'
	local protocol='Protocol error. It is not a host file of this machine$'
	local code start='make_pass()[:104]'

	for code in 'make_pass(1)[:-40]' 'make_pass(1)[:-1]' 'b""' 'make_pass(0)[:15]'; do
		write_file "$code" && reports "$end" && recovers || return 1
	done
	for code in 'b"x" * 100' "$start * 2" 'record(5, 0, 40)' "$start + record(2, 0, 28)" \
		"$start + bytes(16)"; do
		write_file "$code" && reports "$protocol" && recovers || return 1
	done
	rm -f "$RELAY_DIR/file" && mkfifo "$RELAY_DIR/file" && reports "$end" && recovers
}

reports_huge_pass()
{
	write_file 'make_pass()[:104] + struct.pack("=HHIQ", 2, 0, 1 << 30, 0)' &&
	truncate -s 1G "$RELAY_DIR/file" && reports 'File too large$' && recovers
}

# A pass has 130 MiB, and its buffer 256 MiB. Two passes reach the limit of the relay, so the third
# reader waits until a pass has ended. With sanitizers, the relay needs more memory.
limits_memory()
{
	python "$pid" <<-'END'
	from readers import *
	size = 130 << 20
	publish(make_pass()[:104])
	with open(file, 'ab') as large:
	    large.write(struct.pack('=HHIQ', 2, 0, size, 0))
	    large.truncate(104 + size)
	    large.write(record(5, 0, 40))
	readers = []
	for i in range(3):
	    start = time.monotonic()
	    readers.append(connect())
	    if i == 2:
	        break
	    assert not gets_nothing(readers[i], 30), i
	    take_slowly(readers[i])
	    # A pass that took long is shared for twice its time.
	    time.sleep(0.12 + 2 * (time.monotonic() - start))
	assert gets_nothing(readers[2], 1.5)
	with open('/proc/%s/status' % sys.argv[1]) as status:
	    rss = [int(line.split()[1]) for line in status if line.startswith('VmRSS')][0]
	print(rss, 'kB')
	assert rss < 400000
	readers[0].shutdown(socket.SHUT_RDWR)
	assert len(read_all(readers[2])) == 104 + size + 40
	END
}

pass_tests()
{
	check "the relay starts" start_relay
	check "each reader gets a whole pass" sends_whole_passes
	check "readers within 100 ms share a pass, and later ones get another" shares_passes
	check "a stale or nested pass, which has no values, is sent" passes_flags_on
	check "a missing file is reported once, with what to do" reports_missing_file
	check "files that are not whole passes are reported, and not sent" reports_bad_files
	check "a pass above 256 MiB is reported, and not sent" reports_huge_pass
	check "SIGTERM ends the relay" end_relay
}

# ---- readers ----

# Readers that receive nothing for 5 s are disconnected. A reader that receives a little each second
# gets the whole pass. Others need not wait for these 5 s, even on a busy machine.
stalled_readers_end()
{
	python <<-'END'
	from readers import *
	data = make_pass(5)
	publish(data)
	got = []

	def take_in_parts(reader):
	    for _ in range(6):
	        got.append(take(reader, 1 << 19))
	        time.sleep(1)
	    got.append(read_all(reader))

	start = time.monotonic()
	stalled = [connect() for _ in range(40)]
	slow = Thread(target=take_in_parts, args=[connect()])
	slow.start()
	durations = []
	while time.monotonic() - start < 6:
	    for _ in range(15):
	        before = time.monotonic()
	        assert read_all(connect()) == data
	        durations.append(time.monotonic() - before)
	    if time.monotonic() - start < 4:
	        stalled[0].send(b'x')		# raises BrokenPipeError, if it was disconnected
	    time.sleep(1)
	durations.sort()
	print('median %.3f s, longest %.3f s' % (durations[len(durations) // 2], durations[-1]))
	assert durations[len(durations) // 2] < 2.5
	slow.join()
	assert b''.join(got) == data
	for reader in stalled[1:]:
	    assert 0 < len(read_all(reader)) < len(data)
	END
}

# What a reader sends, or that it sends nothing more, changes nothing for it.
ignores_requests()
{
	python <<-'END'
	from readers import *
	data = make_pass(5)
	publish(data)
	time.sleep(0.12)
	talks, ends = connect(), connect()
	talks.send(b'GET / HTTP/1.0\r\n\r\n' * 1000)
	ends.shutdown(socket.SHUT_WR)
	assert read_all(talks) == data and read_all(ends) == data
	END
}

survives_lost_readers()
{
	python <<-'END'
	from readers import *
	data = make_pass(5)
	publish(data)
	for i in range(200):
	    reader = connect()
	    reader.recv(i)
	    if i % 2:
	        reader.shutdown(socket.SHUT_RD)
	    reader.close()
	assert read_all(connect()) == data
	END
}

# The relay disconnects readers that receive nothing for 5 s. On a busy machine, the test can need more
# than that, so it is repeated.
limits_connections()
{
	python <<-'END'
	from readers import *
	data = make_pass(1)
	publish(data)
	for _ in range(20):
	    time.sleep(0.12)
	    start = time.monotonic()
	    readers = [connect() for _ in range(66)]
	    served = [not gets_nothing(reader, 2) for reader in readers[:64]]
	    waits = gets_nothing(readers[64], 0.5)
	    readers[0].close()
	    follows = not gets_nothing(readers[64], 2), gets_nothing(readers[65], 0.1)
	    passes = [read_all(reader) for reader in readers[1:]]
	    if time.monotonic() - start < 5:
	        break
	assert all(served) and waits and all(follows), (served, waits, follows)
	assert passes == [data] * 65
	END
}

# If the relay can open no more files, it waits, and does not spin. This is repeated, as above.
survives_few_fds()
{
	stop_relay
	# shellcheck disable=SC2016 # another shell expands this
	relay_as=(bash -c 'ulimit -n 8 && exec "$@"' -)
	start_relay || return 1
	relay_as=()
	python "$pid" <<-'END' || return 1
	from readers import *
	def cpu():
	    with open('/proc/%s/schedstat' % sys.argv[1]) as stat:
	        return int(stat.read().split()[0]) / 1e9
	data = make_pass(5)
	publish(data)
	for _ in range(20):
	    start = time.monotonic()
	    readers = [connect() for _ in range(12)]
	    before = cpu()
	    time.sleep(1)
	    used = cpu() - before
	    passes = [read_all(reader) for reader in readers]
	    if used < 0.05 and time.monotonic() - start < 5:
	        break
	print('CPU time of a second: %.2f s' % used)
	assert used < 0.05
	assert passes == [data] * 12
	END
	grep 'Too many open files$' "$RELAY_DIR/relay.err"
}

# in_background FUNCTION PROGRAM: run a test that takes long together with others. It has a relay of
# its own.
in_background()
{
	(
		RELAY_DIR=$out/$1 relay=$2
		trap '[ -z "$pid" ] || stop_relay' EXIT
		mkdir -p "$RELAY_DIR"
		start_relay && "$1" && end_relay
	) >"$out/$1.log" 2>&1 &
	background[$1]=$!
}

# has_passed FUNCTION: wait for its end
has_passed()
{
	local status=0

	wait "${background[$1]}" || status=$?
	unset "background[$1]"
	cat "$out/$1.log"
	return "$status"
}

reader_tests()
{
	check "the relay starts for readers" start_relay
	check "what readers send is ignored" ignores_requests
	check "readers that go away do no harm" survives_lost_readers
	check "64 readers are connected, others wait" limits_connections
	check "SIGTERM ends the relay after these readers" end_relay
	check "a relay without fds serves readers later, and does not spin" survives_few_fds
	check "SIGTERM ends this relay, too" end_relay
}

# ---- start and end ----

# It ends two seconds after the last reader, not before.
ends_when_idle()
{
	python "$relay" <<-'END'
	from readers import *
	publish(make_pass(5))
	relay = subprocess.Popen([sys.argv[1], '--listen', path, '--idle', '2', file])
	while not os.path.exists(path):
	    time.sleep(0.01)
	reader = connect()
	time.sleep(3)
	last = time.monotonic()
	assert read_all(reader) == make_pass(5)
	assert relay.wait(30) == 0 and not os.path.exists(path)
	assert time.monotonic() - last > 2
	END
}

# As systemd starts it: the socket exists before the relay and after it, so no reader is lost.
is_activated()
{
	python "$relay" <<-'END'
	from readers import *
	if os.path.exists(path):
	    os.unlink(path)
	publish(make_pass(5))
	listener = socket.socket(socket.AF_UNIX)
	listener.bind(path)
	listener.listen()
	for second in False, True:
	    readers = [connect(), connect()]
	    pid = os.fork()
	    if not pid:
	        os.dup2(listener.fileno(), 3)
	        os.set_inheritable(3, True)
	        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')
	        os.execv(sys.argv[1], [sys.argv[1], '--idle', '1', file])
	    for reader in readers:
	        assert read_all(reader) == make_pass(5)
	    if second:
	        os.kill(pid, 15)
	    assert os.waitpid(pid, 0)[1] == 0
	END
}

start_tests()
{
	check "--help prints the usage" exits_with 0 '^Usage' "$relay" --help
	check "an idle time that is not a number is a usage error" exits_with 2 '^Usage' "$relay" --idle 5x
	check "without a socket, the relay says how to start it" \
		exits_with 1 'Start kvm-stats-relay.socket, or use --listen PATH$' "$relay"
	check "a socket of another relay is not replaced" \
		exits_with 1 'Address already in use. Remove it' "$relay" --listen "$out/used"
	check "a path that is too long is reported" \
		exits_with 1 'File name too long$' "$relay" --listen "$(printf '%0108d' 0)"
	check "with --idle, the relay ends when it has no reader" ends_when_idle
	check "started by systemd, it serves those that wait, and loses none" is_activated
}

# ---- the units ----

# unit_is_confined TENTHS UNIT: its exposure level is at most that
unit_is_confined()
{
	systemd-analyze security --no-pager --offline=yes --threshold="$1" "$out/units/$2"
}

# The network causes most of the exposure of kvm-stats.service, and perfmon.conf adds to it.
units_are_valid()
{
	local unit units=$out/units share=$command/share

	rm -rf "$units" && mkdir -p "$units"
	for unit in "$share"/kvm-stats*.{service,socket}; do
		sed "s|=/usr/libexec/kvm-stats-relay|=$relay|; s|=/usr/bin/kvm-stats|=/bin/true|" \
			"$unit" >"$units/${unit##*/}"
	done
	[ "$(systemd-analyze verify --man=no "$units"/* 2>&1 | tee /dev/stderr | wc -l)" = 0 ] &&
	unit_is_confined 20 kvm-stats-relay.service && unit_is_confined 50 kvm-stats-publish.service &&
	unit_is_confined 13 kvm-stats.service && mkdir "$units/kvm-stats.service.d" &&
	cp "$share/perfmon.conf" "$units/kvm-stats.service.d" && unit_is_confined 18 kvm-stats.service
}

unit_tests()
{
	local what="the units are valid and confined"

	if ! systemd-analyze security --help 2>/dev/null | grep -q threshold; then
		skip "$what" "systemd 250 or later is not installed"
		return
	fi
	check "$what" units_are_valid
}

trap 'stop_relay; kill "${background[@]}" 2>/dev/null; explain_exit "$out/log"' EXIT
"$ROOT/scripts/packages" relay >&2 || bail_out "packages cannot be installed"
write_readers
: >"$out/used"
begin
check "the relay builds with sanitizers" build_relay
in_background stalled_readers_end "$relay"
in_background limits_memory "$plain/kvm-stats-relay"
run_tests pass_tests
run_tests reader_tests
run_tests start_tests
check "stalled readers are disconnected, and do not delay others" has_passed stalled_readers_end
check "the memory of all passes is limited" has_passed limits_memory
run_tests unit_tests
finish
