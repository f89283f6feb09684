#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test the harness itself: the functions of tests, the results of machines that fail in many ways,
# the definitions of boots, the keys of kernels, and the run of all tests. Nothing is compiled or
# booted.
# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
set -u
testing=$ROOT/tools/testing
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit

begin
for module in tap report machine paging hercules boot kunit kernel variant mutants check results; do
	# shellcheck source=/dev/null
	. "$testing/host/harness/$module.sh"
done
finish
