# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot: run the test machine under QEMU. It sends its results to the file
# $out/results.
# shellcheck shell=bash

# progress TEXT: for someone who runs a boot by hand; prove sets HARNESS_ACTIVE
progress()
{
	[ -n "${HARNESS_ACTIVE:-}" ] || printf '%s\n' "$*" >&2
}

# Hardware helps only if it lets the machine run VMs of its own.
hardware_nests()
{
	[ -n "$cpu_flag_kvm" ] && [ -r /dev/kvm ] && [ -w /dev/kvm ] && grep -qwE "$cpu_flag_kvm" /proc/cpuinfo &&
		grep -qxsE '[Y1]' /sys/module/kvm_*/parameters/nested
}

accel()
{
	if [ -n "${BOOT_ACCEL:-}" ]; then
		echo "$BOOT_ACCEL"
	elif hardware_nests; then
		echo kvm
	else
		echo tcg
	fi
}

tsc_khz()
{
	local program=$ROOT/build/testing/tsc_khz

	[ "$program" -nt "$TESTING/machine/tsc_khz.c" ] ||
		run_logged "$out/tsc_khz.log" flock "$ROOT/build/testing" \
			gcc -O2 -Wall -Werror -o "$program" "$TESTING/machine/tsc_khz.c"
	"$program"
}

qemu_command()
{
	local device

	# shellcheck disable=SC2054 # options of QEMU have commas
	command=("$qemu" -machine "$machine" -nodefaults -display none -no-reboot -m "$memory" -smp "$cpus")
	if [ "$(accel)" = kvm ]; then
		command+=(-accel kvm -cpu "$cpu_kvm")
	else
		command+=(-accel tcg ${cpu:+-cpu "$cpu"})
	fi
	command+=(-kernel "$kernel/image" -initrd "$out/initramfs.cpio"
		-append "console=$console panic=-1 log_buf_len=4M $parameters $cmdline${host_tsc:+ tsc_early_khz=$(tsc_khz)}")
	for device in $devices; do
		command+=(-device "$device")
	done
	# shellcheck disable=SC2206,SC2054 # words; options of QEMU have commas
	command+=($qemu_args -device "virtio-serial-$virtio_bus" -device virtserialport,chardev=results,name=results
		-chardev "file,id=results,path=$out/results")
	# shellcheck disable=SC2054 # options of QEMU have commas
	[ -z "$client" ] || command+=(-device "virtio-9p-$virtio_bus,fsdev=host,mount_tag=host"
		-fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap)
	if [ "$mode" = shell ]; then
		command+=(-serial mon:stdio)
	else
		command+=(-serial "file:$out/console")
	fi
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

# Wait for the end of the machine, at most until its time limit. After the last line of the
# results it has 4 seconds to power off.
wait_for_machine()
{
	local until=$((SECONDS + time))

	while kill -0 "$machine_pid" 2>/dev/null; do
		if [ $SECONDS -ge $until ]; then
			echo "the machine still ran at its time limit of $time s" >"$out/ended"
			break
		fi
		[ "$(tail -n 1 "$out/results" | tr -d '\r\0')" != @end ] ||
			until=$((until < SECONDS + 4 ? until : SECONDS + 4))
		sleep 0.2
	done
}

run_machine()
{
	local reader command

	qemu_command
	printf '%q ' "${command[@]}" >"$out/command"
	if [ "$mode" = shell ]; then
		"${command[@]}"
		return
	fi
	: >"$out/results"
	trap stop_machine EXIT
	trap 'exit 130' INT TERM HUP
	"${command[@]}" </dev/null >"$out/qemu.log" 2>&1 &
	machine_pid=$!
	show_progress "$machine_pid" &
	reader=$!
	wait_for_machine
	stop_machine
	wait "$reader" || true
	trap - EXIT
}
