# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: wrong arguments, and processes that kvm-stats cannot inspect.
# shellcheck shell=bash

has_ptrace_capability()
{
	local caps

	caps=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
	[ $((16#$caps >> 19 & 1)) = 1 ]
}

# Root without CAP_SYS_PTRACE can list the fds of root's processes, but not see what they are.
denied_without_ptrace()
{
	setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace "$plain/kvm-stats" \
		read -p "$$" >"$out/denied" 2>&1
	cat "$out/denied"
	grep -Eq 'not (allowed|permitted)' "$out/denied" && grep -q 'has capabilities' "$out/denied"
}

# denied_with CAPABILITIES REGEX: kvm-stats prints this to a user with these capabilities who
# tries to read this shell
denied_with()
{
	local caps=${1:+,+${1//,/,+}}

	# The user may have no access to the directories that the program is in, so use an fd.
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps="-all$caps" \
		--ambient-caps="-all$caps" /proc/self/fd/8 read -p "$$" \
		>"$out/denied" 2>&1 8<"$plain/kvm-stats.static"
	cat "$out/denied"
	grep -q -e "$2" "$out/denied"
}

names_missing_capabilities()
{
	denied_with '' 'grant it CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH\.' &&
	denied_with dac_read_search 'grant it CAP_SYS_PTRACE\.' &&
	denied_with sys_ptrace 'has CAP_SYS_PTRACE, but lacks CAP_DAC_READ_SEARCH[.]' &&
	denied_with sys_ptrace,dac_read_search 'not a KVM VMM'
}

# hints COMMAND ARGUMENT...: kvm-stats COMMAND refuses the arguments with two lines; the second
# one is the advice to run COMMAND --help
hints()
{
	local name=${1:+ $1}

	# shellcheck disable=SC2086 # words, or none
	"$stats" $1 "${@:2}" >"$out/hint" 2>&1
	[ $? = 2 ] && [ "$(wc -l <"$out/hint")" = 2 ] &&
	sed -n 2p "$out/hint" | grep -q "Run 'kvm-stats$name --help' for the options[.]" && return
	echo "${*@Q}"
	cat "$out/hint"
	return 1
}

hints_at_help()
{
	local name

	for name in list log publish query read schema serve top; do
		hints "$name" --frob && hints "$name" -p && hints "$name" -x && hints "$name" word ||
			return
	done
	hints '' --frob && hints '' -p && hints '' -x && hints '' -1 word &&
		diff <("$stats" -1 word 2>&1) <("$stats" top -1 --classic word 2>&1)
}

# Only the options without a command have other meanings: those of kvm_stat.
letters_have_one_meaning()
{
	local name

	for name in list log publish query read schema serve top; do
		"$stats" "$name" --help | grep -oE '^ +-[[:alnum:]], --[a-z-]+' |
			sed "s/\$/ ($name)/"
	done >"$out/letters"
	awk '{ letters++ }
		meaning[$1] == "" { meaning[$1] = $2 }
		meaning[$1] != $2 { print $1, meaning[$1], $2, $3; bad = 1 }
		END { exit bad || letters < 35 }' "$out/letters"
}

help_is_help()
{
	local name

	diff <("$stats" --help) <("$stats" help) && diff <("$stats" --help) <("$stats" help help) &&
	for name in list log publish query read schema serve top; do
		diff <("$stats" "$name" --help) <("$stats" help "$name") || return
	done
}

# After an option that leaves no space for it, the description starts on the next line.
help_aligns_descriptions()
{
	! grep -vE '^.{21} [^ ]' "$out/help" | grep -E '^( +-.* [^-]| {9})'
}

help_fits_80_columns()
{
	local name

	for name in '' list log publish query read schema serve top; do
		# shellcheck disable=SC2086 # words, or none
		"$stats" $name --help
	done >"$out/help"
	awk 'length > 80 { print; bad = 1 } END { exit bad || NR < 100 }' "$out/help"
}

completes_files()
{
	: >"$out/metrics.prom"
	completes '/metrics.prom$' serve -t "$out/metr" &&
	completes '/metrics.prom$' serve --textfile "$out/metr" &&
	completes '/metrics.prom$' log -o "$out/metr" &&
	completes '/metrics.prom$' -L "$out/metr" && ! completes 'metrics.prom' -t "$out/metr"
}

completion_tests()
{
	check "completion offers the commands" \
		completes "^help list log publish query read schema serve top\$" ""
	check "completion offers the commands after help" completes '^serve$' help se
	check "completion offers the options of a command" \
		completes '(^| )--base-units --pid' read --
	check "completion offers the options of kvm_stat" completes '(^| )-1 --once -l ' -
	check "completion offers files for serve -t and log -o" completes_files
	check "completion offers the columns of top" \
		completes '^cpu,pid cpu,vcpus .*cpu,memory$' top --columns cpu,
}

# alone COMMAND...: run the shell command, as the only process that it sees, with its own mounts
alone()
{
	# shellcheck disable=SC2016 # another shell expands this
	unshare --mount --pid --fork --mount-proc --kill-child sh -c "$1" sh "${@:2}" 9>&-
}

no_dev='mount -t tmpfs none /dev || exit 99;'
fake_kvm="$no_dev mknod /dev/null c 1 3; : >/dev/kvm; chmod 666 /dev/kvm;"
no_kvm="$no_dev mount -t tmpfs none /sys/class/misc || exit 99;"

# reports_alone STATUS REGEX SCRIPT ARGUMENT...: after the commands in SCRIPT, kvm-stats exits with
# STATUS, and prints this. It finds no VM, although others may run here.
reports_alone()
{
	local status=0

	alone "$3 exec \"\$@\"" "$stats" "${@:4}" >"$out/alone" 2>&1 || status=$?
	cat "$out/alone"
	[ "$status" = "$1" ] && grep -Eq -e "$2" "$out/alone" && return
	echo "${*:4}: expected exit status $1, found $status"
	return 1
}

requires_kvm()
{
	local why='KVM is not available: /dev/kvm: ' arguments

	for arguments in list 'list --json' 'list -g web' read schema query -1 '-f help'; do
		# shellcheck disable=SC2086 # a command and its options
		reports_alone 1 "$why"'No such file' "$no_kvm" $arguments &&
		grep -q "Load KVM, for example with 'modprobe" "$out/alone" &&
		! grep -q 'found no process' "$out/alone" || return
	done
	# A device without a driver, as udev creates it for a module that is not loaded
	reports_alone 1 "$why"'No such device' "$no_kvm mknod /dev/kvm c 511 511;" list
}

# The directory exists if the kernel has KVM.
names_container()
{
	reports_alone 1 'Add the device /dev/kvm to this container' "$no_kvm mkdir /sys/class/misc/kvm;" list
}

# With a device that is no KVM, the search for VMs does not fail.
finds_no_vm()
{
	reports_alone 0 'found no process with a KVM VM' "$no_dev : >/dev/kvm;" list
}

waits_for_kvm()
{
	reports_alone 0 'KVM is not available: /dev/kvm' "$no_kvm" log -i 0.1 -c 1 &&
	grep -q 'no VM found yet' "$out/alone" &&
	reports_alone 0 'KVM is not available: /dev/kvm' "$no_kvm" serve --once &&
	grep -q '^kvm_host_vcpus 0$' "$out/alone" &&
	reports_alone 0 'no VM found yet' "$no_kvm mkdir /sys/class/misc/kvm;" log -i 0.1 -c 1 &&
	! grep -q 'not available' "$out/alone"
}

names_denied_processes()
{
	# shellcheck disable=SC2016 # another shell expands this
	alone "$fake_kvm"'for i in 1 2 3 4 5 6; do sleep 100 & done
		setpriv --reuid 65534 --regid 65534 --clear-groups /proc/self/fd/8 "$@"' "$@" \
		>"$out/alone" 2>&1 8<"$plain/kvm-stats.static"
	cat "$out/alone"
	grep -q '7 processes could not be examined, and can have VMs: permission denied' "$out/alone" &&
	[ "$(grep -Ec '    PID [0-9]+ \((sh|sleep)\), UID 0$' "$out/alone")" = 5 ] &&
	grep -q '    and 2 more$' "$out/alone" && grep -q 'Run kvm-stats as root' "$out/alone"
}

# Only root may list the fds of a kernel thread, but it has no fds.
names_no_kernel_threads()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups /proc/self/fd/8 list \
		>"$out/alone" 2>&1 8<"$plain/kvm-stats.static" 9>&-
	cat "$out/alone"
	! grep -q '(kthreadd)' "$out/alone"
}

no_kvm_tests()
{
	if [ "$(id -u)" != 0 ] || ! alone true 2>/dev/null; then
		skip "commands report that KVM is not available" "needs root, to create namespaces"
		return
	fi
	check "without /dev/kvm, commands that do not wait print why, and fail" requires_kvm
	check "in a container without /dev/kvm, they print what to add" names_container
	check "log and serve report that KVM is not available" waits_for_kvm
	check "with /dev/kvm and without a VM, list succeeds" finds_no_vm
	# shellcheck disable=SC2016 # another shell expands this
	check "VMs of unknown processes are followed in another PID namespace" \
		alone 'exec "$@"' "$checked/tests/monitor_next_test"
	check "a missing /proc is reported, and an error" reports_no_proc
	if ! command -v setpriv >/dev/null; then
		skip "list names processes that it cannot examine" "setpriv is not installed"
		return
	fi
	check "list names at most five processes that it cannot examine" names_denied_processes list
	check "and so does log" names_denied_processes log -i 0.1 -c 1
	check "kernel threads are not among them" names_no_kernel_threads
	check "processes that /proc hides are reported" reports_hidden_processes
}

# With a VM or without, kvm-stats cannot find it.
reports_no_proc()
{
	local arguments

	for arguments in list read "log -c 1" "serve --once" -1; do
		# shellcheck disable=SC2086 # a command and its options
		reports_alone 1 '/proc is not mounted' 'mount -t tmpfs none /proc || exit 99;' $arguments &&
		! grep -q 'found no process' "$out/alone" || return
	done
	# shellcheck disable=SC2016 # another shell expands this
	reports_alone 1 '/proc is not mounted' 'mount -t tmpfs none /proc || exit 99;' list -p 1
}

# as_nobody_without_others ARGUMENT...: run kvm-stats as a user whose /proc hides all others
as_nobody_without_others()
{
	# shellcheck disable=SC2016 # another shell expands this
	alone "$fake_kvm"'mount -t proc -o hidepid=2 proc /proc &&
		setpriv --reuid 65534 --regid 65534 --clear-groups /proc/self/fd/8 "$@"' "$@" \
		>"$out/alone" 2>&1 8<"$plain/kvm-stats.static" || true
	cat "$out/alone"
}

reports_hidden_processes()
{
	local command

	for command in list read "log -i 0.1 -c 1"; do
		# shellcheck disable=SC2086 # a command and its options
		as_nobody_without_others $command
		grep -q '/proc is mounted with hidepid' "$out/alone" &&
		grep -q 'Run kvm-stats as root' "$out/alone" || return
	done
	as_nobody_without_others read -p 1
	grep -q 'PID 1: cannot open statistics: not permitted' "$out/alone" &&
	grep -q '/proc is mounted with hidepid' "$out/alone"
}

# Print the commands of the examples in the manual pages, one per line.
page_commands()
{
	awk '
		/^\.EX/ { example = 1; next }
		/^\.EE/ { example = 0 }
		!example { next }
		{ gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047") }
		sub(/^KVM_STATS_OPTIONS=/, "serve ") { print }
		sub(/^kvm-stats /, "") { sub(/ *\|.*/, ""); print }' "$command"/man/*.1
}

# The command line is examined from left to right, so that --help hides no wrong option.
page_commands_are_valid()
{
	local line count=0

	while IFS= read -r line; do
		count=$((count + 1))
		eval "run_stats 0 $line --help" >"$out/example" && grep -q '^Usage' "$out/example" && continue
		echo "kvm-stats $line"
		cat "$out/example"
		return 1
	done < <(page_commands)
	echo "$count examples"
	[ "$count" -ge 8 ]
}

argument_tests()
{
	check "no command is a usage error" prints 2 '^Usage'
	check "an unknown command is a usage error" prints 2 "unknown command 'frob'" frob
	check "usage errors print the command that lists the options" hints_at_help
	check "PID 0 is a usage error" prints 2 "not '0'" read -p 0
	check "a letter is the same option in all commands" letters_have_one_meaning
	check "each --help fits 80 columns" help_fits_80_columns
	check "the descriptions of all options start in one column" help_aligns_descriptions
	completion_tests
	check "a guest that does not exist is an error" \
		prints 1 "no guest is named 'nobody.$$'|KVM is not available" read -g "nobody.$$"
	check "a PID that is not a number is a usage error" prints 2 "not '12x'" read -p 12x
	check "an interval that is not a number is a usage error" \
		prints 2 "not 'often'" read -p 1 -i often
	check "an interval of 0 is a usage error" prints 2 "not '0'" read -p 1 -i 0
	check "an empty name in a list of guests is a usage error" prints 2 "not 'a,'" read -g a,
	check "an empty entry in a list of PIDs is a usage error" prints 2 "not '1,,2'" read -p 1,,2
	check "--json with --base-units is a usage error" \
		prints 2 '--json and --base-units cannot be combined' read -j -b
	check "the letters of kvm_stat are not those of log" prints 2 "invalid option -- 's'" log -s 1
	check "a count of 0 is a usage error" prints 2 "not '0'" read -p 1 -c 0
	check "an invalid regular expression is a usage error" \
		prints 2 'regular expression' read -p 1 -f '['
	check "a descending range of vCPUs is a usage error" \
		prints 2 "not '3-1'" read -p 1 --vcpu 3-1
	check "an argument that is not an option is a usage error" \
		prints 2 "unexpected argument 'word'" read -p 1 word
	check "--help is not an error" prints 0 '^Usage' read --help
	check "help prints what --help prints" help_is_help
	check "the commands in the manual pages are valid" page_commands_are_valid
	check "help with an unknown command is a usage error" \
		prints 2 "unknown command 'frob'" help frob
	check "several processes are a usage error of query" \
		prints 2 '-p must have one process ID' query -p 1,2
	check "an empty name is a usage error of query" prints 2 "not 'a,,b'" query --names a,,b
	check "several processes are a usage error of schema --json" \
		prints 2 '-p must have one process ID' schema --json -p 1,2
	check "-c without -l is a usage error" prints 2 'needs -l or -L' -c
	check "-1 with -l is a usage error" prints 2 'cannot be combined' -1 -l
	check "a delay of 0 is a usage error" prints 2 "not '0'" -l -s 0
	check "a process without VMs is an error" prints 1 'not a KVM VMM' read -p $$
	# shellcheck disable=SC2016 # the PID of another shell
	check "a process that has ended is an error" \
		prints 1 'no such process' read -p "$(sh -c 'echo $$')"
	if [ "$(id -u)" = 0 ] && has_ptrace_capability && command -v setpriv >/dev/null; then
		check "an error message explains that CAP_SYS_PTRACE is missing" denied_without_ptrace
		check "an error message names exactly the missing capabilities" names_missing_capabilities
	else
		skip "an error message explains that CAP_SYS_PTRACE is missing" "needs root with CAP_SYS_PTRACE"
		skip "an error message names exactly the missing capabilities" \
			"needs root with CAP_SYS_PTRACE"
	fi
}
