# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: the choice of the paging mode in machine/qemu.sh, with a fake QEMU.
# shellcheck shell=bash

# chosen ACCEL VERSION PARAMETERS: print the parameters of a machine
chosen()
{
	printf '#!/bin/sh\necho "QEMU emulator version %s (Debian 1:%s+dfsg-1)"\n' "$2" "$2" >"$work/qemu"
	chmod +x "$work/qemu"
	# shellcheck disable=SC2030,SC2031 # the subshell keeps the variables from other tests
	(
		export BOOT_ACCEL=$1
		# shellcheck disable=SC2034 # qemu.sh uses it
		TESTING=$testing qemu=$work/qemu parameters=$3
		# shellcheck source=../../machine/qemu.sh
		. "$testing/machine/qemu.sh"
		choose_paging
		echo "$parameters"
	)
}

# chooses NPT VERSION...: all these versions of the emulator get kvm_amd.npt=NPT
chooses()
{
	local version npt=$1

	shift
	for version; do
		[ "$(chosen tcg "$version" 'kvm_amd.npt=@NPT@ kvm.a=1')" = "kvm_amd.npt=$npt kvm.a=1" ] ||
			{ echo "# QEMU $version: $(chosen tcg "$version" kvm_amd.npt=@NPT@)"; return 1; }
	done
}

check "emulators before QEMU 9.1 get shadow paging" chooses 0 5.2.0 7.2.22 8.2.2 9.0.4
check "emulators since QEMU 9.1 get nested paging" chooses 1 9.1.0 9.2.1 10.0.13 11.1.3
check "hardware gets nested paging" [ "$(chosen kvm 7.2.22 kvm_amd.npt=@NPT@)" = kvm_amd.npt=1 ]
check "a boot can choose the paging mode" [ "$(chosen tcg 10.0.13 kvm_amd.npt=0)" = kvm_amd.npt=0 ]
