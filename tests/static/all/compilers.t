#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build all programs with -Werror by the gcc of this machine, of Debian 13 and of sid, with -O0, -O2
# and -O3: each version of gcc has other warnings at each level. The gcc of a release runs in a
# chroot, which the cache keeps for a week.
#
# usage: compilers.t

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../../../scripts/lib/common.sh
. "$ROOT/scripts/lib/common.sh"
# shellcheck source=../../../scripts/lib/debian.sh
. "$ROOT/scripts/lib/debian.sh"
# shellcheck source=../../lib/debian_root.sh
. "$ROOT/tests/lib/debian_root.sh"
set +e

out=$ROOT/build/compilers-test
packages=gcc,gcc-multilib,jq,libc6-dev,libc6-dev-i386,make
packages+=,clang,libbpf-dev,libmicrohttpd-dev,libncurses-dev,libseccomp-dev,libzstd-dev,zlib1g-dev
unreachable='Could not (connect|resolve)|Temporary failure resolving|Connection (failed|refused|timed out)'

# build_all OUT LEVEL: compile all programs and libraries, from the current directory.
# It runs in a shell of its own, where it is the only function.
build_all()
{
	local out=$1 make=(nice make -s -j2 "CFLAGS=$2" WERROR=1) example

	rm -rf "$out"
	"${make[@]}" -C tools/lib/kvmstats O="$out/tools/lib" all checked-programs
	"${make[@]}" -C tools/kvm/kvm_stats O="$out/tools" all kvm-stats.static checked-programs vmms
	"${make[@]}" -C tools/kvm/kvm_stat O="$out/kvm_stat" all kvm_stat.static checked-programs
	"${make[@]}" -C tests/programs OUT="$out/programs"
	"${make[@]}" -C tests/bench OUT="$out/bench"
	for example in tools/lib/kvmstats/examples/*.c tests/machine/tsc_khz.c; do
		gcc -std=gnu11 "$2" -Wall -Wextra -Werror -Itools/lib/kvmstats -c -o "$out/example.o" "$example"
	done
}

# The build is complete, too: it leaves nothing out because a library is missing.
builds()
{
	"$@" "set -eu; $(declare -f build_all); build_all $OUT $level" >"$out/log" 2>&1 </dev/null &&
		! grep 'built without' "$out/log" >"$out/why" && return
	grep -E 'error|warning|without|\*\*\*' "$out/log" >"$out/why" || tail -n 20 "$out/log" >"$out/why"
	return 1
}

# level_tests NAME COMMAND...: the command runs a script with the compiler NAME, in a copy of the sources
level_tests()
{
	local name=$1 level

	shift
	echo "# $name: $("$@" 'gcc --version | head -n 1')"
	for level in -O0 -O2 -O3; do
		builds "$@"
		tap_log=$out/why result $? "all programs build with the gcc of $name, $level and -Werror"
	done
}

# make_root RELEASE: set `root` to a chroot with gcc and the libraries. The earlier ones are removed.
make_root()
{
	local dir=$CACHE/compilers

	root=$dir/$1-$(date +%G-%V)-$(cksum <<<"$packages" | cut -d' ' -f1)
	[ ! -d "$root" ] || return 0
	mkdir -p "$dir" "$out/$1"
	rm -rf "$dir/new-$1"
	(set -e; debian_root "$1" "$dir/new-$1" "$out/$1" "$packages") 2>"$out/$1/error" || return
	rm -rf "$dir/$1-"*
	mv "$dir/new-$1" "$root"
}

copy_sources()
{
	rm -rf "$1" && mkdir -p "$1" &&
	(cd "$ROOT" && git ls-files -z --cached --others --exclude-standard VERSION tools tests include virt arch Documentation |
		tar -c --null --ignore-failed-read -T - 2>/dev/null) | tar -x -C "$1"
}

release_tests()
{
	local root

	if ! make_root "$1"; then
		if grep -qE "$unreachable" "$out/$1/chroot.log"; then
			skip "all programs build with the gcc of $1" "the mirror cannot be reached"
		else
			tap_log=$out/$1/error result 1 "a chroot of $1 can be made"
		fi
		return
	fi
	copy_sources "$root/root/kvm-stats"
	result $? "the chroot of $1 has a copy of the sources"
	OUT=/root/kvm-stats/build level_tests "$1" "$ROOT/tests/release/enter" "$root" bash -c
	rm -rf "$root/root/kvm-stats"
}

mkdir -p "$out"
with_lock "$CACHE/compilers.lock"
"$ROOT/scripts/packages" boot-tests boot-client tools >&2 || bail_out "packages cannot be installed"
begin
cd "$ROOT" || exit
OUT=$out/native run_tests level_tests "this machine" bash -c
for release in trixie sid; do
	if [ "$(id -u)" != 0 ]; then
		skip "all programs build with the gcc of $release" "only root can make a chroot"
	elif ! "$ROOT/scripts/packages" release >&2; then
		result 1 "mmdebstrap can be installed"
	else
		run_tests release_tests "$release"
	fi
done
finish
