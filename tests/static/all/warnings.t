#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test that the series causes no new warning about KVM, neither of the compiler (W=1) nor of
# sparse (C=1). Warnings that the base causes, too, are ignored.
#
# usage: warnings.t	(ARCH= selects an architecture)

# shellcheck source=../../../scripts/lib/common.sh
. "$(dirname "$0")/../../../scripts/lib/common.sh"
# shellcheck source=../../lib/tap.sh
. "$ROOT/tests/lib/tap.sh"
# shellcheck source=../../lib/arch.sh
. "$ROOT/tests/lib/arch.sh"
# shellcheck source=../../kernel/variant.sh
. "$TESTING/kernel/variant.sh"
# shellcheck source=../../kernel/kernel.sh
. "$TESTING/kernel/kernel.sh"

# without_lines LOG: print the warnings without line numbers, which change with each inserted
# line
without_lines()
{
	{ grep -aE '(warning|error):' "$1" || true; } |
		sed -E "s,$src/,,; s,^.*/\.\./,,; s/:[0-9]+(:[0-9]+)?:/:/" | LC_ALL=C sort -u
}

# warnings_of VARIANT: print the path of the file with the warnings. -Werror of powerpc and
# MIPS is off, because the base has warnings with W=1.
warnings_of()
{
	local variant=$1 tree result

	tree=$(variant_tree "$variant")
	result=$CACHE/kernel/$arch-warnings-$(key "$tree" "$(cat "$0")")
	if [ ! -f "$result" ]; then
		say "warnings $arch $variant: compile KVM with W=1 C=1"
		checkout_source
		configure
		rm -rf "$obj/${kvm_dir:?}" "$obj/virt"
		run_logged "$log" kernel_make -j"$JOBS" W=1 C=1 KBUILD_MODULES=1 ccflags-remove-y=-Werror \
			"$kvm_dir/" virt/
		grep -q CHECK "$log" || die "sparse checked no file" "The whole log is $log"
		without_lines "$log" >"$result.new"
		mv "$result.new" "$result"
	fi
	echo "$result"
}

# Print the new warnings. Returns 1 if there are any.
new_warnings()
{
	local before after

	lock_dirs
	before=$(warnings_of unpatched)
	after=$(warnings_of patched)
	! comm -13 "$before" "$after" | grep .
}

# shellcheck disable=SC2034 # kernel.sh uses it
config=main
load_arch "${ARCH:-x86_64}"
need_packages kernel warnings "$packages"
base=$(base_tree)
set_dirs warnings
begin
check "KVM compiles with W=1 and sparse without a new warning for $arch" new_warnings
finish
