# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: where statistics come from: the host file that root loads, a copy of it, /proc.
# shellcheck shell=bash

# A copy is read on another machine, where neither the VMs nor their names are known.
reads_copy()
{
	local words=none

	"$checked/tests/host_copy" 3 >"$out/host.copy" && [ -s "$out/host.copy" ] &&
	for words in list "read -f ^$statistic$" "schema -f ^$statistic$" "query -p $vmm" "log -f ^$statistic$"; do
		# shellcheck disable=SC2086 # a command and its options
		alone 'exec "$@"' "$stats" $words --from "$out/host.copy" >"$out/from" 2>&1 || break
		head -n 20 "$out/from"
		case $words in query*) ;; *) grep -q "$vmm\|^vcpu" "$out/from" || break ;; esac
		# shellcheck disable=SC2086
		alone 'exec "$@"' "$stats" $words --from - <"$out/host.copy" 2>&1 | diff "$out/from" - || break
		words=
	done
	[ -z "$words" ] && prints 0 "^vcpu0 +$statistic " read --from "$out/host.copy" -p "$vmm" -i 1 -c 2 &&
	has '^# sample 3' &&
	prints 1 'the file has no more samples' read --from "$out/host.copy" -p "$vmm" -i 1 -c 5 &&
	run 0 log --from "$out/host.copy" -p "$vmm" --csv -f "^$statistic\$" && [ "$(wc -l <"$work/stdout")" = 3 ] &&
	prints 0 '"time": null' read --from "$out/host.copy" --json
}

# A part of a pass has no values. A log does not repeat those of the pass before.
refuses_part()
{
	local size

	size=$(stat -c %s "$out/host.copy")
	head -c $((size / 6)) "$out/host.copy" >"$out/part" &&
	prints 1 'part: the file ends in the middle of a sample[.] Copy it again' list --from "$out/part" &&
	head -c $((size * 5 / 6)) "$out/host.copy" >"$out/part" &&
	run 0 log --from "$out/part" -p "$vmm" --csv -f "^$statistic\$" && [ "$(wc -l <"$work/stdout")" = 2 ]
}

# A user without any right sees the guest, its CPU time and its memory. One line on standard error
# has the reason why KVM's statistics are missing.
nobody_reads_proc()
{
	local apart="setpriv --reuid 65534 --regid 65534 --clear-groups" stats=$out_of_all/kvm-stats

	run 0 list -p "$vmm" && has "^ *$vmm +vmm +[0-9]+ +[0-9]+ +proc +open[.]$$\$" &&
	[ "$(wc -l <"$work/stderr")" = 1 ] &&
	grep -Eq 'no host file is published[.] Run|permission denied[.] Run' "$work/stderr" &&
	echo start >&9 && until_true 20 prints 0 '^guest +cpu_ns +[1-9]' read -p "$vmm" &&
	has '^guest +memory_bytes +[1-9]' &&
	has '; source: /proc$' && [ "$(wc -l <"$work/stderr")" = 1 ] &&
	prints 0 '"cpu_ns": [{]"value": [1-9]' read --json -p "$vmm" &&
	run 1 read -p "$vmm" -f '^exits$' && run 1 read -p "$vmm" --vcpu all && run 1 query -p "$vmm" &&
	run 0 log -p "$vmm" -i 0.5 -c 2 --csv &&
	awk -F , 'NR > 1 && $4 > 0 && $7 > 0 { found++ } END { exit found != 2 }' "$work/stdout" &&
	prints 1 'Run .kvm-stats publish. as root|group' schema -p "$vmm" &&
	prints 0 'the host file: ' list -v -p "$vmm"
}

origin_tests()
{
	local why statistic=exits out_of_all

	why=$(why_no_host_file)
	check "a VMM for the host file starts" start_vmm -name "open.$$"
	if [ -n "$why" ]; then
		skip "root reads the statistics of an unmodified kernel" "$why"
	else
		check "a copy can be read on another machine" reads_copy
		check "a part of a copy is an error" refuses_part
	fi
	# The user may have no access to the directory of the build.
	out_of_all=$(mktemp -d /tmp/kvm-stats.XXXXXX)
	chmod 755 "$out_of_all"
	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && build_plain kvm-stats >"$out/log" 2>&1 &&
		install -m 755 "$plain/kvm-stats" "$out_of_all/kvm-stats"; then
		check "a user without rights sees guests, CPU time and memory, and why statistics are missing" \
			nobody_reads_proc
	else
		skip "a user without rights sees guests, CPU time and memory" "needs root and setpriv"
	fi
	rm -rf "$out_of_all"
	stop_vmm
}
