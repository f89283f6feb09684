# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot: Hercules as the emulator of the test machine. It emulates SIE, the instruction
# of s390 that runs a guest, which QEMU does not.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # boot uses and sets the variables

emulator_packages=boot-hercules
# Hercules has no virtio. The results are written to a disk, from its first block on.
results_port=/dev/dasda
disk=0.0.0120

describe_emulator()
{
	echo "hercules"
}

# Every half second, the kernel writes the results that exist so far to the disk.
kernel_parameters()
{
	echo "console=$console dasd=$disk" \
		"sysctl.vm.dirty_expire_centisecs=50 sysctl.vm.dirty_writeback_centisecs=50" \
		"$(common_parameters)"
}

# number N: write N as 8 bytes, in big-endian order
number()
{
	printf '%b' "$(printf '%016x' "$1" | sed 's/../\\x&/g')"
}

# The list of files that are loaded before the machine starts, and their addresses. The kernel
# finds the address and the size of the initramfs at 0x10408, and its command line at 0x10480.
load_list()
{
	local at=$((32 << 20))

	# Hercules loads only files of the same directory, and no symbolic links out of it.
	cp "$kernel/image" "$out/kernel"
	{ number $at; number "$(stat -c %s "$out/initramfs.cpio")"; } >"$out/initramfs.at"
	printf '%s\0' "$(kernel_parameters)" >"$out/cmdline"
	cat >"$out/load.ins" <<-END
	kernel 0x00000000
	initramfs.cpio $(printf '0x%08x' $at)
	initramfs.at 0x00010408
	cmdline 0x00010480
	END
}

hercules_config()
{
	cat <<-END
	ARCHMODE z/Arch
	CPUMODEL 2817
	MAINSIZE $memory
	NUMCPU $cpus
	MAXCPU $cpus
	OSTAILOR QUIET
	${disk##*.} 3370 $out/results
	END
}

# A CPU that stops in a disabled wait is a kernel that panicked.
hercules_commands()
{
	cat <<-END
	hao tgt HHCCP011I
	hao cmd quit
	ipl $out/load.ins
	END
}

machine_command()
{
	[ "$mode" != shell ] || die "there is no prompt in a machine under Hercules" \
		"Use a boot of $arch with QEMU, for example boots/$arch --shell."
	[ -z "$client" ] || die "Hercules has no 9P, so QEMU and kvm-stats of the build host cannot be in the machine" \
		"Set client= for emulator=hercules."
	load_list
	hercules_config >"$out/hercules.cnf"
	hercules_commands >"$out/hercules.rc"
	# The size of the disk is that of its file.
	# shellcheck disable=SC2016 # the variables are of the inner shell
	command=(env HERCULES_RC="$out/hercules.rc" sh -c 'truncate -s 4M "$1/results" &&
		exec hercules -d -f "$1/hercules.cnf" >"$1/console" 2>&1' sh "$out")
}
