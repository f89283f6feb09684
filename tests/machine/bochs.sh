# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot: Bochs as the emulator of the test machine. It emulates Intel's VMX, which
# QEMU does not. `cpu` is a CPU that `bochs-bin --help cpu` lists.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # boot uses and sets the variables

emulator_packages=boot-bochs
# Bochs has no virtio. The second serial port sends the results.
results_port=/dev/ttyS1

describe_emulator()
{
	echo "bochs, $cpu"
}

# A triple fault ends the machine, because Bochs panics. Without cryptomgr.notests, a self-test
# of RSA takes half a minute. vdso32=0: a SYSRET of Bochs' Intel CPUs to a 32-bit process leaves
# the attributes of SS unchanged, as AMD CPUs do, so the process must not use SYSENTER.
kernel_parameters()
{
	echo "reboot=triple cryptomgr.notests vdso32=0 console=$console,115200" \
		"$(common_parameters)"
}

# A CD that starts the kernel
boot_cd()
{
	local files=$out/cd

	mkdir -p "$files/boot/grub"
	ln "$out/initramfs.cpio" "$files/initramfs"
	cp "$kernel/image" "$files/kernel"
	cat >"$files/boot/grub/grub.cfg" <<-END
	linux /kernel $(kernel_parameters)
	initrd /initramfs
	boot
	END
	run_logged "$out/cd.log" grub-mkrescue -d /usr/lib/grub/i386-pc -o "$out/cd.iso" "$files"
	rm -rf "$files"
}

# bochs_config CONSOLE: print Bochs' configuration; CONSOLE is where the first serial port is
bochs_config()
{
	cat <<-END
	cpu: model=$cpu, count=1, ips=60000000, reset_on_triple_fault=0
	# The emulated time is the number of instructions. Time in which the CPU is idle is skipped.
	clock: sync=none
	# host is the part of the memory that is not in a file; 2048 is its limit.
	memory: guest=$memory, host=$((memory < 2048 ? memory : 2048))
	romimage: file=/usr/share/bochs/BIOS-bochs-latest
	vgaromimage: file=/usr/share/vgabios/vgabios.bin
	boot: cdrom
	ata0-master: type=cdrom, path="$out/cd.iso", status=inserted
	com1: enabled=1, $1
	com2: enabled=1, mode=file, dev="$out/results"

	# The screen is a new pseudo-terminal, which no process reads; see TERM below.
	display_library: term
	config_interface: textconfig
	# The sound devices crash on a build host without sound.
	plugin_ctrl: speaker=0, sb16=0, es1370=0, gameport=0
	sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy

	log: "$out/bochs.log"
	panic: action=fatal
	error: action=report
	info: action=ignore
	debug: action=ignore
	END
}

machine_command()
{
	[ -z "$client" ] || die "Bochs has no 9P, so QEMU and kvm-stats of the build host cannot be in the machine" \
		"Set client= for emulator=bochs."
	boot_cd
	if [ "$mode" = shell ]; then
		bochs_config "mode=term, dev=$(tty)" >"$out/bochsrc"
	else
		bochs_config "mode=file, dev=\"$out/console\"" >"$out/bochsrc"
	fi
	# Debian's Bochs has a debugger, which waits for the command to continue.
	echo continue >"$out/debugger"
	# With another TERM, the blinking cursor fills the pseudo-terminal after some minutes, and Bochs
	# waits forever.
	command=(env TERM=dumb bochs-bin -q -f "$out/bochsrc" -rc "$out/debugger")
}
