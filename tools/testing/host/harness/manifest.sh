# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t. The list of boots.

manifest_refused()
{
	printf 'boot b x86_64\n\ttest all\n' >"$scratch/boots"
	(
		. "$here/manifest.sh"
		manifest=$scratch/boots results=$scratch
		boot_args b
	) 2>"$scratch/said"
	[ $? -ne 0 ] && grep -q "'test' means nothing here" "$scratch/said"
}

ok "a word in the manifest that means nothing is refused" manifest_refused

# What tests find in their environment.
manifest_environment()
{
	printf 'boot b x86_64\n\tenv A=1 B=2\n' >"$scratch/boots"
	(
		. "$here/manifest.sh"
		manifest=$scratch/boots results=$scratch
		boot_args b
		[[ " ${args[*]} " == *" --env A=1 --env B=2 "* ]]
		env=(A=1 "B=2 3") arch=x86_64 variant=patched mode=tests client= modules= suites= limit=3
		eval "$(boot_env)"
		[ "$A" = 1 ] && [ "$B" = "2 3" ]
	)
}

ok "a boot may set its tests' environment" manifest_environment

# One kernel on another machine.
manifest_overrides()
{
	printf 'boot b x86_64\n\tmachine %s\n\tcpu POWER8\n\tcmdline a b=c\n' pseries,x=y >"$scratch/boots"
	(
		. "$here/manifest.sh"
		manifest=$scratch/boots results=$scratch
		boot_args b
		set -- "${args[@]}"
		while [ "$1" != --must-fail ]; do
			[ "$1" != --set ] || override "$2"
			shift
		done
		[ "$machine" = pseries,x=y ] && [ "$cpu_tcg" = POWER8 ] && [ "$cmdline" = "a b=c" ]
	)
}

setting_refused()
{
	! (override busybox=/bin/true) 2>"$scratch/said" && grep -q "'busybox' cannot be set" "$scratch/said"
}

ok "a boot may have its own machine, CPU and command line" manifest_overrides
ok "a setting that no boot may have is refused" setting_refused
