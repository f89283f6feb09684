# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t. A monitor at work, for long and while VMMs come and go.

held_vcpus()
{
	ls -l "/proc/$1/fd" | grep -c 'kvm-vcpu-stats'
}

# VMMs come and go while one kvm-stats runs: it tells, and lets their fds go.
follows_vmms()
{
	local logger with without

	"$stats" log -s 0.2 -f exits >"$out/log.txt" 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_line 'VMM.* from' "$out/log.err" $logger &&
	start_another_vmm -c 1 -name late &&
	wait_for_line "process $another .*late.* has appeared: 1 VM, 1 vCPU" "$out/log.err" $logger
	with=$(held_vcpus $logger)
	stop_another_vmm
	wait_for_line "process $another .* has ended" "$out/log.err" $logger
	without=$(held_vcpus $logger)
	kill $logger
	wait $logger
	cat "$out/log.err"
	echo "statistics fds of vCPUs held with it: $with, without: $without"
	[ "$with" = $((without + 1)) ]
}

# With what the monitor is made of, as gcc makes it for people. monitor_program NAME [FLAG]...
monitor_program()
{
	local name=$1 rooms="debugfs exit_reason filter monitor monitor_scan monitor_vmm output perf_group
		processes set_sum source source_debugfs source_fd source_tracepoints stat_set target
		total tracepoints"

	shift
	gcc -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$command" \
		-I"$lib" "$@" -o "$out/$name" "$command/tests/$name.c" \
		$(printf "$out/gcc/obj/%s.o " $rooms) "$out/gcc/lib/libkvmstats.a"
}

build_monitor_test()
{
	monitor_program monitor_test -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
}

samples_10000_times()
{
	"$out/monitor_test" "$vmm" 10000 9>&-
}

# Where there is nobody else: /proc has the VMM that stays, and the one that comes and goes.
samples_while_others_pass()
{
	rm -f "$out/many.out"
	gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -o "$out/many_vcpus" "$command/tests/many_vcpus.c" &&
	unshare --pid --fork --mount-proc --kill-child bash -c '
		sleep infinity | "$1/many_vcpus" 16 -s >"$1/many.out" &
		for ((i = 0; i < 100; i++)); do
			[ -s "$1/many.out" ] || sleep 0.1
		done
		"$1/monitor_test" all 10000 "$1/many_vcpus" 64 -s' - "$out" 9>&-
}

reads_on_without_files()
{
	monitor_program blind_test && "$out/blind_test" "$vmm" 9>&-
}

monitor_tests()
{
	check "a VMM to watch starts" start_vmm -s
	check "VMMs that appear and end are noticed" follows_vmms
	check "a monitor that runs out of files reads on, and tells it once" reads_on_without_files
	check "monitor_test builds" build_monitor_test
	check "memory does not grow over 10,000 samples, and nothing is allocated for them" \
		samples_10000_times
	if unshare --pid --fork --mount-proc true 2>/dev/null; then
		check "nor does it while VMMs come and go" samples_while_others_pass
	else
		skip "nor does it while VMMs come and go" "takes the right to a PID namespace"
	fi
	stop_vmm
}
