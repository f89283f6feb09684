# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the scripts that compile kernels: one source worktree for each base, and one
# object directory for each base, architecture and configuration.
# shellcheck shell=bash
# shellcheck disable=SC2154 # base, tree and config are of the script that sources this file

# The variables that restrict the sanitizers, or gcov, to the folders and files that the architecture
# names.
instrument_args()
{
	local places=instrument_$config variables='KASAN_SANITIZE UBSAN_SANITIZE' variable folders

	[ -n "${!places:-}" ] || return 0
	! has_option "$config" CONFIG_KCSAN=y || variables=KCSAN_SANITIZE
	! has_option "$config" CONFIG_GCOV_KERNEL=y || variables=GCOV_PROFILE
	read -r -a folders <<<"${!places}"
	for variable in $variables; do
		echo "$variable=n"
		(cd "$src" && find "${folders[@]}" -name '*.c' -printf "${variable}_%f\n") |
			sed 's/\.c$/.o=y/' | sort -u
	done
}

make_args()
{
	local instrument

	mapfile -t instrument < <(instrument_args)
	printf '%s\n' ARCH="$karch" CROSS_COMPILE="$cross" O="$obj" LOCALVERSION= KCFLAGS="$kcflags" \
		KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_VERSION=1 \
		KBUILD_BUILD_USER=kvm-stats KBUILD_BUILD_HOST=build "${instrument[@]}"
}

# The makefiles of Linux 5.10 compare the name of a file, those of 7.2 its path from the folder of the
# makefile, which for virt/kvm is arch/*/kvm.
instrument_paths()
{
	local places=instrument_$config folders

	[ -n "${!places:-}" ] || return 0
	read -r -a folders <<<"${!places}"
	(cd "$src" && find "${folders[@]}" -printf 'KASAN_SANITIZE_%P\nKASAN_SANITIZE_../../../%p\n' \
		-printf 'UBSAN_SANITIZE_%P\nUBSAN_SANITIZE_../../../%p\n') | sed -n 's/\.c$/.o=y/p'
}

kernel_make()
{
	local args

	mapfile -t args < <(make_args; instrument_paths)
	make -C "$src" "${args[@]}" "$@"
}

# Switch the worktree to $tree. Files that do not differ keep their time stamps.
checkout_source()
{
	if ! plain_git -C "$src" rev-parse -q --verify HEAD >/dev/null 2>&1; then
		rm -rf "$src"
		plain_git -C "$base" worktree prune
		plain_git -C "$base" worktree add -q --detach "$src" HEAD 2>"$src.log" ||
			die "git cannot make the worktree $src" "$(cat "$src.log")"
	fi
	plain_git -C "$src" read-tree --reset -u "$tree"
}

# Return 0 if $tree has the KUnit tests, and statistics for this architecture. The series for
# 5.10 defines the option of the tests in virt/kvm, the others in lib.
tree_has_kunit()
{
	has_line 'config KVM_STATS_KUNIT_TEST' virt/kvm/Kconfig lib/Kconfig.debug || return
	! has_line 'config HAVE_KVM_STATS_FD' virt/kvm/Kconfig ||
		has_line 'select HAVE_KVM_STATS_FD' "$kvm_dir/Kconfig"
}

# Return 0 if $tree has exit statistics for this architecture.
tree_has_exit_stats()
{
	has_line 'config KVM_EXIT_STATS' virt/kvm/Kconfig &&
		has_line 'select HAVE_KVM_EXIT_STATS' "$kvm_dir/Kconfig"
}

# has_line TEXT PATH...: return 0 if one of these files of $tree has TEXT
has_line()
{
	plain_git -C "$base" grep -q -e "$1" "$tree" -- "${@:2}"
}

# Print the configuration $config, with options that only some trees have. Only the configuration
# `bench` is without exit statistics.
tree_config()
{
	local more=()

	! has_option "$config" CONFIG_KUNIT=y || ! tree_has_kunit || more=(kunit)
	[ "$config" = bench ] || ! tree_has_exit_stats || more+=(exit-stats)
	merged_config "$config" "${more[@]}"
}

configure()
{
	local missing

	if cmp -s "$obj/fragments" <(tree_config) && [ -f "$obj/.config" ]; then
		kernel_make -s olddefconfig >"$log" 2>&1 </dev/null || true
	else
		tree_config >"$obj/fragments"
		run_logged "$log" kernel_make -s KCONFIG_ALLCONFIG="$obj/fragments" allnoconfig
	fi
	missing=$(grep -vxFf "$obj/.config" "$obj/fragments" || true)
	if [ -n "$missing" ]; then
		rm -f "$obj/fragments"
		die "kernel $arch-$config: these lines of the configuration have no effect:" \
			"$missing" "The option does not exist here, or a dependency is missing."
	fi
}

# set_dirs [PURPOSE]: set the directories in which this base, architecture and configuration are
# built. Builds with the same purpose use the same source directory, one build at a time.
# shellcheck disable=SC2120 # not all callers have a purpose
set_dirs()
{
	local version

	version=$(basename "$base")
	obj=$CACHE/obj/$version-$arch-$config${1:+-$1}
	src=$CACHE/tree/$version${1:+-$1}
	log=$obj/build.log
	lock=$src.lock
	mkdir -p "$CACHE"/{tree,kernel} "$obj"
}

lock_dirs()
{
	exec 9>"$lock"
	flock -n 9 || { say "  waiting for another build"; flock 9; }
}

# Print hashes of the parts of $tree from which the kernel is built: not of documents and tests.
kernel_sources()
{
	plain_git -C "$base" ls-tree "$tree" | grep -vE $'\t(Documentation|MAINTAINERS|tools)$'
	plain_git -C "$base" ls-tree "$tree:tools" | grep -v $'\ttesting$'
}

# key PART...: print a hash of everything that a kernel depends on; it is part of its name
key()
{
	local places=instrument_$config

	{
		printf '%s\n' "$@"
		tree_config
		echo "${!places:-}"
		echo "$kcflags"
		$cc --version | head -n 1
		declare -f make_args instrument_args keep_result || true
	} | sha256sum | cut -c 1-16
}

# Keep the 150 results of the architecture that were used last: make check-all uses more than 60 of x86_64.
# Each result has a few MB.
remove_old_results()
{
	# shellcheck disable=SC2012 # the names have no special characters
	ls -td "$CACHE/kernel/$arch-"* | tail -n +151 | xargs -r rm -rf
}
