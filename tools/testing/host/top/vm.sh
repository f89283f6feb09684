# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: real VMs.
# shellcheck shell=bash

# The names contain the PID of this test, because other VMs may run on this machine.
start_guest()
{
	start_vmm -s -c "$2" -name "$1$$" >/dev/null
}

has_no_kvm_fds()
{
	local pid

	pid=$(child_pid kvm-stats)
	[ -n "$pid" ] && [ -z "$(find "/proc/$pid/fd" -lname '*kvm-v*')" ]
}

choose_guest_tests()
{
	keys g
	type_text "$$"
	shows "the prompt lists the guests that match" "^ +$1 one$$" "^ +$vmm two$$"
	keys C-u
	type_text "two$$"
	screen_check "the prompt no longer lists guests that do not match" loses "^ +$1 one$$"
	keys Enter
	shows "the prompt selects a guest by name" "^kvm statistics - guest two$$"
	keys f
	type_text 'exits$'
	keys Enter b
	shows "the filter selects the exits of a guest" '^ exits +[0-9]+ +100\.0 +[0-9]{3,}$'
}

real_guest_tests()
{
	local first

	start_guest one 2
	first=$vmm
	run "clear; kvm-stats top --classic -s 0.5 -p $first; echo status \$?"
	shows "a real VM's exits have a rate" "^kvm statistics - pid $first \\(one$$\\)" \
		'^ exits +[0-9]+ +[0-9.]+ +[0-9]{3,}$'
	keys c
	start_guest two 1
	keys b
	shows "a real VMM that appears is among the guests" "^ +$first one$$ +[0-9]+ " \
		"^ +$vmm two$$ +[0-9]+ "
	choose_guest_tests "$first"
	kill "$vmm"
	shows "top waits for a selected guest that has ended" \
		"No guest named 'two$$' is running. Waiting for it"
	screen_check "top closes the files of a VMM that has ended" has_no_kvm_fds
	quit_top
	stop_vmms
}

# The table of guests, with the figures of the real /proc
real_table_tests()
{
	start_guest many 4
	run "clear; kvm-stats top -i 0.5 -p $vmm; echo status \$?"
	shows "the table has the figures of a real VM" \
		"^many$$ +$vmm +4 +[0-9.]+ .* [0-9]{3,} .*(KiB|MiB)$" '^1 guest, 1 VM, 4 vCPUs'
	keys Enter Down Enter
	shows "a real vCPU has statistics" "^many$$ \\(PID $vmm\\), vcpu0" \
		'^exits +[0-9]+ +[0-9]{2,}'
	quit_top
	# Not all fds of the VM and of its vCPUs can be opened.
	run "clear; (ulimit -n 11; kvm-stats top -i 0.5 -p $vmm); echo status \$?"
	shows "with few open files, the table reports the vCPUs that are missing" \
		'^1 guest, 1 VM, 4 vCPUs .* missing' '^Guest +PID +vCPU +Unread ' \
		"^many$$ +$vmm +4 +[1-4] "
	quit_top
	stop_vmms
	vm_value_tests
}

# QEMU 8.1 and later keep the fds of their vCPUs open, but not that of the VM.
vm_value_tests()
{
	local what="the table reports that only the values of the VM are missing"

	start_vmm -v -name "guest=vcpus$$" >/dev/null
	if "$stats" list -p "$vmm" 2>/dev/null | grep -q '[a-z]:2/3'; then
		run "clear; kvm-stats top -i 0.5 -p $vmm; echo status \$?"
		shows "$what" '^1 guest, 1 VM, 2 vCPUs .*, VM values of 1 guest missing ' \
			"^vcpus$$ +$vmm +2 +VM +[0-9]"
		quit_top
	else
		skip "$what" "the values of the VM can be read here"
	fi
	stop_vmms
}

# tests/halting_vmm.c sets how often and how long the guest halts.
real_histogram_tests()
{
	local what="the bars of a real histogram have bounds with units"

	vmm_program=halting_vmm
	if start_vmm 1 300 -name "halting$$" >/dev/null; then
		run "clear; kvm-stats top --classic -s 0.3 -p $vmm -f halt_wait_hist; echo status \$?"
		sees '^ halt_wait_hist +[1-9]'
		keys Down Enter
		shows "$what" '^[1-9][0-9]* samples' \
			'^ +[0-9.]+(µs|ms) +[0-9.]+(µs|ms) +[0-9]+ +[0-9.]+ █+'
		quit_top
	else
		skip "$what" "$(head -n 1 "$out/vmm.err")"
	fi
	vmm_program=vmm
	stop_vmms
}

tracepoint_tests()
{
	local what="an expression without a matching tracepoint is reported"

	if "$stats" -t -1 -f kvm_userspace_exit >"$out/once" 2>&1; then
		run "clear; kvm-stats -t -f nosuch; echo status \$?"
		shows "$what" "No statistic's name matches 'nosuch'"
		quit_top
	else
		skip "$what" "$(head -n 1 "$out/once")"
	fi
}

vm_tests()
{
	local why

	why=$(why_no_vm)
	if [ -n "$why" ]; then
		skip "top shows real VMs" "$why"
		return
	fi
	real_guest_tests
	resize 140 24
	real_table_tests
	resize 80 24
	tracepoint_tests
	real_histogram_tests
}
