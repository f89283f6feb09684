# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t. A stand-in for QEMU, and what became of its boot.

# machine BODY: what the stand-in does; it knows $verdict and $console
machine()
{
	{
		cat <<-'EOF'
		#!/bin/bash
		for word; do
			case $word in
			file,id=verdict,path=*) verdict=${word#*path=} ;;
			file:*) console=${word#file:} ;;
			esac
		done
		EOF
		printf '%s\n' "$1"
	} >"$scratch/qemu"
	chmod +x "$scratch/qemu"
}

# boot_it SUITE...: run the stand-in and judge it
boot_it()
{
	(run_machine) >/dev/null 2>&1
	"$here/judge" "$out" it "$@" >"$out/judged" 2>&1
	verdict_status=$?
}

new_boot()
{
	out=$scratch/$1
	mkdir -p "$out"
	limit=${2:-20}
}

judged_failed()
{
	[ $verdict_status -ne 0 ] && grep -q "^fail	.*$1" "$out/points"
}

judged_passed()
{
	[ $verdict_status = 0 ] && ! grep -q '^fail' "$out/points"
}

has_point()
{
	grep -qxF "$1	$2	$3" "$out/points"
}

shows()
{
	grep -qF -e "$1" "$out/judged"
}

gone()
{
	! kill -0 "$(cat "$out/pid")" 2>/dev/null
}

good_suite='printf "%s\n" "@suite good" "|TAP version 13" "|1..2" "|ok 1 - first" "|ok 2 - second # SKIP no such thing" "@exit good 0" >"$verdict"'
the_end='echo "@end" >>"$verdict"'

qemu=$scratch/qemu machine=none memory=1 cpus=1 virtio_bus=pci cpu_tcg=none cpu_kvm=none console=none parameters= cmdline='' client= devices= qemu_args= kernel=/
mode=tests
export BOOT_ACCEL=tcg
