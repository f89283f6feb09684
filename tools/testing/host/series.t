#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the scripts of the series on a small sample kernel: writing, verifying, editing and
# refreshing a series, and the error messages.
#
# usage: series.t

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=series/cases.sh
. "$ROOT/tools/testing/host/series/cases.sh"
# shellcheck source=series/sample.sh
. "$ROOT/tools/testing/host/series/sample.sh"
# shellcheck source=series/mails.sh
. "$ROOT/tools/testing/host/series/mails.sh"
# shellcheck source=series/check.sh
. "$ROOT/tools/testing/host/series/check.sh"
# shellcheck source=series/edit.sh
. "$ROOT/tools/testing/host/series/edit.sh"
# shellcheck source=series/base.sh
. "$ROOT/tools/testing/host/series/base.sh"
# shellcheck source=series/user.sh
. "$ROOT/tools/testing/host/series/user.sh"
# shellcheck source=series/extend.sh
. "$ROOT/tools/testing/host/series/extend.sh"
# shellcheck source=series/newer.sh
. "$ROOT/tools/testing/host/series/newer.sh"
# shellcheck source=series/cover.sh
. "$ROOT/tools/testing/host/series/cover.sh"
# shellcheck source=series/release.sh
. "$ROOT/tools/testing/host/series/release.sh"

# Each case has a copy of the sample kernel, $K, and of the sample repository, the current
# directory, and an empty cache.
prepare_case()
{
	cp -a "$WORK/template/." .
	K=$PWD/kernel
	export KVM_STATS_CACHE=$PWD/cache
	cd repo || return
}

export GIT_AUTHOR_DATE='2021-05-01 12:00:00 +0000' GIT_COMMITTER_DATE='2021-05-01 12:00:00 +0000'
unset KVM_STATS_TREES

begin
run_tests make_template
run_tests add_mail_tests
run_tests add_check_tests
run_tests add_edit_tests
run_tests add_base_tests
run_tests add_user_tests
run_tests add_extend_tests
run_tests add_newer_tests
test_case 'the checks of the cover letter report wrong statements' t_letter_checks
run_tests add_release_tests
run_tests run_cases
finish
