# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests that need files of Linux 5.10 which the series edits.
# shellcheck shell=bash

# patched_file BASE FILE DIRECTORY: copy FILE of the tree BASE to DIRECTORY, as the series leaves it
patched_file()
{
	local base=$1 file=$2 to=$3 patch

	mkdir -p "$to/${file%/*}" && cp "$base/$file" "$to/$file" || return
	for patch in "$ROOT"/series/5.10/*.patch "$ROOT"/series/5.10-extensions/*.patch; do
		if [ -f "$patch" ] && grep -qF "+++ b/$file" "$patch"; then
			(cd "$to" && git apply --include="$file" "$patch") || return
		fi
	done
}

# install_header BASE FROM TO: as `make headers_install` of BASE does, with the program unifdef in
# the folder scripts
install_header()
{
	mkdir -p "${3%/*}" && sh "$1/scripts/headers_install.sh" "$2" "$3"
}

# install_kvm_headers BASE: install the headers of KVM in the current folder. The folder unpatched
# has those of the tree BASE, the folder patched has those of the kernel with the series.
install_kvm_headers()
{
	local base=$1 arch=x86 set

	[ "$(uname -m)" != aarch64 ] || arch=arm64
	# In C23, a variable of unifdef.c has the name of a keyword, constexpr.
	mkdir -p scripts && gcc -w -std=gnu11 -o scripts/unifdef "$base/scripts/unifdef.c" || return
	for set in unpatched patched; do
		install_header "$base" "$base/arch/$arch/include/uapi/asm/kvm.h" $set/asm/kvm.h || return
	done
	patched_file "$base" include/uapi/linux/kvm.h source &&
		install_header "$base" "$base/include/uapi/linux/kvm.h" unpatched/linux/kvm.h &&
		install_header "$base" source/include/uapi/linux/kvm.h patched/linux/kvm.h &&
		install_header "$base" "$ROOT/include/uapi/linux/kvm_stats.h" patched/linux/kvm_stats.h
}
