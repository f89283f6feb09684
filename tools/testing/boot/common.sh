# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the scripts here: where things are, and how to speak.

# A failure within $(...) is one.
shopt -s inherit_errexit

boot_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
repo=$(cd "$boot_dir/../../.." && pwd -P)
cache=${KVM_STATS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kvm-stats}
build_dir=$repo/build/boot
jobs=${JOBS:-$(($(nproc) + 1))}

# Neither a caller's repository nor his settings are to matter here, nor the
# variables of a make that runs this.
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_OBJECT_DIRECTORY
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS CPPFLAGS KCFLAGS CC O V W C

git()
{
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 command git "$@"
}

say()
{
	printf '%s\n' "$*" >&2
}

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# run_logged LOG COMMAND...: quiet when it works, the log's tail when not
run_logged()
{
	local log=$1

	shift
	"$@" >"$log" 2>&1 </dev/null && return
	tail -n 25 "$log" >&2
	die "failed: $* (whole log: $log)"
}

# What a boot may have different from its architecture.
settable='qemu machine memory cpus cpu devices modules parameters virtio_bus console cmdline client'

# load_arch NAME: the variables of arch/NAME; what it does not set is as here
load_arch()
{
	arch=$1
	[ -f "$boot_dir/arch/$arch" ] ||
		die "no architecture '$arch'; there are: $(ls "$boot_dir/arch" | xargs)"
	cross= cc= cc32= like= packages=boot-$arch
	config_main="common debug kvm $arch"
	modules= selftests=none client= tests='kunit stats_abi read_fuzz stats_reference debugfs_list'
	memory=512 cpus=2 devices= virtio_bus=pci cpu_tcg= cpu_kvm= cpu_flag_kvm= parameters= cmdline= host_tsc= qemu_args=
	# shellcheck disable=SC1090
	. "$boot_dir/arch/$arch"
	cc=${cc:-${cross}gcc}
}

# merged_config NAME [FRAGMENT...]: the fragments of a named configuration and
# those, sorted
merged_config()
{
	local var=config_$1 list merged kvm=y

	shift
	list=${!var:-}
	[ -n "$list" ] || die "arch/$arch has no '$var'"
	merged=$(cd "$boot_dir/config" && sed '/^#/d' $list "$@" | LC_ALL=C sort -u)
	! grep -q '^CONFIG_KVM.*=m$' <<<"$merged" || kvm=m
	echo "${merged//@KVM@/$kvm}"
}

# has_option NAME LINE: is it in a named configuration? What is read to its end
# cannot fail for having been read in part, which a pipe to grep -q does now and then.
has_option()
{
	grep -qxF -e "$2" <<<"$(merged_config "$1")"
}
