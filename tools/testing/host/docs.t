#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The documentation: Sphinx builds the kernel pages without a warning, programs can
# parse the reference, and the pages agree with the kernel's headers.
#
# usage: tools/testing/host/docs.t

set -u

repo=$(cd "$(dirname "$0")/../../.." && pwd -P)
pages=$repo/Documentation/virt/kvm
boot=$repo/tools/testing/boot
parts=$repo/tools/testing/host/docs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$repo/tools/testing/host/tap.sh"
point_log=$work/log
cd "$work" || exit 1

echo "TAP version 13"
"$repo/scripts/packages" base docs >&2 || { echo "Bail out! packages are missing"; exit 1; }
kernel=$("$repo/scripts/base") || { echo "Bail out! there is no kernel tree for kernel-doc"; exit 1; }
. "$parts/sphinx.sh"
. "$parts/reference.sh"
. "$parts/facts.sh"
. "$parts/lists.sh"
echo "1..$points"
[ "$failures" = 0 ]
