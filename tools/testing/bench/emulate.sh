# SPDX-License-Identifier: GPL-2.0-only
# Sourced by count and profile: run the program of the benchmark on the emulated machine.

. "$boot_dir/machine.sh"
bench_dir=$repo/tools/testing/bench
programs=$repo/build/bench/program

# The CPU has no ERMS. With ERMS kernels copy with `rep movsb`, which emulation counts as
# one instruction per byte. With REP_GOOD alone all three kernels copy with `rep movsq`,
# one instruction per 8 bytes.
set_machine()
{
	load_arch x86_64
	machine=pc cpus=1 memory=1024 client= parameters=
	cpu_tcg=EPYC,+svm,+npt,-erms
	cmdline="tsc=reliable norandmaps mitigations=off"
	BOOT_ACCEL=tcg
	mode=tests suites=bench
}

# count_instructions SLEEP: the clock advances by 1 ns with each instruction. While the CPU
# is idle, it jumps to the next event ("off") or advances in real time ("on").
count_instructions()
{
	host_tsc=
	qemu_args="-icount shift=0,sleep=$1"
	cmdline+=" tsc_early_khz=1000000"
}

# prepare NAME KERNEL: prepare for run_machine; sets out to build/bench/NAME
prepare()
{
	variant=$1 kernel=$2 out=$repo/build/bench/$1
	[ -f "$kernel/image" ] || die "no kernel in $kernel"
	rm -rf "$out"
	mkdir -p "$out" "$programs"
	[ -n "${BOOT_NO_INSTALL:-}" ] || "$repo/scripts/packages" boot boot-tests "$packages"
	run_logged "$out/program.log" flock "$programs" make -C "$bench_dir/program" OUT="$programs"
	make_initramfs
}
