# SPDX-License-Identifier: GPL-2.0-only
# Sourced by deb and rpm: the sources that the packages are built from.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the variables are for the scripts that source this file

set -euo pipefail

packaging=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$packaging/../../../.." && pwd)
version=$(cat "$ROOT/VERSION")
# The version of the shared library, for example 1
major=${version%%.*}

# die LINE...
die()
{
	printf 'kvm-stats packages: %s\n' "$@" >&2
	exit 1
}

# need_commands PACKAGES COMMAND...: PACKAGES are the Debian packages that contain the commands
need_commands()
{
	local packages=$1 name

	shift
	for name in "$@"; do
		command -v "$name" >/dev/null ||
			die "there is no command $name. Install the packages $packages."
	done
}

# copy_sources DIRECTORY: copy what the library, kvm-stats and kvm_stat are built from
copy_sources()
{
	rm -rf "$1"
	mkdir -p "$1"
	tar -c -C "$ROOT" --exclude=build --exclude=packaging \
		VERSION CHANGELOG.md COPYING LICENSES include/uapi/linux/kvm_stats.h \
		arch/{x86,arm64}/{kvm/exit_classes.c,include/asm/kvm_exit_classes.h} \
		Documentation/virt/kvm/stats-reference.rst \
		tools/lib/kvmstats tools/kvm/kvm_stat{,s} | tar -x -C "$1"
}
