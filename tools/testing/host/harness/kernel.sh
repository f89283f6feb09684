# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t. A kernel's configuration and objects.

# A configuration: what the fragments ask for is there, or it is an error.
config_says()
{
	(
		. "$here/kernel.sh"
		base=none tree=none arch=test config=main config_main=fragment
		boot_dir=$scratch obj=$scratch/obj log=$scratch/log
		mkdir -p "$boot_dir/config" "$obj"
		printf 'CONFIG_A=y\nCONFIG_B=m\n' >"$boot_dir/config/fragment"
		kernel_make() { printf '%s\n' $resolved >"$obj/.config"; }
		resolved=$1
		configure
	)
}

config_refused()
{
	! config_says "$1" 2>"$scratch/said" && grep -q "took no effect.*CONFIG_B=m" "$scratch/said"
}

ok "a configuration that has all lines of its fragments is taken" \
	config_says "CONFIG_A=y CONFIG_B=m"
ok "one in which a line took no effect is refused, naming it" \
	config_refused "CONFIG_A=y CONFIG_B=y"

# An architecture like another one begins with its objects, unless it has some.
begins_with()
{
	(
		. "$here/kernel.sh"
		arch=mips-vz like=mipsel obj=$scratch/5.10-mips-vz-main
		begin_with_objects 2>/dev/null
		[ "$(cat "$obj/.config")" = "$1" ] && [ ! -e "$obj/fragments" ]
	)
}

rm -rf "$scratch"/5.10-*
mkdir "$scratch"/5.10-mips{el,-vz}-main
touch "$scratch/5.10-mipsel-main/fragments"
echo theirs >"$scratch/5.10-mipsel-main/.config"
ok "an architecture begins with the objects of the one that it is like" begins_with theirs
echo ours >"$scratch/5.10-mips-vz-main/.config"
ok "but not if it has its own" begins_with ours
