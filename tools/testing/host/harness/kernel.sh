# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: kernel/kernel.sh, the configuration and the objects of a kernel.
# shellcheck shell=bash

# configured LINES: configure with a fragment of two lines, and a kernel that resolves it to LINES
configured()
(
	. "$ROOT/scripts/lib/common.sh"
	. "$testing/lib/arch.sh"
	. "$testing/kernel/kernel.sh"
	base=none tree=none arch=test config=main config_main=fragment
	TESTING=$work obj=$work/obj log=$work/log resolved=$1
	mkdir -p "$work/kernel/config" "$obj"
	printf 'CONFIG_A=y\nCONFIG_B=m\n' >"$work/kernel/config/fragment"
	kernel_make() { printf '%s\n' $resolved >"$obj/.config"; }
	configure
)

config_refused()
{
	! configured "$1" >said 2>&1 && grep -q 'CONFIG_B=m' said || { cat said; return 1; }
}

check "a configuration that has all lines of its fragments is accepted" configured "CONFIG_A=y CONFIG_B=m"
check "a line without effect is refused and named" config_refused "CONFIG_A=y CONFIG_B=y"
