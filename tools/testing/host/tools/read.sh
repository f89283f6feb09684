# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t. kvm-stats list, schema and read, with VMMs of all kinds.

# What kvm-stats shows for each vCPU.
exits_of()
{
	"$stats" read -p "$vmm" --vcpu all -f '^exits$' | awk '/vcpu/ { printf " %s", $3 }'
}

# Each vCPU has at least one exit for each I/O exit that the VMM saw.
numbers_agree()
{
	freeze_vmm || return 1
	sed -n 's/^stopped//p' "$out/vmm.out" | xargs -n 1 >"$out/seen"
	exits_of | xargs -n 1 >"$out/shown"
	paste "$out/seen" "$out/shown"
	paste "$out/seen" "$out/shown" |
		awk '!($1 > 0 && $2 >= $1 && $2 < $1 * 2 + 10000) { bad = 1 } END { exit bad || NR != 2 }'
}

# A busy machine may stretch or squeeze an interval: how large rates are is for sample_test.
rates_agree()
{
	"$stats" read -p "$vmm" -i 0.5 -c 3 -f '^exits$' --vcpu 0,1 >"$out/rates" || return 1
	cat "$out/rates"
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
	local watcher start=$SECONDS status

	rm -f "$out/watch"
	"$stats" read -p "$vmm" -i 1000 >"$out/watch" 2>&1 9>&- &
	watcher=$!
	wait_for_line '^# process' "$out/watch" $watcher
	stop_vmm
	wait $watcher
	status=$?
	cat "$out/watch"
	[ $status -eq 0 ] && grep -q 'has ended' "$out/watch" && [ $((SECONDS - start)) -lt 30 ]
}

# Between two readings it is stopped for a while, and goes on.
survives_a_stop()
{
	local watcher status

	rm -f "$out/watch"
	"$stats" read -p "$vmm" -i 2 -c 1 -f '^exits$' >"$out/watch" 2>&1 9>&- &
	watcher=$!
	wait_for_line '^# process' "$out/watch" $watcher
	kill -STOP $watcher
	kill -CONT $watcher
	wait $watcher
	status=$?
	cat "$out/watch"
	[ $status -eq 0 ] && grep -qE '^vcpu1 +exits ' "$out/watch"
}

output_is_lost()
{
	! "$stats" read -p "$vmm" >/dev/full 2>"$out/lost" || return 1
	cat "$out/lost"
	grep -q 'cannot write the output: No space left' "$out/lost"
}

pipe_is_closed()
{
	( trap '' PIPE; "$stats" read -p "$vmm" -i 0.1 2>"$out/lost"; echo $? >"$out/status" ) | head -n 3
	cat "$out/lost"
	[ "$(cat "$out/status")" = 1 ] && grep -q 'cannot write the output: Broken pipe' "$out/lost"
}

without_rights()
{
	local left

	# By its fd, because others may not get at files below here.
	setpriv --reuid 65534 --regid 65534 --clear-groups /proc/self/fd/8 \
		read -p "$vmm" >"$out/denied" 2>&1 8<"$out/gcc/kvm-stats.static" 9>&-
	left=$?
	cat "$out/denied"
	[ $left -eq 1 ] || return 1
	grep -q 'not allowed' "$out/denied" && grep -q 'CAP_SYS_PTRACE' "$out/denied"
}

taken_tests()
{
	check "a VMM that keeps its statistics fds open starts" \
		start_vmm -s -name 'guest=one,,two,debug-threads=on'
	check "completion knows processes" completes "(^| )$vmm( |\$)" read -p ''
	check "and guests" completes '^one.,two$' read -g ''
	check "list shows it, its guest's name, and that fds were taken" \
		says 0 "^ +$vmm  vmm +1 +2  (taken|opened) +one,two\$" list
	check "schema shows types and units" \
		says 0 '^vcpu +halt_poll_fail_ns +cumulative +ns +1 ' schema -p "$vmm"
	if "$stats" schema -p "$vmm" | grep -q halt_wait_hist; then
		check "schema shows histograms" \
			says 0 '^vcpu +halt_wait_hist +log2-histogram +ns +32 ' schema -p "$vmm"
	else
		skip "schema shows histograms" "this kernel has none"
	fi
	check "schema shows only what matches" \
		says_not 0 '^vcpu +halt' schema -p "$vmm" -f '^exits$'
	check "rates are growth over time" rates_agree
	check "a stop on the way is no end" survives_a_stop
	check "histograms and base units do no harm" \
		says 0 '^vcpu0 +halt_poll_fail_ns +0 +s$' read -p "$vmm" -b
	check "a vCPU is chosen" says_not 0 '^vcpu0' read -p "$vmm" --vcpu 1
	check "a vCPU that is not there is an error" says 1 'has no vCPU 2' read -p "$vmm" --vcpu 1-1,2
	check "a name that is not there is an error" says 1 'no statistic' read -p "$vmm" -f '^no$'
	check "a full disk is an error" output_is_lost
	check "a closed pipe is an error" pipe_is_closed
	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		check "a missing right is explained" without_rights
	else
		skip "a missing right is explained" "takes root, to become another user"
	fi
	if [ -d "/proc/$vmm/task" ] && thread=$(ls "/proc/$vmm/task" | grep -vx "$vmm" | head -n 1) &&
		[ -n "$thread" ]; then
		check "a thread's ID is told from a process's" \
			says 1 "thread of process $vmm" read -p "$thread"
	else
		point 1 "the VMM has a thread for each vCPU"
	fi
	check "numbers are those of the VMM" numbers_agree
	check "it ends with its VMM, at once" ends_with_its_vmm
}

duplicate_tests()
{
	check "a VMM with duplicated fds starts" start_vmm -s -d
	check "each VM and vCPU is counted once" says 0 "^ +$vmm  vmm +1 +2  " list
	stop_vmm
}

several_vms_tests()
{
	check "a VMM with two VMs starts" start_vmm -s -m 2 -c 1
	check "both VMs are found" says 0 "^ +$vmm  vmm +2 +2  " list
	check "vCPUs are not ascribed to one of them" \
		says 0 '^vm\?/vcpu0#[0-9]+ +exits ' read -p "$vmm"
	check "VMs are told apart" says 0 '^vm1 +remote_tlb_flush ' read -p "$vmm" --vm
	stop_vmm
}

no_fds_tests()
{
	check "a VMM without statistics fds starts" start_vmm
	if "$stats" read -p "$vmm" 9>&- >/dev/null 2>&1; then
		skip "that the VMM holds none is explained" "this kernel opens them for us"
	else
		check "that the VMM holds none is explained" \
			says 1 'opens statistics for the VMM only' read -p "$vmm"
		check "list shows the VMM all the same" says 0 "^ +$vmm  vmm +1 +2  none " list
	fi
	stop_vmm
}
