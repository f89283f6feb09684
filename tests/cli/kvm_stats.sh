# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests of kvm-stats after lib/tap.sh: paths, builds, functions that wait, and VMMs.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the variables are for the tests that source this file

# Restart this test without address randomization, which the sanitizers of the programs that
# it builds need.
if [ -z "${FIXED_ADDRESSES:-}" ]; then
	FIXED_ADDRESSES=1 exec "$ROOT/tests/lib/fixed-addresses" "$0" "$@"
fi

lib=$ROOT/tools/lib/kvmstats
command=$ROOT/tools/kvm/kvm_stats
out=$ROOT/build/$(basename "$0" .t)-test
# Programs are built with the address and undefined-behaviour sanitizers in $checked, and
# without them in $plain.
checked=$out/checked
plain=$out/plain
stats=$checked/kvm-stats
# A program that does not free all memory before it ends fails. No command has the exit status 99, so
# a report of a sanitizer also fails the test cases that expect a command to fail.
export ASAN_OPTIONS=detect_leaks=1:exitcode=99 UBSAN_OPTIONS=exitcode=99

mkdir -p "$out"

check_log=$out/log

build_checked()
{
	make -s -j2 -C "$command" O="$out" checked
}

build_plain()
{
	make -s -j2 -C "$command" O="$plain" "$@"
}

# exits_with STATUS REGEX COMMAND...: the command exits with STATUS, and a line of its output, which is in the
# file found, matches
exits_with()
{
	local expected=$1 regex=$2 status=0

	shift 2
	"$@" >"$out/found" 2>&1 9>&- || status=$?
	cat "$out/found"
	[ "$status" = "$expected" ] && grep -Eq -e "$regex" "$out/found" && return
	echo "exit status $status, expected $expected and: $regex"
	return 1
}

# Options with which commands print what README.md shows. The recording is of the boot all/why, made with
# `record -i 0.25`. The guests loop, except mail, which halts; database and batch have CPU 1, and web a limit.
readme_options="--from $ROOT/tests/cli/guests.zst --at 2026-11-29T03:58:05.589Z"

# readme_block COMMAND: print the lines of README.md below "$ COMMAND"
readme_block()
{
	awk -v line="    \$ $1" '
	on && !/^    [^$]/ { exit }
	on { print substr($0, 5) }
	$0 == line { on = 1 }' "$ROOT/README.md"
}

# VMMs with a tiny guest

# The PID of the VMM that was started last, and the PIDs of all VMMs that run.
vmm=
declare -A vmms=()
# A command that runs VMMs as another user.
vmm_as=()

# start_vmm [ARGUMENT]...: fail if the VMM does not become ready. All VMMs read from a fifo and
# end with it. It is fd 9 of this shell, so programs in the background must not inherit fd 9.
start_vmm()
{
	[ -p "$out/vmm.in" ] || mkfifo "$out/vmm.in"
	# <> does not wait until the fifo has a reader.
	exec 9<>"$out/vmm.in"
	rm -f "$out/vmm.out"
	"${vmm_as[@]}" "$plain/tests/vmm" "$@" <"$out/vmm.in" >"$out/vmm.out" \
		2>"$out/vmm.err" 8>&- 9>&- &
	vmm=$!
	vmms[$vmm]=1
	wait_for_line '^ready' "$out/vmm.out" "$vmm"
}

# The statistics of the VMM no longer change. vmm.out has the exits of each vCPU.
freeze_vmm()
{
	echo stop >&9
	wait_for_line '^stopped ' "$out/vmm.out" "$vmm"
}

stop_vmm()
{
	[ -n "$vmm" ] || return 0
	stop "$vmm"
	unset "vmms[$vmm]"
	vmm=
}

stop_vmms()
{
	for vmm in "${!vmms[@]}"; do
		stop_vmm
	done
	exec 9>&-
}

# Print why VMs with statistics cannot run here, or nothing. That the VMM does not build is not a reason:
# the tests with VMs run then, and fail.
why_no_vm()
{
	build_plain vmms >"$out/log" 2>&1 || return
	start_vmm -s >/dev/null || head -n 1 "$out/vmm.err"
	stop_vmms
}

# Print why root cannot load the host file here, or nothing.
why_no_host_file()
{
	if [ "$(id -u)" != 0 ]; then
		echo "needs root"
	elif ! "$stats" publish --check >"$out/check" 2>&1; then
		head -n 1 "$out/check"
	fi
}

# Print why KVM's statistics of VMs cannot be read here, from the host file or KVM_STATS_NEXT, or nothing.
why_no_statistics()
{
	start_vmm -s >/dev/null || return
	"$stats" read -p "$vmm" -f '^exits$' >/dev/null 2>"$out/why" 9>&- || head -n 1 "$out/why"
	stop_vmms
}
