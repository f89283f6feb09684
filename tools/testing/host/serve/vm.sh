# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: the statistics of a real VM, and the permissions to read them.
# shellcheck shell=bash

uuid=0a1b2c3d-0000-4000-8000-000000000001

# start_guest [ARGUMENT]...: start a VMM that has the guest name of these tests and keeps its
# statistics fds open
start_guest()
{
	start_vmm "$@" -s -name "guest=$guest" -uuid "$uuid"
}

# series NAME: print the values of this metric for the guest, from $out/scraped
series()
{
	local labels="guest=\"${guest//\"/\\\\\"}\",uuid=\"$uuid\""

	sed -n "s/^$1{${labels}[^}]*} //p" "$out/scraped"
}

values_match_read()
{
	freeze_vmm && scrape || return 1
	series kvm_vcpu_exits_total >"$out/scraped.exits"
	"$stats" read -p "$vmm" --vcpu all -f '^exits$' |
		awk '$2 == "exits" { print $3 }' >"$out/read.exits"
	paste "$out/scraped.exits" "$out/read.exits"
	[ "$(wc -l <"$out/read.exits")" = 2 ] && diff "$out/scraped.exits" "$out/read.exits" &&
	[ "$(series kvm_guest_up)" = 1 ]
}

guest_has_sum()
{
	[ "$(series kvm_guest_exits_total)" = "$(awk '{ n += $1 } END { print n }' "$out/read.exits")" ]
}

# A machine with many guests must not have too many series. At most 100 are those of the guest, and
# at most 60 those of each of its two vCPUs.
has_few_series()
{
	local vcpu guest

	vcpu=$(grep -c "^kvm_vcpu_.*uuid=\"$uuid\"" "$out/scraped")
	guest=$(grep -c "^kvm_\(guest\|vm\)_.*uuid=\"$uuid\"" "$out/scraped")
	echo "the guest has $guest series, its two vCPUs have $vcpu"
	[ "$guest" -ge 20 ] && [ "$guest" -le 100 ] && [ "$vcpu" -ge 40 ] && [ "$vcpu" -le 120 ]
}

# No label is the number of a file descriptor.
has_no_fd_label()
{
	! grep '[{,]fd="' "$out/scraped" "$out/exposition.openmetrics"
}

# The series of a guest stay the same when its VMM starts again with another PID.
survives_restart()
{
	local before=$vmm

	sed -n 's/^\(kvm_\(guest\|vm\)_[^i][^ ]*guest=.*\) .*/\1/p' "$out/scraped" >"$out/series.before"
	stop_vmm && start_guest && until_true 10 guest_is_scraped || return 1
	sed -n 's/^\(kvm_\(guest\|vm\)_[^i][^ ]*guest=.*\) .*/\1/p' "$out/scraped" >"$out/series.after"
	[ "$before" != "$vmm" ] && [ -s "$out/series.before" ] &&
	diff "$out/series.before" "$out/series.after"
}

# Two VMMs have the same guest name and UUID, as during a migration within the machine.
twins_have_pid()
{
	local first=$vmm

	start_guest && until_true 10 scrape_has "kvm_guest_exits_total{.*,pid=\"$vmm\"}" &&
	scrape_has "kvm_guest_exits_total{.*,pid=\"$first\"}" && scrape_parses && stop_vmm &&
	vmm=$first && until_true 10 guest_is_scraped
}

# scrape_has REGEX
scrape_has()
{
	scrape && grep "$1" "$out/scraped"
}

# No kernel without the series opens the statistics of a VMM that does not keep its fds open.
reports_unreadable_vmm()
{
	local readable=$vmm status=0

	start_vmm -name "guest=$guest" -uuid "${uuid%1}2" || return 1
	until_true 10 scrape_has "^kvm_guest_up{[^}]*uuid=\"${uuid%1}2\"}" || status=1
	grep "^kvm_guest_up{[^}]*uuid=\"${uuid%1}2\"} 0" "$out/scraped" &&
	grep "^kvm_guest_info{.*uuid=\"${uuid%1}2\",pid=\"$vmm\",.*error=\"[^\"]" "$out/scraped" &&
	grep '^kvm_stats_unreadable_vmms 1$' "$out/scraped" &&
	[ "$(series kvm_guest_up)" = 1 ] || status=1
	sleep 0.3
	scrape && grep "PID $vmm .*cannot open statistics" "$out/server.err"
	[ "$(grep -c "PID $vmm .*cannot open statistics" "$out/server.err")" = 1 ] || status=1
	"$stats" serve --once -g "$guest" 2>"$out/printed" >/dev/null
	cat "$out/printed"
	has_line "PID $vmm" "$out/printed" || status=1
	stop_vmm
	vmm=$readable
	return "$status"
}

# QEMU 8.1 and later keep the fds of their vCPUs open, but not that of the VM.
needs_no_vm_values()
{
	start_vmm -v -name "guest=vcpus.$$" || return 1
	"$stats" serve --once -g "vcpus.$$" >"$out/scraped" 2>"$out/printed"
	grep '^kvm_guest_\(up\|info\)' "$out/scraped"
	grep -q '^kvm_guest_up{.*} 1$' "$out/scraped" &&
	grep -q '^kvm_guest_info{.*error="\(VM values missing: this kernel .*\)\?"} 1$' "$out/scraped" &&
	grep -q '^kvm_stats_unreadable_vmms 0$' "$out/scraped" &&
	[ "$(grep -c '^kvm_guest_exits_total{' "$out/scraped")" = 1 ]
}

server_has_no_vcpu_fds()
{
	[ -z "$(find "/proc/$server/fd" -lname '*kvm-vcpu-stats*')" ]
}

# The server closes the fds of a VMM that has ended before the next scrape. The answer to that
# scrape does not contain the VMM.
forgets_ended_vmm()
{
	local pid=$vmm

	! server_has_no_vcpu_fds || return 1
	stop_vmm
	until_true 3 server_has_no_vcpu_fds || return 1
	scrape && ! grep "pid=\"$pid\"" "$out/scraped"
}

guest_is_scraped()
{
	scrape && [ -n "$(series kvm_guest_exits_total)" ]
}

finds_new_vmm()
{
	start_guest && until_true 10 guest_is_scraped
}

scrape_parses()
{
	scrape -H 'Accept: application/openmetrics-text' && parses openmetrics "$out/scraped"
}

# The VMM has 20 VMs and vCPUs, more than the limit of open files permits. The server reports
# that it cannot read all, and still accepts clients.
reports_too_few_files()
{
	local fewer=()

	# CAP_SYS_RESOURCE would permit root to exceed the limit.
	[ "$(id -u)" != 0 ] ||
		fewer=(setpriv --inh-caps=-sys_resource --bounding-set=-sys_resource)
	: >"$out/server.err"
	start_guest -m 4 -c 4 || return 1
	(ulimit -n 26 && exec "${fewer[@]}" "$plain/kvm-stats" serve -g "$guest" \
		--listen 127.0.0.1:0 2>"$out/server.err" 9>&-) &
	server=$!
	wait_for_server 'serving' || return 1
	# Meanwhile the server searches for new VMMs, which fails.
	sleep 1.2
	scrape && grep '^kvm_guest_\(up\|info\)' "$out/scraped" &&
	[ "$(series kvm_guest_up)" = 0 ] && [ -z "$(series kvm_guest_exits_total)" ] && grep -c 'error="Too many open files' "$out/scraped" &&
	end_server
}

# scrape_as_unit [CAPABILITY]: read the statistics once with the capabilities of the systemd
# unit, except CAPABILITY
scrape_as_unit()
{
	local caps

	caps=$(sed -n 's/^AmbientCapabilities=//p' "$command/share/kvm-stats.service" |
		sed 's/CAP_//g; s/ /\n/g' | tr '[:upper:]' '[:lower:]' | grep -vx "${1:-none}" |
		sed 's/^/,+/' | tr -d '\n')
	# The user may have no access to the directories that the program is in, so use an fd.
	setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --inh-caps="-all$caps" \
		--ambient-caps="-all$caps" --bounding-set="-all$caps" \
		/proc/self/fd/8 serve --once -p "$vmm" 8<"$plain/kvm-stats" 9>&- >"$out/scraped"
}

as_vmm_user=(setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps=+dac_override
	--ambient-caps=+dac_override)

# A third user runs the VMM.
unit_reads_other_users()
{
	local status=0

	vmm_as=("${as_vmm_user[@]}")
	start_guest || status=1
	vmm_as=()
	[ "$status" = 0 ] && scrape_as_unit && [ "$(series kvm_guest_up)" = 1 ] &&
	[ "$(series kvm_guest_exits_total | wc -l)" = 1 ]
}

# unit_needs CAPABILITY: return 0 if the VMM cannot be read without the capability
unit_needs()
{
	scrape_as_unit "$1" && [ -z "$(series kvm_guest_exits_total)" ] &&
	grep '^kvm_stats_\(unseen_processes\|unreadable_vmms\) [1-9]' "$out/scraped"
}

capability_tests()
{
	local what="with its capabilities, the systemd unit reads the VMMs of all users"

	if [ "$(id -u)" != 0 ] || [ ! -x "$plain/kvm-stats" ] ||
		! setpriv --bounding-set +sys_ptrace,+dac_read_search true 2>/dev/null; then
		skip "$what" "needs root with all capabilities"
		skip "the systemd unit needs CAP_SYS_PTRACE" "needs root with all capabilities"
		skip "the systemd unit needs CAP_DAC_READ_SEARCH" "needs root with all capabilities"
		return
	fi
	check "$what" unit_reads_other_users
	check "the systemd unit needs CAP_SYS_PTRACE" unit_needs sys_ptrace
	check "the systemd unit needs CAP_DAC_READ_SEARCH" unit_needs dac_read_search
	stop_vmm
}

vm_tests()
{
	check "serve checks its arguments before it searches for VMMs" checks_arguments_first
	check "a VMM starts" start_guest
	check "the server starts with a VMM" start_server --listen 127.0.0.1:0 --per-vcpu
	check "values match those of kvm-stats read" values_match_read
	check "the values of a guest are the sums over its vCPUs" guest_has_sum
	check "a guest has at most 100 series, and a vCPU at most 60" has_few_series
	check "no series has a label with a file descriptor" has_no_fd_label
	check "after a restart of the VMM the series are the same" survives_restart
	check "two VMMs of the same guest have the label pid" twins_have_pid
	check "a VMM that cannot be read is reported, with its PID and the reason" \
		reports_unreadable_vmm
	check "the server removes a VMM that has ended at once" forgets_ended_vmm
	check "the server finds a VMM that starts" finds_new_vmm
	check "a strict parser accepts the statistics of a real VM" scrape_parses
	check "SIGTERM ends the server with a VMM, without leaks" end_server
	check "the unit's filter allows the system calls of serve with a VM" filter_allows_calls
	stop_server
	stop_vmm
	check "a guest is up if only the values of its VM are missing" needs_no_vm_values
	check "--once reports that -f matches nothing, and fails" \
		serve_prints 1 "no statistic.* matches '.nosuch.'" --once -g "vcpus.$$" -f '^nosuch$'
	stop_vmm
	check "if the limit of open files is too low for all vCPUs, the server still accepts clients" \
		reports_too_few_files
	stop_server
	stop_vmm
	capability_tests
}
