# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot: what goes into the emulated host, and running it.

# override KEY=VALUE...
override()
{
	local setting key

	for setting; do
		key=${setting%%=*}
		[[ " $settable " == *" $key "* ]] || die "'$key' cannot be set for a boot; there are: $settable"
		[ "$key" != cpu ] || key=cpu_tcg
		printf -v "$key" %s "${setting#*=}"
	done
}

# Short of programs that are left over from sources no longer there.
available_suites()
{
	local name

	find "$programs" "$kernel/tests" -maxdepth 1 -type f -perm -100 -printf '%f\n' |
		LC_ALL=C sort | while read -r name; do
			[ ! -f "$boot_dir/tests/${name%_32}.c" ] && [ ! -f "$kernel/tests/$name" ] ||
				echo "$name"
		done
}

choose_suites()
{
	local all wanted suite

	all="kunit $(available_suites)"
	[ "$mode" = tests ] || return 0
	[ "${*:-all}" != all ] || { echo $all; return; }
	for suite; do
		suite=$(suite_name "$suite")
		[[ " $(echo $all) " == *" $suite "* ]] ||
			die "no test '$suite' for $arch; there are: $(echo $all)"
		wanted="${wanted:-} $suite"
	done
	echo $wanted
}

# Checkers of the kernel's own, which are asked when all tests have run.
scan_suites()
{
	! grep -qx CONFIG_DEBUG_KMEMLEAK=y "$kernel/config" || echo leaks
	! grep -qx CONFIG_KCSAN=y "$kernel/config" || echo kcsan
}

# The second-level guest: what the client tests start in the emulated host.
guest_initrd()
{
	run_logged "$out/guest.log" "$boot_dir/guest/mk-initrd" "$busybox" "$1"
}

boot_env()
{
	cat <<-EOF
	export BOOT_ARCH=$arch
	export BOOT_VARIANT=${variant%%+*}
	export BOOT_HOST=/host
	export BOOT_KERNEL=/tmp/boot/kernel
	export BOOT_GUEST_INITRD=/tmp/boot/guest.cpio
	BOOT_MODE=$mode
	BOOT_CLIENT=$client
	BOOT_MODULES='$modules'
	BOOT_TESTS='$(echo $suites)'
	BOOT_TEST_TIME=$((limit * 2 / 3))
	EOF
	[ -z "${env[*]:-}" ] || printf 'export %q\n' "${env[@]}"
}

# One that needs nothing, and one for the build machine's root, with HTTP, which cannot be
# linked statically.
kvm_stats_commands()
{
	local tools=$repo/tools/kvm/kvm_stats built=$build_dir/kvm-stats-$arch

	run_logged "$out/kvm-stats.log" flock "$programs.lock" make -C "$tools" O="$built" CC="$cc" \
		HTTP=yes kvm-stats.static kvm-stats
	cp "$built/kvm-stats.static" "$root/bin/kvm-stats"
	cp "$built/kvm-stats" "$root/boot/kvm-stats"
}

# Programs that are run in the emulated host, and their libraries.
host_files()
{
	local program

	command -v qemu-system-x86_64
	for program in "$(command -v qemu-system-x86_64)" "$root/boot/kvm-stats"; do
		ldd "$program" | grep -oE '/[^ ]+'
	done
}

# What the client programs of the build machine work with.
client_files()
{
	cp "$boot_dir/run-demo" "$root/run-demo"
	kvm_stats_commands
	cp "$kernel/image" "$root/boot/kernel"
	guest_initrd "$root/boot/guest.cpio"
	mkdir "$root/files"
	host_files | xargs realpath | LC_ALL=C sort -u | xargs cp --parents -t "$root/files"
}

make_initramfs()
{
	local root=$out/root busybox

	busybox=$("$boot_dir/busybox" --arch "$arch")
	mkdir -p "$root"/{bin,tests,modules,boot}
	cp "$busybox" "$root/bin/busybox"
	ln -s busybox "$root/bin/sh"
	ln -s busybox "$root/bin/awk"
	cp "$boot_dir/init" "$root/init"
	cp "$boot_dir/scans" "$boot_dir/kunit.awk" "$root/"
	find "$kernel/modules" -name '*.ko' -exec cp {} "$root/modules/" \;
	find "$programs" "$kernel/tests" "$boot_dir/tests" -maxdepth 1 -type f \
		\( -perm -100 -o -name '*.list' \) -exec cp {} "$root/tests/" \;
	[ -z "$client" ] || client_files
	boot_env >"$root/boot.env"
	"$boot_dir/initramfs" "$root" "$out/initramfs.cpio"
	rm -rf "$root"
}

# Hardware helps only if it lets the machine run VMs of its own.
hardware_nests()
{
	[ -n "$cpu_flag_kvm" ] && [ -r /dev/kvm ] && [ -w /dev/kvm ] && grep -qwE "$cpu_flag_kvm" /proc/cpuinfo &&
		grep -qxsE '[Y1]' /sys/module/kvm_*/parameters/nested
}

accel()
{
	if [ -n "${BOOT_ACCEL:-}" ]; then
		echo "$BOOT_ACCEL"
	elif hardware_nests; then
		echo kvm
	else
		echo tcg
	fi
}

tsc_khz()
{
	local program=$build_dir/tsc_khz

	[ "$program" -nt "$boot_dir/tsc_khz.c" ] ||
		run_logged "$out/tsc_khz.log" flock "$build_dir" \
			gcc -O2 -Wall -Werror -o "$program" "$boot_dir/tsc_khz.c"
	"$program"
}

# Short of the properties.
describe_machine()
{
	local cpu=$cpu_tcg

	[ "$(accel)" = tcg ] || cpu=$cpu_kvm
	echo "${machine%%,*}${cpu:+ ${cpu%%,*}}"
}

qemu_command()
{
	local device

	command=("$qemu" -machine "$machine" -nodefaults -display none -no-reboot -m "$memory" -smp "$cpus")
	if [ "$(accel)" = kvm ]; then
		command+=(-accel kvm -cpu "$cpu_kvm")
	else
		command+=(-accel tcg ${cpu_tcg:+-cpu "$cpu_tcg"})
	fi
	command+=(-kernel "$kernel/image" -initrd "$out/initramfs.cpio"
		-append "console=$console panic=-1 log_buf_len=4M $parameters $cmdline${host_tsc:+ tsc_early_khz=$(tsc_khz)}")
	for device in $devices; do
		command+=(-device "$device")
	done
	command+=($qemu_args -device "virtio-serial-$virtio_bus" -device virtserialport,chardev=verdict,name=verdict
		-chardev "file,id=verdict,path=$out/verdict")
	[ -z "$client" ] || command+=(-device "virtio-9p-$virtio_bus,fsdev=host,mount_tag=host"
		-fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap)
	if [ "$mode" = shell ]; then
		command+=(-serial mon:stdio)
	else
		command+=(-serial "file:$out/console")
	fi
}

stop_machine()
{
	[ -n "${machine_pid:-}" ] || return 0
	kill -KILL "$machine_pid" 2>/dev/null || true
	wait "$machine_pid" 2>/dev/null || true
	machine_pid=
}

is_expected()
{
	local point

	point=$(sed -E 's/^[|]not ok *[0-9]* *(- )?//' <<<"$2")
	grep -qsxF -e "$1 $point" "$out/must-fail"
}

# The points as they come: failures at once, each suite's sum at its end.
# (In the shell, because not every awk reads a pipe line by line.)
show_points()
{
	local line ok bad start name status

	tail -n +1 -s 0.2 -f --pid="$1" "$2" | while IFS= read -r line; do
		line=${line%$'\r'}
		case $line in
		'@suite '*) name=${line#@suite } ok=0 bad=0 start=$SECONDS ;;
		'|ok'*) ok=$((ok + 1)) ;;
		'|not ok'*)
			bad=$((bad + 1))
			say "  ${line#|}$(is_expected "$name" "$line" && echo ' (as it must)')"
			;;
		'='*) say "${line#=}" ;;
		'@exit '*)
			read -r name status <<<"${line#@exit }"
			say "  $name: $ok ok, $bad not ok, exit status $status," \
				"$((SECONDS - start)) s"
			;;
		esac
	done
}

run_machine()
{
	local progress until=$((SECONDS + limit)) command

	qemu_command
	printf '%q ' "${command[@]}" >"$out/command"
	if [ "$mode" = shell ]; then
		"${command[@]}"
		return
	fi
	: >"$out/verdict"
	trap stop_machine EXIT
	trap 'exit 130' INT TERM HUP
	"${command[@]}" </dev/null >"$out/qemu.log" 2>&1 &
	machine_pid=$!
	show_points "$machine_pid" "$out/verdict" &
	progress=$!
	while kill -0 "$machine_pid" 2>/dev/null; do
		if [ $SECONDS -ge $until ]; then
			echo "still running at its time limit of $limit s" >"$out/ended"
			break
		fi
		[ "$(tail -n 1 "$out/verdict" | tr -d '\r\0')" != @end ] || until=$((until < SECONDS + 4 ? until : SECONDS + 4))
		sleep 0.2
	done
	stop_machine
	wait "$progress" || true
	trap - EXIT
}
