#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test what kvm-stats does, from outside: in any test machine and on the build host (tools.t), with VMMs
# that know how often their vCPUs exit, and read their own statistics.
#
# KVM_STATS is the path of kvm-stats. Test machines set BOOT_ARCH. Only there, the test publishes the
# host file, changes /dev/kvm, and at last locks the kernel down.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=../lib/stats.sh
. "${0%/*}/stats.sh"
# shellcheck source=lib/vmm.sh
. "${0%/*}/vmm.sh"
as=${0%/*}/as
nobody=65534
group=995		# kvm-stats in /etc/group of the test machine
perfmon=0x4000000000	# a mask with CAP_PERFMON
debugfs=/sys/kernel/debug/kvm
exit_stats=/sys/module/kvm/parameters/exit_stats
lockdown=/sys/kernel/security/lockdown
work=/tmp/cli.$$
stats=$work/kvm-stats	# all users have access to it

clean_up()
{
	# shellcheck disable=SC2086 # words
	kill -KILL $vmms 2>/dev/null
	rm -rf "$work"
}

# ---- values ----

# while_stopped COMMAND...
while_stopped()
{
	local status=0

	stop_vcpus && "$@" || status=1
	start_vcpus
	return "$status"
}

# Each vCPU has the number of exits in the table that the VMM has counted. KVM of the build host may
# count other exits, too.
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

# Print differences between the values that the VMM has read from its own files, and those of kvm-stats.
compare_own()
{
	awk 'FNR == NR { own[($2 < 0 ? "vm" : "vcpu" $2) " " $3] = $4; n++; next }
		($1 " " $2) in own {
			if (own[$1 " " $2] != ($3 == "true" ? 1 : $3 == "false" ? 0 : $3))
				print $1, $2, own[$1 " " $2], $3
			n--
		}
		END { if (n) print n, "values are missing"; if (NR < 30) print "too few values" }' \
		"$work/own" "$work/stdout"
}

# The kernel can change a few values at any time, for example when it moves memory.
equals_own()
{
	run 0 read -p "$vmm" --vm --vcpu all >/dev/null && order values '^values$' &&
	sed '/^values/d' "$out" >"$work/own" && compare_own | tee "$work/differences" && [ ! -s "$work/differences" ]
}

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
	follow log log -p "$vmm" -i 0.3 -f "^$statistic\$" && appears '^[0-9]{4}-[0-9-]+T' log 2 &&
	wait_until clear_until "$statistic.* decreased: .* reset" log && ends 0 TERM
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
	( "$stats" "$@" -p "$vmm" -i 0.1 2>"$work/both"; echo $? >"$work/status" ) | head -n 1 >"$work/line"
	cat "$work/line" "$work/both" "$work/status"
	[ -s "$work/line" ] && [ "$(cat "$work/status")" = 1 ] && has_no 'output|pipe'
}

# Whether or not SIGPIPE is ignored, no command prints a message.
ends_silently_with_its_reader()
{
	ends_with_its_reader read && ends_with_its_reader log &&
	(trap '' PIPE; ends_with_its_reader read && ends_with_its_reader log)
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

value_tests()
{
	check "-g selects by a list of names and patterns" \
		prints 0 "^# PID $vmm " read -g "o*,,t?o,[mno]ne,,two" -f "^$statistic\$"
	check "schema shows types, units and meanings" \
		prints 0 '^vcpu +halt_poll_fail_ns +cumulative +ns +1 .* +0  [A-Z].*[a-z]{4}.*' schema -p "$vmm"
	check "schema shows histograms" has '^vcpu +halt_wait_hist +log2-histogram +ns +32 '
	check "schema -f shows only the statistics that match" schema_selects
	check "read shows the exits that the VMM has counted" while_stopped reads_counted
	check "read reports its source" has "$text"
	check "read shows all values that the VMM reads from its own files" while_stopped until_true 20 equals_own
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

# ---- which processes are guests ----

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

# The VMM has duplicated its fds, and another process has inherited them.
is_listed_once()
{
	order fork '^forked' && run 0 list && [ "$(grep -c ' forked$' "$work/stdout")" = 1 ] &&
	has "^ +$vmm +vmm +1 +2 +$origin +forked\$"
}

# What another program can choose does not reach the terminal. The name has 4 KiB.
has_harmless_name()
{
	local name

	name=$(printf 'bad\033[2J\033]0;x\007%04000d' 0)
	start_vmm -name "$name" && prints 0 "^ +$vmm .* bad[?]\[2J[?]\]0;x[?]000" list -p "$vmm" &&
	has_no "$(printf '[\033\007]')"
}

has_many_vms()
{
	prints 0 "^ +$vmm +vmm +40 +40 +$origin +" list -p "$vmm" &&
	prints 0 "^vm39/vcpu0 +$statistic " read -p "$vmm" -f "^$statistic\$" &&
	has_lines "/vcpu0 +$statistic +[1-9]" "$work/stdout" 40
}

guest_tests()
{
	check "list shows the VMM, the name of its guest, and the source of its statistics" \
		prints 0 "^ +$vmm +vmm +1 +2 +$origin +one,two\$" list
	check "a name in a list that no guest has is an error" \
		prints 1 "no guest is named 'two'" read -g "one*,two"
	check "a process that is not a VMM is an error" prints 1 "PID $$: this process has no KVM VM" list -p $$
	check "a thread ID is reported as the thread of a process" is_thread
	check "a process that has ended is an error" has_ended
}

unusual_guest_tests()
{
	check "a VMM with duplicated fds starts" start_vmm -s -d -name forked
	check "with a process that has inherited them, too, it is one guest" is_listed_once
	end_vmm
	check "a name with escape sequences is harmless" has_harmless_name
	end_vmm
	[ "$origin" != proc ] || return
	check "a VMM with 40 VMs starts" start_vmm -m 40 -c 1
	check "each of them is shown" has_many_vms
	end_vmm
}

# ---- VMMs that change ----

no_vm_is_left()
{
	! ls -d "$debugfs/$vmm"-* 2>/dev/null
}

# becomes VMS VCPUS [COMMAND]: list shows these numbers of the VMM, after it has executed the command
becomes()
{
	[ -z "${3:-}" ] || echo "$3" >"$in"
	wait_until lists "$1" "$2"
}

lists()
{
	prints 0 "^ +$vmm +vmm +$1 +$2 +$origin +" list
}

is_not_listed()
{
	run 0 list && has_no "^ +$vmm "
}

reads_two_vms()
{
	prints 0 "^vm[01]/vcpu0 +$statistic " read -p "$vmm" -f "^$statistic\$" &&
	[ "$(awk '{ print $1 }' "$work/stdout" | grep -cx 'vm[01]/vcpu[01]')" = 3 ]
}

change_tests()
{
	check "a VMM with one vCPU starts" start_vmm -c 1
	follow changes log -i 0.3 -p "$vmm"
	check "log shows it" appears "^[0-9]{4}-[0-9T:.+-]+ +$vmm " changes 2
	check "its vCPU is stopped" stop_vcpus
	check "a vCPU that is added is found" becomes 1 2 vcpu
	check "a VM that a known process adds is found" becomes 2 3 vm
	check "read shows which of two VMs a vCPU belongs to" reads_two_vms
	check "a VM that a running process has closed is released" becomes 1 1 close
	echo close >"$in"
	check "so is its last VM" wait_until is_not_listed
	check "log reports that, and ends" appears 'has ended or closed its VM' changes
	[ ! -d "$debugfs" ] || check "the kernel has no VM of it" wait_until no_vm_is_left
	stop "$follower"
	end_vmm
}

ends_with_its_vmm()
{
	follow read read -p "$vmm" -i 0.5 && appears '^# PID' read && end_vmm && appears 'has ended' read && ends 0
}

# In a subshell, so that the VMM before it remains the one of start_vmm
appears_and_ends()
(
	start_vmm -c 1 -name late && appears "PID $vmm .*late.* has appeared: 1 VM, [01] vCPU" log
	status=$?
	end_vmm
	[ "$status" = 0 ] && appears "PID $vmm .* has ended" log
)

follows_vmms()
{
	follow log log -g '[lo]*e*' -i 0.2 && appears 'watching .* VMM' log && appears_and_ends && ends 0 TERM
}

# A monitor that is stopped while it has everything open does not keep a VM.
end_tests()
{
	check "a VMM starts" start_vmm
	follow stopped log -i 0.2
	check "a monitor shows it" appears '^[0-9]{4}-' stopped 2
	kill -STOP "$follower"
	check "read -i ends when its VMM ends" ends_with_its_vmm
	[ ! -d "$debugfs" ] || check "no VM is left, although the monitor is stopped" wait_until no_vm_is_left
}

# ---- log ----

repeats_its_heading()
{
	run 0 log -p "$vmm" -i 0.1 -c 21 -f "^$statistic\$" &&
	[ "$(grep -nE "^TIME +PID +$statistic +GUEST\$" "$work/stdout" | cut -d : -f 1 | tr '\n' ' ')" = "1 22 " ]
}

# CPU time and memory come from /proc, exits from KVM, which has no sum of all exits on s390.
logs_what_matters()
{
	local exits=EXITS/S

	[ "${BOOT_ARCH:-}" != s390x ] || exits=CPU%
	run 0 log -p "$vmm" -i 1 -c 1 && awk -v exits="$exits" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ good = $column["CPU%"] > 0 && $column["MEM-MIB"] ~ /^[0-9]+$/ && $column[exits] > 0 && / one,two$/ }
		END { exit !good || NR != 2 }' "$work/stdout"
}

# Times have the fraction and the zone.
logs_csv()
{
	local hour

	export TZ=XYZ-05:30
	hour=$(awk 'BEGIN { print strftime("%Y-%m-%dT%H:") }')
	run 0 log --csv -p "$vmm" -i 0.1 -c 2 -f "^$statistic\$"
	unset TZ
	[ "$(head -n 1 "$work/stdout")" = "timestamp,pid,guest,$statistic" ] &&
	[ "$(grep -cE "^${hour}[0-9:]{5}[.][0-9]{3}[+]05:30,$vmm,\"one,two\",[0-9.]+\$" "$work/stdout")" = 2 ]
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

# -o appends records under one heading. After SIGHUP they go to a new file.
rotates()
{
	set -- log --csv -o "$work/log.csv" -p "$vmm" -i 0.1 -f "^$statistic\$"
	run 0 "$@" -c 2 && follow rotation "$@" && appears . log.csv 5 && mv "$work/log.csv" "$work/old.csv" &&
	kill -HUP "$follower" && appears . log.csv 3 && ends 0 TERM &&
	[ "$(grep -c timestamp "$work/old.csv")" = 1 ] &&
	[ "$(head -n 1 "$work/log.csv")" = "timestamp,pid,guest,$statistic" ] &&
	[ -z "$(tail -c 1 "$work/old.csv")" ] &&
	! grep -hvE "^timestamp|^[0-9]{4}-[0-9T:.+-]+,$vmm,\"one,two\",[0-9.]+\$" "$work/log.csv" "$work/old.csv"
}

refuses_other_columns()
{
	echo time,something >"$work/other.csv"
	prints 1 'has other columns' log --csv -o "$work/other.csv" -p "$vmm" -i 0.1 -c 1 &&
	[ "$(cat "$work/other.csv")" = time,something ]
}

omits_zeros()
{
	run 0 log -z -p "$vmm" -i 0.1 -c 5 -f "^$statistic\$" && [ ! -s "$work/stdout" ]
}

log_tests()
{
	check "log prints the columns that matter of each guest" logs_what_matters
	check "log repeats its heading" repeats_its_heading
	check "log --csv writes local times with fraction and zone" logs_csv
	[ ! -f "$exit_stats" ] || check "log reports that exit statistics are off, or on again" reports_exit_statistics
	check "log -o appends to a file, and starts a new file on SIGHUP" rotates
	check "log -o does not change a file with other columns" refuses_other_columns
	check "a log file that cannot be opened is an error" \
		prints 1 'cannot open /nonexistent/log' log -o /nonexistent/log -p "$vmm"
	check "log -z omits records with only zeros" while_stopped omits_zeros
}

# ---- users, and PID namespaces ----

# is_denied ADVICE: one line says why there are no values, and what to do.
is_denied()
{
	why="[.] Run .*$1"
	shows_guests_only
}

# Another user with access to /dev/kvm and CAP_PERFMON may not ptrace the VMM. Changes /dev/kvm.
perfmon_tests()
{
	local mode

	mode=$(stat -c %a:%u:%g /dev/kvm)
	chown 0:$nobody /dev/kvm
	chmod 660 /dev/kvm
	apart="$as $nobody $perfmon"
	check "CAP_PERFMON suffices to read VMMs of other users" while_stopped reads_counted
	apart="$as $nobody 0"
	check "without it, that is the advice" is_denied 'CAP_PERFMON'
	apart=
	chown "${mode#*:}" /dev/kvm
	chmod "${mode%%:*}" /dev/kvm
}

# kvm-stats knows the PIDs of VMMs in the initial namespace. In this one, other processes have these PIDs,
# and a VM must not get the name of one of them.
namespace_tests()
{
	apart="$as pidns"
	check "in another PID namespace, list shows a VM without a name" prints 0 "^ +$vmm +[?] +1 +2 +next +-\$" list
	check "there, read shows the exits that the VMM has counted" while_stopped reads_counted
	apart=
}

# ---- the host file ----

# The kernel releases BPF programs, maps and links shortly after their last user has ended.
has_objects()
{
	"$as" bpf >"$work/objects"
	[ "$(cat "$work/objects")" = "$1" ]
}

leaves_nothing()
{
	local before

	before=$("$as" bpf) && run 0 read -p "$vmm" && until_true 20 has_objects "$before" &&
	prints 1 'is not published' publish --status
}

# A copy that is taken now shows the same on any machine.
reads_copy()
{
	cat /run/kvm-stats/host.pin >"$work/copy" && run 0 read -p "$vmm" --from "$work/copy" && shows_counted &&
	"$stats" read -p "$vmm" --from - <"$work/copy" >"$work/piped" && diff "$work/stdout" "$work/piped" &&
	prints 0 "^ +$vmm +[?] +1 +2 +file " list --from "$work/copy"
}

# Loading the file takes seconds in an emulated machine, so the other test cases there use a published one.
publish_tests()
{
	check "what root loads for itself leaves nothing in the kernel" leaves_nothing
	apart="$as $nobody 0"
	check "without a published file, other users get the advice to publish" is_denied "'kvm-stats publish' as root"
	apart=
	check "the host file is published" prints 0 published publish
}

file_tests()
{
	apart="$as $group 0"
	check "a member of the group without any right reads it" while_stopped reads_counted
	apart="$as $nobody 0"
	check "another user gets the advice to become one" is_denied 'member of the group kvm-stats'
	apart=
	check "--from reads a copy" while_stopped reads_copy
}

# The kernel stays locked down.
lockdown_tests()
{
	check "the host file is removed" run 0 publish --remove
	check "a VMM starts" start_vmm -name 'one,,two'
	echo confidentiality >"$lockdown"
	why="locked down in the mode 'confidentiality'"
	check "on a kernel that is locked down, guests are shown, with the reason why there are no values" \
		shows_guests_only
}

# ---- kernels without statistics ----

# Each command says once why there are no values, and shows what /proc has.
shows_guests_only()
{
	prints 0 "^ +$vmm +vmm +1 +2 +proc +one,two\$" list && says_why &&
	prints 0 '^guest +cpu_ns +[1-9][0-9]* +ns' read -p "$vmm" && says_why && has_no '^vcpu' &&
	prints 0 '"source": "proc"' read --json -p "$vmm" && says_why &&
	prints 0 "^[0-9]{4}-[^ ]+ +$vmm +[0-9].* one,two\$" log -i 0.5 -c 1 -p "$vmm" && says_why
}

says_why()
{
	[ "$(grep -Ec "$why" "$work/stderr")" = 1 ] && return
	echo "expected once: $why"
	return 1
}

# ---- this machine ----

# Set origin, where kvm-stats gets statistics here; text, which describes it; why, the reason for proc.
find_origin()
{
	local release

	release=$(uname -r)
	origin=proc
	why='this kernel has no BTF'
	case $mask-$release in
	0-5.[0-9].* | 0-5.1[0-3].* | 1-5.10.*) why='this kernel is older than Linux 5.14' ;;
	7-*) origin=next text='KVM_STATS_NEXT' ;;
	*) [ ! -e /sys/kernel/btf/vmlinux ] || origin=file text='host file' ;;
	esac
}

mkdir "$work" && chmod 755 "$work" && cp "${KVM_STATS:-/bin/kvm-stats}" "$stats" || exit
trap clean_up EXIT
trap 'exit 1' INT TERM
check "a VMM starts" start_vmm -name 'one,,two'
read -r _ mask statistic <"$out"
[ -n "${BOOT_ARCH:-}" ] || statistic=exits
find_origin
echo "# origin: $origin"
kind=$origin${BOOT_ARCH:+-machine}
[ "$kind" != file-machine ] || publish_tests
guest_tests
case $kind in
proc*) check "guests are shown, with the reason why there are no values" shows_guests_only ;;
next-machine) value_tests; log_tests; perfmon_tests ;;
file-machine) value_tests; log_tests; file_tests ;;
*) value_tests; log_tests ;;
esac
[ $origin != next ] || [ ! -e /proc/self/ns/pid ] || namespace_tests
check "VMMs that start and end are reported" follows_vmms
# From here on, the values are not those that the VMM has counted.
[ $origin = proc ] || ! cat "$debugfs/exits" >/dev/null 2>&1 ||
	check "a value that was cleared has no rate" reports_cleared
end_vmm
# In /proc, a process is one VM, and a vCPU is a thread.
[ "$origin" = proc ] || change_tests
unusual_guest_tests
end_tests
[ "$kind" != file-machine ] || [ ! -w "$lockdown" ] || lockdown_tests
finish
