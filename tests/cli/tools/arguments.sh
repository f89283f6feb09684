# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: wrong arguments, and hosts without KVM or without /proc.
# shellcheck shell=bash

# hints COMMAND ARGUMENT...: kvm-stats COMMAND refuses the arguments with two lines; the second
# one is the advice to run COMMAND --help
hints()
{
	local name=$1

	"$stats" "$@" >"$out/hint" 2>&1
	[ $? = 2 ] && [ "$(wc -l <"$out/hint")" = 2 ] &&
	sed -n 2p "$out/hint" | grep -q "Run 'kvm-stats $name --help' for the options[.]" && return
	echo "${*@Q}"
	cat "$out/hint"
	return 1
}

hints_at_help()
{
	local name

	for name in list log publish query read schema serve top why; do
		hints "$name" --frob && hints "$name" -p && hints "$name" -x && hints "$name" word ||
			return
	done
}

names_long_options()
{
	"$stats" why --for=x 2>&1 | grep -q "^kvm-stats: --for must be a number"
}

letters_have_one_meaning()
{
	local name

	for name in list log publish query read schema serve top why; do
		"$stats" "$name" --help | grep -oE '^ +-[[:alnum:]], --[a-z-]+' |
			sed "s/\$/ ($name)/"
	done >"$out/letters"
	awk '{ letters++ }
		meaning[$1] == "" { meaning[$1] = $2 }
		meaning[$1] != $2 { print $1, meaning[$1], $2, $3; bad = 1 }
		END { exit bad || letters < 40 }' "$out/letters"
}

help_is_help()
{
	local name

	diff <("$stats" --help) <("$stats" help) && diff <("$stats" --help) <("$stats" help help) &&
	for name in list log publish query read schema serve top why; do
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

	for name in '' list log publish query read schema serve top why; do
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
	completes '/metrics.prom$' read --from "$out/metr"
}

completion_tests()
{
	check "completion offers the commands" \
		completes "^help list log publish read record serve top why\$" ""
	check "completion offers the commands after help" completes '^serve$' help se
	check "completion offers the options of a command" \
		completes '(^| )--base-units --exits --from --at --since --until --dir --verbose --pid' read --
	check "completion offers files for serve -t and log -o" completes_files
	check "completion offers the columns of top" \
		completes '^cpu,pid cpu,vcpus .*cpu,memory$' top --columns cpu,
}

# alone COMMAND...: run the shell command, as the only process that it sees, with its own mounts, and
# without what others have published
alone()
{
	# shellcheck disable=SC2016 # another shell expands this
	unshare --mount --pid --fork --mount-proc --kill-child \
		sh -c 'mount -t tmpfs none /run || exit 99; '"$1" sh "${@:2}" 9>&-
}

no_dev='mount -t tmpfs none /dev || exit 99;'
no_kvm="$no_dev mount -t tmpfs none /sys/class/misc || exit 99;"

# reports_alone STATUS REGEX SCRIPT ARGUMENT...: after the commands in SCRIPT, kvm-stats exits with
# STATUS, and prints this. It finds no VM, although others may run here.
reports_alone()
{
	local status=0

	alone "$3 exec \"\$@\"" "$stats" "${@:4}" >"$work/both" 2>&1 || status=$?
	cat "$work/both"
	[ "$status" = "$1" ] && has "$2" && return
	echo "${*:4}: expected exit status $1, found $status"
	return 1
}

requires_kvm()
{
	local why='/dev/kvm: KVM is not available: ' arguments

	for arguments in list 'list --json' read schema query; do
		# shellcheck disable=SC2086 # a command and its options
		reports_alone 1 "$why"'No such file' "$no_kvm" $arguments &&
		has "Load KVM, for example with 'modprobe" && has_no 'found no process' || return
	done
	# A device without a driver, as udev creates it for a module that is not loaded
	reports_alone 1 "$why"'No such device' "$no_kvm mknod /dev/kvm c 511 511;" list
}

# The directory exists if the kernel has KVM.
names_container()
{
	reports_alone 1 'add the device to this container' "$no_kvm mkdir /sys/class/misc/kvm;" list
}

# A user without rights may have no access to the directory of the program, so use an fd.
as_nobody='setpriv --reuid 65534 --regid 65534 --clear-groups /proc/self/fd/8'

# kvm-stats.service has no devices either.
names_host_file()
{
	alone "$no_kvm mkdir /sys/class/misc/kvm; $as_nobody list" >"$work/both" 2>&1 8<"$plain/kvm-stats"
	cat "$work/both"
	has 'no host file is published. Run .kvm-stats publish'
}

waits_for_kvm()
{
	reports_alone 0 'KVM is not available' "$no_kvm" log -i 0.1 -c 1 && has 'watching 0 VMMs' &&
	reports_alone 0 'KVM is not available' "$no_kvm" serve --once && has '^kvm_host_vcpus 0$'
}

# The BPF program shows only the VMs of other PID namespaces, so it is not used.
reports_namespace()
{
	reports_alone 1 'PID namespace' '' list
}

# /proc can hide the processes of all other users.
reports_hidden_processes()
{
	alone "mount -t proc -o hidepid=2 proc /proc && $as_nobody list" \
		>"$work/both" 2>&1 8<"$plain/kvm-stats"
	cat "$work/both"
	has '/proc hides the processes of other users, and ' && has 'Run .*(group kvm-stats|as root)'
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
	if [ -c /dev/kvm ] && [ -e /sys/kernel/btf/vmlinux ]; then
		check "in another PID namespace, root gets the reason why there are no statistics" \
			reports_namespace
	fi
	check "a missing /proc is reported, and an error" reports_no_proc
	if [ -c /dev/kvm ] && [ -e /sys/kernel/btf/vmlinux ] && command -v setpriv >/dev/null; then
		check "that /proc hides processes is reported" reports_hidden_processes
		check "without /dev/kvm, the advice is to publish the host file" names_host_file
	else
		skip "that /proc hides processes is reported" "needs KVM and setpriv"
		skip "without /dev/kvm, the advice is to publish the host file" "needs KVM and setpriv"
	fi
}

reports_no_proc()
{
	# Without /proc, a program with sanitizers cannot end well.
	local arguments stats=$plain/kvm-stats

	for arguments in list read "log -c 1" "serve --once" "list -p 1"; do
		# shellcheck disable=SC2086 # a command and its options
		reports_alone 1 '/proc is not mounted' 'mount -t tmpfs none /proc || exit 99;' $arguments &&
		has_no 'found no process' || return
	done
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
		eval "prints 0 ^Usage $line --help" && continue
		echo "kvm-stats $line"
		return 1
	done < <(page_commands)
	echo "$count examples"
	[ "$count" -ge 8 ]
}

# A host without a VMM has samples, too.
extracts_recordings()
{
	local recording=$out/recording extract=$out/extract.zst

	rm -rf "$recording" "$extract"
	"$stats" record -c 3 -i 0.1 --dir "$recording" 9>&- &&
	prints 0 "extract.zst: from 20.* to 20" record --dir "$recording" --extract "$extract" --since -1h &&
	prints 0 "" list --from "$extract" &&
	prints 0 "" list --from "$extract" --at -0.01s &&
	prints 1 "begins at 20" list --from "$extract" --at -1d &&
	prints 1 "File exists" record --dir "$recording" --extract "$extract" &&
	prints 1 "is a recording: copy it with --extract" record --dir "$recording" --from "$extract"
}

shows_readme_why()
{
	# shellcheck disable=SC2086 # options
	TZ=UTC "$stats" why $readme_options | diff <(readme_block 'kvm-stats why') -
}

argument_tests()
{
	check "README.md shows what why prints" shows_readme_why
	check "no command is a usage error" prints 2 '^Usage'
	check "an unknown command is a usage error" prints 2 "unknown command 'frob'" frob
	check "usage errors print the command that lists the options" hints_at_help
	check "PID 0 is a usage error" prints 2 "not '0'" read -p 0
	check "a letter is the same option in all commands" letters_have_one_meaning
	check "a message names a long option" names_long_options
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
	check "the options of kvm_stat are a usage error" \
		prints 2 "unknown command '-1'.* run the program kvm_stat" -1
	check "a count of 0 is a usage error" prints 2 "not '0'" read -p 1 -c 0
	check "an invalid regular expression is a usage error" \
		prints 2 'regular expression' read -p 1 -f '['
	check "a descending range of vCPUs is a usage error" \
		prints 2 "not '3-1'" read -p 1 --vcpu 3-1
	check "an argument that is not an option is a usage error" \
		prints 2 "unexpected argument 'word'" read -p 1 word
	check "a recording is extracted, and the extract is read" extracts_recordings
	# shellcheck disable=SC2086 # words
	check "a recording that has fewer intervals than -c is an error" \
		prints 1 'guests.zst: the file has no more samples' read ${readme_options/--from/--dir} -i 1 -c 5
	check "to record a file that is not a host file is an error" \
		prints 1 "not a host file" record --dir "$out/recording" --from "$stats"
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
	check "a file that does not exist is an error" \
		prints 1 '/nonexistent: the host file cannot be read: No such file' list --from /nonexistent
	check "a file of another kind is an error" \
		prints 1 'arguments.sh: it is not a host file[.] Copy one' list --from "${BASH_SOURCE[0]}"
}
