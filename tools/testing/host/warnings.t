#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test that the series causes no new warning about KVM, neither of the compiler (W=1) nor of
# sparse.
#
# usage: warnings.t	(ARCH= selects an architecture)

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

begin
check "KVM compiles with W=1 and sparse without a new warning" \
	"$ROOT/tools/testing/kernel/warnings" patched
finish
