#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test an existing user of the interface: an unmodified QEMU with a real guest. Query KVM's statistics
# over QMP, and compare QEMU's answers with what kvm-stats reads, without QEMU's help.
#
# On a kernel without the interface, the same QEMU must report no statistics. On one where kvm-stats has
# no values, because it has neither KVM_STATS_NEXT nor BTF, nothing is compared.
#
# shellcheck shell=dash

# shellcheck source=../lib/check.sh
. "${0%/*}/check.sh"
# shellcheck source=lib/qemu.sh
. "${0%/*}/qemu.sh"
work=$BOOT_HOST/tmp/query.$$
stats=${KVM_STATS:-kvm-stats}
kernel=${BOOT_KERNEL:-}
qemu=
paths=		# of the CPUs
compared=	# yes: kvm-stats has the statistics of QEMU

clean_up()
{
	[ -z "$qemu" ] || kill -KILL "$qemu" 2>/dev/null
	rm -rf "$work"
}

# ---- answers ----

# QEMU lists the buckets of histograms in reverse order.
qemu_values()
{
	values | awk '$2 ~ /^\[/ {
		n = split(substr($2, 2, length($2) - 2), v, ",")
		text = "[" v[n]
		while (--n)
			text = text "," v[n]
		$2 = text "]"
	} { print }'
}

# Print "TARGET NAME TYPE UNIT BASE EXPONENT BUCKET-SIZE" for each schema of standard input.
schemas()
{
	awk -v RS='{' "$members"'
	function target_of(text) { if (member(text, "target") != "-") target[group] = member(text, "target") }
	member(inner($0), "name") == "-" { group++; target_of($0); next }
	{
		own = inner($0)
		of[++n] = group
		line[n] = member(own, "name") " " member(own, "type") " " member(own, "unit") " " \
			member(own, "base") " " member(own, "exponent") " " member(own, "bucket-size")
		target_of(outer($0))
	}
	END { for (i = 1; i <= n; i++) print target[of[i]], line[i] }' | grep -E '^(vm|vcpu) ' | sort
}

# query_one CPU [ARGUMENTS]: the statistics of the CPU with this number, or "vm"
query_one()
{
	local filter='"target": "vm"'

	[ "$1" = vm ] || filter="\"target\": \"vcpu\", \"vcpus\": [\"$(path_of "$1")\"]"
	query query-stats "$filter${2:+, $2}" >"$work/one" && [ "$(grep -o '"stats"' "$work/one" | wc -l)" = 1 ] &&
	cat "$work/one"
}

# path_of CPU
path_of()
{
	echo "$paths" | sed -n "$(($1 + 1))p"
}

# has_names FILE NAME...
has_names()
{
	local file=$1 name

	shift
	for name; do
		grep -q "^$name " "$file" || { echo "$name expected, not found"; return 1; }
	done
}

is_empty()
{
	query "$@" | grep '"return": \[\]'
}

# ---- the guest ----

starts()
{
	if [ -n "$kernel" ]; then
		start_monitored stats-guest -m 256 -serial "file:${work#"$BOOT_HOST"}/serial" -kernel "$kernel" \
			-initrd "$BOOT_GUEST_INITRD" -append 'console=ttyS0 quiet panic=-1'
	else
		start_monitored stats-guest -m 256
	fi
}

uses_kvm()
{
	query query-kvm | grep '"enabled": true'
}

finds_cpus()
{
	paths=$(query query-cpus-fast | grep -o '"qom-path": "[^"]*"' | cut -d '"' -f 4)
	echo "$paths"
	[ "$(echo "$paths" | wc -l)" = 2 ]
}

# has_state COMMAND STATE
has_state()
{
	query "$1" >/dev/null && query query-status | grep "\"status\": \"$2\""
}

# The init process of the guest makes these grow on each CPU.
has_grown()
{
	local cpu

	for cpu in 0 1; do
		query_one "$cpu" | values | join_files "$work/start.$cpu" | awk '
			$1 ~ /^(exits|halt_exits|io_exits|pf_fixed)$/ { n += $3 > $2 } END { exit n != 4 }' || return
	done
}

# join_files FILE: print "NAME VALUE-IN-FILE VALUE" for the lines of standard input
join_files()
{
	awk 'NR == FNR { first[$1] = $2; next } $1 in first { print $1, first[$1], $2 }' "$1" -
}

grows()
{
	query_one 0 | values >"$work/start.0" && query_one 1 | values >"$work/start.1" && wait_until has_grown
}

quits()
{
	local status=0

	query quit >/dev/null
	wait "$qemu" || status=$?
	qemu=
	return "$status"
}

# ---- query-stats ----

# The examples of the QEMU proposal are among these names.
vm_names='max_mmu_page_hash_collisions max_mmu_rmap_size mmu_shadow_zapped nx_lpage_splits remote_tlb_flush'
vcpu_names='exits halt_attempted_poll halt_exits halt_poll_success_ns io_exits irq_injections irq_window_exits
	mmio_exits pf_fixed guest_mode directed_yield_successful directed_yield_attempted l1d_flush'

# names_of CPU [ARGUMENTS]
names_of()
{
	query_one "$@" | values | cut -d ' ' -f 1
}

has_vm_names()
{
	query_one vm | values >"$work/vm"
	# shellcheck disable=SC2086 # words
	has_names "$work/vm" $vm_names
}

has_vcpus()
{
	local cpu

	query query-stats '"target": "vcpu"' >"$work/all" && [ "$(grep -o '"qom-path"' "$work/all" | wc -l)" = 2 ] || return
	for cpu in 0 1; do
		grep -qF "\"$(path_of "$cpu")\"" "$work/all" && query_one "$cpu" | values >"$work/vcpu" || return
		# shellcheck disable=SC2086 # words
		has_names "$work/vcpu" $vcpu_names || return
	done
}

# ---- query-stats-schemas ----

has_schemas()
{
	query query-stats-schemas | schemas >"$work/schemas"
	[ "$(sed -n 's/^vm \([^ ]*\).*/\1/p' "$work/schemas")" = "$(names_of vm)" ] &&
	[ "$(sed -n 's/^vcpu \([^ ]*\).*/\1/p' "$work/schemas")" = "$(names_of 0)" ]
}

# The properties that a name requires
has_right_schemas()
{
	awk '
	function expect(type, unit, exponent) {
		if ($3 == type && $4 == unit && $6 == exponent && $5 == (exponent ? "10" : "-") && $7 == "-")
			return
		print "expected", type, unit, exponent ", found:", $0
		bad = 1
	}
	$2 ~ /_hist$/ { expect("log2-histogram", "seconds", -9); next }
	$2 ~ /_max_ns$/ { expect("peak", "seconds", -9); next }
	$2 ~ /_ns$/ { expect("cumulative", "seconds", -9); next }
	$2 ~ /^max_/ { expect("peak", "-", 0); next }
	$2 ~ /^(blocking|guest_mode)$/ { expect("instant", "boolean", 0); next }
	$2 ~ /^(pages_.*|mmu_unsync|mmu_shadow_pages|nx_lpage_splits)$/ { expect("instant", "-", 0); next }
	{ expect("cumulative", "-", 0) }
	END { exit bad || NR < 20 }' "$work/schemas"
}

has_right_values()
{
	{ query_one vm | values; query_one 0 | values; } >"$work/values"
	awk 'NR == FNR { type[$2] = $3; unit[$2] = $4; next }
	{
		if (unit[$1] == "boolean")
			good = $2 ~ /^(true|false)$/
		else if (type[$1] == "log2-histogram")
			good = split($2, buckets, ",") == 32
		else
			good = $2 ~ /^[0-9]+$/
		if (!good) { print; bad = 1 }
	}
	END { exit bad }' "$work/schemas" "$work/values"
}

# ---- kvm-stats, and the human monitor ----

# direct CPU: print "NAME VALUE" from kvm-stats
direct()
{
	local option="--vcpu $1"

	[ "$1" != vm ] || option=--vm
	# shellcheck disable=SC2086 # words
	"$stats" query -p "$qemu" $option | values
}

has_values()
{
	"$stats" list -p "$qemu" | tee "$work/list"
	grep -Eq "^ +$qemu +qemu[^ ]+ +1 +2 +(next|file) +stats-guest$" "$work/list"
}

same_schemas_as_command()
{
	"$stats" schema --json -p "$qemu" | schemas >"$work/command"
	[ -s "$work/command" ] && diff "$work/command" "$work/schemas"
}

# Each value that does not fall is between those of two direct reads.
is_between()
{
	local cpu

	for cpu in vm 0 1; do
		direct "$cpu" >"$work/before" && query_one "$cpu" | qemu_values >"$work/reported" &&
		direct "$cpu" >"$work/after" || return
		join_files "$work/before" <"$work/reported" >"$work/pairs"
		awk 'FILENAME ~ /schemas/ { instant[$2] = $3 == "instant"; next }
		FILENAME ~ /pairs/ { before[$1] = $2; reported[$1] = $3; next }
		{
			a = before[$1]; b = reported[$1]; c = $2; rows++
			gsub(/[][]/, "", a); gsub(/[][]/, "", b); gsub(/[][]/, "", c)
			n = split(a, low, ","); m = split(b, middle, ","); k = split(c, high, ",")
			good = n == m && m == k
			for (i = 1; i <= n && !instant[$1]; i++)
				good = good && low[i] + 0 <= middle[i] + 0 && middle[i] + 0 <= high[i] + 0
			if (!good) { print $1, a, b, c; bad = 1 }
		}
		END { exit bad || rows < 4 }' "$work/schemas" "$work/pairs" "$work/after" || return
	done
}

# equals CPU: the guest is stopped, but the memory management of the kernel can still change a few values.
equals()
{
	direct "$1" >"$work/before" && query_one "$1" | qemu_values >"$work/reported" &&
	diff "$work/before" "$work/reported" && [ -s "$work/before" ]
}

stopped_equals()
{
	local cpu

	for cpu; do
		wait_until equals "$cpu" || return
	done
}

# monitor_prints CPU: 'info stats' has a line "    NAME (TYPE, UNIT): VALUE" for each statistic.
monitor_prints()
{
	local target=vcpu

	[ "$1" != vm ] || target=vm
	query_one "$1" | values >"$work/reported"
	query human-monitor-command "\"command-line\": \"info stats $target\"" |
		sed 's/\\r\\n/\n/g; s/.*"return": "//' >"$work/monitor"
	head -n 3 "$work/monitor"
	head -n 1 "$work/monitor" | grep -q '^provider: kvm' &&
	awk -v target="$target" 'FILENAME ~ /schemas/ { if ($1 == target) type[$2] = $3; next }
	FILENAME ~ /monitor/ {
		if ($2 !~ /^[(]/)
			next
		found[$1] = substr($2, 2)
		sub(/[,)]*:?$/, "", found[$1])
		shown[$1] = $0
		sub(/.*[)]: */, "", shown[$1])
		next
	}
	found[$1] != type[$1] || ($2 ~ /^[0-9]+$/ && shown[$1] + 0 != $2 + 0) {
		print $1, type[$1], $2 ", found", found[$1], shown[$1]
		bad = 1
	}
	END { exit bad }' "$work/schemas" "$work/monitor" "$work/reported"
}

prints_nothing()
{
	query human-monitor-command '"command-line": "info stats vm"' | grep '"return": ""'
}

comparisons()
{
	if [ "${BOOT_VARIANT:-unpatched}" = unpatched ] && ! has_values >"$work/log"; then
		skip "kvm-stats has the statistics of QEMU" "this kernel has them for the VMM only"
		check "the guest stops" has_state stop paused
		return
	fi
	check "kvm-stats lists QEMU with the name of its guest, and has its statistics" has_values
	compared=yes
	check "kvm-stats schema --json prints the same schemas" same_schemas_as_command
	check "running: the values that QEMU reports are between two direct reads" is_between
	check "the guest stops" has_state stop paused
	check "stopped: the values of the VM equal a direct read" stopped_equals vm
	check "stopped: the values of the vCPUs equal a direct read" stopped_equals 0 1
}

schema_tests()
{
	check "query-stats-schemas returns a schema for each statistic" has_schemas
	check "schemas have the right types, units and exponents" has_right_schemas
	check "values have the types that their schemas define" has_right_values
}

query_tests()
{
	check "query-stats vm returns one result, with the statistics of the VM" has_vm_names
	check "query-stats vcpu returns one result for each CPU" has_vcpus
}

with_statistics()
{
	check "query-cpus-fast returns each CPU" finds_cpus
	if [ -n "$kernel" ]; then
		SECONDS_MAX=600 check "the guest boots" wait_until grep -qs 'stats-guest: ready' "$work/serial"
	else
		skip "the guest boots" "the guest is the firmware"
	fi
	query_tests
	schema_tests
	[ -z "$kernel" ] ||
		SECONDS_MAX=300 check "exits, halts, I/O and page faults grow on each CPU" grows
	comparisons
	check "stopped: 'info stats vm' prints the same values" wait_until monitor_prints vm
	check "stopped: 'info stats vcpu' prints the same values" wait_until monitor_prints 0
	check "the guest continues" has_state cont running
	[ -z "$compared" ] || check "continued: the values that QEMU reports are between two direct reads" is_between
}

# The kernel does not have the interface.
without_statistics()
{
	check "query-stats vm returns an empty list" is_empty query-stats '"target": "vm"'
	check "query-stats vcpu returns an empty list" is_empty query-stats '"target": "vcpu"'
	# Since version 8.0, QEMU also has the provider cryptodev.
	check "query-stats-schemas with provider kvm returns an empty list" \
		is_empty query-stats-schemas '"provider": "kvm"'
	check "'info stats vm' prints nothing" prints_nothing
}

mkdir -p "$work"
trap clean_up EXIT
trap 'exit 1' INT TERM
logs="$work/serial $work/log"
# With huge pages, the guest would soon have accessed all of its memory.
[ -z "${BOOT_VARIANT:-}" ] || echo never >/sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null
check "QEMU starts, and sends the QMP greeting" starts
check "QEMU runs its guest with KVM" uses_kvm
case $("${0%/*}/vmm" </dev/null)$(query query-stats '"target": "vm"') in
*CommandNotFound*) skip "query-stats returns statistics" "QEMU before 7.1 does not have it" ;;
'ready 0 '*) without_statistics ;;
*) with_statistics ;;
esac
check "QEMU quits" quits
finish
