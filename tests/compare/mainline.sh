# SPDX-License-Identifier: GPL-2.0-only
# Sourced after kernel.sh by the scripts that compile mainline's kernel.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # shares its variables with arch.sh and kernel.sh

# set_mainline_dirs PURPOSE: do for mainline's source what set_dirs does for the base.
# No build changes the source, so all share it.
set_mainline_dirs()
{
	src=$("$ROOT/scripts/base" 6.1)
	obj=$CACHE/obj/${src##*/}-$arch-$config-$1
	log=$obj/build.log
	lock=$obj/lock
	mkdir -p "$obj" "$CACHE/kernel"
}

# Mainline does not have all options of the configuration, so lines without effect are no error
# here. The caller checks the options that it needs.
configure_mainline()
{
	merged_config "$config" >"$obj/fragments"
	run_logged "$log" kernel_make -s KCONFIG_ALLCONFIG="$obj/fragments" allnoconfig
}
