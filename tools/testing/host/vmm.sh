# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t, serve.t and top.t: VMMs with a tiny guest.
# shellcheck shell=bash

# The PID of the VMM that was started last, and the PIDs of all VMMs that run.
vmm=
declare -A vmms=()
# The program in tests/ of the command that start_vmm runs, and a command that runs it as
# another user.
vmm_program=vmm
vmm_as=()

# start_vmm [ARGUMENT]...: fail if the VMM does not become ready. All VMMs read from a fifo and
# end with it. It is fd 9 of this shell, so programs in the background must not inherit fd 9.
start_vmm()
{
	[ -p "$out/vmm.in" ] || mkfifo "$out/vmm.in"
	# <> does not wait until the fifo has a reader.
	exec 9<>"$out/vmm.in"
	rm -f "$out/vmm.out"
	"${vmm_as[@]}" "$plain/tests/$vmm_program" "$@" <"$out/vmm.in" >"$out/vmm.out" \
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

# Print why VMs with statistics cannot run here, or nothing.
why_no_vm()
{
	if ! build_plain vmms >"$out/log" 2>&1; then
		echo "the VMM of the tests does not build: $(head -n 1 "$out/log")"
	elif ! start_vmm -s >/dev/null; then
		head -n 1 "$out/vmm.err"
	fi
	stop_vmms
}
