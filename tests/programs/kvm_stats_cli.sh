#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test what kvm-stats does, from outside: in any test machine and on the build host (tools.t), with VMMs
# that know how often their vCPUs exit.
#
# KVM_STATS is the path of kvm-stats. Test machines set BOOT_ARCH, and BOOT_VARIANT, which is
# "unpatched" on a kernel that opens statistics for the VMM only, or does not have them.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
as=${0%/*}/as
nobody=65534
perfmon=0x4000000000	# a mask with CAP_PERFMON
debugfs=/sys/kernel/debug/kvm
exit_stats=/sys/module/kvm/parameters/exit_stats
work=/tmp/cli.$$
stats=$work/kvm-stats	# all users have access to it
started=0		# VMMs
vmms=			# their PIDs
vmm=			# the one that was started last, and the files for its input and output
in=
out=
keep=			# the option with which a VMM keeps the statistics fds that kvm-stats needs
apart=			# a command that runs kvm-stats as another user, or in another PID namespace

clean_up()
{
	# shellcheck disable=SC2086 # words
	kill -KILL $vmms 2>/dev/null
	rm -rf "$work"
}

# ---- VMMs ----

# start_vmm [OPTION]...: it holds its fifo open for writing, so that it does not end by itself
start_vmm()
{
	started=$((started + 1))
	in=$work/$started.in
	out=$work/$started.out
	rm -f "$in" "$out"
	mkfifo "$in"
	"${0%/*}/vmm" "$@" <>"$in" >>"$out" 2>"$work/vmm.err" &
	vmm=$!
	vmms="$vmms $vmm"
	wait_until has_line_or_ended '^ready' "$out" "$vmm" && grep '^ready' "$out" && return
	cat "$work/vmm.err"
	return 1
}

end_vmm()
{
	kill -KILL "$vmm"
	wait "$vmm" 2>/dev/null || true
}

# Write the number of exits of each vCPU to $work/counted.
stop_vcpus()
{
	: >"$out"
	echo stop >"$in"
	wait_until grep -q '^stopped ' "$out" && sed 's/^stopped //' "$out" | tr ' ' '\n' >"$work/counted"
}

start_vcpus()
{
	echo start >"$in"
}

no_vm_is_left()
{
	! ls -d "$debugfs/$vmm"-* 2>/dev/null
}

# ---- kvm-stats ----

# run STATUS [ARGUMENT]...: the output is in the files stdout and stderr, and all of it in the file both
run()
{
	local expected=$1 status=0

	shift
	# shellcheck disable=SC2086 # words
	$apart "$stats" "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	cat "$work/stdout" "$work/stderr" >"$work/both"
	head -n 30 "$work/both"
	[ $status = "$expected" ] && return
	echo "$*: exit status $status, expected $expected"
	return 1
}

# has REGEX: the output has a matching line
has()
{
	grep -Eq -e "$1" "$work/both" && return
	echo "expected: $1"
	return 1
}

has_no()
{
	! grep -E -e "$1" "$work/both"
}

# prints STATUS REGEX [ARGUMENT]...
prints()
{
	local status=$1 regex=$2

	shift 2
	run "$status" "$@" && has "$regex"
}

# follow FILE [ARGUMENT]...: in the background. The output is in the file.
follow()
{
	local file=$work/$1

	shift
	rm -f "$file"
	# shellcheck disable=SC2086 # words
	$apart "$stats" "$@" >"$file" 2>&1 &
	follower=$!
	vmms="$vmms $follower"
}

has_line_or_ended()
{
	grep -Eq -e "$1" "$2" || ! kill -0 "$3" 2>/dev/null
}

# appears REGEX FILE [TIMES]: the output of the last follow() has so many such lines
appears()
{
	wait_until has_lines_or_ended "$1" "$work/$2" "${3:-1}" && has_lines "$1" "$work/$2" "${3:-1}" && return
	echo "expected: $1, found:"
	tail -n 20 "$work/$2"
	return 1
}

has_lines()
{
	[ "$(grep -Ec -e "$1" "$2")" -ge "$3" ]
}

has_lines_or_ended()
{
	has_lines "$@" || ! kill -0 "$follower" 2>/dev/null
}

# ends STATUS [SIGNAL]
ends()
{
	local status=0

	[ -z "${2:-}" ] || kill "-$2" "$follower"
	wait "$follower" || status=$?
	[ "$status" = "$1" ] && return
	echo "exit status $status, expected $1"
	return 1
}

# The VMM has stopped its vCPUs: each has the number of exits in the table that the VMM has counted.
# KVM of the build host may count other exits, too.
shows_counted()
{
	sed -n "s/^vcpu[0-9] *$statistic  *\([0-9]*\) .*/\1/p" "$work/stdout" >"$work/shown"
	paste "$work/counted" "$work/shown" | tee "$work/pairs"
	awk -v exact="${BOOT_ARCH:-}" '
		!($1 > 0 && $2 >= $1 && $2 < $1 * 2 + 10000) || (exact && $1 != $2) { bad = 1 }
		END { exit bad || NR != 2 }' "$work/pairs"
}

reads_counted()
{
	run 0 read -p "$vmm" && shows_counted
}

# The same with the sum of all vCPUs
shows_sum()
{
	local counted shown

	counted=$(awk '{ n += $1 } END { print n }' "$work/counted")
	shown=$(awk -v name="$statistic" '$1 == name { print $2 } $1 == "vm" && $2 == name { print $3 }' \
		"$work/stdout")
	echo "counted $counted, shown $shown"
	[ "$shown" = "$counted" ] || { [ -z "${BOOT_ARCH:-}" ] && [ "$shown" -ge "$counted" ]; }
}

# while_stopped COMMAND...
while_stopped()
{
	local status=0

	stop_vcpus && "$@" || status=1
	start_vcpus
	return "$status"
}

# ---- list, schema, read ----

# A rate is positive if and only if the value has grown. A loaded machine may stop a vCPU for one
# interval.
rates_match_growth()
{
	run 0 read -p "$vmm" -i 0.5 -c 3 -f "^$statistic\$" --vcpu 0,1 &&
	has '^# after 0.5 s, [0-9-]{10}T[0-9:]{8}[.][0-9]{3}[+-]' &&
	awk -v name="$statistic" '$2 == name {
			if (++n > 2 && ($3 > last[$1]) != ($5 > 0))
				bad = 1
			last[$1] = $3
			grown[$1] += $5 > 0
		}
		END { exit bad || n != 6 || !grown["vcpu0"] || !grown["vcpu1"] }' "$work/stdout"
}

# A value that does not count up has no rate.
shows_no_rate()
{
	local name

	run 0 schema -p "$vmm" && name=$(awk '$3 == "instant" { print $2; exit }' "$work/stdout") || return
	[ -z "$name" ] || prints 0 "^v[cpum0-9]+ +$name .* -\$" read -p "$vmm" -i 0.1 -c 1 -f "^$name\$"
}

# clear_until REGEX FILE: clear the statistic of all vCPUs until the output of the last follow() has
# such a line. A vCPU that counts at the same moment can undo that.
clear_until()
{
	for file in "$debugfs/$vmm"-*/"$statistic"; do
		echo 0 >"$file"
	done
	has_lines_or_ended "$1" "$work/$2" 1
}

reports_cleared()
{
	follow read read -p "$vmm" -i 0.3 --vcpu 0 -f "^$statistic\$" && appears '^vcpu0 .* [1-9][0-9.]*$' read &&
	wait_until clear_until ' reset$' read && kill "$follower" &&
	follow log log -p "$vmm" -i 0.3 -f "^$statistic\$" && appears '^[0-9]{4}-' log 2 &&
	wait_until clear_until "$statistic was reset; growth in this interval is not included" log && ends 0 TERM
}

# Each bucket of a histogram that has samples has a line, and the histogram one with their sum.
adds_buckets_up()
{
	run 0 read -p "$vmm" --vcpu 0 -f '_hist$' &&
	awk '$1 == "vcpu0" { name = $2 }
		sub(/\[.*/, "", name) { sum[name] += $3; next }
		$1 == "vcpu0" { all[name] = $3 }
		END { for (name in all) { n++; bad += all[name] != sum[name] + 0 } exit bad || !n }' "$work/stdout"
}

survives_sigstop()
{
	follow read read -p "$vmm" -i 0.5 -f "^$statistic\$" && appears '^vcpu1 ' read &&
	kill -STOP "$follower" && kill -CONT "$follower" &&
	appears '^vcpu1 ' read $(($(grep -c '^vcpu1 ' "$work/read") + 1)) && ends 143 TERM
}

refuses_full_disk()
{
	local arguments

	for arguments in read 'log -i 0.1 -c 2'; do
		# shellcheck disable=SC2086 # words
		! "$stats" $arguments -p "$vmm" >/dev/full 2>"$work/both" || return 1
		has 'cannot write the output: No space left' || return
	done
}

# ends_with_its_reader [ARGUMENT]...: the reader of the pipe ends after the first line
ends_with_its_reader()
{
	( "$stats" "$@" 2>"$work/both"; echo $? >"$work/status" ) | head -n 1
	cat "$work/both" "$work/status"
	[ "$(cat "$work/status")" = 1 ] && has_no 'output|pipe'
}

# Whether or not SIGPIPE is ignored, no command prints a message.
ends_silently_with_its_reader()
{
	ends_with_its_reader read -p "$vmm" -i 0.1 && ends_with_its_reader log -p "$vmm" -i 0.1 &&
	ends_with_its_reader -l -p "$vmm" -s 0.1 &&
	(trap '' PIPE; ends_with_its_reader read -p "$vmm" -i 0.1) &&
	(trap '' PIPE; ends_with_its_reader log -p "$vmm" -i 0.1)
}

selects_vcpu()
{
	prints 0 '^vcpu1 ' read -p "$vmm" --vcpu 1 && has_no '^(vcpu0|vm) '
}

has_no_such_vcpu()
{
	prints 1 'has no vCPU 2' read -p "$vmm" --vcpu 1-1,2 && prints 1 'has no vCPU 9' list -p "$vmm" --vcpu 9
}

schema_selects()
{
	prints 0 "^vcpu +$statistic " schema -p "$vmm" -f "^$statistic\$" && has_no '^vcpu +halt'
}

read_tests()
{
	check "list shows the VMM, the name of its guest, and the source of its statistics" \
		prints 0 "^ +$vmm +vmm +1 +2 +$source +one,two\$" list
	check "-g selects by a list of names and patterns" \
		prints 0 "^# PID $vmm " read -g "o*,,t?o,[mno]ne,,two" -f "^$statistic\$"
	check "a name in a list that no guest has is an error" \
		prints 1 "no guest is named 'two'" read -g "one*,two"
	check "schema shows types, units and meanings" \
		prints 0 '^vcpu +halt_poll_fail_ns +cumulative +ns +1 .* +0  [A-Z].*[a-z]{4}.*' schema -p "$vmm"
	check "schema shows histograms" has '^vcpu +halt_wait_hist +log2-histogram +ns +32 '
	check "schema -f shows only the statistics that match" schema_selects
	check "read shows the exits that the VMM has counted" while_stopped reads_counted
	check "read reports which files it uses" has "source: $text"
	check "a rate is positive if and only if the value has grown" rates_match_growth
	check "an instantaneous value has no rate" shows_no_rate
	check "the value of a histogram is the sum of its buckets" while_stopped adds_buckets_up
	check "read continues after SIGSTOP and SIGCONT" survives_sigstop
	check "-b prints base units" prints 0 '^vcpu0 +halt_poll_fail_ns +0[.0-9e-]* +s$' read -p "$vmm" -b
	check "--vcpu selects a vCPU" selects_vcpu
	check "a vCPU that does not exist is an error" has_no_such_vcpu
	check "a regular expression without a match is an error" \
		prints 1 "no statistic matches '.no\\$'" read -p "$vmm" -f '^no$'
	check "a full disk is an error" refuses_full_disk
	check "commands end with status 1 and no message if the reader of a pipe ends" \
		ends_silently_with_its_reader
}

# ---- processes that cannot be read ----

is_thread()
{
	local thread

	for thread in "/proc/$vmm/task/"*; do
		[ "${thread##*/}" = "$vmm" ] || break
	done
	prints 1 "thread of process $vmm" read -p "${thread##*/}"
}

has_ended()
{
	prints 1 'no such process' read -p "$(sh -c 'echo $$')"
}

refused_to_nobody()
{
	apart="$as $nobody 0"
	prints 1 'not (allowed|permitted)' read -p "$vmm" && has CAP_SYS_PTRACE
}

process_tests()
{
	check "a user without rights gets the name of the missing capability" refused_to_nobody
	apart=
	check "a process that is not a VMM is an error" prints 1 'not a KVM VMM' read -p $$
	check "a thread ID is reported as the thread of a process" is_thread
	check "a process that has ended is an error" has_ended
}

# Another user with access to /dev/kvm and CAP_PERFMON may not ptrace the VMM. Changes /dev/kvm.
perfmon_tests()
{
	local mode

	mode=$(stat -c %a:%u:%g /dev/kvm)
	chown 0:$nobody /dev/kvm
	chmod 660 /dev/kvm
	apart="$as $nobody $perfmon"
	check "with CAP_PERFMON alone, list shows the VMM of another user" \
		prints 0 "^ +$vmm +vmm +1 +2 +next " list
	check "and no process that could not be examined" has_no 'could not be examined'
	check "with CAP_PERFMON alone, read shows the exits that the VMM has counted" while_stopped reads_counted
	check "with CAP_PERFMON alone, a process that is not a VMM is an error" \
		prints 1 'not a KVM VMM' read -p $$
	chmod 600 /dev/kvm
	check "CAP_PERFMON alone does not suffice without access to /dev/kvm" \
		prints 1 'not permitted' read -p "$vmm"
	apart=
	chmod "${mode%%:*}" /dev/kvm
	chown "${mode#*:}" /dev/kvm
}

# In another PID namespace, the kernel's PIDs are those of other processes.
namespace_tests()
{
	apart="$as pidns"
	check "in another PID namespace, list shows VMs by their numbers" prints 0 '  next +vm ' list
	vm=$(sed -n 's/.*  next  *\(vm [0-9]*\) *$/\1/p' "$work/stdout" | head -n 1)
	check "in another PID namespace, read shows the exits that the VMM has counted" \
		while_stopped reads_vm "$vm"
	apart=
}

reads_vm()
{
	run 0 read -g "$1" && shows_counted
}

# ---- VMMs that change ----

# Without a free fd, kvm-stats cannot search for new VMMs, but continues to read those it knows.
survives_few_files()
{
	local before

	follow log log -p "$vmm" -i 0.3 -f "$statistic\$" && appears '^[0-9]{4}-' log 2 || return
	before=$(grep -Ec '^[0-9]{4}-' "$work/log")
	"$as" files 4 "$follower"
	appears 'cannot search for new VMMs: Too many open files' log && appears '^[0-9]{4}-' log $((before + 6)) &&
	[ "$(grep -c 'cannot search' "$work/log")" = 1 ] && "$as" files 1024 "$follower" &&
	appears 'can search for new VMMs again' log && ends 0 TERM
}

# appears_after COMMAND REGEX: the VMM executes the command
appears_after()
{
	echo "$1" >"$in"
	appears "$2" changes
}

reads_two_vms()
{
	prints 0 '^vm0/vcpu0 ' read -p "$vmm" -f '^exits$|halt_exits|halt_wakeup$' &&
	has '^vm0/vcpu1 ' && has '^vm1/vcpu0 '
}

change_tests()
{
	check "a VMM with one vCPU starts" start_vmm -c 1
	check "its vCPU is stopped" stop_vcpus
	follow changes log -i 0.3 -f "$statistic\$" -p "$vmm"
	check "log shows it" appears '^[0-9]{4}-' changes 2
	check "a vCPU that is added is found" appears_after vcpu "1 VM, 2 vCPUs; source: $text"
	check "a VM that a known process adds is found" appears_after vm '2 VMs, 3 vCPUs'
	[ "$source" != next ] || check "read shows which of two VMs a vCPU belongs to" reads_two_vms
	check "a VM that a running process has closed is released" \
		appears_after close 'has changed: 1 VM, 1 vCPU'
	check "so is its last VM" appears_after close 'has ended or closed its VM'
	[ ! -d "$debugfs" ] || check "the kernel has no VM of it" wait_until no_vm_is_left
	check "SIGTERM ends log" ends 0 TERM
	end_vmm
}

ends_with_its_vmm()
{
	follow read read -p "$vmm" -i 1000 && appears '^# PID' read && end_vmm && appears 'has ended' read && ends 0
}

# A monitor of all VMs, which may not find their processes, does not keep a VM.
end_tests()
{
	local stranger=''

	check "a VMM starts" start_vmm ${keep:+"$keep"}
	if [ "$source" = next ] && [ -e /proc/self/ns/pid ]; then
		apart="$as pidns"
		follow stranger log -i 1000
		apart=
		stranger=$follower
		check "a monitor in another PID namespace finds its VM" appears 'watching [1-9]' stranger
	fi
	check "read -i ends as soon as its VMM ends" ends_with_its_vmm
	[ ! -d "$debugfs" ] || check "no VM is left after that" wait_until no_vm_is_left
	[ -z "$stranger" ] || kill "$stranger"
}

# In a subshell, so that the VMM before it remains the one of start_vmm
appears_and_ends()
(
	start_vmm ${keep:+"$keep"} -c 1 -name late &&
	appears "PID $vmm .*late.* has appeared: 1 VM, 1 vCPU" log
	status=$?
	end_vmm
	[ "$status" = 0 ] && appears "PID $vmm .* has ended" log
)

follows_vmms()
{
	follow log log -g '[lo]*e*' -i 0.2 -f "$statistic\$" && appears 'watching .* VMM' log && appears_and_ends && ends 0 TERM
}

# ---- log and the options of kvm_stat ----

# The heading and three records; each record has a time and a value that is not 0.
logs_like_vmstat()
{
	run 0 -l -p "$vmm" -s 0.3 -n 3 -f "$statistic\$" && has 'source: ' &&
	[ "$(awk 'NR == 1 { print NF, $1 }' "$work/stdout")" = "1 $statistic" ] &&
	[ "$(grep -cE '^[0-9-]{10} [0-9:]{8} +[1-9][0-9]*$' "$work/stdout")" = 3 ]
}

repeats_its_heading()
{
	run 0 log -p "$vmm" -i 0.1 -c 21 -f "^$statistic\$" &&
	[ "$(grep -n "^ *$statistic\$" "$work/stdout" | tr -d ' \n')" = "1:${statistic}22:$statistic" ]
}

logs_csv()
{
	run 0 -l -c -p "$vmm" -s 0.1 -n 2 -f "(halt_wakeup|$statistic)\$" &&
	grep -Eqx "timestamp,(halt_wakeup,$statistic|$statistic,halt_wakeup)" "$work/stdout" &&
	[ "$(grep -cE '^[0-9-]{10} [0-9:]{8},[0-9]+,[0-9]+$' "$work/stdout")" = 2 ]
}

# The options and time stamps of log differ from those of kvm_stat.
logs_with_zone()
{
	local hour

	export TZ=XYZ-05:30
	hour=$(awk 'BEGIN { print strftime("%Y-%m-%dT%H:") }')
	run 0 log --csv -p "$vmm" -i 0.1 -c 2 -f "$statistic\$"
	unset TZ
	[ "$(grep -cE "^${hour}[0-9:]{5}[.][0-9]{3}[+]05:30,[0-9]" "$work/stdout")" = 2 ]
}

# The module parameter switches exit statistics for all VMs.
reports_exit_statistics()
{
	local off="exit statistics are off. To switch them on, run 'echo 1 >$exit_stats' as root."
	local was status=0

	was=$(cat "$exit_stats")
	echo 0 >"$exit_stats"
	follow exits log -p "$vmm" -i 0.3 -f '^exit_' && appears "$off" exits && echo 1 >"$exit_stats" &&
	appears 'exit statistics are on' exits && echo 0 >"$exit_stats" && appears "$off" exits 2 && ends 0 TERM &&
	run 0 log -p "$vmm" -i 0.1 -c 2 -f '^halt_wakeup$' && has_no 'exit statistics' || status=1
	echo "$was" >"$exit_stats"
	return "$status"
}

# log_to ARGUMENT...: append records to the file log.csv
log_to()
{
	run 0 -L "$work/log.csv" -c -p "$vmm" -s 0.1 -f "$statistic" "$@"
}

# -L appends records under one heading. After SIGHUP they go to a new file.
rotates()
{
	rm -f "$work/log.csv"
	log_to -n 2 && follow rotation -L "$work/log.csv" -c -p "$vmm" -s 0.1 -f "$statistic" &&
	appears . log.csv 5 && mv "$work/log.csv" "$work/old.csv" && kill -HUP "$follower" &&
	appears . log.csv 3 && ends 0 TERM &&
	[ "$(grep -c timestamp "$work/old.csv")" = 1 ] &&
	[ "$(head -n 1 "$work/log.csv")" = "timestamp,$statistic" ] && [ -z "$(tail -c 1 "$work/old.csv")" ] &&
	! grep -hvE "^(timestamp,$statistic|[0-9-]{10} [0-9:]{8},[0-9]+)\$" "$work/log.csv" "$work/old.csv"
}

refuses_other_columns()
{
	echo timestamp,something >"$work/other.csv"
	prints 1 'has other columns' -L "$work/other.csv" -c -p "$vmm" -s 0.1 -n 1 -f "$statistic" &&
	[ "$(cat "$work/other.csv")" = timestamp,something ]
}

omits_zeros()
{
	run 0 -l -z -p "$vmm" -s 0.1 -n 5 -f "$statistic" && [ ! -s "$work/stdout" ]
}

# Each line has two values after the name, as in kvm_stat: the total and the growth. Without -i they are equal.
prints_once()
{
	run 0 -1 -p "$vmm" && ! grep -vE '^[a-z0-9_]+ +[0-9]+ +-?[0-9]+$' "$work/stdout" &&
	awk -v name="$statistic" '$1 == name { found = $2 == $3 && $2 > 0 } END { exit !found }' "$work/stdout" &&
	run 0 -1 -i -p "$vmm" -f "$statistic" && awk '!($2 > $3) { exit 1 }' "$work/stdout"
}

matches_beginning()
{
	prints 0 "^$statistic " -1 -p "$vmm" -f "${statistic%?}" &&
	prints 1 "no statistic matches" -1 -p "$vmm" -f "${statistic#?}\$"
}

log_tests()
{
	check "-l logs like vmstat" logs_like_vmstat
	check "log repeats its heading" repeats_its_heading
	check "-l -c logs comma-separated values" logs_csv
	check "log --csv writes local times with fraction and zone" logs_with_zone
	[ ! -f "$exit_stats" ] || check "log reports that exit statistics are off, or on again" reports_exit_statistics
	check "-L appends to a file, and starts a new file on SIGHUP" rotates
	check "-L does not change a file with other columns" refuses_other_columns
	check "a log file that cannot be opened is an error" \
		prints 1 'cannot open /nonexistent/log' -L /nonexistent/log -p "$vmm"
	check "-1 prints the total and the growth of each statistic" prints_once
	check "-g selects a guest" prints 0 "^$statistic " -1 -g 'one,,two' -f "$statistic"
	check "-f matches from the beginning of a name" matches_beginning
	check "-f help lists names" prints 0 "^  $statistic\$" -p "$vmm" -f help
	check "-z omits records with only zeros" while_stopped omits_zeros
}

# ---- other sources ----

prints_sum()
{
	run 0 -1 -i -p "$vmm" "$@" && shows_sum
}

# agrees_with_debugfs [OPTION]: each sum is also in the kernel's file.
agrees_with_debugfs()
{
	local dir name value rest compared=0

	dir=$(echo "$debugfs/$vmm"-*)
	prints_sum "$@" || return
	while read -r name value rest; do
		# Since 5.14, debugfs has all statistics, and adds even the maxima of the vCPUs.
		case $name in *_max_ns) continue ;; esac
		[ -f "$dir/$name" ] || continue
		compared=$((compared + 1))
		[ "$(cat "$dir/$name")" = "$value" ] || { echo "$name: $(cat "$dir/$name") in debugfs"; return 1; }
	done <"$work/stdout"
	[ "$compared" -gt 5 ]
}

reads_debugfs()
{
	prints 0 "source: $text" read -p "$vmm" && shows_sum
}

vm_from_debugfs()
{
	prints 0 '^# .*keeps open and debugfs' read -p "$vmm" && has '^vm +remote_tlb_flush ' && has '^vcpu1 ' &&
	prints 0 '^vm +remote_tlb_flush ' schema -p "$vmm" && has "^vcpu +$statistic "
}

debugfs_tests()
{
	check "-1 -d shows the same sums from debugfs" while_stopped agrees_with_debugfs -d
	check "it reports its source" has 'source: debugfs \(sums'
	check "with debugfs, a request for a single vCPU is an error" \
		prints 1 'no statistics of single vCPUs' -d -1 -p "$vmm" --vcpu 0
}

reports_lockdown()
{
	"$stats" -1 -d -p "$vmm" >"$work/both" 2>&1
	cat "$work/both"
	has 'statistics in debugfs' && has 'the kernel is locked down' && has_no '^exits '
}

prints_json()
{
	run 0 query -p "$vmm" --vcpu 1 && grep -q '^{"return": \[{' "$work/stdout" &&
	grep -q "kvm-stats/vcpu\[1\]\".*{\"name\": \"$statistic\", \"value\": [1-9]" "$work/stdout"
}

# All exits of this VMM are for I/O. The two counts differ a little, because the kernel neither
# enables nor reads the counters of two perf events at the same moment.
counts_tracepoints()
{
	run 0 -t -1 -p "$vmm" -f kvm_ && has 'source: KVM tracepoints' &&
	awk -v name="${BOOT_ARCH:+$statistic}" '
		$1 == "kvm_userspace_exit" { all = $2 }
		$1 ~ /^kvm_userspace_exit[(](IO|MMIO|S390_SIEIC)[)]$/ { reason += $2 }
		$1 == "kvm_exit" { exits = $2 }
		$1 ~ /^kvm_exit[(](IOIO|IO_INSTRUCTION)[)]$/ { io += $2 }
		END {
			print all, reason, exits, io
			more = reason > all ? reason - all : all - reason
			exit !(all > 0 && exits >= io && (io > 0 || name != "io_exits") && more <= all / 1000 + 8)
		}' "$work/stdout"
}

counts_all_vms()
{
	run 0 -t -1 -f kvm_exit && awk '$1 == "kvm_exit" { found = $2 > 0 } END { exit !found }' "$work/stdout"
}

explains_no_tracepoint()
{
	local why="no tracepoint matches 'nosuch'[.] Run 'kvm-stats -t -f help' for the names"

	prints 0 '^ +kvm_userspace_exit$' -t -f help && prints 1 "$why" -t -1 -p "$vmm" -f nosuch &&
	prints 1 "$why" -t -1 -f nosuch && prints 1 "$why" log --tracepoints -p "$vmm" -f nosuch -c 1 &&
	prints 1 "$why|top is not available" top --classic -t -p "$vmm" -f nosuch
}

tracepoint_tests()
{
	if run 1 -t -1 -p "$vmm" >"$case_log" && has 'no KVM tracepoints'; then
		skip "-t counts tracepoints" "this kernel does not have them"
		return
	fi
	check "-t counts the events of all threads of a VMM" counts_tracepoints
	check "-t counts the exits of all VMs" counts_all_vms
	check "a child event selects its parent event, too" \
		prints 0 '^kvm_userspace_exit +' -t -1 -p "$vmm" -f 'kvm_userspace_exit.[A-Z]'
	check "a regular expression without a matching tracepoint is an error" explains_no_tracepoint
}

# ---- unusual VMMs ----

fd_tests()
{
	check "a VMM with duplicated fds starts" start_vmm -s -d
	check "each VM and vCPU is counted once" prints 0 "^ +$vmm +vmm +1 +2 +" list
	end_vmm
	check "a VMM with two VMs starts" start_vmm -s -m 2 -c 1
	check "both VMs are found" prints 0 "^ +$vmm +vmm +2 +2 +" list
	[ "$source" = next ] || check "a vCPU of an unknown VM is not attributed to either" \
		prints 0 "^vm\?/vcpu0#[0-9]+ +$statistic " read -p "$vmm"
	check "statistics of VMs have the number of their VM" \
		prints 0 '^vm1 +remote_tlb_flush ' read -p "$vmm" --vm
	end_vmm
}

# ---- kernels without the series ----

# The VMM keeps no statistics fd open, but debugfs can be read.
unpatched_tests()
{
	local text=debugfs

	check "list shows the source debugfs" prints 0 "^ +$vmm +vmm +1 +2 +debugfs +one,two\$" list
	check "read shows the sums of the exits that the VMM has counted" while_stopped reads_debugfs
	check "a request for a single vCPU is an error, with the reason" prints 1 "$why" read -p "$vmm" --vcpu all
	check "-1 shows the same sums" while_stopped prints_sum
	check "log shows the source debugfs" prints 0 'source: debugfs' log -c 1 -i 0.2 -p "$vmm" -f "$statistic"
	debugfs_tests
	if [ "$source" = debugfs ]; then
		check "and that debugfs does not have them" has 'debugfs has no statistics of single vCPUs'
		return
	fi
	check "read reports the reason, too" prints 0 "$why" read -p "$vmm"
	check "schema shows statistics of the VM only" prints 0 "^vm +$statistic " schema -p "$vmm"
	check "and none of vCPUs" has_no '^vcpu'
	check "query prints statistics of the VM only" prints 0 '^[{]"return": \[' query -p "$vmm"
	check "and none of vCPUs" has_no 'vcpu\['
}

no_fds_tests()
{
	check "a VMM that keeps no statistics fds open is reported" \
		prints 1 'opens statistics for the VMM only' read -p "$vmm"
	check "list shows it" prints 0 "^ +$vmm +vmm +1 +2 +none " list
}

can_read_debugfs()
{
	cat "$debugfs/exits" >/dev/null 2>&1
}

# The VMM that was started last has the guest "one,two".
all_tests()
{
	read_tests
	[ "$keep" != -v ] || check "the values of the VM are from debugfs" vm_from_debugfs
	process_tests
	[ "$source" != next ] || [ -z "${BOOT_VARIANT:-}" ] || perfmon_tests
	[ "$source" != next ] || [ ! -e /proc/self/ns/pid ] || namespace_tests
	check "without a free fd, log continues, and reports that once" survives_few_files
	check "VMMs that start and end are reported" follows_vmms
	log_tests
	if can_read_debugfs; then
		check "-1 -i shows the sums of all vCPUs, which debugfs has" while_stopped agrees_with_debugfs
	else
		check "-1 -i shows the sums of all vCPUs" while_stopped prints_sum
	fi
	check "query prints values in the format of QMP" prints_json
	if can_read_debugfs; then
		debugfs_tests
	elif [ -d "$debugfs" ] && grep -qs '\[integrity\]' /sys/kernel/security/lockdown; then
		check "-1 -d reports that the kernel is locked down" reports_lockdown
	fi
	tracepoint_tests
	# From here on, the values are not those that the VMM has counted.
	! can_read_debugfs || check "a value that was cleared has no rate" reports_cleared
}

mkdir "$work" && chmod 755 "$work" && cp "${KVM_STATS:-/bin/kvm-stats}" "$stats" || exit
trap clean_up EXIT
trap 'exit 1' INT TERM
check "a VMM starts" start_vmm -name 'one,,two'
read -r _ mask statistic <"$out"
variant=${BOOT_VARIANT:-}
if [ -z "${BOOT_ARCH:-}" ]; then
	statistic=exits
	# Linux 5.10 of mainline does not have the interface.
	case $mask-$(uname -r) in 7-* | 1-5.10.*) ;; *) variant=unpatched ;; esac
fi
case $mask-$variant in
7-*)
	source=next
	text='statistics fds of whole VMs \(KVM_STATS_NEXT\)'
	;;
[1-9]*-unpatched)
	source='taken(\+debugfs)?'
	text='statistics fds that the VMM keeps open'
	why='the VMM holds no statistics fd'
	keep=-s
	! can_read_debugfs || keep=-v
	;;
*-unpatched)
	source=debugfs
	why='this kernel has no binary KVM statistics'
	;;
*)
	source=opened
	text='statistics fds opened by kvm-stats'
	;;
esac
if [ "$variant" = unpatched ]; then
	if can_read_debugfs; then unpatched_tests; else no_fds_tests; fi
	[ "$source" != debugfs ] || process_tests
	end_vmm
	[ -z "$keep" ] || check "a VMM that keeps statistics fds open starts" start_vmm $keep -name 'one,,two'
fi
if [ "$source" != debugfs ]; then
	all_tests
	end_vmm
	[ -n "$keep" ] || change_tests
	fd_tests
fi
end_tests
finish
