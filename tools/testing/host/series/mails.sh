# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: scripts/series writes mails, or refuses a series.
# shellcheck shell=bash

apply_mails()
{
	scripts/series
	git -C "$K" checkout -q -b try base
	git -C "$K" am -q "$PWD/$MAILS"/*.patch
}

t_applies()
{
	apply_mails
	diff <(git -C "$K" log --format=%T base..main) <(git -C "$K" log --format=%T base..try)
}

t_messages()
{
	apply_mails
	diff <(git -C "$K" log --format=%s base..main) <(git -C "$K" log --format=%s base..try)
	[ "$(git -C "$K" log -1 --format=%b)" = 'Ein Wörtchen.

Signed-off-by: Test Person <test@example.org>' ]
}

t_form()
{
	scripts/series
	grep -qE '^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001$' "$MAILS"/0001-*
	grep -qx 'Subject: \[PATCH 1/3\] KVM: stats: Begin' "$MAILS"/0001-*
	grep -qx 'From: Test Person <test@example.org>' "$MAILS"/0001-*
	grep -qE '^ 3 files changed, 33 insertions\(\+\), 1 deletion\(-\)$' "$MAILS"/0001-*
	grep -qx -- '-- ' "$MAILS"/0001-*
	[ "$(grep -c "^index " "$MAILS"/0003-*)" = 3 ]
	grep -qE "^index c89a2f6560dc\.\.[0-9a-f]{12} 100644$" "$MAILS"/0003-*
	for mail in "$MAILS"/*.patch; do
		sed -n 's/^diff --git .* b\///p' "$mail" >paths
		diff paths <(LC_ALL=C sort paths)
	done
	[ "$(grep -c '^diff --git' "$MAILS"/0002-*)" = 4 ]
	sed '/^$/q' "$MAILS"/0002-* >headers
	lacks -E '.{79}' headers
	lacks some@example.org "$MAILS"/*
}

t_cover()
{
	scripts/series
	grep -qx 'Subject: \[PATCH 0/3\] KVM: A cover' "$MAILS"/0000-*
	grep -qx 'Cover text.' "$MAILS"/0000-*
	grep -qx 'Test Person (3):' "$MAILS"/0000-*
	grep -qE '^ include/linux/kvm_stats.h +\| +31 \++$' "$MAILS"/0000-*
	grep -qx 'base: Linux 5.10.7, tested on 5.10.7' "$MAILS"/0000-*
}

t_no_kernel()
{
	scripts/series
	scripts/series-verify --cached "$MAILS" 2>&1 | grep -q 'the mails were not checked'
}

t_same_again()
{
	scripts/series build/one
	scripts/series build/two
	diff -r build/one build/two
}

t_stale_mails()
{
	scripts/series
	rm series/5.10/0003-*
	sed -i 's/^three-fifteen$/315/' include/linux/kvm_stats.h
	sed -i 's/^four-ten$/410/' virt/kvm/kvm_stats.c
	scripts/series
	[ "$(ls "$MAILS")" = "$(printf '%s\n' 0000-cover-letter.txt 0001-KVM-stats-Begin.patch \
		"${PATCH2##*/}")" ]
}

t_git_apply()
{
	git -C "$K" checkout -q base
	for patch in series/5.10/0*.patch; do
		git apply --numstat "$patch"
	done
	git -C "$K" apply --check "$PWD"/series/5.10/0001-*.patch
}

t_no_identity()
{
	: >"$GIT_CONFIG_GLOBAL.none"
	GIT_CONFIG_GLOBAL=$GIT_CONFIG_GLOBAL.none \
		refuses 'git config --global user.email' -- scripts/series
	[ ! -e "$MAILS" ]
}

t_unowned()
{
	echo x >include/linux/stray.h
	git add include/linux/stray.h
	refuses 'include/linux/stray.h belongs to no patch' -- scripts/series
}

t_owned_twice()
{
	sed -i 's,^---$,---\nadd include/linux/kvm_stats.h,' "$PATCH2"
	refuses 'include/linux/kvm_stats.h belongs to two patches' -- scripts/series
}

t_missing()
{
	rm virt/kvm/kvm_stats.c
	refuses 'virt/kvm/kvm_stats.c is listed by' 'no such file' -- scripts/series
}

t_outside()
{
	sed -i 's,^---$,---\nadd Makefile,' "$PATCH2"
	refuses 'Makefile is outside' -- scripts/series
}

t_missing_edit()
{
	sed -i 's/^three-ten$/something else/' include/linux/kvm_stats.h
	refuses '0002-' 'include/linux/kvm_stats.h' 'cannot undo its edit' -- scripts/series
	[ ! -e "$MAILS" ]
}

t_edit_too_early()
{
	sed -i 's,^add include/linux/kvm_stats.h$,,' series/5.10/0001-*
	sed -i 's,^---$,---\nadd include/linux/kvm_stats.h,' series/5.10/0003-*
	refuses 'edits include/linux/kvm_stats.h' 'expected the edit in a later patch' \
		-- scripts/series
}

t_bad_form()
{
	sed -i '0,/^Body.$/s//Body.\nSigned-off-by: A <a@example.org>/' "$PATCH2"
	refuses '0002-' ':4: a sign-off' -- scripts/series
	git checkout -q series
	sed -i 's/^---$//' "$PATCH2"
	refuses '0002-' 'git am would read this line of the message as a diff' -- scripts/series
	git checkout -q series
	sed -i 's/^---$/---\nremove virt/' "$PATCH2"
	refuses 'expected "add PATH" or a diff, found: remove virt' -- scripts/series
	git checkout -q series
	sed -i '1s/^/[x] /' "$PATCH2"
	refuses ':1: the subject starts with [' -- scripts/series
	git checkout -q series
	git mv series/5.10/0003-* series/5.10/0004-last.patch
	refuses '0004-last.patch has the wrong number' -- scripts/series
}

add_mail_tests()
{
	test_case 'git am of the mails gives the tree of each commit' t_applies
	test_case 'git am of the mails gives the message of each commit, also long or not ASCII' \
		t_messages
	test_case 'the mails have the format of git format-patch' t_form
	test_case 'the cover letter has the list of patches, diffstat and base' t_cover
	test_case 'series needs no kernel; series-verify reports that mails were not checked' \
		t_no_kernel
	test_case 'two runs write the same mails' t_same_again
	test_case 'mails of removed patches are removed' t_stale_mails
	test_case 'git apply accepts patch files' t_git_apply
	test_case 'series writes no mails without the name and address of the sender' t_no_identity
	test_case 'series refuses a whole file that no patch adds' t_unowned
	test_case 'series refuses a whole file that two patches add' t_owned_twice
	test_case 'series refuses a listed file that does not exist' t_missing
	test_case 'series refuses a whole file outside the kernel directories' t_outside
	test_case 'series refuses a whole file without the edits of later patches' t_missing_edit
	test_case 'series refuses an edit before the patch that adds the file' t_edit_too_early
	test_case 'series refuses malformed patch files, with file and line' t_bad_form
}
