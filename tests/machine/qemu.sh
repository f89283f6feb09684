# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot and bench/count: QEMU as the emulator of the test machine, or /dev/kvm.
# shellcheck shell=bash
# shellcheck disable=SC2034 # boot uses the variables

# The packages of an architecture have its QEMU.
emulator_packages=
# QEMU sends the results through a virtio port.
results_port=

describe_emulator()
{
	echo "$qemu, $(accel)"
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
			gcc -O2 -Wall ${WERROR:+-Werror} -o "$program" "$TESTING/machine/tsc_khz.c"
	"$program"
}

qemu_version()
{
	"$qemu" --version | sed -nE '1s/.* version ([0-9.]+).*/\1/p'
}

# npt: print the value of kvm_amd.npt with which Linux guests come up, 1 for nested paging or 0
# for shadow paging. Since QEMU 9.1, a guest with shadow paging reads KVM's CR3 instead of its own,
# and Linux halts early in its boot.
npt()
{
	if [ "$(accel)" = kvm ] || printf '%s\n' 9.1 "$(qemu_version)" | sort -CV; then
		echo 1
	else
		echo 0
	fi
}

# choose_paging: replace @NPT@ in $parameters
choose_paging()
{
	[[ $parameters != *@NPT@* ]] || parameters=${parameters//@NPT@/$(npt)}
}

machine_command()
{
	local device

	choose_paging
	# shellcheck disable=SC2054 # options of QEMU have commas
	command=("$qemu" -machine "$machine" -nodefaults -display none -no-reboot -m "$memory" -smp "$cpus")
	if [ "$(accel)" = kvm ]; then
		command+=(-accel kvm -cpu "$cpu_kvm")
	else
		command+=(-accel "tcg${tcg:+,$tcg}" ${cpu:+-cpu "$cpu"})
	fi
	command+=(-kernel "$kernel/image" -initrd "$out/initramfs.cpio"
		-append "console=$console $(common_parameters)${host_tsc:+ tsc_early_khz=$(tsc_khz)}")
	for device in $devices; do
		command+=(-device "$device")
	done
	# shellcheck disable=SC2206,SC2054 # words; options of QEMU have commas
	command+=($qemu_args -device "virtio-serial-$virtio_bus" -device virtserialport,chardev=results,name=results
		-chardev "file,id=results,path=$out/results")
	# shellcheck disable=SC2054,SC2154 # options of QEMU have commas; initramfs.sh sets client_root
	[ -z "$client" ] || command+=(-device "virtio-9p-$virtio_bus,fsdev=host,mount_tag=host"
		-fsdev "local,id=host,path=$client_root,security_model=none,readonly=on,multidevs=remap")
	if [ "$mode" = shell ]; then
		command+=(-serial mon:stdio)
	else
		# QEMU's monitor prints the state of a machine that hangs.
		rm -f "$out"/monitor.{in,out}
		mkfifo "$out"/monitor.{in,out}
		command+=(-serial "file:$out/console" -chardev "pipe,id=monitor,path=$out/monitor" -mon monitor)
	fi
}
