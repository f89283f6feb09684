# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: run the unit under a real systemd, the first process of a PID namespace
# that has only this unit and a VMM of another user.
# shellcheck shell=bash

systemd=
systemd_cgroup=
systemd_dir=$out/systemd
# The address that the unit listens on. If it is empty, the unit listens on all.
systemd_address=127.0.0.1

# Print why systemd cannot run here, or nothing.
why_no_systemd()
{
	if [ ! -x /lib/systemd/systemd ]; then
		echo "systemd is not installed"
	elif [ "$(id -u)" != 0 ] || ! unshare --pid --fork --mount --cgroup true 2>/dev/null; then
		echo "needs root, to create namespaces"
	elif [ -z "$(findmnt -n -t cgroup2 -o TARGET)" ]; then
		echo "this machine has no cgroup2"
	fi
}

# write_units PORT [DROP-IN]: write the unit with the command and the port of the test, and empty
# units for the targets that each service depends on
write_units()
{
	local units=$systemd_dir/units name

	rm -rf "$systemd_dir" && mkdir -p "$units/kvm-stats.service.d" || return 1
	for name in sysinit basic shutdown network umount; do
		printf '[Unit]\nDefaultDependencies=no\n' >"$units/$name.target"
	done
	printf '[Unit]\nRequires=kvm-stats.service\n' >"$units/test.target"
	sed 's|^ExecStart=[^ ]*|ExecStart=/run/kvm-stats|' "$command/share/kvm-stats.service" \
		>"$units/kvm-stats.service"
	cat >"$units/kvm-stats.service.d/test.conf" <<-CONF
	[Service]
	EnvironmentFile=
	Environment=KVM_STATS_OPTIONS=--listen=$systemd_address:$1
	StandardError=append:$systemd_dir/service.err
	CONF
	[ $# = 2 ] || return 0
	cp "$2" "$units/kvm-stats.service.d"
	# udev creates the group. Machines without udev may not have it.
	getent group kvm >/dev/null ||
		echo SupplementaryGroups= >>"$units/kvm-stats.service.d/test.conf"
}

# The script that runs in the namespaces. Its argument is $out.
write_init()
{
	cat >"$systemd_dir/init" <<-'INIT'
	set -e
	mount --make-rprivate /
	mount -t proc proc /proc
	umount -R /sys/fs/cgroup 2>/dev/null || true
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mount -t tmpfs none /run
	cp "$1/plain/kvm-stats" /run/kvm-stats
	cp -r "$1/systemd/units" /run/units
	if [ -x "$1/plain/tests/vmm" ]; then
		setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps=+dac_override \
			--ambient-caps=+dac_override "$1/plain/tests/vmm" -s -name "guest=unit" \
			<"$1/systemd/vmm.in" >"$1/systemd/vmm.out" 2>&1 &
	fi
	mount --bind "$(tty)" /dev/console
	export container=kvm-stats SYSTEMD_UNIT_PATH=/run/units
	exec /lib/systemd/systemd --system --unit=test.target --log-target=console \
		--log-level=info --show-status=no
	INIT
}

# start_systemd [DROP-IN]: systemd logs to the terminal that script(1) creates.
start_systemd()
{
	local port

	port=$(free_port)
	systemd_cgroup=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/kvm-stats-test-$$
	write_units "$port" "$@" && write_init && mkfifo "$systemd_dir/vmm.in" &&
	mkdir "$systemd_cgroup" || return 1
	exec 9<>"$systemd_dir/vmm.in"
	# shellcheck disable=SC2016 # another shell expands this
	bash -c 'echo $$ >"$2/cgroup.procs" && exec script -qfc \
		"unshare --pid --fork --mount --uts --ipc --cgroup --kill-child \
			bash $1/systemd/init $1" "$1/systemd/log"' \
		- "$out" "$systemd_cgroup" </dev/null >/dev/null 2>&1 9>&- &
	systemd=$!
	url=http://127.0.0.1:$port/metrics
	until_true 30 scrape 2>/dev/null || { tail -n 20 "$systemd_dir/log"; return 1; }
}

stop_systemd()
{
	[ -n "$systemd" ] || return 0
	# When systemd ends, the kernel kills all processes of its PID namespace. Then unshare and
	# script end, too.
	kill -KILL "$(systemd_pid)" 2>/dev/null || stop "$systemd"
	wait "$systemd" 2>/dev/null
	systemd=
	exec 9>&-
	until_true 10 no_processes >/dev/null
	find "$systemd_cgroup" -depth -type d -exec rmdir {} + 2>/dev/null
}

no_processes()
{
	! find "$systemd_cgroup" -name cgroup.procs -exec cat {} + 2>/dev/null | grep -q .
}

systemd_pid()
{
	cat "$systemd_cgroup/init.scope/cgroup.procs"
}

unit_pid()
{
	cat "$systemd_cgroup/system.slice/kvm-stats.service/cgroup.procs"
}

guest_is_up()
{
	scrape && grep '^kvm_guest_up{guest="unit",uuid=""} 1' "$out/scraped"
}

# The user of the VMM differs from the user of the unit, a dynamic user of systemd.
unit_reads_vmm()
{
	until_true 20 guest_is_up &&
	[ "$(grep -c '^kvm_guest_exits_total{guest="unit"' "$out/scraped")" = 1 ]
}

# process_is_confined CAPABILITIES: the unit has these capabilities, as in /proc/PID/status, cannot
# get others, and has a filter of system calls.
process_is_confined()
{
	local status=$systemd_dir/status

	cat "/proc/$(unit_pid)/status" >"$status" && grep -E '^(Uid|Cap|NoNew|Seccomp)' "$status"
	awk -v caps_of_unit="$1" '$1 == "Uid:" { uid = $2 >= 61184 && $2 <= 65519 && $2 == $3 }
		/^Cap(Prm|Eff|Bnd|Amb):/ { caps += $2 == caps_of_unit }
		$1 == "NoNewPrivs:" { privs = $2 == 1 }
		$1 == "Seccomp:" { filter = $2 == 2 }
		END { exit !(uid && caps == 4 && privs && filter) }' "$status"
}

# systemctl_there ARGUMENT...: run systemctl in the namespaces of systemd
systemctl_there()
{
	nsenter --all --target "$(systemd_pid)" systemctl "$@"
}

unit_stops()
{
	systemctl_there stop kvm-stats.service &&
	systemctl_there show -p Result,ExecMainStatus,ActiveState kvm-stats.service \
		>"$systemd_dir/show"
	cat "$systemd_dir/show" "$systemd_dir/service.err"
	[ "$(sort "$systemd_dir/show" | xargs)" = \
		"ActiveState=inactive ExecMainStatus=0 Result=success" ]
}

# Which VMs the unit can read then depends on the kernel. kvm_stats_client tests that.
perfmon_unit_tests()
{
	check "with perfmon.conf the unit runs under systemd, and serves" \
		start_systemd "$command/share/perfmon.conf"
	check "with perfmon.conf the unit has CAP_PERFMON only" process_is_confined 0000004000000000
	check "with perfmon.conf the unit stops without an error" unit_stops
	stop_systemd
}

# Requests of this machine to itself come from the address that they go to, as if from another
# machine: the unit allows the loopback addresses only.
scrape_as_other()
{
	curl -sS -m 2 -o "$out/scraped" "${url/127.0.0.1/$1}" && grep '^kvm_stats_vmms ' "$out/scraped"
}

refuses_other_machine()
{
	systemd_address='' start_systemd && ! scrape_as_other "$1"
}

# The commands of dashboards/README.md, with the address of this machine as that of Prometheus
allows_prometheus()
{
	local readme=$ROOT/dashboards/README.md drop_in=$out/listen.conf

	grep -qx 'echo KVM_STATS_OPTIONS=--listen=:10203 >>/etc/default/kvm-stats' "$readme" &&
	sed -n '/listen.conf <</,/^END$/{//d; p}' "$readme" | sed "s/192.0.2.10/$1/" >"$drop_in" &&
	grep -qx "IPAddressAllow=$1" "$drop_in" &&
	systemd_address='' start_systemd "$drop_in" && scrape_as_other "$1"
}

other_machine_tests()
{
	local address allowed="with the commands of dashboards/README.md, the unit serves Prometheus on another machine"

	address=$(hostname -I | cut -d' ' -f1)
	if [ -z "$address" ]; then
		skip "$allowed" "this machine has only loopback addresses"
		return
	fi
	check "the unit refuses other machines, also if it listens on all addresses" \
		refuses_other_machine "$address"
	stop_systemd
	check "$allowed" allows_prometheus "$address"
	stop_systemd
}

# systemd_tests WHY: WHY is empty, or the reason why no VM can run
systemd_tests()
{
	local why

	why=$(why_no_systemd)
	if [ -n "$why" ]; then
		skip "the unit runs under systemd" "$why"
		return
	fi
	check "the command of the unit builds" build_plain kvm-stats
	check "the unit runs under systemd, and serves" start_systemd
	# CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH
	check "the unit has exactly the capabilities that it needs" \
		process_is_confined 0000000000080004
	if [ -n "$1" ]; then
		skip "the unit reads a VMM of another user" "$1"
	else
		check "the unit reads a VMM of another user" unit_reads_vmm
	fi
	check "the unit stops without an error" unit_stops
	stop_systemd
	perfmon_unit_tests
	other_machine_tests
}
