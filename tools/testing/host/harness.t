#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test how the tests themselves can deceive: machines that hang, results that are incomplete or of
# other sources, injected bugs that are not found, and mutants. Nothing is compiled or booted.
# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
set -u
testing=$ROOT/tools/testing
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit

begin
for module in tap report machine boot kunit variant mutants check results; do
	# shellcheck source=/dev/null
	. "$testing/host/harness/$module.sh"
done
finish
