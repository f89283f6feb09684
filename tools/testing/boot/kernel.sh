# SPDX-License-Identifier: GPL-2.0-only
# Sourced by what compiles kernels: one source worktree per base, and one object
# directory per base, architecture and configuration.

# where kernel-cc is
export PATH=$PATH:$boot_dir

# Where alone KASAN and UBSAN look, of a configuration that names places.
sanitizer_args()
{
	local places=instrument_$config name

	[ -n "${!places:-}" ] || return 0
	echo KASAN_SANITIZE=n UBSAN_SANITIZE=n
	(cd "$src" && find ${!places} -name '*.c' -printf '%f\n') | sort -u | while read -r name; do
		echo "KASAN_SANITIZE_${name%.c}.o=y" "UBSAN_SANITIZE_${name%.c}.o=y"
	done
}

# The same for KCSAN, which one configuration alone has.
kcsan_args()
{
	local places=instrument_$config name

	has_option "$config" CONFIG_KCSAN=y || return 0
	echo KCSAN_SANITIZE=n
	(cd "$src" && find ${!places} -name '*.c' -printf '%f\n') | sort -u | while read -r name; do
		echo "KCSAN_SANITIZE_${name%.c}.o=y"
	done
}

make_args()
{
	echo ARCH="$karch" CROSS_COMPILE="$cross" O="$obj" LOCALVERSION= $(sanitizer_args) \
		KCFLAGS="${kcflags:-}" \
		KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_VERSION=1 \
		KBUILD_BUILD_USER=kvm-stats KBUILD_BUILD_HOST=build
}

# A kernel that is looked into or measured is compiled as kbuild says.
precompiles_headers()
{
	[ "$config" = main ]
}

kernel_make()
{
	make -C "$src" CC="kernel-cc ${cross}gcc" $(make_args) $(kcsan_args) "$@"
}

# Switch the worktree, touching only the files that differ.
checkout_source()
{
	if ! git -C "$src" rev-parse -q --verify HEAD >/dev/null 2>&1; then
		rm -rf "$src"
		git -C "$base" worktree prune
		git -C "$base" worktree add -q --detach "$src" HEAD 2>"$src.log" ||
			die "no worktree at $src: $(cat "$src.log")"
	fi
	git -C "$src" read-tree --reset -u "$tree"
}

# The suite and, without which it is not built, this architecture's tables.
tree_has_kunit()
{
	git -C "$base" cat-file -e "$tree:virt/kvm/kvm_stats_kunit.c" 2>/dev/null &&
		git -C "$base" grep -q HAVE_KVM_STATS_FD "$tree" -- "$kvm_dir/Kconfig"
}

# The configuration of $config with what only some trees have.
tree_config()
{
	local more=

	! has_option "$config" CONFIG_KUNIT=y || ! tree_has_kunit || more=kunit
	merged_config "$config" $more
}

# Those of an architecture with the same compiler and flags: kbuild compiles again what
# another option changes.
begin_with_objects()
{
	local theirs=${obj/-$arch-/-$like-}

	[ -n "$like" ] && [ ! -f "$obj/.config" ] && [ -f "$theirs/.config" ] || return 0
	say "  objects of $like, as far as they go"
	cp -a "$theirs/." "$obj"
	rm -f "$obj/fragments"
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
		die "configuration $arch-$config: these lines of its fragments took no effect" \
		    "(no such symbol here, or a dependency is missing):" $missing
	fi
}

# set_dirs [PURPOSE]: where this base, architecture and configuration are built.
# All of a purpose share the source, one after the other.
set_dirs()
{
	local version

	version=$(basename "$base")
	obj=$cache/obj/$version-$arch-$config${1:+-$1}
	src=$cache/tree/$version${1:+-$1}
	log=$obj/build.log
	lock=$src.lock
	mkdir -p "$cache"/{tree,kernel} "$obj"
}

lock_dirs()
{
	exec 9>"$lock"
	flock -n 9 || { say "  waiting for another build"; flock 9; }
}

# key PART...: names a result after all that it depends on
key()
{
	{
		printf '%s\n' "$@"
		tree_config
		places=instrument_$config
		echo "${!places:-}"
		echo "${kcflags:-}"
		! has_option "$config" CONFIG_KCSAN=y || declare -f kcsan_args
		! precompiles_headers || cat "$boot_dir/kernel-cc" "$boot_dir/common_headers.h"
		$cc --version | head -n 1
		declare -f make_args sanitizer_args configure build_selftests build_doc_example keep_result || true
		cat "$boot_dir/doc_example.c"
	} | sha256sum | cut -c 1-16
}
