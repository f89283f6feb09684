# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. A real VM, and who may see it.

vmm_size=

# start_vmm [COMMAND]...: with statistics fds kept open; false if it does not get ready
start_vmm()
{
	rm -f "$out/vmm.in" "$out/vmm.out"
	mkfifo "$out/vmm.in"
	exec 9<>"$out/vmm.in"
	# shellcheck disable=SC2086
	"$@" "$out/vmm" $vmm_size -s -name "guest=$guest" <"$out/vmm.in" >"$out/vmm.out" \
		2>"$out/vmm.err" 9>&- &
	vmm=$!
	until_true 10 ready_or_ended && has_line '^ready$' "$out/vmm.out"
}

ready_or_ended()
{
	has_line '^ready$' "$out/vmm.out" || ! kill -0 "$vmm" 2>/dev/null
}

stop_vmm()
{
	stop "$vmm"
	exec 9>&-
	vmm=
}

# Why no VM can be looked at here; nothing if one can.
no_vm_because()
{
	if ! gcc -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE -pthread \
		-o "$out/vmm" "$command/tests/vmm.c" >"$out/log" 2>&1; then
		echo "the small VMM does not build: $(head -n 1 "$out/log")"
	elif ! start_vmm >/dev/null; then
		echo "the small VMM does not start: $(head -n 1 "$out/vmm.err")"
	fi
	stop_vmm
}

freeze_vmm()
{
	echo stop >&9
	until_true 60 has_line '^stopped ' "$out/vmm.out"
}

# series NAME: its values in what was scraped last, of our VMM
series()
{
	local labels="pid=\"$vmm\",guest=\"${guest//\"/\\\\\"}\""

	sed -n "s/^$1{${labels}[^}]*} //p" "$out/scraped"
}

numbers_agree()
{
	freeze_vmm && scrape || return 1
	series kvm_vcpu_exits_total >"$out/scraped.exits"
	"$stats" read -p "$vmm" --vcpu all -f '^exits$' |
		awk '$2 == "exits" { print $3 }' >"$out/read.exits"
	paste "$out/scraped.exits" "$out/read.exits"
	[ "$(wc -l <"$out/read.exits")" = 2 ] && diff "$out/scraped.exits" "$out/read.exits" &&
	[ "$(series kvm_vmm_up)" = 1 ]
}

# It is not in the next scrape, and its memory is let go of before that.
vanishes()
{
	local fds="/proc/$server/fd"

	ls -l "$fds" | grep -q kvm-vcpu-stats || return 1
	stop_vmm
	until_true 3 eval "! ls -l '$fds' | grep -q kvm-vcpu-stats" || return 1
	scrape && ! grep "pid=\"$1\"" "$out/scraped"
}

appears()
{
	start_vmm && until_true 10 eval "scrape && [ -n \"\$(series kvm_vcpu_exits_total)\" ]"
}

# As the unit would run it, or with less: the capabilities are those in the unit.
as_unit()
{
	local caps

	caps=$(sed -n 's/^AmbientCapabilities=//p' "$command/kvm-stats.service" |
		sed 's/CAP_//g; s/ /\n/g' | tr A-Z a-z | grep -vx "${1:-none}" | sed 's/^/,+/' | tr -d '\n')
	# By its fd, because others may not get at files below here.
	setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --inh-caps="-all$caps" \
		--ambient-caps="-all$caps" --bounding-set="-all$caps" \
		/proc/self/fd/8 serve --once -p "$vmm" 8<"$out/plain/kvm-stats" 9>&-
}

# A VMM of a third user, as that user's may be.
unit_sees_others()
{
	start_vmm setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps=+dac_override \
		--ambient-caps=+dac_override || return 1
	as_unit >"$out/scraped" || return 1
	[ "$(series kvm_vmm_up)" = 1 ] && [ "$(series kvm_vcpu_exits_total | wc -l)" = 2 ]
}

unit_needs()
{
	as_unit "$1" >"$out/scraped" || return 1
	[ -z "$(series kvm_vcpu_exits_total)" ] &&
	grep '^kvm_stats_\(unseen_processes\|unreadable_vmms\) [1-9]' "$out/scraped"
}

# 20 VMs and vCPUs, and fewer files than they take: some are told to be missing, and
# clients come in all the same.
too_few_files()
{
	local fewer=

	# Root could raise the limit.
	[ "$(id -u)" != 0 ] ||
		fewer="setpriv --inh-caps=-sys_resource --bounding-set=-sys_resource"
	: >"$out/server.err"
	vmm_size='-m 4 -c 4'
	start_vmm || return 1
	vmm_size=
	# shellcheck disable=SC2086
	(ulimit -n 26 && exec $fewer "$out/plain/kvm-stats" serve -g "$guest" \
		--listen 127.0.0.1:0 2>"$out/server.err" 9>&-) &
	server=$!
	until_true 20 has_line 'serving' "$out/server.err" || return 1
	url=$(sed -n 's/^kvm-stats: serving //p' "$out/server.err")
	# By then it has looked for new VMMs in vain.
	sleep 1.2
	scrape && grep '^kvm_vmm_\(up\|info\)' "$out/scraped" && [ "$(series kvm_vmm_up)" = 0 ] &&
	grep -c 'error="Too many open files' "$out/scraped" && end_server
}

real_tests()
{
	check "a VMM starts" start_vmm
	check "it serves its statistics" start_server --listen 127.0.0.1:0
	check "they are those that read shows" numbers_agree
	check "a VMM that has ended is let go of at once" vanishes "$vmm"
	check "one that starts appears" appears
	check "a strict parser takes what is served" \
		eval "scrape -H 'Accept: application/openmetrics-text' && parses openmetrics '$out/scraped'"
	check "SIGTERM ends it, and nothing has leaked of the VM" end_server
	check "the unit's filter allows what is called with a VM" filter_is_wide_enough
	stop "$server"
	server=
	stop_vmm
	check "too few files for all vCPUs leave some for clients" too_few_files
	stop "$server"
	server=
	stop_vmm
	if [ "$(id -u)" = 0 ] && [ -x "$out/plain/kvm-stats" ] &&
		setpriv --bounding-set +sys_ptrace,+dac_read_search true 2>/dev/null; then
		check "with the unit's capabilities it sees VMMs of all users" unit_sees_others
		check "it needs CAP_SYS_PTRACE" unit_needs sys_ptrace
		check "it needs CAP_DAC_READ_SEARCH" unit_needs dac_read_search
		stop_vmm
	else
		skip "the unit's capabilities are the least that will do" "takes root with all of them"
	fi
}
