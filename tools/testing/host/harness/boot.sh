# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: machine/boot and the definitions in boots/.
# shellcheck shell=bash

# Make a copy of the runner in $work/boots-repo whose machine prints its variables.
mkdir -p boots-repo/{scripts/lib,tools/testing/{machine,boots,kernel/bugs/main,arch}}
cp "$ROOT/scripts/lib/common.sh" boots-repo/scripts/lib/
cp -r "$testing/lib" boots-repo/tools/testing/
cp -r "$testing"/arch/* boots-repo/tools/testing/arch/
cp "$testing"/machine/{boot,bugs.sh,report,log-*} boots-repo/tools/testing/machine/
cat >boots-repo/tools/testing/machine/machine.sh <<'EOS'
progress() { :; }
run_machine()
{
	[ -z "$bugs" ] || { send_bugs >"$out/results"; return; }
	echo "$(describe_emulator) runs arch=$arch machine=$machine cpu=$cpu memory=$memory cmdline=$cmdline tests=$test_programs"
	cat "$out/must-fail"
	echo "environment: $env"
	echo "series: $SERIES_DIR${KERNEL:+ $KERNEL}"
	exit
}

# The two test cases of each bug fail, except one of `harmless`. `leak` and `crash` end the machine.
send_bugs()
{
	local bug first=${cmdline##*FIRST_BUG=}

	echo "the machine starts with $first" >&2
	for bug in $(tr ' ' '\n' <<<"$bugs" | sed -n "/^$first$/,\$p"); do
		printf '@bug %s\n@begin %s:p\n|1..2\n|not ok 1 - case 1\n' $bug $bug
		[ $bug != crash ] || return 0
		[ $bug = harmless ] && printf "|" || printf "|not "
		printf 'ok 2 - case 2\n@exit %s:p 1\n' $bug
		[ $bug != leak ] || break
	done
	echo @end
}
EOS
for bug in a b c d e f leak crash harmless; do
	echo "must fail: p case {1,2}" >boots-repo/tools/testing/kernel/bugs/main/$bug.patch
done
for emulator in qemu bochs; do
	printf '%s\n' 'emulator_packages=' "describe_emulator() { echo $emulator; }" >boots-repo/tools/testing/machine/$emulator.sh
done
echo 'make_initramfs() { touch "$out/initramfs.cpio"; }' >boots-repo/tools/testing/machine/initramfs.sh
printf '%s\n' 'build_programs() { :; }' 'choose_programs() { echo "$tests"; }' 'kernel_checkers() { :; }' >boots-repo/tools/testing/machine/programs.sh
mkdir -p "$work/kernel-dir"
touch "$work/kernel-dir/image"

# define_boot LINE...: write boots/b with these lines
define_boot()
{
	{
		head -n 1 "$testing/boots/x86_64"
		printf '%s\n' "$@"
	} >boots-repo/tools/testing/boots/b
	chmod +x boots-repo/tools/testing/boots/b
}

# boot_prints REGEX ARGUMENT...: boots/b succeeds
boot_prints()
{
	local regex=$1

	shift
	NO_INSTALL=1 KERNEL_DIR=$work/kernel-dir boots-repo/tools/testing/boots/b "$@" >said 2>&1 &&
		grep -qE -e "$regex" said || { cat said; return 1; }
}

# boot_refuses REGEX ARGUMENT...: boots/b fails with a message
boot_refuses()
{
	local regex=$1

	shift
	! NO_INSTALL=1 KERNEL_DIR=$work/kernel-dir boots-repo/tools/testing/boots/b "$@" >said 2>&1 &&
		grep -qE -e "$regex" said || { cat said; return 1; }
}

define_boot arch=ppc64le machine=pseries,x=y cpu=POWER8 "cmdline='a b=c'" "tests='one two'" \
	"env='A=1 B=2'" "must_fail='" '	one case a' "	two case b'"
check "a boot has its own machine and CPU" boot_prints 'arch=ppc64le machine=pseries,x=y cpu=POWER8 '
check "a value can have blanks" boot_prints 'cmdline=a b=c tests=one two'
check "a value can have several lines" boot_prints '^two case b$'
check "a boot can set the environment of its tests" boot_prints '^environment: A=1 B=2$'
check "a key that a boot does not define has the value of the architecture" boot_prints "memory=$(sed -n 's/^memory=//p' "$testing/arch/ppc64le") "
check "the command line replaces a value" boot_prints 'memory=77 .*tests=x y' memory=77 'tests=x y'
check "a boot runs from another directory" eval 'cd / && (cd "$work" && boot_prints arch=ppc64le)'
cd "$work" || exit
check "an unknown key on the command line is refused" boot_refuses "'busybox' is not a key" busybox=/bin/true
check "an argument that is not KEY=VALUE is refused" boot_refuses "'all' is not KEY=VALUE" all
check "an unknown option is refused" boot_refuses "unknown option '--fast'" --fast
define_boot arch=x86_64 emulator=bochs
check "a boot chooses its emulator" boot_prints '^bochs runs arch=x86_64'
define_boot arch=x86_64 series=7.2
check "a boot chooses its series" boot_prints '^series: series/7.2$'
export KERNEL=/linux-5.10
check "a boot of another series ignores KERNEL" boot_prints '^series: series/7.2$'
define_boot arch=x86_64
check "other boots use KERNEL" boot_prints '^series: series/5.10-extensions /linux-5.10$'
unset KERNEL
define_boot arch=x86_64 emulator=simics
check "an unknown emulator is refused" boot_refuses "there is no emulator 'simics'"
define_boot arch=x86_64 test=all
check "an unknown key of a boot is refused" boot_refuses "'test' is not a key"
define_boot arch=x86_64 client=
check "each injected bug makes its test cases fail" \
	boot_prints '^ok .* b:p: case 2 \(fails, as expected\)' bugs='a b'
check "a machine tests several bugs" test "$(grep -c 'machine starts' said)" = 1
check "after a bug that leaves the modules in use, another machine tests the others" \
	boot_prints 'machine starts with b$' bugs='a leak b c'
check "their results are those of one boot" \
	test "$(grep -cx -e '1..10' -e 'ok .*(fails, as expected)' said)" = 9
check "a bug whose test case passes fails the boot" \
	boot_refuses '^not ok .* harmless:p: case 2 \(must fail\)' bugs='a harmless'
check "a bug that stops the machine fails the boot" \
	boot_refuses '^not ok .* crash:p: runs to its end' bugs='a crash b'
check "after such a bug, another machine tests the others" grep -q '^ok .* b:p: case 2' said
check "an unknown bug is refused" boot_refuses "there is no bug 'g'" bugs='a g'

# bugs_of COMMIT: print the bugs that QUICK selects for this commit
bugs_of()
{
	echo "$1" >boots-repo/VERSION
	QUICK=yes boot_refuses . bugs=all
	sed -n "s,.*repeat.*: tools/testing/boots/b bugs='\(.*\)',\1,p" said
}

selected=$(bugs_of 1)
check "make check tests eight bugs" test "$(wc -w <<<"$selected")" = 8
check "the same commit selects the same bugs" test "$(bugs_of 1)" = "$selected"
check "another commit selects other bugs" test "$(bugs_of 2)" != "$selected"
define_boot arch=vax
check "an unknown architecture is refused" boot_refuses "there is no architecture 'vax'"

# The definitions of the repository.
keys_are_known()
{
	local boot status=0 key

	for boot in "$testing"/boots/* "$testing"/boots/all/*; do
		[ -f "$boot" ] || continue
		[ -x "$boot" ] && [ -f "$testing/arch/$(sed -n 's/^arch=//p' "$boot")" ] || { echo "$boot"; status=1; }
		for key in $(sed -nE 's/^([A-Za-z_0-9]+)=.*/\1/p' "$boot"); do
			grep -q "^#   .*\b$key\b" "$testing/machine/boot" || { echo "$boot: $key"; status=1; }
		done
	done
	return $status
}

check "all boots are executable and have documented keys" keys_are_known
