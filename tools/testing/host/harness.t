#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The harness with stand-ins: machines that misbehave are judged, what is built and kept
# has the right keys, and check runs what it should, when it should.
set -u
here=$(cd "$(dirname "$0")/../boot" && pwd -P)
. "$here/common.sh"
. "$here/machine.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
points=0
failed=0

ok()
{
	local what=$1

	shift
	points=$((points + 1))
	if "$@" >"$scratch/out" 2>&1; then
		echo "ok $points - $what"
	else
		failed=1
		echo "not ok $points - $what"
		sed 's/^/# /' "$scratch/out" "$out/judged" "$out/points" 2>/dev/null
	fi
}

echo "TAP version 13"
for room in stand_in judge kernel compiler variant programs manifest kunit check; do
	. "$(dirname "$0")/harness/$room.sh"
done
echo "1..$points"
exit $failed
