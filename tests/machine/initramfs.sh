# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot: the root file system of the test machine, $out/initramfs.cpio.
# shellcheck shell=bash

boot_env()
{
	cat <<-END
	export BOOT_ARCH=$arch
	export BOOT_VARIANT=${variant%%+*}
	export BOOT_SERIES=$SERIES
	export BOOT_HOST=/host
	export BOOT_KERNEL=/tmp/boot/kernel
	export BOOT_GUEST_INITRD=/tmp/boot/guest.cpio
	BOOT_MODE=$mode
	BOOT_CLIENT=$client
	BOOT_RESULTS=$results_port
	BOOT_MODULES='$modules'
	BOOT_TESTS='$test_programs'
	BOOT_BUGS='$bugs'
	BOOT_TEST_TIME=$time
	END
	# shellcheck disable=SC2086 # words
	[ -z "$env" ] || printf 'export %q\n' $env
}

# compiler_of_kvm_stats: print the compiler, which finds the libraries that $bpf needs
compiler_of_kvm_stats()
{
	local package

	echo "$cc"
	[ -z "$bpf" ] || [ -z "$cross" ] || for package in libbpf-dev libelf-dev zlib1g-dev libzstd-dev; do
		echo "-B$("$TESTING/lib/unpack" "$package" "$debian_arch")/usr/lib/$("$cc" -print-multiarch)"
	done
}

# add_kvm_stats TARGET FILE [VARIABLE=VALUE]...: build kvm-stats for the architecture and copy it.
# What was built before libbpf was installed is not built again, so $bpf has a folder of its own.
add_kvm_stats()
{
	local built=$ROOT/build/testing/kvm-stats-$arch${bpf:+-bpf} target=$1 file=$2 compiler

	shift 2
	compiler=$(compiler_of_kvm_stats | xargs)
	run_logged "$out/kvm-stats.log" flock "$built.lock" make -C "$ROOT/tools/kvm/kvm_stats" \
		O="$built" CC="$compiler" HTTP=yes ${bpf:+BPF=yes} "$@" "$built/$target"
	cp "$built/$target" "$file"
}

# What the programs host_file and host_file_exits need: the tests of the BPF programs, the relay, which one
# of them starts, and the groups of the system.
host_file_files()
{
	local name

	for name in host_file_test exits_test; do
		add_kvm_stats tests/$name "$root/tests/$name" TEST_LDFLAGS=-static LDFLAGS=-static
	done
	add_kvm_stats kvm-stats-relay "$root/tests/kvm-stats-relay" LDFLAGS=-static
	mkdir "$root/etc"
	printf 'root:x:0:\nkvm-stats:x:995:\n' >"$root/etc/group"
}

# in_client_root COMMAND...: only root can change the root directory.
in_client_root()
{
	if [ "$client_root" = / ]; then
		"$@"
	else
		chroot "$client_root" "$@"
	fi
}

# Print the paths of QEMU and of the libraries of QEMU and kvm-stats-http. Libraries that only the
# build host has are left out.
client_programs()
{
	local qemu

	qemu=$(in_client_root sh -c 'command -v qemu-system-x86_64')
	{
		echo "$qemu"
		{ in_client_root ldd "$qemu"; ldd "$root/boot/kvm-stats-http"; } | grep -oE '/[^ ]+'
	} | { in_client_root xargs realpath -qe || true; } | sort -u
}

# What the program kvm_stat needs: the kernel's kvm_stat, and that of this repository.
kvm_stat_files()
{
	local tree built=$ROOT/build/testing/kvm_stat-$arch

	read -r _ tree <"$kernel/built-from"
	plain_git -C "$("$ROOT/scripts/base")" show "$tree:tools/kvm/kvm_stat/kvm_stat" >"$root/boot/kvm_stat.py"
	run_logged "$out/kvm_stat.log" flock "$built.lock" make -C "$ROOT/tools/kvm/kvm_stat" \
		O="$built" CC="$cc" kvm_stat.static
	cp "$built/kvm_stat.static" "$root/boot/"
}

# What the programs that test QEMU and kvm-stats need. Set client_root, the directory that the
# machine sees.
client_files()
{
	client_root=$("$TESTING/machine/client-root" "$client")
	# kvm-stats-http runs in the root directory of the client: it cannot be linked statically,
	# because Debian's libmicrohttpd needs GnuTLS.
	cp "$root/bin/kvm-stats" "$root/boot/"
	add_kvm_stats kvm-stats-http "$root/boot/kvm-stats-http"
	cp "$ROOT"/tools/kvm/kvm_stats/share/{kvm-stats.service,perfmon.conf} "$root/boot/"
	cp "$kernel/image" "$root/boot/kernel"
	run_logged "$out/guest.log" "$TESTING/programs/linux/mk-initrd" "$root/bin/busybox" "$root/boot/guest.cpio"
	[[ " $test_programs " != *" kvm_stat "* ]] || kvm_stat_files
	mkdir "$root/files"
	client_programs | sed 's,^/,,' | (cd "$client_root" && xargs cp --parents -t "$root/files")
}

# KVM's modules, those of the kernel and those of the series, and the command that exchanges them.
# busybox's modprobe does not have the option --show-depends.
exchange_files()
{
	cp -r "$kernel/lib" "$root/lib"
	cp "$ROOT/tools/kvm/kvm_stats/modules/kvm-stats-modules" "$root/bin/"
	cat >"$root/bin/modprobe" <<-'END'
	#!/bin/sh
	for name in kvm "$2"; do
		echo "insmod $(echo /lib/modules/*/updates/dkms/"$(echo $name | tr _ -)".ko)" \
			$(tr ' ' '\n' </proc/cmdline | sed -n "s/^$name\.//p")
	done
	END
	chmod +x "$root/bin/modprobe"
}

make_initramfs()
{
	local root=$out/root busybox

	busybox=$("$TESTING/machine/busybox" --arch "$arch")
	mkdir -p "$root"/{bin,tests,modules,boot} "$programs"
	cp "$busybox" "$root/bin/busybox"
	ln -s busybox "$root/bin/sh"
	ln -s busybox "$root/bin/awk"
	cp "$TESTING/machine/init" "$root/init"
	find "$kernel/modules" -name '*.ko' -exec cp {} "$root/modules/" \;
	[ ! -d "$kernel/lib" ] || exchange_files
	bug_files
	find "$programs" ${kselftests:+"$kselftests"} -maxdepth 1 -type f \
		\( -perm -100 -o -name '*.list' -o -name '*.sh' \) -exec cp {} "$root/tests/" \;
	if [ -f "$kernel/mutants.list" ]; then
		cp "$kernel/mutants.list" "$root/tests/"
		awk -f "$TESTING/mutants/expand.awk" "$TESTING/mutants/$arch.list" >"$root/tests/mutants-known.list"
	fi
	[[ -z $client$bpf && " $test_programs " != *" kvm_stats_cli "* ]] ||
		add_kvm_stats kvm-stats.static "$root/bin/kvm-stats"
	[ -z "$bpf" ] || host_file_files
	[ -z "$client" ] || client_files
	boot_env >"$root/boot.env"
	"$TESTING/machine/mk-cpio" "$root" "$out/initramfs.cpio"
	rm -rf "$root"
}
