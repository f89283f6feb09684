# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. The unit under a real systemd: the first process of a PID namespace,
# which knows this unit and no other one, beside a VMM of another user.

systemd=
systemd_cgroup=
systemd_dir=$out/systemd

# Why it cannot be run here; nothing if it can.
no_systemd_because()
{
	if [ ! -x /lib/systemd/systemd ]; then
		echo "systemd is not installed"
	elif [ "$(id -u)" != 0 ] || ! unshare --pid --fork --mount --cgroup true 2>/dev/null; then
		echo "it takes root, and namespaces"
	elif [ -z "$(findmnt -n -t cgroup2 -o TARGET)" ]; then
		echo "this machine has no cgroup2"
	fi
}

# What has to be there for any service, empty, and the unit with the command and the port to use.
write_units()
{
	local units=$systemd_dir/units name

	rm -rf "$systemd_dir" && mkdir -p "$units/kvm-stats.service.d" || return 1
	for name in sysinit basic shutdown network umount; do
		printf '[Unit]\nDefaultDependencies=no\n' >"$units/$name.target"
	done
	printf '[Unit]\nRequires=kvm-stats.service\n' >"$units/test.target"
	sed 's|^ExecStart=[^ ]*|ExecStart=/run/kvm-stats|' "$command/kvm-stats.service" \
		>"$units/kvm-stats.service"
	cat >"$units/kvm-stats.service.d/test.conf" <<-CONF
	[Service]
	EnvironmentFile=
	Environment=KVM_STATS_OPTIONS=--listen=127.0.0.1:$1
	StandardError=append:$systemd_dir/service.err
	CONF
}

# Runs in the namespaces.
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
	if [ -x "$1/vmm" ]; then
		setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps=+dac_override \
			--ambient-caps=+dac_override "$1/vmm" -s -name "guest=unit" \
			<"$1/systemd/vmm.in" >"$1/systemd/vmm.out" 2>&1 &
	fi
	export container=kvm-stats SYSTEMD_UNIT_PATH=/run/units
	exec /lib/systemd/systemd --system --unit=test.target --log-target=console \
		--log-level=info --show-status=no
	INIT
}

# It logs to the terminal that script(1) makes for it.
start_systemd()
{
	local port

	port=$(free_port)
	systemd_cgroup=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/kvm-stats-test-$$
	write_units "$port" && write_init && mkfifo "$systemd_dir/vmm.in" &&
	mkdir "$systemd_cgroup" || return 1
	sed -i 's|^exec |mount --bind "$(tty)" /dev/console\n&|' "$systemd_dir/init"
	exec 9<>"$systemd_dir/vmm.in"
	bash -c 'echo $$ >"$2/cgroup.procs" && exec script -qfc \
		"unshare --pid --fork --mount --uts --ipc --cgroup --kill-child bash $1/systemd/init $1" \
		"$1/systemd/log"' - "$out" "$systemd_cgroup" </dev/null >/dev/null 2>&1 9>&- &
	systemd=$!
	url=http://127.0.0.1:$port/metrics
	until_true 30 scrape 2>/dev/null || { tail -n 20 "$systemd_dir/log"; return 1; }
}

stop_systemd()
{
	[ -n "$systemd" ] || return 0
	# All others of the namespace end with it, and then unshare and script do.
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

# Another user's, by one of those that systemd makes up.
unit_sees_vmm()
{
	until_true 20 eval "scrape && grep '^kvm_vmm_up{pid=\"[0-9]*\",guest=\"unit\"} 1' '$out/scraped'" &&
	[ "$(grep -c '^kvm_vcpu_exits_total{[^}]*guest="unit"' "$out/scraped")" = 2 ]
}

# CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, no way to others, a filter of system calls.
unit_is_confined()
{
	local status=$systemd_dir/status

	cat "/proc/$(unit_pid)/status" >"$status" && grep -E '^(Uid|Cap|NoNew|Seccomp)' "$status"
	awk '$1 == "Uid:" { uid = $2 >= 61184 && $2 <= 65519 && $2 == $3 }
		/^Cap(Prm|Eff|Bnd|Amb):/ { caps += $2 == "0000000000080004" }
		$1 == "NoNewPrivs:" { privs = $2 == 1 }
		$1 == "Seccomp:" { filter = $2 == 2 }
		END { exit !(uid && caps == 4 && privs && filter) }' "$status"
}

# In the namespaces of its first process.
ask_systemd()
{
	nsenter --all --target "$(systemd_pid)" systemctl "$@"
}

unit_ends_well()
{
	ask_systemd stop kvm-stats.service &&
	ask_systemd show -p Result,ExecMainStatus,ActiveState kvm-stats.service >"$systemd_dir/show"
	cat "$systemd_dir/show" "$systemd_dir/service.err"
	[ "$(sort "$systemd_dir/show" | xargs)" = "ActiveState=inactive ExecMainStatus=0 Result=success" ]
}

systemd_tests()
{
	local why

	why=$(no_systemd_because)
	if [ -n "$why" ]; then
		skip "the unit runs under systemd" "$why"
		return
	fi
	check "the command is built as it is installed" \
		make -s -C "$command" O="$out/plain" kvm-stats
	check "the unit runs under systemd, and serves" start_systemd
	check "it has what it takes, and no more" unit_is_confined
	if [ -n "$1" ]; then
		skip "it sees a VMM of another user" "$1"
	else
		check "it sees a VMM of another user" unit_sees_vmm
	fi
	check "it ends well when it is stopped" unit_ends_well
	stop_systemd
}
