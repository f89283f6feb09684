# SPDX-License-Identifier: GPL-2.0-only
# Sourced after common.sh: the architectures, arch/NAME, and their kernel configurations.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the variables are for the scripts that source this file

TESTING=$ROOT/tests
JOBS=${JOBS:-$(($(nproc) + 1))}

# Neither the repository of the caller nor the variables of a make that runs this may have
# an effect on what is built.
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_OBJECT_DIRECTORY
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS CPPFLAGS KCFLAGS CC O V W C

# arch_names: all architectures
arch_names()
{
	ls "$TESTING/arch"
}

# load_arch NAME: set the defaults, then the variables of arch/NAME
load_arch()
{
	arch=$1
	[ -f "$TESTING/arch/$arch" ] ||
		die "there is no architecture '$arch'" "ARCH= names one of: $(arch_names | xargs)"
	cross='' cc='' cc32='' packages=boot-$arch kcflags=''
	karch='' kvm_dir='' image_target='' image_path=''
	config_main="common debug kvm $arch"
	selftests=none tests='kunit stats_abi debugfs_list'
	modules='' debian_arch='' debian_modules='' debian_client_modules='' parameters='' cmdline='' client=''
	qemu='' machine='' memory=512 cpus=2 devices='' virtio_bus=pci cpu='' cpu_kvm=''
	cpu_flag_kvm='' console='' host_tsc='' qemu_args=''
	# shellcheck source=/dev/null
	. "$TESTING/arch/$arch"
	cc=${cc:-${cross}gcc}
}

# print_fragment NAME: print the lines of a fragment of kernel/fragments
print_fragment()
{
	awk -v name="[$1]" '/^\[/ { on = $0 == name } on && /^CONFIG_/' "$TESTING/kernel/fragments" | grep . ||
		die "there is no fragment '$1' in kernel/fragments"
}

# merged_config NAME [FRAGMENT...]: the sorted lines of the fragments of a configuration,
# and of further fragments. @KVM@ in a line is `m` where KVM is a module.
merged_config()
{
	local var=config_$1 list merged kvm=y fragments fragment

	shift
	list=${!var:-}
	[ -n "$list" ] || die "arch/$arch defines no '$var'"
	read -r -a fragments <<<"$list"
	merged=$(for fragment in "${fragments[@]}" "$@"; do print_fragment "$fragment"; done | LC_ALL=C sort -u)
	! grep -q '^CONFIG_KVM.*=m$' <<<"$merged" || kvm=m
	config_of_series <<<"${merged//@KVM@/$kvm}"
}

# config_of_series: replace lines of a configuration as the file `config` of the series says. Each
# line of the file is "LINE [REPLACEMENT]...". A LINE without replacement is left out.
config_of_series()
{
	local list=$ROOT/$SERIES_DIR/config

	[ -f "$list" ] || { cat; return; }
	awk '
	NR == FNR { if (!/^#/ && NF) { line = $1; $1 = ""; new[line] = $0 }; next }
	!($0 in new) { print; next }
	{ n = split(new[$0], words, " "); for (i = 1; i <= n; i++) print words[i] }
	' "$list" - | LC_ALL=C sort -u
}

# has_option NAME LINE: whether the configuration has the line. (Not through a pipe: grep -q
# would end it early, and the writer would fail.)
has_option()
{
	grep -qxF -e "$2" <<<"$(merged_config "$1")"
}
