#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Run `make run` on a new installation of Debian 13, with its compiler, QEMU and libraries.
#
# usage: debian_13.t
# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
set -u
what="make run works on a new installation of Debian 13"

begin
if [ "$(id -u)" = 0 ]; then
	tap_log=$ROOT/build/release-check/debian_13.log
	mkdir -p "${tap_log%/*}"
	"$ROOT/tests/release/check-release" --run trixie >"$tap_log" 2>&1
	status=$?
	tail -n 20 "$tap_log" >"$tap_log.end"
	tap_log=$tap_log.end result $status "$what"
else
	skip "$what" "only root can make the chroot"
fi
finish
