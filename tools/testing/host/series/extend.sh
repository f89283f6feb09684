# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: trees of other maintainers, which are archives outside the repository,
# and a series that replaces patches of another one for such a tree.
# shellcheck shell=bash

# An archive of the base in which the context of the first patch differs.
make_archive()
{
	export KVM_STATS_TREES=$PWD/trees
	git -C "$K" checkout -q base
	mkdir -p trees vendor/linux
	cp -r "$K"/{Makefile,virt,include,drivers} vendor/linux 2>/dev/null ||
		cp -r "$K"/{Makefile,virt,drivers} vendor/linux
	sed -i 's/^17$/other/' vendor/linux/virt/kvm/kvm_main.c
	echo 'other 5.10.7 5.10-other other.tar.xz someone/linux 0123456789ab' >scripts/trees.list
	pack_archive
}

pack_archive()
{
	tar -cJf trees/other.tar.xz -C vendor linux
	rm -rf "$KVM_STATS_CACHE"/base/tree-other-*
}

# Create the series for the archive. Its replacements are created as a maintainer would.
make_other_series()
{
	make_archive
	mkdir series/5.10-other
	printf 'extends 5.10\nversion 5.10\nbase other\n' >series/5.10-other/base
	scripts/series
	git clone -q "$(scripts/base other)" merged
	git -C merged tag base
	git -C merged fetch -q "$K" main
	git -C merged am -q -3 "$PWD/$MAILS"/*.patch
	SERIES=5.10-other scripts/refresh "$PWD/merged"
}

t_trees()
{
	on_base
	unset KERNEL
	cached_base
	make_archive
	sed -i 's/5.10-other/5.10/' scripts/trees.list
	sed -i 's/^other$/17/' vendor/linux/virt/kvm/kvm_main.c
	pack_archive
	scripts/series-verify >output
	grep -q '^Linux 5.10.7: 3 patches apply without fuzz' output
	grep -qx "other, Linux 5.10.7 (someone/linux at 0123456789ab):\
 3 patches apply without fuzz, 3 files equal" output
	scripts/series-verify --on other | diff <(tail -n 1 output) -
}

t_tree_fails()
{
	make_archive
	sed -i 's/5.10-other/5.10/' scripts/trees.list
	refuses '(patch 1 of 3) does not apply to other, Linux 5.10.7' '  found:    other' \
		-- scripts/series-verify --on other
}

t_no_archive()
{
	cached_base
	make_other_series
	rm trees/other.tar.xz
	rm -rf "$KVM_STATS_CACHE"/base/tree-other-*
	scripts/series-verify 2>&1 |
		grep 'skipped: the tree other has no archive at .*/trees/other.tar.xz'
	status=0
	SERIES=5.10-other scripts/series-verify --on other 2>output || status=$?
	[ "$status" = 77 ]
	grep 'skipped: .*KVM_STATS_TREES=' output
	refuses 'has no archive' -- scripts/base other
}

t_archive_wrong()
{
	make_archive
	sed -i 's/5.10.7/5.10.8/' scripts/trees.list
	refuses 'holds Linux 5.10.7' 'scripts/trees.list says 5.10.8' -- scripts/base other
	head -c 300 trees/other.tar.xz >short
	mv short trees/other.tar.xz
	refuses 'cannot unpack' 'expected a .tar.xz archive' -- scripts/base other
}

t_not_in_archive()
{
	make_other_series
	rm vendor/linux/drivers/dead.c
	pack_archive
	SERIES=5.10-other scripts/series-verify >output 2>&1
	grep 'the archive lacks them: drivers/dead.c$' output
	grep '3 patches apply' output
}

t_extends()
{
	make_other_series
	[ "$(ls series/5.10-other)" = "$(printf '%s\n' 0001-KVM-stats-Begin.patch base)" ]
	SERIES=5.10-other scripts/series
	diff <(cd build/series/5.10 && ls) <(cd build/series/5.10-other && ls)
	for mail in build/series/5.10/*; do
		cmp -s "$mail" "build/series/5.10-other/${mail##*/}" || echo "${mail##*/}"
	done >different
	diff <(printf '%s\n' 0000-cover-letter.txt 0001-KVM-stats-Begin.patch) different
	SERIES=5.10-other scripts/series-verify |
		grep -q '^other, .*: 3 patches apply without fuzz, 3 files equal$'
}

t_extends_cover()
{
	make_other_series
	SERIES=5.10-other scripts/series
	cover=build/series/5.10-other/0000-cover-letter.txt
	grep -qx 'Cover text.' "$cover"
	grep -qx 'base: Linux 5.10.7 (someone/linux at 0123456789ab).' "$cover"
	lacks 'tested on' "$cover"
	sed -n '/with hunks for this tree/,$p' "$cover" | grep -qx '  KVM: stats: Begin'
}

t_extends_checked()
{
	cached_base
	make_other_series
	scripts/series-verify | grep '^other, .*: 3 patches apply without fuzz'
	on_base
	sed -i 's/^17$/other/' "$K/virt/kvm/kvm_main.c"
	commit
	refuses 'Series 5.10-other applies to this tree' 'make series SERIES=5.10-other KERNEL=' \
		-- scripts/series-verify
	SERIES=5.10-other scripts/series-verify | grep '^Linux 5.10.7 (.*: 3 patches apply'
}

t_replacement_differs()
{
	make_other_series
	export SERIES=5.10-other
	own=series/5.10-other/0001-KVM-stats-Begin.patch
	cp "$own" good
	sed -i 's/^Second one/Third one/' "$own"
	refuses "$own and series/5.10/0001-" 'have different messages' -- scripts/series
	sed '1s/Begin/Start/' good >"$own"
	refuses "$own and series/5.10/0001-" 'have different messages' -- scripts/series
	grep -v '^add include' good >"$own"
	refuses "$own adds other files than series/5.10/0001-" -- scripts/series
	mv good series/5.10-other/0001-other.patch
	refuses '0001-other.patch replaces no patch' -- scripts/series
}

t_replacement_unneeded()
{
	make_other_series
	cp series/5.10/0003-*.patch series/5.10-other
	SERIES=5.10-other refuses 'replacements that are not needed' 'series/5.10-other/0003-' \
		'Remove these files' -- scripts/series-verify
}

t_extends_refresh()
{
	make_other_series
	export SERIES=5.10-other
	scripts/tree
	scripts/refresh
	[ "$(ls series/5.10-other)" = "$(printf '%s\n' 0001-KVM-stats-Begin.patch base)" ]
	git -C build/tree/5.10-other reset -q --hard HEAD~1
	refuses 'has 2 commits' 'expected 3' -- scripts/refresh
	echo x >>merged/virt/kvm/kvm_stats.c
	git -C merged commit -q -a --amend --no-edit
	refuses 'virt/kvm/kvm_stats.c differs' 'series 5.10,' -- scripts/refresh "$PWD/merged"
}

# The subject of the replaced patch and a line next to the replaced ones change.
t_extends_outdated()
{
	cached_base
	make_other_series
	git mv series/5.10/0001-KVM-stats-Begin.patch series/5.10/0001-KVM-stats-Start.patch
	sed -i '1s/Begin/Start/; s/^+twenty$/+20b/' series/5.10/0001-*
	sed -i 's/^ twenty$/ 20b/; /^-twenty$/d' series/5.10/0003-*
	git diff
	SERIES=5.10-other refuses 'replaces no patch' -- scripts/series
	SERIES=5.10-other scripts/tree 2>output || { cat output; return 1; }
	cat output
	grep 'the replacements of series 5.10-other are outdated' output
	grep 'run make refresh SERIES=5.10-other' output
	SERIES=5.10-other scripts/refresh
	[ "$(ls series/5.10-other)" = "$(printf '%s\n' 0001-KVM-stats-Start.patch base)" ]
	grep -qx '+20b' series/5.10-other/0001-*
	grep -qx ' other' series/5.10-other/0001-*
	SERIES=5.10-other scripts/series-verify | grep '3 patches apply'
}

t_no_series()
{
	SERIES=9.9 refuses 'there is no series 9.9' 'one of: 5.10' -- scripts/series
	SERIES=9.9 refuses 'there is no series 9.9' -- scripts/series-verify
	SERIES=9.9 refuses 'there is no series 9.9' -- scripts/base
}

add_extend_tests()
{
	test_case 'series-verify applies the series to the trees in archives' t_trees
	test_case 'series-verify refuses a series that does not apply to a tree' t_tree_fails
	test_case 'series-verify skips a tree without an archive and says why' t_no_archive
	test_case 'base refuses an archive that is truncated or has another release' t_archive_wrong
	test_case 'series-verify names edited files that are not in the archive' t_not_in_archive
	test_case 'a series that extends another one has its patches and the replacements' t_extends
	test_case 'the cover letter of such a series names its base and the replaced patches' \
		t_extends_cover
	test_case 'series-verify verifies such a series, and recommends it for a tree that needs it' \
		t_extends_checked
	test_case 'a replacement must have the message and the files of its original' \
		t_replacement_differs
	test_case 'series-verify reports a replacement that is not needed' t_replacement_unneeded
	test_case 'refresh writes only the replacements that are needed' t_extends_refresh
	test_case 'tree and refresh renew replacements after a change of their originals' \
		t_extends_outdated
	test_case 'an unknown series is refused' t_no_series
}
