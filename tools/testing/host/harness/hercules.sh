# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: the files that machine/hercules.sh writes for Hercules.
# shellcheck shell=bash

# in_hercules MODE COMMAND: run the command after the files for a boot are written. The fake
# kernel and initramfs have 3 and 5 bytes.
in_hercules()
{
	(
		memory=512 cpus=2 client=${3:-} console=ttyS0 parameters='' cmdline='x=1' arch=s390x
		mode=$1 out=$work/hercules kernel=$work/hercules/from
		mkdir -p "$kernel"
		printf abc >"$kernel/image"
		printf 12345 >"$out/initramfs.cpio"
		# shellcheck source=../../machine/machine.sh
		. "$testing/machine/machine.sh"
		# shellcheck source=../../machine/hercules.sh
		. "$testing/machine/hercules.sh"
		die() { printf '%s\n' "$@"; exit 1; }
		machine_command
		cd "$out" || exit
		eval "$2"
	)
}

check "Hercules loads kernel, initramfs and command line" in_hercules tests \
	'cat load.ins; cut -d" " -f2 load.ins | xargs | grep -qx "0x00000000 0x02000000 0x00010408 0x00010480" && cmp kernel from/image'
check "the kernel finds address and size of the initramfs in big-endian order" in_hercules tests \
	'od -An -tx1 initramfs.at | xargs | grep -qx "00 00 00 00 02 00 00 00 00 00 00 00 00 00 00 05"'
check "the kernel's command line ends with the parameters of the boot" in_hercules tests \
	'tr "\0" "\n" <cmdline | grep -E "^console=ttyS0 .* x=1$"'
check "Hercules writes the results to a disk" in_hercules tests 'grep -E "^0120 3370 /.*/results$" hercules.cnf'
check "Hercules has memory and CPUs of the boot" in_hercules tests \
	'grep -x "MAINSIZE 512" hercules.cnf && grep -x "NUMCPU 2" hercules.cnf'
check "a prompt under Hercules is refused" eval 'in_hercules shell true | grep "no prompt in a machine under Hercules"'
check "QEMU of the build host under Hercules is refused" eval 'in_hercules tests true yes | grep "Set client="'
