# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: machine/boot: injected bugs that are not found.
# shellcheck shell=bash

# A copy of the runner in $work/boots-repo whose machine sends fake results
mkdir -p boots-repo/{scripts/lib,tools/testing/{machine,boots,kernel/bugs/main,arch}}
printf '#!/bin/sh\n' >boots-repo/tools/testing/kernel/kselftests
chmod +x boots-repo/tools/testing/kernel/kselftests
cp "$ROOT/scripts/lib/common.sh" boots-repo/scripts/lib/
cp -r "$testing/lib" boots-repo/tools/testing/
cp -r "$testing"/arch/* boots-repo/tools/testing/arch/
cp "$testing"/machine/{boot,bugs.sh,report,log-*} boots-repo/tools/testing/machine/
cat >boots-repo/tools/testing/machine/machine.sh <<'EOS'
progress() { :; }
run_machine()
{
	local bug first=${cmdline##*FIRST_BUG=}

	# The two test cases of each bug fail, except one of `harmless`. `leak` and `crash` end the machine.
	echo "the machine starts with $first" >&2
	for bug in $(tr ' ' '\n' <<<"$bugs" | sed -n "/^$first$/,\$p"); do
		printf '@bug %s\n@begin %s:p\n|1..2\n|not ok 1 - case 1\n' $bug $bug
		[ $bug != crash ] || break
		[ $bug = harmless ] && printf "|" || printf "|not "
		printf 'ok 2 - case 2\n@exit %s:p 1\n' $bug
		[ $bug != leak ] || break
	done >"$out/results"
	[ $bug = crash ] || echo @end >>"$out/results"
}
EOS
for bug in a b c d e f leak crash harmless; do
	echo "must fail: p case {1,2}" >boots-repo/tools/testing/kernel/bugs/main/$bug.patch
done
printf '%s\n' 'emulator_packages=' 'describe_emulator() { :; }' >boots-repo/tools/testing/machine/qemu.sh
echo 'make_initramfs() { touch "$out/initramfs.cpio"; }' >boots-repo/tools/testing/machine/initramfs.sh
printf '%s\n' 'build_programs() { :; }' 'choose_programs() { echo "$tests"; }' 'kernel_checkers() { :; }' >boots-repo/tools/testing/machine/programs.sh
mkdir -p "$work/kernel-dir"
touch "$work/kernel-dir/image"

# boot_ends STATUS REGEX ARGUMENT...: boots/b ends with the status and prints REGEX
boot_ends()
{
	local status=0

	NO_INSTALL=1 KERNEL_DIR=$work/kernel-dir boots-repo/tools/testing/boots/b "${@:3}" >said 2>&1 || status=$?
	[ $status = "$1" ] && grep -qE -e "$2" said || { cat said; return 1; }
}

{ head -n 1 "$testing/boots/x86_64"; printf '%s\n' arch=x86_64 client= ; } >boots-repo/tools/testing/boots/b
chmod +x boots-repo/tools/testing/boots/b
check "an unknown key of a boot is refused" boot_ends 1 "'must_fial' is not a key" must_fial=x
check "each injected bug makes its test cases fail" \
	boot_ends 0 '^ok .* b:p: case 2 \(fails, as expected\)' bugs='a b'
check "a machine tests several bugs" test "$(grep -c 'machine starts' said)" = 1
check "after a bug that leaves the modules in use, another machine tests the others" \
	boot_ends 0 'machine starts with b$' bugs='a leak b c'
check "their results are those of one boot" \
	test "$(grep -cx -e '1..10' -e 'ok .*(fails, as expected)' said)" = 9
check "a bug whose test case passes fails the boot" \
	boot_ends 1 '^not ok .* harmless:p: case 2 \(must fail\)' bugs='a harmless'
check "a bug that stops the machine fails the boot" \
	boot_ends 1 '^not ok .* crash:p: runs to its end' bugs='a crash b'
check "after such a bug, another machine tests the others" grep -q '^ok .* b:p: case 2' said
check "an unknown bug is refused" boot_ends 1 "there is no bug 'g'" bugs='a g'

# bugs_of COMMIT: print the bugs that QUICK selects for this commit
bugs_of()
{
	echo "$1" >boots-repo/VERSION
	QUICK=yes boot_ends 1 . bugs=all
	sed -n "s,.*repeat.*: tools/testing/boots/b bugs='\(.*\)',\1,p" said
}

selected=$(bugs_of 1)
check "make check tests eight bugs" test "$(wc -w <<<"$selected")" = 8
check "the same commit selects the same bugs" test "$(bugs_of 1)" = "$selected"
check "another commit selects other bugs" test "$(bugs_of 2)" != "$selected"
