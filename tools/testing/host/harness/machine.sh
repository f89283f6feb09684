# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: machine/machine.sh with a fake QEMU: machines that hang.
# shellcheck shell=bash

# fake_qemu BODY: write a fake QEMU; BODY can use $results, the file for results
fake_qemu()
{
	{
		cat <<-'END'
		#!/bin/bash
		for word; do
			case $word in file,id=results,path=*) results=${word#*path=} ;; esac
		done
		END
		printf '%s\n' "$1"
	} >"$work/qemu"
	chmod +x "$work/qemu"
}

# run_fake NAME SECONDS: run it; it is stopped if it sends nothing for SECONDS; files in $work/NAME
run_fake()
{
	TESTING=$testing qemu=$work/qemu machine=none memory=1 cpus=1 virtio_bus=pci cpu='' cpu_kvm=''
	cpu_flag_kvm='' console=none parameters='' cmdline='' client='' devices='' qemu_args='' host_tsc=''
	kernel=/ mode=tests out=$work/$1 time=$(($2 - 120))
	export BOOT_ACCEL=tcg HARNESS_ACTIVE=1
	mkdir -p "$out"
	# shellcheck source=../../machine/machine.sh
	. "$testing/machine/machine.sh"
	# shellcheck source=../../machine/qemu.sh
	. "$testing/machine/qemu.sh"
	run_machine >/dev/null 2>&1
}

gone()
{
	[ -s "$1" ] && ! kill -0 "$(cat "$1")" 2>/dev/null
}

fake_qemu 'echo $$ >"${results%/*}/pid"; exec sleep 1000'
(run_fake hangs 2)
check "a machine that sends nothing is killed" gone hangs/pid
check "the reason why a machine was killed is recorded" grep -q 'sent nothing for 2 s' hangs/ended

run_fake interrupted 20 &
for _ in {1..100}; do [ -s interrupted/pid ] && break; sleep 0.1; done
kill -TERM $!
wait $! 2>/dev/null
check "an interrupted runner ends its machine" gone interrupted/pid

fake_qemu 'for i in {1..5}; do echo "|ok $i" >>"$results"; sleep 1; done; echo @end >>"$results"'
(run_fake slow 3)
check "a slow machine that makes progress is not killed" eval '[ ! -f slow/ended ] && [ "$(tail -n 1 slow/results)" = @end ]'

fake_qemu 'echo $$ >"${results%/*}/pid"; echo @end >>"$results"; exec sleep 1000'
start=$SECONDS
(run_fake late 60)
check "a machine that does not power off after its tests is killed" eval 'gone late/pid && [ $((SECONDS - start)) -lt 20 ]'
