#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The series adds no warning of W=1 or of sparse to KVM.
set -u
boot=$(cd "$(dirname "$0")/../boot" && pwd -P)

echo "TAP version 13"
echo "1..1"
if said=$("$boot/warnings" patched); then
	echo "ok 1 - KVM compiles with W=1 and sparse without a new warning"
else
	echo "not ok 1 - KVM compiles with W=1 and sparse without a new warning"
	printf '%s\n' "$said" | sed 's/^/# /'
	exit 1
fi
