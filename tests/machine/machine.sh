# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot: run the test machine. It sends its results to the file $out/results. The
# file $emulator.sh defines machine_command, which sets the array `command`.
# shellcheck shell=bash

# progress TEXT: for someone who runs a boot by hand; prove sets HARNESS_ACTIVE
progress()
{
	[ -n "${HARNESS_ACTIVE:-}" ] || printf '%s\n' "$*" >&2
}

# The kernel parameters that are the same for each emulator
common_parameters()
{
	echo "panic=-1 log_buf_len=4M $parameters $cmdline"
}

stop_machine()
{
	[ -n "${machine_pid:-}" ] || return 0
	kill -KILL "$machine_pid" 2>/dev/null || true
	wait "$machine_pid" 2>/dev/null || true
	machine_pid=
}

# show_progress PID: show failures and the end of each test program as they arrive. (In the
# shell, because not every awk reads a pipe line by line.)
show_progress()
{
	local line name

	tail -n +1 -s 0.2 -f --pid="$1" "$out/results" | tr -d '\r\0' | while IFS= read -r line; do
		case $line in
		'@begin '*) name=${line#* } ;;
		'|not ok'*) progress "  $name: ${line#|}" ;;
		'|# '*) [ "${option:-}" != --show ] || progress "${line#|# }" ;;
		'@exit '*) progress "  $name: exit status ${line##* }" ;;
		esac
	done
}

# Add what the CPUs of a machine that hangs do, now and a second later, to QEMU's messages.
show_registers()
{
	[ -p "$out/monitor.in" ] || return 0
	printf 'info registers -a\n' 1<>"$out/monitor.in"
	sleep 1
	printf 'info registers -a\n' 1<>"$out/monitor.in"
	timeout 2 cat <>"$out/monitor.out" | tr -d '\r' | grep -aE '^CPU#|IP=|PC=|PSW=|^CR0=' >>"$out/emulator.log" || true
}

# Send several hundred NMIs a second while test programs run, as `nmis` demands. Nothing needs to
# read the answers of the monitor.
send_nmis()
{
	while kill -0 "$machine_pid" 2>/dev/null && sleep 0.001; do
		[ ! -s "$out/results" ] || echo nmi 1<>"$out/monitor.in"
	done
}

# Wait for the end of the machine. It is stopped if its results do not change for $time seconds, and
# two minutes for the limit of the test program, which is the first to act (see init). After the
# last line of the results it has 4 seconds to power off. Under Hercules, the size is always the same.
wait_for_machine()
{
	local until=0 last= now

	while kill -0 "$machine_pid" 2>/dev/null; do
		now=$(stat -c "%s %Y" "$out/results")
		if [ "$now" != "$last" ]; then
			last=$now
			until=$((SECONDS + time + 120))
			[ "$(tr -d '\r\0' <"$out/results" | tail -n 1)" != @end ] || until=$((SECONDS + 4))
		elif [ $SECONDS -ge $until ]; then
			echo "the machine sent nothing for $((time + 120)) s" >"$out/ended"
			show_registers
			break
		fi
		sleep 0.2
	done
}

run_machine()
{
	local reader command

	machine_command
	printf '%q ' "${command[@]}" >"$out/command"
	if [ "$mode" = shell ]; then
		"${command[@]}"
		return
	fi
	: >"$out/results"
	trap stop_machine EXIT
	trap 'exit 130' INT TERM HUP
	"${command[@]}" </dev/null >"$out/emulator.log" 2>&1 &
	machine_pid=$!
	show_progress "$machine_pid" &
	reader=$!
	[ -z "$nmis" ] || send_nmis &
	wait_for_machine
	stop_machine
	wait "$reader" || true
	trap - EXIT
}
