# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: scripts/tree, which creates a kernel tree with a commit for each patch,
# and scripts/refresh, which turns the commits into patches.
# shellcheck shell=bash

t_round_trip()
{
	on_base
	scripts/tree
	diff <(git -C "$K" rev-parse 'main^{tree}') <(git -C build/tree/5.10 rev-parse 'HEAD^{tree}')
	[ "$(git -C build/tree/5.10 rev-parse 'base^{tree}')" = \
		"$(git -C "$K" rev-parse 'base^{tree}')" ]
	scripts/refresh
	no_change
	git -C "$K" checkout -q main
	[ -z "$(refresh)" ]
	no_change
}

t_new_patch()
{
	sed -i 's/^420$/four-twenty/' "$K/virt/kvm/kvm_stats.c"
	echo new >"$K/include/linux/new.h"
	commit 'KVM: stats: One more'
	refresh
	grep -qx 'add include/linux/new.h' series/5.10/0004-KVM-stats-One-more.patch
	grep -qx '+four-twenty' series/5.10/0004-KVM-stats-One-more.patch
	[ "$(cat include/linux/new.h)" = new ]
	grep -qx four-twenty virt/kvm/kvm_stats.c
}

t_removed_patch()
{
	git -C "$K" reset -q --hard HEAD~2
	refresh
	[ ! -e virt/kvm/kvm_stats.c ]
	[ "$(echo series/5.10/*.patch)" = series/5.10/0001-KVM-stats-Begin.patch ]
	lacks three-ten include/linux/kvm_stats.h
	scripts/series
}

t_keeps_others()
{
	echo mine >include/linux/mine.h
	git -C "$K" reset -q --hard HEAD~1
	refresh
	[ "$(cat include/linux/mine.h)" = mine ]
}

t_sign_offs()
{
	lacks Signed-off-by series/5.10/*.patch
	[ "$(sed -n '3,5p' series/5.10/0001-*)" = 'First paragraph.

Second one.' ]
}

t_dirty_tree()
{
	echo x >>"$K/Makefile"
	refuses 'changes that are in no commit' 'Makefile' -- refresh
	no_change
}

t_merge()
{
	git -C "$K" checkout -q -b side HEAD~1
	echo x >"$K/drivers/side.c"
	commit
	git -C "$K" checkout -q main
	git -C "$K" merge -q --no-edit side
	refuses 'is a merge' -- refresh
}

t_wrong_place()
{
	echo x >"$K/drivers/new.c"
	commit
	refuses 'adds drivers/new.c' 'expected new files only under' -- refresh
	no_change
}

t_removed_later()
{
	git -C "$K" rm -q virt/kvm/kvm_stats.c
	commit
	refuses 'adds virt/kvm/kvm_stats.c' 'Squash' -- refresh
	no_change
}

t_no_tree()
{
	refuses 'Run make tree to create it' -- scripts/refresh
	refuses 'no commit named nowhere' -- scripts/refresh "$K" nowhere
	mkdir -p build/tree/5.10
	refuses 'not a git checkout' -- scripts/refresh
}

t_changed_here()
{
	echo mine >>include/linux/kvm_stats.h
	git commit -q -a -m mine
	sed -i 's/^325$/x/' "$K/include/linux/kvm_stats.h"
	commit
	refuses 'include/linux/kvm_stats.h' 'FORCE=1' -- refresh
	grep -qx mine include/linux/kvm_stats.h
	no_change
	FORCE=1 refresh
	lacks mine include/linux/kvm_stats.h
}

t_unrefreshed()
{
	on_base
	scripts/tree
	echo x >>build/tree/5.10/Makefile
	refuses 'changes that are in no commit' -- scripts/tree
	git -C build/tree/5.10 commit -q -a -m 'Edit'
	refuses 'commits that are not in this repository yet' 'make refresh' -- scripts/tree
	[ "$(git -C build/tree/5.10 log -1 --format=%s)" = Edit ]
	scripts/refresh
	scripts/tree
	[ "$(git -C build/tree/5.10 log -1 --format=%s)" = Edit ]
}

t_tree_follows()
{
	on_base
	scripts/tree
	sed -i 's/^440$/four-forty/' virt/kvm/kvm_stats.c
	scripts/tree
	grep -qx four-forty build/tree/5.10/virt/kvm/kvm_stats.c
	git commit -q -a -m edit
	scripts/refresh
	no_change
}

add_edit_tests()
{
	test_case 'refresh after tree changes nothing' t_round_trip
	test_case 'refresh writes a patch file and whole files for a new commit' t_new_patch
	test_case 'refresh removes patches and files of removed commits' t_removed_patch
	test_case 'refresh keeps files that no patch lists' t_keeps_others
	test_case 'refresh removes sign-offs' t_sign_offs
	test_case 'refresh refuses a tree with uncommitted changes' t_dirty_tree
	test_case 'refresh refuses merges' t_merge
	test_case 'refresh refuses new files in other directories' t_wrong_place
	test_case 'refresh refuses a file that a later commit removes' t_removed_later
	test_case 'refresh reports that there is no tree, and what to do' t_no_tree
	test_case 'refresh does not overwrite changes of the repository' t_changed_here
	test_case 'tree does not overwrite commits that are not refreshed' t_unrefreshed
	test_case 'tree applies changes of the repository' t_tree_follows
}
