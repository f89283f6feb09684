#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test kvm_stat: its options, output, log and screen, and what it prints if its sources are missing.
# The kvm_stat of the kernel, which Python runs, must print the same. The VMs in debugfs are sample
# files; tracepoints are those of a real VM.
#
# usage: kvm_stat.t

set -u
export LC_ALL=C.UTF-8

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=kvm_stats.sh
. "$ROOT/tests/cli/kvm_stats.sh"
# shellcheck source=terminal.sh
. "$ROOT/tests/cli/terminal.sh"

source=$ROOT/tools/kvm/kvm_stat
program=$checked/kvm_stat
vms=$out/vms		# the sample directory kvm/ of debugfs
reference=$out/kernel	# the kvm_stat of the kernel
python=(/usr/bin/python3 -u "$reference")

# ---- running kvm_stat ----

# Write commands that run another command with file systems of its own: `with-vms` has the sample VMs,
# `with-all` debugfs and tracefs. The kernel's kvm_stat needs a CPU with SVM or VMX, and files that are
# on debugfs.
make_namespaces()
{
	sed '0,/^flags/s/^flags.*/& svm/' /proc/cpuinfo >"$out/cpuinfo"
	cat >"$out/with-all" <<-END
		#!/bin/sh
		exec unshare --mount sh -c '{ grep -q " /sys/kernel/debug debugfs " /proc/mounts ||
			mount -t debugfs none /sys/kernel/debug; } && ls /sys/kernel/debug/tracing/events >/dev/null &&
			mount --bind $out/cpuinfo /proc/cpuinfo || exit 99
			exec "\$@"' - "\$@"
	END
	cat >"$out/with-vms" <<-END
		#!/bin/sh
		exec $out/with-all sh -c 'mount --bind $vms /sys/kernel/debug/kvm || exit 99
			exec "\$@"' - "\$@"
	END
	chmod +x "$out"/with-{all,vms}
}

# Print why these commands cannot work, or nothing.
why_no_namespaces()
{
	[ "$(id -u)" = 0 ] || { echo "needs root"; return; }
	make_sample_vms
	make_namespaces
	"$out/with-vms" true 2>/dev/null || echo "debugfs and tracefs with KVM cannot be mounted here"
}

# write_vm DIRECTORY STATISTIC=VALUE...
write_vm()
{
	local vm=$vms/$1 setting

	shift
	mkdir -p "$vm"
	for setting; do
		echo "${setting#*=}" >"$vm/${setting%=*}"
	done
}

# The PIDs of the VMs are those of processes that run: the kernel's kvm_stat examines them.
make_sample_vms()
{
	local name

	rm -rf "$vms"
	mkdir -p "$vms"
	for name in exits halt_exits io_exits halt_wait_ns halt_wait_hist pages_4k never; do
		echo 0 >"$vms/$name"
	done
	write_vm "$$-9" exits=1000 halt_exits=200 io_exits=300 halt_wait_ns=123456 halt_wait_hist=9 pages_4k=512 never=0
	write_vm "1-12" exits=70000 halt_exits=5 io_exits=9 halt_wait_ns=1 halt_wait_hist=1 pages_4k=64 never=0
	mkdir "$vms/$$-9/vcpu0"
}

get_reference()
{
	local version base

	for version in 6.1 7.2; do
		base=$(NO_INSTALL=1 "$ROOT/scripts/base" --cached "$version" 2>/dev/null) || continue
		git -C "$base" show HEAD:tools/kvm/kvm_stat/kvm_stat >"$reference" && return
	done
	return 1
}

# ---- the build ----

build_static()
{
	make -s -C "$source" O="$plain/kvm_stat" all kvm_stat.static &&
	exits_with 0 '^kvm_stat [0-9]' "$plain/kvm_stat/kvm_stat.static" -V
}

# The program needs nothing of the repository but its folder and VERSION.
builds_alone()
{
	rm -rf "$out/alone"
	mkdir -p "$out/alone/tools/kvm"
	cp "$ROOT/VERSION" "$out/alone/" &&
	cp -r "$source" "$out/alone/tools/kvm/" &&
	make -s -C "$out/alone/tools/kvm/kvm_stat" O="$out/alone/build" DESTDIR="$out/alone/root" PREFIX=/usr install &&
	exits_with 0 "^kvm_stat $(cat "$ROOT/VERSION")$" "$out/alone/root/usr/bin/kvm_stat" --version &&
	[ -f "$out/alone/root/usr/share/man/man1/kvm_stat.1" ]
}

page_is_valid()
{
	mandoc -T lint -W warning "$source/kvm_stat.1" &&
	! mandoc -T utf8 -O width=78 "$source/kvm_stat.1" | col -bx | grep -E '.{81}'
}

# Each option of the help has a description in the page.
page_has_options()
{
	local option

	for option in $("$program" --help | sed -n '/^  -/p' | grep -oE -- '--[a-z-]+'); do
		grep -qF -- "${option//-/\\-}" "$source/kvm_stat.1" || { echo "no $option"; return 1; }
	done
}

completes()
{
	# shellcheck disable=SC2016 # another shell expands this
	bash -c '. "$1"; COMP_WORDS=("$2" "$3"); COMP_CWORD=1; _kvm_stat; echo "${COMPREPLY[*]}"' - \
		"$source/kvm_stat.bash" "$program" "$1" | grep -x -- "$2"
}

# The exit reasons are those of Linux 6.1, as in its kvm_stat.
has_exit_reasons()
{
	"$source/tests/exit-reasons" "$1" | diff "$source/exit_reasons.list" -
}

build_tests()
{
	local base what="exit_reasons.list matches the headers of Linux 6.1"

	check "kvm_stat builds with sanitizers" make -s -C "$source" O="$out" checked
	[ -x "$program" ] || bail_out "kvm_stat does not build"
	check "it builds statically" build_static
	check "it builds from its own folder alone, and is installed" builds_alone
	check "its page is valid, and fits 80 columns" page_is_valid
	check "the page describes all options" page_has_options
	check "bash completes options" completes --set '--set-delay'
	if base=$(NO_INSTALL=1 "$ROOT/scripts/base" --cached 6.1 2>/dev/null); then
		check "$what" has_exit_reasons "$base"
	else
		skip "$what" "its source has not been fetched"
	fi
}

# ---- options ----

option_tests()
{
	check "--help is not an error" exits_with 0 '^Usage: kvm_stat' "$program" --help
	check "-c without -l is a usage error" exits_with 2 '-c needs -l or -L' "$program" -c
	check "-z without -l is a usage error" exits_with 2 '-z needs -l or -L' "$program" -z -1
	check "-1 with -L is a usage error" exits_with 2 '-1 and -L cannot' "$program" -1 -L "$out/values"
	check "a delay of 26 s is a usage error" exits_with 2 "from 0.1 to 25.5 seconds, not '26'" "$program" -s 26
	check "a PID that is not a number is a usage error" exits_with 2 "not '12x'" "$program" -p 12x
	check "an invalid regular expression is a usage error" \
		exits_with 2 "'a\(' is not a regular" "$program" -f 'a('
	check "an expression that only Python has is a usage error" \
		exits_with 2 'uses .d of Python; only POSIX' "$program" -f 'pages_\d'
	check "an argument is a usage error" exits_with 2 "unexpected argument 'word'" "$program" word
	# shellcheck disable=SC2016 # the PID of another shell
	check "a process that has ended is an error" \
		exits_with 1 'no process has the ID' "$program" -p "$(sh -c 'echo $$')"
	check "a guest that does not exist is an error" \
		exits_with 1 "no guest is named 'nobody.$$'" "$program" -g "nobody.$$"
}

# ---- missing sources ----

alone()
{
	unshare --mount sh -c "umount -l -t debugfs,tracefs -a; $1; shift; exec \"\$@\"" - "$@"
}

missing_tests()
{
	local nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

	check "without debugfs, -d prints how to mount it" \
		exits_with 1 "debugfs is not mounted. Run 'mount" alone : "$program" -d -1
	check "without tracefs, -t prints how to mount it" \
		exits_with 1 "events/kvm does not exist. Load KVM's module, and mount" alone : "$program" -t -1
	# shellcheck disable=SC2016 # check expands it
	check "without both, both are reported" eval 'exits_with 1 "Trying debugfs" alone : "$program" -1 &&
		grep -q "debugfs is not mounted" "$out/found"'
	check "if only tracefs is missing, debugfs is read" exits_with 0 '^exits ' unshare --mount sh -c "
		umount -l -t tracefs,debugfs -a
		mount -t debugfs none /sys/kernel/debug
		mount -t tmpfs none /sys/kernel/debug/tracing && mount --bind $vms /sys/kernel/debug/kvm
		exec $program -1"
	check "an empty debugfs directory of KVM is reported" exits_with 1 'kvm has no statistics' \
		"$out/with-all" sh -c "mount -t tmpfs none /sys/kernel/debug/kvm; exec $program -d -1"
	# Other users need not be able to search the directories above the program.
	cp "$plain/kvm_stat/kvm_stat.static" "$out/copy"
	exec 8<"$out/copy"
	check "a user who may not read tracefs gets advice" exits_with 1 'Permission denied. Run kvm_stat as root' \
		"$out/with-all" "${nobody[@]}" /proc/self/fd/8 -t -1
	check "a user who may not read debugfs gets advice" exits_with 1 'Permission denied. Run kvm_stat as root' \
		"$out/with-all" "${nobody[@]}" /proc/self/fd/8 -d -1
	check "root without capabilities gets advice" \
		exits_with 1 'cannot count tracepoints: (Permission denied|.* not permitted). Run kvm_stat as root' \
		"$out/with-all" setpriv --inh-caps -all --bounding-set -all /proc/self/fd/8 -t -1
	exec 8<&-
	check "with few open files, the limit is raised" \
		exits_with 0 '^kvm_exit ' "$out/with-all" sh -c "ulimit -Sn 30; exec $program -t -1"
	check "a limit that cannot be raised is reported" exits_with 1 "raise the limit with 'ulimit -n'" \
		"$out/with-all" sh -c "ulimit -n 30; exec setpriv --bounding-set -sys_resource $program -t -1"
}

# ---- debugfs, compared with the kernel's kvm_stat ----


# same COMMAND OPTION...: both programs print the same
same()
{
	"$1" "$program" "${@:2}" >"$out/ours" 2>&1 9>&- &&
	"$1" "${python[@]}" "${@:2}" >"$out/theirs" 2>&1 9>&- &&
	[ -s "$out/ours" ] && diff "$out/theirs" "$out/ours"
}

# same_names COMMAND OPTION...: they print the same names, with other numbers
same_names()
{
	"$1" "$program" "${@:2}" 2>&1 9>&- | awk '{ print $1 }' >"$out/ours" &&
	"$1" "${python[@]}" "${@:2}" 2>&1 9>&- | awk '{ print $1 }' >"$out/theirs" &&
	[ "$(wc -l <"$out/ours")" -gt 20 ] && diff "$out/theirs" "$out/ours"
}

# Wait until both logs have this many lines.
both_have()
{
	until_true 60 eval "[ \$(wc -l <$out/ours) -ge $1 ] && [ \$(wc -l <$out/theirs) -ge $1 ]"
}

# without_times FILE
without_times()
{
	sed -E 's/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/' "$1"
}

# start_logs COMMAND OPTION...: both programs log, from now on
start_logs()
{
	: >"$out/ours"
	: >"$out/theirs"
	"$1" "${python[@]}" "${@:2}" >"$out/theirs" 2>&1 9>&- &
	their_log=$!
	"$1" "$program" "${@:2}" >"$out/ours" 2>&1 9>&- &
	our_log=$!
	both_have 1
}

end_logs()
{
	kill -INT "$our_log" "$their_log"
	wait "$our_log"
	our_status=$?
	# A shell that is not interactive lets its background processes ignore SIGINT: Python does.
	stop "$their_log"
	cat "$out/ours"
}

# Values grow and fall, a VM ends, and another starts. -z leaves out the readings without a change,
# whose number depends on the load of this machine. A VM appears and ends at once.
change_vms()
{
	write_vm "$$-9" exits=1500
	both_have 2 || return
	write_vm "$$-9" pages_4k=500
	both_have 3 || return
	write_vm "1-12" io_exits=29
	both_have 4 || return
	write_vm ../new exits=77 halt_exits=1 io_exits=2 halt_wait_hist=1 pages_4k=1 never=0
	mv "$out/new" "$vms/$PPID-4"
	rm -rf "$out/ended"
	mv "$vms/1-12" "$out/ended"
	both_have 5 || return
	write_vm "$PPID-4" exits=99
	both_have 6
}

same_log()
{
	local status=0

	make_sample_vms
	{ start_logs "$out/with-vms" -d -l -z -s 0.5 "$@" && change_vms; } || status=1
	end_logs
	[ "$status$our_status" = 00 ] && diff <(without_times "$out/theirs") <(without_times "$out/ours")
}

same_screen()
{
	local program
	local -A command=([theirs]="${python[*]}" [ours]="$checked/kvm_stat")

	for program in theirs ours; do
		run "$out/with-vms ${command[$program]} -d -i $*"
		# The first update has no rates, but Python prints a sum of them.
		sees '^ Total +[0-9]+$' || return
		head -n 23 "$out/screen" | sed '/^$/d' >"$out/$program"
		keys q
		sees '^status' || return
	done
	[ "$(wc -l <"$out/ours")" -gt 4 ] && diff "$out/theirs" <(grep -v '^h help' "$out/ours")
}

comparison_tests()
{
	local options

	for options in "-i" "" "-i -f exit" "-i -f ^[^(]*exits" "-i -f halt_wait.*|io" "-i -p $$"; do
		# shellcheck disable=SC2086 # options
		check "-d -1 $options prints the same as the kernel's kvm_stat" same "$out/with-vms" -d -1 $options
	done
	check "-d -f help prints the same" same "$out/with-vms" -d -f help
	check "-d -l logs the same while VMs start and end" same_log
	check "-d -l -c -i logs the same" same_log -c -i
	check "-d shows the same screen" same_screen
	check "-d -p shows the same screen" same_screen "-p $$"
	check "-f help prints the same tracepoints" same "$out/with-all" -f help
	check "-1 prints the same tracepoints and exit reasons" same_names "$out/with-all" -1
}

# The VMM counts the exits of its vCPUs, whose threads start after kvm_stat.
counts_threads()
{
	local before after counted

	stops 1 || return
	before=$(exits_of_vmm)
	"$out/with-all" "$program" -l -s 1.5 -p "$vmm" -f 'kvm_userspace_exit$' >"$out/ours" 2>&1 9>&- &
	our_log=$!
	until_true 60 grep -q kvm_userspace_exit "$out/ours" || return
	sleep 0.2
	echo start >&9
	sleep 2
	stops 2 || return
	after=$(exits_of_vmm)
	# shellcheck disable=SC2016 # an awk program
	until_true 60 awk '$3 > 0 { counts = 1 } counts && $3 == 0 { found = 1 } END { exit !found }' "$out/ours"
	kill -INT "$our_log"
	wait "$our_log"
	cat "$out/ours"
	counted=$(awk 'NR > 1 { sum += $3 } END { print sum }' "$out/ours")
	echo "kvm_stat counted $counted of $((after - before))"
	# Signals that stop the vCPUs can cause exits, too, and exits before kvm_stat finds a thread do not count.
	[ "$counted" -gt 0 ] && [ "$counted" -le $((after - before + 10)) ]
}

# stops TIMES: stop the vCPUs, which is the TIMES-th time
stops()
{
	echo stop >&9
	until_true 60 eval "[ \$(grep -c ^stopped $out/vmm.out) = $1 ]"
}

exits_of_vmm()
{
	tail -n 1 "$out/vmm.out" | awk '{ for (i = 2; i <= NF; i++) sum += $i; print sum + 0 }'
}

tracepoint_tests()
{
	local why

	why=$(why_no_vm)
	if [ -n "$why" ]; then
		skip "kvm_stat counts the tracepoints of a VM" "$why"
		return
	fi
	check "a VMM starts" start_vmm -c 2 -name "guest=kvm,,stat.$$"
	check "-g selects a guest by name" exits_with 0 '^kvm_userspace_exit +[1-9]' "$out/with-all" "$program" -1 \
		-f kvm_userspace_exit -g "kvm,stat.$$"
	check "threads that start later are counted" counts_threads
	stop_vmms
}

# ---- the output ----

# The log continues a file, and starts another one after SIGHUP.
rotates()
{
	local log lines

	rm -f "$out"/values{,.old}
	"$out/with-vms" "$program" -d -c -s 0.2 -L "$out/values" 9>&- &
	log=$!
	until_true 60 eval "[ -f $out/values ] && [ \$(wc -l <$out/values) -ge 4 ]" || return
	stop "$log"
	lines=$(wc -l <"$out/values")
	"$out/with-vms" "$program" -d -c -s 0.2 -L "$out/values" 9>&- &
	log=$!
	until_true 60 eval "[ \$(wc -l <$out/values) -gt $lines ]" || return
	mv "$out/values" "$out/values.old"
	kill -HUP "$log"
	until_true 60 eval "[ -f $out/values ] && [ \$(wc -l <$out/values) -ge 3 ]" || return
	kill -INT "$log"
	wait "$log" || return
	head "$out"/values{,.old}
	[ "$(grep -c timestamp "$out/values.old")" = 1 ] && [ "$(grep -c timestamp "$out/values")" = 1 ] &&
	! grep -vE '^(timestamp(,[a-z0-9_]+){6}|[0-9-]{10} [0-9:]{8}(,0){6})$' "$out/values" "$out/values.old"
}

refuses_other_columns()
{
	printf 'timestamp,other\n' >"$out/values"
	exits_with 1 'values has other columns' "$out/with-vms" "$program" -d -c -L "$out/values" -s 0.1 &&
	[ "$(cat "$out/values")" = timestamp,other ]
}

repeats_names()
{
	timeout --foreground -s INT 20 "$out/with-vms" "$program" -d -l -s 0.1 -f exits >"$out/found" 2>&1 9>&- &
	until_true 60 eval "[ \$(wc -l <$out/found) -ge 24 ]"
	stop $!
	[ "$(grep -n exits "$out/found" | tr -d ' \n')" = "1:exits22:exits" ]
}

# output_fails COMMAND...: with a full disk, the message is on standard error
output_fails()
{
	local status=0

	"$@" 2>"$out/found" >/dev/full 9>&- || status=$?
	cat "$out/found"
	[ "$status" = 1 ] && grep -q 'cannot write.*No space left' "$out/found"
}

# The file has only whole lines. Its file system exists in this namespace only.
fills_disk()
{
	mkdir -p "$out/small"
	exits_with 1 'cannot write to .*No space left' unshare --mount sh -c "
		mount -t tmpfs -o size=4k none $out/small
		$out/with-vms $program -d -l -s 0.1 -L $out/small/log
		status=\$?
		cp $out/small/log $out/survived
		exit \$status" &&
	[ "$(wc -c <"$out/survived")" -gt 3000 ] && [ -z "$(tail -c 1 "$out/survived")" ]
}

ends_by()
{
	local status=0 log

	"$out/with-vms" "$program" -d -l -s 0.1 >"$out/found" 2>&1 9>&- &
	log=$!
	until_true 60 eval "[ \$(wc -l <$out/found) -ge 2 ]" && kill "-$1" "$log"
	wait "$log" || status=$?
	cat "$out/found"
	[ "$status" = 0 ]
}

output_tests()
{
	make_sample_vms
	check "-L appends to a file, and opens it again after SIGHUP" rotates
	check "-L does not change a file with other columns" refuses_other_columns
	check "-l repeats the names every 20 lines" repeats_names
	# shellcheck disable=SC2016 # check expands it
	check "-z omits lines with only zeros" eval 'timeout --foreground -s INT 1 "$out/with-vms" "$program" \
		-d -l -z -s 0.1 >"$out/found" 2>&1 9>&-; [ "$(wc -l <"$out/found")" = 1 ]'
	check "SIGINT ends -l without an error" ends_by INT
	check "SIGTERM does, too" ends_by TERM
	check "-1 to a full disk is an error" output_fails "$out/with-vms" "$program" -d -1
	check "-l to a full disk is an error" output_fails "$out/with-vms" "$program" -d -l -s 0.1
	check "-f help to a full disk is an error" output_fails "$out/with-vms" "$program" -d -f help
	check "-L to a full disk is an error" exits_with 1 'cannot write to /dev/full: No space' \
		"$out/with-vms" "$program" -d -L /dev/full -s 0.1
	check "if the disk of -L becomes full, the file has only whole lines" fills_disk
	check "a file that cannot be opened is an error" exits_with 1 'cannot open /nonexistent/log' \
		"$out/with-vms" "$program" -d -L /nonexistent/log
	check "an expression without a match is an error" exits_with 1 "no statistic matches 'nothing'" \
		"$out/with-vms" "$program" -d -1 -f nothing
}

# ---- the screen ----

# start_screen OPTION...
start_screen()
{
	run "$out/with-vms kvm_stat -d -s 0.3 $*"
	sees '^kvm statistics'
}

quit_screen()
{
	keys q
	sees '^status 0'
}

screen_pid()
{
	pgrep -P "$(in_tmux list-panes -F '#{pane_pid}')" -x kvm_stat
}

key_tests()
{
	make_sample_vms
	start_screen -i
	shows "the screen has the totals and shares" '^ Event +Total %Total CurAvg/s$' \
		'^ exits +71000 +98.5 +0$' '^ Total +72100' '^h help  q quit'
	screen_check "an event that never happened has no line" lacks never
	write_vm "1-12" halt_exits=1000000
	shows "a value that grows has a rate, and comes first" '^ halt_exits +1000200 .* [0-9]{3,}$'
	keys o
	write_vm "1-12" halt_exits=1000001
	screen_check "o sorts by total" comes_first ' halt_exits' ' exits'
	keys r
	shows "r resets the totals" '^ No matching events reported yet'
	write_vm "1-12" exits=70007 io_exits=10
	shows "totals count from the reset" '^ exits +7 ' '^ Total +8 '
	keys f
	shows "f asks for an expression" '^Expression \(empty: all\):'
	type_text 'io('
	keys Enter
	shows "an invalid expression is reported" "'io\(' is not a regular expression"
	keys BSpace Enter
	shows "the title has the expression" '^ {17}regex filter: io$' '^ io_exits +1 '
	screen_check "other events are hidden" lacks '^ exits'
	keys b
	shows "b shows guests, those without a name by process ID" '^ Guest Name +Total' '^ PID 1 +1 '
	keys b s
	shows "s asks for seconds" '^Seconds \(now 0\.3, empty: 3\.0\):'
	type_text 99
	keys Enter
	shows "a delay that is too long is reported" "from 0.1 to 25.5 seconds, not '99'"
	keys C-u
	type_text 0.4
	keys Enter s
	shows "a valid delay is used" '^Seconds \(now 0\.4'
	keys Escape g
	shows "g asks for a guest" '^Name or process ID'
	type_text "nobody.$$"
	keys Enter
	shows "a guest that does not exist is reported" "no guest is named 'nobody.$$'"
	keys C-u
	type_text 999999999
	keys Enter
	shows "a process that does not exist is reported" 'no process has the ID 999999999'
	keys C-u
	type_text 1
	keys Enter
	shows "a process is selected" '^kvm statistics - pid 1$' '^ io_exits +1 '
	keys c
	shows "c clears all filters" '^kvm statistics - summary$' '^ exits +7 '
	keys h
	shows "h shows the keys" '^ +x  show the parts' '^Press any key'
	keys x
	shows "any key leaves the help" '^ exits +7 '
	quit_screen
}

# start_named NAME: a process with QEMU's option, and a VM. Its PID is in $named.
start_named()
{
	sh -c 'while :; do sleep 1; done' vmm -name "guest=$1,debug-threads=on" 8>&- 9>&- &
	named=$!
	exits=10
	write_vm "$named-3" "exits=$exits"
}

# A VM that starts later counts from its first reading.
grows()
{
	write_vm "$named-3" "exits=$((exits += 7))"
	keys Space
	has '^ exits +[1-9]'
}

end_named()
{
	stop "$named"
	rm -r "$vms/$named-3"
}

guest_tests()
{
	make_sample_vms
	start_named "first.$$"
	run "$out/with-vms kvm_stat -d -i -s 0.3 -g first.$$"
	shows "-g shows the guest's name" "^kvm statistics - pid $named \\(first\\.$$\\)\$" '^ exits +10 '
	keys b
	shows "b shows its name" "^ first\\.$$ +10 +100\\.0 "
	keys b
	end_named
	shows "the end of the selected process is shown" "\\(first\\.$$\\)   Guest is DEAD" '^ exits +10 '
	start_named "first.$$"
	shows "another process that runs the guest is found" "^kvm statistics - pid $named \\(first\\.$$\\)\$"
	soon grows
	shows "its values are shown" '^ exits +[1-9]'
	keys g
	shows "g lists the guests" "^ +$named  first\\.$$\$"
	keys Escape
	end_named
	start_named $'str\x9bange\u202e'
	keys c
	soon grows
	keys b
	shows "control and bidi characters of a name are replaced" '^ str\?ange\? +[1-9]'
	end_named
	quit_screen
	start_screen -f exits -t
	keys b
	shows "b needs debugfs alone" 'Start kvm_stat with -d alone'
	quit_screen
	run "$out/with-all sh -c 'ulimit -n 100; exec setpriv --bounding-set -sys_resource kvm_stat -t -f kvm_pio'"
	sees '^kvm statistics'
	keys c
	shows "events that cannot be counted are reported" 'cannot count tracepoints: Too many open files'
	quit_screen
}

size_tests()
{
	local size

	make_sample_vms
	start_screen -i
	for size in 1x1 2x1 1x30 39x24 80x5 9x5 300x3 400x120; do
		resize "${size%x*}" "${size#*x}"
		keys x o f Escape h z g Escape s Escape
		capture
	done
	resize 39 24
	shows "a terminal that is too small is reported" 'The terminal is too small: it has 39x24'
	resize 40 6
	shows "40x6 is enough" '^ Event +Total %Total CurAvg/s$' '^ exits +71000 +98\.5 +0$'
	resize 80 24
	shows "the screen follows the size" '^ Total +72100'
	quit_screen
}

# screen_ends SIGNAL STATUS
screen_ends()
{
	start_screen && kill -s "$1" "$(screen_pid)" && sees "^status $2"
}

signal_tests()
{
	local before signal pid

	before=$(settings)
	for signal in INT:0 TERM:143 HUP:129; do
		screen_check "SIG${signal%:*} ends the screen" screen_ends "${signal%:*}" "${signal#*:}"
		screen_check "the terminal is restored" has_settings "$before"
	done
	start_screen
	keys C-c
	screen_check "Ctrl-C ends the screen" sees '^status 0'
	start_screen
	keys C-z
	shows "Ctrl-Z stops it" 'Stopped'
	type_text fg
	keys Enter
	shows "it continues after fg" '^kvm statistics'
	quit_screen
	run "TERM=nonesuch $out/with-vms kvm_stat -d"
	shows "an unknown terminal is reported" "terminal 'nonesuch' is unknown" '^status 1'
	check "without a terminal, other options are named" exits_with 1 'not a terminal. Use -1 or -l' \
		"$out/with-vms" "$program" -d
	start_screen
	pid=$(screen_pid)
	in_tmux kill-session
	check "the screen ends when its terminal is closed" until_true 5 eval "! is_running $pid"
}

# ---- all tests ----

# shellcheck disable=SC2317 # the traps call it
end_all()
{
	in_tmux kill-server 2>/dev/null
	stop_vmms
}

trap 'end_all; exit 1' INT TERM
trap 'explain_exit "$out/log"; end_all' EXIT

"$ROOT/scripts/packages" kvm_stat >&2 || bail_out "packages cannot be installed"
begin
run_tests build_tests
run_tests option_tests
why=$(why_no_namespaces)
if [ -n "$why" ]; then
	skip "kvm_stat reads its sources" "$why"
	finish
fi
terminal 80 24 C.UTF-8
rm -f "$reference"
if get_reference; then
	run_tests comparison_tests
else
	skip "kvm_stat prints the same as that of the kernel" "no source of Linux 6.1 or later has been fetched"
fi
run_tests tracepoint_tests
run_tests missing_tests
run_tests output_tests
run_tests key_tests
run_tests guest_tests
run_tests size_tests
run_tests signal_tests
check "the sanitizers report nothing" no_reports
finish
