#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the documentation: Sphinx builds the kernel pages without a warning, programs can
# parse the reference, and the pages agree with the headers of the kernel. The examples compile
# with the headers of the kernel, of the unpatched kernel and of the build host.
#
# usage: docs.t

set -u

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
DOCS=$ROOT/tools/testing/host/docs
PAGES=$ROOT/Documentation/virt/kvm
REFERENCE_AWK=$ROOT/tools/testing/compare/reference.awk
TAB=$'\t'
# shellcheck source=../lib/example.sh
. "$ROOT/tools/testing/lib/example.sh"
# shellcheck source=../lib/headers.sh
. "$ROOT/tools/testing/lib/headers.sh"
# shellcheck source=docs/sphinx.sh
. "$DOCS/sphinx.sh"
# shellcheck source=docs/reference.sh
. "$DOCS/reference.sh"
# shellcheck source=docs/facts.sh
. "$DOCS/facts.sh"
# shellcheck source=docs/lists.sh
. "$DOCS/lists.sh"

# The working directory of all test cases. Files for one case are written here.
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
tap_log=$WORK/log
cd "$WORK" || exit

"$ROOT/scripts/packages" base docs >&2 || bail_out "packages are missing"
BASE=$("$ROOT/scripts/base") || bail_out "there is no kernel tree for kernel-doc"
# The file api.rst in $WORK has only the text that the series adds to the kernel's file.
api=Documentation/virt/kvm/api.rst
patched_file "$BASE" $api . || bail_out "the series cannot be applied to api.rst"
{
	printf 'api\n===\n\n'
	diff "$BASE/$api" $api | sed -nE 's/^> ?//p'
} >api.rst
install_kvm_headers "$BASE" || bail_out "the headers of KVM cannot be installed"
begin
run_tests test_sphinx
run_tests test_reference_parser
run_tests test_reference
run_tests test_facts
run_tests test_lists
finish
