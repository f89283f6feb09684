# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: kvm-stats list, schema and read, with all kinds of VMMs.
# shellcheck shell=bash

# Each vCPU has at least one exit for each I/O exit that the VMM counted.
values_match_vmm()
{
	freeze_vmm || return 1
	sed -n 's/^stopped//p' "$out/vmm.out" | xargs -n 1 >"$out/counted"
	"$stats" read -p "$vmm" --vcpu all -f '^exits$' | awk '/vcpu/ { print $3 }' >"$out/printed"
	paste "$out/counted" "$out/printed"
	paste "$out/counted" "$out/printed" |
		awk '!($1 > 0 && $2 >= $1 && $2 < $1 * 2 + 10000) { bad = 1 }
			END { exit bad || NR != 2 }'
}

# A statistic has a rate exactly if its value has grown. Intervals are longer on a busy machine,
# so this test does not check the size of a rate; file_test.c does.
rates_match_growth()
{
	"$stats" read -p "$vmm" -i 0.5 -c 3 -f '^exits$' --vcpu 0,1 >"$out/rates" || return 1
	cat "$out/rates"
	grep -Eq '^# after 0.5 s, 20[0-9-]{8}T[0-9:]{8}[.][0-9]{3}[+-]' "$out/rates" &&
	awk '$2 == "exits" {
			if (++n > 2 && ($3 > last[$1]) != ($5 > 0))
				bad = 1
			last[$1] = $3
			grown[$1] += $5 > 0
		}
		END { exit bad || n != 6 || !grown["vcpu0"] || !grown["vcpu1"] }' "$out/rates"
}

ends_with_its_vmm()
{
	local reader start=$SECONDS status=0

	rm -f "$out/read"
	"$stats" read -p "$vmm" -i 1000 >"$out/read" 2>&1 9>&- &
	reader=$!
	wait_for_line '^# PID' "$out/read" "$reader"
	stop_vmm
	wait "$reader" || status=$?
	cat "$out/read"
	[ "$status" -eq 0 ] && grep -q 'has ended' "$out/read" && [ $((SECONDS - start)) -lt 30 ]
}

# Stop kvm-stats between two samples.
survives_sigstop()
{
	local reader status=0

	rm -f "$out/read"
	"$stats" read -p "$vmm" -i 2 -c 1 -f '^exits$' >"$out/read" 2>&1 9>&- &
	reader=$!
	wait_for_line '^# PID' "$out/read" "$reader"
	kill -STOP "$reader"
	kill -CONT "$reader"
	wait "$reader" || status=$?
	cat "$out/read"
	[ "$status" -eq 0 ] && grep -qE '^vcpu1 +exits ' "$out/read"
}

reports_full_disk()
{
	! "$stats" read -p "$vmm" >/dev/full 2>"$out/lost" || return 1
	cat "$out/lost"
	grep -q 'cannot write the output: No space left' "$out/lost"
}

# ends_with_its_reader ARGUMENT...: the reader of the pipe ends after the first line
ends_with_its_reader()
{
	( "$stats" "$@" 2>"$out/lost" 9>&-; echo $? >"$out/status" ) | head -n 1
	cat "$out/lost" "$out/status"
	[ "$(cat "$out/status")" = 1 ] && ! grep -q 'output\|pipe' "$out/lost"
}

# Whether or not SIGPIPE is ignored, no command prints a message.
ends_silently_with_its_reader()
{
	ends_with_its_reader read -p "$vmm" -i 0.1 && ends_with_its_reader log -p "$vmm" -i 0.1 &&
	ends_with_its_reader -l -p "$vmm" -s 0.1 &&
	(trap '' PIPE; ends_with_its_reader read -p "$vmm" -i 0.1) &&
	(trap '' PIPE; ends_with_its_reader log -p "$vmm" -i 0.1)
}

explains_missing_permission()
{
	local status=0

	# The user may have no access to the directories that the program is in, so use an fd.
	setpriv --reuid 65534 --regid 65534 --clear-groups /proc/self/fd/8 \
		read -p "$vmm" >"$out/denied" 2>&1 8<"$plain/kvm-stats.static" 9>&- || status=$?
	cat "$out/denied"
	[ "$status" -eq 1 ] && grep -Eq 'not (allowed|permitted)' "$out/denied" &&
	grep -q 'CAP_SYS_PTRACE' "$out/denied"
}

histogram_tests()
{
	if "$stats" schema -p "$vmm" | grep -q halt_wait_hist; then
		check "schema shows histograms" \
			prints 0 '^vcpu +halt_wait_hist +log2-histogram +ns +32 ' schema -p "$vmm"
	else
		skip "schema shows histograms" "this kernel has no histograms"
	fi
}

thread_tests()
{
	local thread

	thread=$(find "/proc/$vmm/task" -mindepth 1 -maxdepth 1 ! -name "$vmm" -printf '%f\n' -quit)
	check "a thread ID is reported as the thread of a process" \
		prints 1 "thread of process $vmm" read -p "${thread:-0}"
}

read_tests()
{
	check "a VMM that keeps its statistics fds open starts" \
		start_vmm -s -name "guest=one,,two.$$,debug-threads=on"
	check "completion offers the PIDs of VMMs" completes "(^| )$vmm( |\$)" read -p ''
	check "completion offers the names of guests" \
		completes "(^| )one.,.,two[.]$$"'( |$)' read -g ''
	check "-g takes a list of names and patterns" \
		prints 0 "^# PID $vmm " read -g "o*,,t?o.$$,[mno]ne,,two.$$" -f '^exits$'
	check "a name in a list that no guest has is an error" \
		prints 1 "no guest is named 'two.$$'" read -g "one*.$$,two.$$"
	check "list shows the VMM, its guest's name, and the source of its statistics" \
		prints 0 "^ +$vmm  vmm +1 +2  (taken|opened) +one,two.$$\$" list
	check "schema shows types and units" \
		prints 0 '^vcpu +halt_poll_fail_ns +cumulative +ns +1 ' schema -p "$vmm"
	histogram_tests
	check "schema shows the meaning of statistics" \
		prints 0 '^vcpu +halt_poll_fail_ns .* +0  [A-Z].*[a-z]{4}.*' schema -p "$vmm"
	check "schema -f shows only statistics that match" \
		prints_no 0 '^vcpu +halt' schema -p "$vmm" -f '^exits$'
	check "a rate is the growth of a value per second" rates_match_growth
	check "read continues after SIGSTOP and SIGCONT" survives_sigstop
	check "-b prints base units" \
		prints 0 '^vcpu0 +halt_poll_fail_ns +0 +s$' read -p "$vmm" -b
	check "--vcpu selects a vCPU" prints_no 0 '^vcpu0' read -p "$vmm" --vcpu 1
	check "a vCPU that does not exist is an error of read" \
		prints 1 'has no vCPU 2' read -p "$vmm" --vcpu 1-1,2
	check "and of list" prints 1 'has no vCPU 9' list -p "$vmm" --vcpu 9
	check "a regular expression without a match is an error" \
		prints 1 "no statistic matches '.no\\$'" read -p "$vmm" -f '^no$'
	check "a full disk is an error" reports_full_disk
	check "commands end with status 1 and no message if the reader of a pipe ends" \
		ends_silently_with_its_reader
	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		check "an error message explains that a permission is missing" explains_missing_permission
	else
		skip "an error message explains that a permission is missing" \
			"needs root, to become another user"
	fi
	thread_tests
	check "values match those that the VMM counted" values_match_vmm
	check "read ends as soon as its VMM ends" ends_with_its_vmm
}

duplicate_fd_tests()
{
	check "a VMM with duplicated fds starts" start_vmm -s -d
	check "each VM and vCPU is counted once" prints 0 "^ +$vmm  vmm +1 +2  " list
	stop_vmm
}

several_vms_tests()
{
	check "a VMM with two VMs starts" start_vmm -s -m 2 -c 1
	check "both VMs are found" prints 0 "^ +$vmm  vmm +2 +2  " list
	check "a vCPU of an unknown VM is not attributed to either" \
		prints 0 '^vm\?/vcpu0#[0-9]+ +exits ' read -p "$vmm"
	check "statistics of VMs have the number of their VM" \
		prints 0 '^vm1 +remote_tlb_flush ' read -p "$vmm" --vm
	stop_vmm
}

no_fds_tests()
{
	check "a VMM without statistics fds starts" start_vmm
	if "$stats" read -p "$vmm" 9>&- >/dev/null 2>&1; then
		skip "an error message explains that the VMM has no statistics fds" \
			"this kernel lets other processes open them"
	else
		check "an error message explains that the VMM has no statistics fds" \
			prints 1 'opens statistics for the VMM only' read -p "$vmm"
		check "list shows a VMM without statistics fds" \
			prints 0 "^ +$vmm  vmm +1 +2  none " list
	fi
	stop_vmm
}
