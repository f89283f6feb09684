# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: VMMs that cannot be read, with others that can.
# shellcheck shell=bash

# run_apart STATUS ARGUMENT...: run kvm-stats, leave its standard output in unreadable.out and its
# standard error in unreadable.err, and fail if its exit status is not STATUS
run_apart()
{
	local expected=$1 status=0

	shift
	"$stats" "$@" >"$out/unreadable.out" 2>"$out/unreadable.err" 9>&- || status=$?
	head "$out/unreadable.out" "$out/unreadable.err"
	[ "$status" -eq "$expected" ] && return
	echo "$*: expected exit status $expected, found $status"
	return 1
}

# reported_once TEXT: a line of standard error has this text, and no other
reported_once()
{
	[ "$(grep -cF -e "$1" "$out/unreadable.err")" = 1 ] && return
	echo "expected once: $1"
	return 1
}

# The reason for $shut, which keeps no statistics fds
shut_is_reported()
{
	reported_once "PID $shut (vmm), guest \"shut.$$\": cannot open statistics: " &&
	grep -q "PID $shut .*opens statistics for the VMM only" "$out/unreadable.err"
}

reports_unreadable_vmm()
{
	local selected="-p $open,$shut -f ^exits" arguments

	for arguments in read schema "read -i 0.1 -c 3" "read --json" -1; do
		# shellcheck disable=SC2086 # a command and its options
		run_apart 1 $arguments $selected && shut_is_reported &&
		grep -q exits "$out/unreadable.out" || return
	done
}

# The VMM that cannot be read may have the statistic.
reports_no_match()
{
	local why="no statistic that can be read matches 'nosuch'. Run 'kvm-stats schema'" command

	for command in read schema -1 "log -c 1"; do
		# shellcheck disable=SC2086 # a command and its options
		run_apart 1 $command -p "$open,$shut" -f nosuch && shut_is_reported &&
		reported_once "$why" || return
	done
}

# What to do without debugfs
advice_is_reported()
{
	! grep -q 'debugfs is not mounted' "$out/unreadable.err" ||
	reported_once "'kvm-stats top' still shows CPU times"
}

lists_unreadable_vmm()
{
	run_apart 0 list -p "$open,$shut" && shut_is_reported && advice_is_reported &&
	grep -q "^ *$open .* taken" "$out/unreadable.out" &&
	grep -q "^ *$shut .* none" "$out/unreadable.out"
}

# Both when the log starts and when a VMM appears
logs_unreadable_vmm()
{
	local logger late first=$vmm

	run_apart 0 log -p "$open,$shut" -i 0.1 -c 3 -f '^exits$' && shut_is_reported || return
	# The new process could empty the file only after wait_for_line has read it.
	: >"$out/unreadable.err"
	"$stats" log -g "[ol]*e*.$$" -i 0.2 -f '^exits$' >"$out/unreadable.out" \
		2>"$out/unreadable.err" 9>&- &
	logger=$!
	wait_for_line 'watching 1 VMM; ' "$out/unreadable.err" "$logger" && start_vmm -name "late.$$"
	late=$vmm
	wait_for_line "PID $late .*cannot open statistics" "$out/unreadable.err" "$logger"
	sleep 1
	stop_vmm
	vmm=$first
	stop "$logger"
	cat "$out/unreadable.err"
	reported_once "PID $late (vmm), guest \"late.$$\": cannot open statistics: "
}

counts_only_what_it_reads()
{
	run_apart 1 -1 -p "$open,$shut" -f exits &&
	reported_once 'watching 1 VMM; source: statistics fds that the VMM keeps open; 1 VMM cannot'
}

# The limit allows to open some fds of one VMM, but no other VMM.
reports_few_files()
{
	local command

	for command in read schema -1; do
		(ulimit -n 9 && run_apart 1 "$command" -p "$open") &&
		reported_once "PID $open (vmm), guest \"open.$$\": cannot open the statistics of vcpu" &&
		reported_once 'Raise the limit (ulimit -n), or select fewer v' || return
	done
	# The fd of the VM can be opened, but not those of the vCPUs, which have the statistic.
	(ulimit -n 8 && run_apart 1 read -p "$open" -f '^exits$') &&
	reported_once "cannot open the statistics of vcpu" &&
	reported_once "no statistic that can be read matches '^exits$'" || return
	# The fds of the first guest take what the search for the second one needs.
	(ulimit -n 9 && run_apart 1 read -g "open.$$,shut.$$") &&
	reported_once 'cannot search for new VMMs: Too many open files' &&
	! grep -q 'no guest is named' "$out/unreadable.err" || return
	(ulimit -n 12 && run_apart 1 list) &&
	reported_once 'cannot search for new VMMs: Too many open files' &&
	reported_once 'Raise the limit (ulimit -n), or select fewer V'
}

# Root with all capabilities gets no advice to become root. With few files, kvm-stats cannot open
# /proc/self/status.
gives_possible_advice()
{
	(ulimit -n 12 && run_apart 1 list) && ! grep -q 'as root' "$out/unreadable.err"
}

# More than three VMMs with the same message are a list, which shows no control characters.
lists_many_vmms()
{
	local first=$vmm i pids=$open,$shut status

	for i in 1 2 3; do
		start_vmm -name "many$i"$'\e[2J' || return
		pids+=,$vmm
	done
	run_apart 1 read -p "$pids" -f '^exits$' &&
	reported_once 'VMM holds no statistics fd. This applies to 4 VMMs:' &&
	grep -qE "^kvm-stats:     $shut .shut.$$., [0-9]+ .many1[?]\[2J.," "$out/unreadable.err" &&
	grep -qE "[ ,]$vmm .many3[?]\[2J.\$" "$out/unreadable.err"
	status=$?
	for vmm in ${pids//,/ }; do
		[ "$vmm" = "$open" ] || [ "$vmm" = "$shut" ] || stop_vmm
	done
	vmm=$first
	return "$status"
}

# QEMU 8.1 and later keep the fds of their vCPUs open, but not that of the VM.
needs_no_vm_values()
{
	local arguments

	for arguments in read "read -i 0.1 -c 3" "read --json" schema query -1 "read -f ^exits$"; do
		# shellcheck disable=SC2086 # a command and its options
		run_apart 0 $arguments -p "$vmm" &&
		reported_once "cannot open the statistics of vm: this kernel opens" &&
		! grep debugfs "$out/unreadable.err" && grep -q exits "$out/unreadable.out" || return
	done
}

fails_without_selected_vm_values()
{
	local arguments

	for arguments in "read -f ^remote_tlb_flush$" "read --vm" "read --vm --vcpu 0" "read --qmp"; do
		# shellcheck disable=SC2086 # a command and its options
		run_apart 1 $arguments -p "$vmm" && reported_once "VMM holds no statistics fd" || return
	done
	# Another VMM has the statistic.
	run_apart 1 read -f '^remote_tlb_flush$' -p "$vmm,$open"
}

vm_value_tests()
{
	local vmm

	check "a VMM that keeps statistics fds of its vCPUs only starts" \
		start_vmm -v -name "vcpus.$$"
	if "$stats" list -p "$vmm" 2>/dev/null 9>&- | grep -q debugfs; then
		skip "missing values of a VM are reported, and are not a failure" "debugfs has them"
	else
		check "missing values of a VM are reported, and are not a failure" needs_no_vm_values
		check "they are a failure if the user selects them" fails_without_selected_vm_values
	fi
	stop_vmm
}

# Start $shut as $vmm. kvm-stats examines processes in the order of their PIDs, and the tests with few
# files need $open before $shut. If PIDs wrapped around after $open started, start both again.
start_shut()
{
	start_vmm -name "shut.$$" || return
	if [ "$vmm" -lt "$open" ]; then
		stop_vmms
		start_vmm -s -name "open.$$" || return
		open=$vmm
		start_vmm -name "shut.$$" || return
	fi
	[ "$vmm" -gt "$open" ]
}

unreadable_tests()
{
	local open shut why="this kernel lets other processes open statistics"

	check "a VMM that keeps its statistics fds open starts" start_vmm -s -name "open.$$"
	open=$vmm
	check "a VMM that does not starts" start_shut
	shut=$vmm
	if "$stats" read -p "$shut" >"$out/log" 2>&1 9>&-; then
		skip "read, schema, log, list and -1 report VMMs that cannot be read" "$why"
	else
		check "read, schema and -1 report a VMM that cannot be read, and fail" \
			reports_unreadable_vmm
		check "they report that nothing else matches a regular expression" reports_no_match
		check "list reports it" lists_unreadable_vmm
		check "read reports four such VMMs as one list" lists_many_vmms
		check "log reports it" logs_unreadable_vmm
		check "-1 does not count it as watched" counts_only_what_it_reads
		vm_value_tests
	fi
	check "commands report what a low limit of open files hides, and fail" reports_few_files
	if [ "$(id -u)" = 0 ] && has_ptrace_capability; then
		check "root gets no advice to become root" gives_possible_advice
	else
		skip "root gets no advice to become root" "needs root with CAP_SYS_PTRACE"
	fi
	stop_vmm
	vmm=$open
	stop_vmm
}
