#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test `make check-host` on the build host, and with fake programs that fail, hang or change parameters.
#
# usage: check_host.t

set -u

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"

out=$ROOT/build/check-host-test
# Root can write to it on every host, unlike to parameters of KVM.
parameter=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
rm -rf "$out"
mkdir -p "$out/tmp" "$out/fake"
cd "$out" || exit 1
export TMPDIR=$out/tmp

# fake PROGRAM LINE...: a shell script instead of a program
fake()
{
	printf '%s\n' '#!/bin/sh' "${@:2}" >"fake/$1"
	chmod +x "fake/$1"
}

leaves_nothing()
{
	[ -z "$(ls tmp)" ] && [ "$(cat "$parameter")" = "$pages" ] && ! grep -qsa "^sleep.77.77" /proc/[0-9]*/cmdline
}

checks_this_host()
{
	"$ROOT/tests/check-host/build" host && host/check-host host.tap
	cat host.tap
	for line in "kvm-stats $(cat "$ROOT/VERSION") " "kernel: Linux $(uname -r) " 'CPU: ..' 'KVM: kvm' \
		'statistics: [a-z]*, capability [0-9]' 'QEMU: '; do
		grep "^# $line" host.tap || return
	done
	! grep '^not ok' host.tap | grep -v '# TODO' && [ "$(grep -c '^ok' host.tap)" -gt 50 ] && leaves_nothing
}

is_interrupted()
{
	fake doc_example "echo $((pages + 1)) >$parameter" 'sleep 77.77'
	# A shell that ran this test in the background has let it ignore SIGINT, which no trap can undo.
	env --default-signal=INT fake/check-host interrupted.tap &
	until [ "$(cat "$parameter")" != "$pages" ] || ! kill -0 $!; do sleep 0.1; done
	[ "$(cat "$parameter")" != "$pages" ] && kill -"$1" $!
	wait $!
	[ $? = 130 ] && [ ! -e interrupted.tap ] && leaves_nothing
}

# The process of another VM is named, and a program that it could notice does not run.
spares_other_vms()
{
	local vm status

	fake stats_abi 'echo "# KVM_CAP_STATS_BINARY_FD: 7"; echo "ok 1 - vm.id"'
	fake next_races 'echo "not ok 1 - runs"'
	perl -e 'open(K, "+<", "/dev/kvm"); $vm = ioctl(K, 0xae01, 0) or die; close(K); sleep 100' &
	vm=$!
	until readlink "/proc/$vm/fd/"* | grep -q kvm-vm || ! kill -0 "$vm"; do sleep 0.1; done
	fake/check-host fake.tap
	status=$?
	kill "$vm"
	[ "$status" = 0 ] && grep -q "next_races: all # SKIP other VMs run, of PID .*$vm" fake.tap
}

begin
cp "$ROOT/tests/check-host/check-host" fake
echo 0 >fake/version
expect 2 "a second argument is refused" '^check-host: usage: ' fake/check-host a b
expect 2 "an unknown option is refused" '^check-host: usage: ' fake/check-host --all
if [ "$(id -u)" != 0 ] || [ ! -w /dev/kvm ]; then
	skip "make check-host runs on this host" "needs root and /dev/kvm"
	finish
fi
pages=$(cat "$parameter")
expect 2 "a file that cannot be written is refused" 'none/x cannot be written' fake/check-host none/x
check "make check-host runs on this host, has results for a person to send, and leaves nothing" checks_this_host
fake stats_abi 'echo "# KVM_CAP_STATS_BINARY_FD: 1"; echo "not ok 1 - vm.lseek"; echo "ok 2 - vm.id"'
expect 0 "what only mainline does is no failure" ' 1 differ in mainline' fake/check-host fake.tap
fake doc_example "echo $((pages + 1)) >$parameter" 'echo "1..3"; echo "ok 1 - a"'
expect 1 "a program that ends early, and leaves a parameter changed, fails" ': doc_example: 3 test cases, 2 failed' \
	fake/check-host fake.tap
check "the parameter is restored" leaves_nothing
rm fake/doc_example
check "it does not disturb another VM" spares_other_vms
check "SIGINT ends it, and nothing is left" is_interrupted INT
check "SIGTERM ends it, and nothing is left" is_interrupted TERM
finish
