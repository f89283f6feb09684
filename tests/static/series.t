#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the scripts of the series on a small sample kernel: tree, refresh, series-verify, patches,
# base and release, and their error messages.
#
# usage: series.t
# shellcheck disable=SC2317,SC2086 # run_cases calls the functions; names of files have no blanks

# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=../lib/cases.sh
. "$ROOT/tests/lib/cases.sh"
TREE=build/tree/5.10-extensions
EXTENSION=series/5.10-extensions/0001-KVM-x86-stats-Extend.patch

# ---- a small sample kernel, and a repository with series for it ----

# make_kernel DIR VERSION: create the sample kernel
make_kernel()
{
	mkdir -p "$1"/{virt/kvm,include/linux,arch/x86/kvm,drivers,scripts}
	cd "$1" || return
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = %s\nEXTRAVERSION =\n' ${2//./ } >Makefile
	touch include/linux/kvm.h arch/x86/kvm/x86.c
	seq 1 40 >virt/kvm/kvm_main.c
	seq 200 250 >drivers/moved.c
	cat >scripts/checkpatch.pl <<-'EOF'
		@ARGV = grep { !/^--/ } @ARGV;
		while (<>) { $bad++ if /^\+.*BADSTYLE/; }
		print "virt/kvm/kvm_stats.c:2: ERROR:STYLE: bad style\n" if $bad;
		print "total: 0 errors\n";
		exit($bad ? 1 : 0);
	EOF
	git init -q -b main
	git add -A
	git commit -q -m "Linux $2"
}

# commit DIR [ARGUMENT...]: commit all changes
commit()
{
	git -C "$1" add -A
	git -C "$1" commit -q "${@:2}"
}

# Make two commits for series 5.10 and one for 5.10-extensions in the checkout $TREE.
make_commits()
{
	cd $TREE || return
	sed -i 's/^20$/twenty/' virt/kvm/kvm_main.c
	seq 300 330 >include/linux/kvm_stats.h
	printf '#!/bin/sh\n' >arch/x86/kvm/run-me
	chmod +x arch/x86/kvm/run-me
	commit . -m 'KVM: stats: Begin' -m 'First paragraph.' -m 'Second one.'
	sed -i 's/^310$/three-ten/' include/linux/kvm_stats.h
	seq 400 450 >virt/kvm/kvm_stats.c
	git mv drivers/moved.c drivers/elsewhere.c
	commit . -m 'KVM: stats: A subject that is so long that a mail header has to fold it' -m 'Ein Wörtchen.'
	git branch -f 5.10
	sed -i 's/^410$/four-ten/' virt/kvm/kvm_stats.c
	commit . -m 'KVM: x86: stats: Extend' -m 'Body.'
	cd - >/dev/null || return
}

# make_repo DIR: create a repository like this one
make_repo()
{
	mkdir -p "$1"/series/{5.10,5.10-extensions}
	cd "$1" || return
	git init -q -b main
	cp -r "$ROOT/scripts" .
	rm -f scripts/packages	# so that need_packages installs nothing
	echo build/ >.gitignore
	printf 'version 5.10\nbase 5.10.7\ntested 5.10.7\n' >series/5.10/base
	printf 'after 5.10\nfiles root\n' >series/5.10-extensions/base
	commit . -m start
	scripts/tree
	make_commits
	scripts/refresh
	commit . -m series
	rm -rf build
}

# Create the cache with the sample kernel, and the repository, in $WORK/template.
make_template()
{
	export KVM_STATS_CACHE=$WORK/template/cache
	if ! (set -e; make_kernel "$KVM_STATS_CACHE/base/5.10.7" 5.10.7
		make_repo "$WORK/template/repo") >"$WORK/log" 2>&1; then
		sed 's/^/# /' "$WORK/log"
		bail_out "the sample kernel and its series could not be made"
	fi
}

# The repository must have no uncommitted changes.
no_change()
{
	[ -z "$(git status --porcelain)" ] || { git status --short; git diff; return 1; }
}

# fake_apt: an index with two releases of the archive, one that Debian no longer has, and a
# security update; and a mirror that has no sources, but ../fake/source.deb, and fails if there is a
# file ../fake/down. With a file ../fake/none, apt has no mirror.
fake_apt()
{
	mkdir -p ../fake
	cat >../fake/apt-get <<-'EOF'
		#!/bin/sh
		fake=${0%/*}
		case "$*" in
		indextargets*) [ -e "$fake/none" ] || echo 'http://mirror.example/debian sid main' ;;
		*update) [ ! -e "$fake/down" ] || echo 'Err:1 http://mirror.example/debian bullseye InRelease' ;;
		*source*--tar-only*) echo 'E: Failed to fetch http://mirror.example/debian/linux'; exit 100 ;;
		*download*linux-source-*) cp "$fake/source.deb" . ;;
		esac
	EOF
	cat >../fake/apt-cache <<-'EOF'
		#!/bin/sh
		printf 'Package: linux\nVersion: %s\n%s\nDirectory: pool/%s\n\n' 5.10.8-1 '' main/l/linux \
			5.10.9-2 '' main/l/linux 5.10.10-1 'Extra-Source-Only: yes' main/l/linux \
			5.10.11-1 '' updates/main/l/linux
	EOF
	chmod +x ../fake/apt-*
	touch ../fake/down
	export PATH=$PWD/../fake:$PATH
}

# mirror: the fake mirror can be asked.
mirror()
{
	rm ../fake/down
	[ -f /usr/share/keyrings/debian-archive-keyring.gpg ] || { echo 'no keyring'; exit 77; }
}

# Each case has a copy of the sample repository, the current directory, and of the cache with the
# sample kernel, $KERNEL_DIR.
prepare_case()
{
	cp -a "$WORK/template/." .
	export KVM_STATS_CACHE=$PWD/cache
	KERNEL_DIR=$KVM_STATS_CACHE/base/5.10.7
	cd repo || return
	fake_apt
}

# ---- the patches ----

# git am of the folders, in a plain clone of the kernel, gives the commits of the checkout.
t_git_am()
{
	git clone -q "$KERNEL_DIR" ../kernel
	git -C ../kernel am -q "$PWD"/series/5.10/*.patch
	git -C ../kernel am -q "$PWD"/series/5.10-extensions/*.patch
	scripts/tree | grep -x "$TREE: Linux 5.10.7 and 3 patches"
	[ "$(git -C ../kernel rev-parse 'HEAD^{tree}')" = "$(git -C $TREE rev-parse 'HEAD^{tree}')" ]
	diff <(git -C ../kernel log --format=%B%an%ae) <(git -C $TREE log --format=%B%an%ae)
	[ "$(git -C $TREE log -1 --format=%s 5.10 | cut -c 1-20)" = 'KVM: stats: A subjec' ]
}

t_form()
{
	head -n 1 $EXTENSION | grep -x 'From 0\{40\} Mon Sep 17 00:00:00 2001'
	grep -x 'From: KVM statistics <kvm-stats@localhost>' $EXTENSION
	grep -x 'Subject: \[PATCH\] KVM: x86: stats: Extend' $EXTENSION
	grep -x ' create mode 100755 arch/x86/kvm/run-me' series/5.10/0001-*
	grep -x ' rename drivers/{moved.c => elsewhere.c} (100%)' series/5.10/0002-*
	[ "$(git ls-files -s arch virt include | wc -l)" = 3 ]
	grep -x four-ten virt/kvm/kvm_stats.c
	[ -x arch/x86/kvm/run-me ]
}

# ---- tree and refresh ----

t_round_trip()
{
	scripts/tree
	scripts/refresh
	no_change
	git -C $TREE config --global format.signOff true
	git -C $TREE config --global diff.algorithm patience
	git -C $TREE config --global diff.noprefix true
	scripts/refresh
	no_change
	scripts/tree
	no_change
}

# The commands of CONTRIBUTING.md change a patch of the first series.
t_changed_patch()
{
	scripts/tree
	sed -i 's/^440$/four-forty/' $TREE/virt/kvm/kvm_stats.c
	git -C $TREE commit -q -a --fixup=':/A subject that is so long'
	GIT_SEQUENCE_EDITOR=: git -C $TREE rebase -q -i --autosquash base
	scripts/refresh | diff - <(printf ' M %s\n' $EXTENSION series/5.10/0002-* virt/kvm/kvm_stats.c)
	grep -x '+four-forty' series/5.10/0002-*
	grep -x four-forty virt/kvm/kvm_stats.c
	scripts/series-verify 5.10-extensions 5.10.7
}

t_new_patch()
{
	scripts/tree
	echo new >$TREE/include/linux/new.h
	commit $TREE -m 'KVM: stats: One more' -m 'Body.' --author 'Some One <some@example.org>'
	scripts/refresh | grep -x '?? series/5.10-extensions/0002-KVM-stats-One-more.patch'
	lacks 'Some One' -r series
	[ "$(cat include/linux/new.h)" = new ]
	git -C $TREE reset -q --hard HEAD~1
	scripts/refresh
	no_change
}

t_refresh_refuses()
{
	refuses "there is no checkout at $TREE" 'make tree' -- scripts/refresh
	scripts/tree
	echo x >>$TREE/Makefile
	refuses 'changes that are in no commit' 'M Makefile' -- scripts/refresh
	commit $TREE -m 'Edit' -m 'Signed-off-by: Some One <some@example.org>'
	refuses 'have a sign-off' '0002-Edit.patch' -- scripts/refresh
	git -C $TREE reset -q --hard HEAD~1
	echo x >$TREE/drivers/new.c
	commit $TREE -m 'New'
	refuses 'not in Documentation arch' drivers/new.c -- scripts/refresh
	git -C $TREE reset -q --hard HEAD~1
	git -C $TREE branch -q -f 5.10 base~0
	git -C $TREE branch -q -D 5.10
	refuses 'the branch 5.10' 'branch -f 5.10 COMMIT' -- scripts/refresh
	git -C $TREE checkout -q --detach
	refuses 'is not on the branch 5.10-extensions' -- scripts/refresh
	no_change
}

# Changes of the repository since make tree are not lost.
t_changed_here()
{
	scripts/tree
	echo mine >>include/linux/kvm_stats.h
	refuses 'have changed since make tree' 'FORCE=1' -- scripts/refresh
	grep -x mine include/linux/kvm_stats.h
	FORCE=1 scripts/refresh
	no_change
	sed -i 's/^Body/The body/' $EXTENSION
	refuses 'have changed since make tree' -- scripts/refresh
	scripts/tree
	[ "$(git -C $TREE log -1 --format=%b)" = 'The body.' ]
}

t_tree_refuses()
{
	SERIES=5.11 refuses 'there is no series 5.11' '5.10-extensions 5.10' -- scripts/tree
	scripts/tree
	echo x >>$TREE/Makefile
	refuses 'changes that are in no commit' -- scripts/tree
	commit $TREE -m 'Edit'
	refuses 'commits that are not in the series yet' 'make refresh' -- scripts/tree
	[ "$(git -C $TREE log -1 --format=%s)" = Edit ]
}

# A patch that does not apply is resolved in the checkout.
t_conflict()
{
	sed -i 's/^-410$/-other/' $EXTENSION
	refuses "$EXTENSION does not apply to Linux 5.10.7. git am says:" \
		'patch failed: virt/kvm/kvm_stats.c' 'git am --continue' -- scripts/tree
	refuses 'is not on the branch' -- scripts/refresh
	refuses 'commits that are not in the series yet' -- scripts/tree
	sed -i 's/^410$/four-ten/' $TREE/virt/kvm/kvm_stats.c
	git -C $TREE add -A
	git -C $TREE am --continue
	refuses 'the branch 5.10' -- scripts/refresh
	git -C $TREE branch -f 5.10 HEAD~1
	scripts/refresh
	git diff --exit-code HEAD
}

# ---- series-verify ----

t_verify()
{
	scripts/series-verify | grep -x 'Linux 5.10.7: 2 patches of 5.10 apply, 1 patches of 5.10-extensions apply, 3 whole files equal, checkpatch --strict is clean'
	no_change
	git -C "$KERNEL_DIR" clone -q . "$PWD/../kernel"
	sed -i '1i above' ../kernel/virt/kvm/kvm_main.c
	commit ../kernel -m offset
	KERNEL=$PWD/../kernel scripts/series-verify | grep "Linux 5.10.7 ($PWD/../kernel): 2 patches of 5.10"
	sed -i 's/^17$/other/' ../kernel/virt/kvm/kvm_main.c
	commit ../kernel -m fuzz
	KERNEL=$PWD/../kernel refuses 'series/5.10/0001-KVM-stats-Begin.patch does not apply to Linux 5.10.7' \
		'patch failed: virt/kvm/kvm_main.c:17' -- scripts/series-verify
}

t_verify_refuses()
{
	echo x >>include/linux/kvm_stats.h
	refuses 'linux/kvm_stats.h' 'files in include are not those that the patches add' -- scripts/series-verify
	git checkout -q include
	chmod -x arch/x86/kvm/run-me
	refuses 'files in arch are not' -- scripts/series-verify
	git checkout -q arch
	echo x >virt/kvm/more.c
	refuses 'files in virt are not' -- scripts/series-verify
	rm virt/kvm/more.c
	sed -i 's/^From: .*/From: Some One <some@example.org>/' $EXTENSION
	refuses '-From: Some One' 'is not what make refresh writes' -- scripts/series-verify
	git checkout -q series
	sed -i 's/^+four-ten$/+four-ten /' $EXTENSION
	refuses 'trailing whitespace' -- scripts/series-verify
}

t_style()
{
	scripts/tree
	sed -i 's/^440$/BADSTYLE/' $TREE/virt/kvm/kvm_stats.c
	commit $TREE -m 'Style'
	scripts/refresh
	refuses 'checkpatch --strict reports for series/5.10-extensions/0002-Style.patch' \
		'STYLE: bad style' -- scripts/series-verify
	refuses 'STYLE: bad style' -- scripts/series-verify
	printf 'STYLE virt/kvm/other.c\nOTHER virt/kvm/kvm_stats.c\n' >scripts/checkpatch.list
	refuses 'STYLE: bad style' -- scripts/series-verify
	echo 'STYLE virt/kvm/kvm_stats.c' >>scripts/checkpatch.list
	scripts/series-verify
	echo 'exit 1;' >"$KERNEL_DIR/scripts/checkpatch.pl"
	refuses 'it does not run' -- scripts/series-verify
}

# A tree of trees.list with another line 17, and a series that replaces the first patch.
make_tree()
{
	export KVM_STATS_TREES=$PWD/../trees
	mkdir -p "$KVM_STATS_TREES" series/5.10-other
	git -C "$KERNEL_DIR" clone -q . "$PWD/../other"
	sed -i 's/^17$/seventeen/' ../other/virt/kvm/kvm_main.c
	tar -C .. --exclude=.git -cJf "$KVM_STATS_TREES/other.tar.xz" other
	echo 'other 5.10.7 5.10-other other.tar.xz somewhere 123456789abc' >scripts/trees.list
	sed -i 's/^tested .*/& other/' series/5.10/base
	printf 'replaces 5.10\nversion 5.10\nbase other\n' >series/5.10-other/base
	cp series/5.10/0001-* series/5.10-other/
	sed -i 's/^ 17$/ seventeen/' series/5.10-other/0001-*
	SERIES=5.10-other scripts/tree
	SERIES=5.10-other scripts/refresh
}

t_replaces()
{
	make_tree
	scripts/series-verify | grep 'other (Linux 5.10.7): 2 patches of 5.10-other apply, 1 patches of 5.10-ext.*, 3 whole files equal$'
	scripts/patches 5.10-other | diff - <(printf '%s\n' "$PWD"/series/5.10-other/0001-* "$PWD"/series/5.10/0002-*)
	scripts/patches 5.10-other ../folder
	diff ../folder/0001-* series/5.10-other/0001-*
	diff ../folder/0002-* series/5.10/0002-*
	export SERIES=5.10-other
	echo x >>build/tree/5.10-other/virt/kvm/kvm_main.c
	git -C build/tree/5.10-other commit -q -a --fixup ':/Begin'
	GIT_SEQUENCE_EDITOR=: git -C build/tree/5.10-other rebase -q -i --autosquash base
	scripts/refresh
	grep -x +x series/5.10-other/0001-*
	[ "$(ls series/5.10-other)" = "$(printf '%s\n' 0001-KVM-stats-Begin.patch base)" ]
	cp series/5.10/0002-* series/5.10-other/
	refuses 'Only in series/5.10-other: 0002-' 'is not what make refresh writes' -- scripts/series-verify 5.10-extensions other
	rm -r "$KVM_STATS_TREES" "$KVM_STATS_CACHE"/base/tree-*
	status=0
	scripts/series-verify 5.10-extensions other || status=$?
	[ $status = 77 ]
}

# ---- base ----

t_kernel()
{
	git clone -q "$KERNEL_DIR" ../kernel
	base=$(KERNEL=../kernel scripts/base)
	[ "$base" != "$KERNEL_DIR" ] && diff -r --exclude=.git ../kernel "$base"
	echo x >>../kernel/Makefile
	KERNEL=../kernel refuses 'changes that are in no commit' -- scripts/base
	rm -rf ../kernel/.git
	KERNEL=../kernel refuses 'is not a git checkout' 'git init' -- scripts/base
	KERNEL=$WORK/nowhere refuses "KERNEL=$WORK/nowhere is not a Linux 5.10.y source tree" -- scripts/base
	sed -i 's/^PATCHLEVEL = 10/PATCHLEVEL = 15/' ../kernel/Makefile
	KERNEL=../kernel refuses 'is not a Linux 5.10.y' '5.15.7' -- scripts/base
	refuses 'not a version or a tree: ../x' -- scripts/base ../x
}

# A truncated tarball must not become a base. Without the wanted release, a newer one is used.
t_tarball()
{
	mkdir -p "$KVM_STATS_CACHE/src" "$KVM_STATS_CACHE/base/.new/junk"
	(make_kernel "$PWD/../new" 5.10.9)
	git -C ../new archive --prefix=linux-5.10.9/ HEAD | xz >whole.tar.xz
	head -c 500 whole.tar.xz >"$KVM_STATS_CACHE/src/linux_5.10.9.orig.tar.xz"
	refuses 'cannot unpack' 'Remove it' -- scripts/base 5.10.9
	[ ! -e "$KVM_STATS_CACHE/base/5.10.9" ]
	mv whole.tar.xz "$KVM_STATS_CACHE/src/linux_5.10.9.orig.tar.xz"
	[ "$(scripts/base 5.10.9)" = "$KVM_STATS_CACHE/base/5.10.9" ]
	diff -r --exclude=.git ../new "$KVM_STATS_CACHE/base/5.10.9"
	[ "$(scripts/base)" = "$KERNEL_DIR" ]
	rm -rf "$KERNEL_DIR"
	[ "$(scripts/base --cached)" = "$KVM_STATS_CACHE/base/5.10.9" ]
	rm "$KVM_STATS_CACHE"/src/*
	rm -rf "$KVM_STATS_CACHE/base/5.10.9"
	mkdir "$KVM_STATS_CACHE/base/5.10.6"	# older than the series
	! scripts/base --cached
}

# The newest release is verified, too, unless it is tested. A mirror that has only the package with
# the source is sufficient.
t_newest()
{
	local log=../output

	mirror
	(make_kernel "$PWD/../new" 5.10.11)
	mkdir -p ../deb/DEBIAN ../deb/usr/src
	git -C ../new archive --prefix=linux-source-5.10/ HEAD | xz >../deb/usr/src/linux-source-5.10.tar.xz
	printf '%s\n' 'Package: source' 'Version: 1' 'Architecture: all' 'Maintainer: -' 'Description: -' \
		>../deb/DEBIAN/control
	dpkg-deb -b ../deb ../fake/source.deb
	scripts/series-verify --list | diff - <(printf '5.10-extensions %s\n' 5.10.7 newest)
	scripts/series-verify 2>$log | grep '^Linux 5.10.11: .* add 5.10.11 to tested in series/5.10-extensions/base$'
	grep 'the mirror lacks this archive; downloading linux-source-5.10' $log
	[ -d "$KVM_STATS_CACHE/base/5.10.11" ]
	sed -i 's/^17$/other/' "$KVM_STATS_CACHE/base/5.10.11/virt/kvm/kvm_main.c"
	commit "$KVM_STATS_CACHE/base/5.10.11" -m fuzz
	refuses 'series/5.10/0001-KVM-stats-Begin.patch does not apply to Linux 5.10.11' \
		'This release is newer' 'add 5.10.11 to tested' -- scripts/series-verify
	touch ../fake/down
	scripts/series-verify 2>$log
	grep 'skipped: the Debian mirror cannot be asked for the newest Linux 5.10' $log
	lacks mirror.example $log
	rm ../fake/down
	sed -i 's/^tested .*/& 5.10.11/' series/5.10/base
	scripts/series-verify 5.10-extensions newest |
		grep -x 'Linux 5.10.11: the newest release of Debian, and tested by series/5.10-extensions'
	sed -i 's/^tested .*/tested 5.10.7 5.10.10/' series/5.10/base
	status=0
	scripts/series-verify 5.10-extensions 5.10.10 2>$log || status=$?
	[ $status = 77 ]
	grep 'skipped: the index of Debian bullseye has no Linux 5.10.10' $log
	touch ../fake/none
	status=0
	scripts/series-verify 5.10-extensions 5.10.10 2>$log || status=$?
	[ $status = 77 ]
	grep 'skipped: the Debian mirror cannot be asked for Linux 5.10.10' $log
}

t_index()
{
	mirror
	refuses 'has no Linux 5.10.10' 'It has: 5.10.8-1 5.10.9-2 5.10.11-1' 'Save linux-5.10.y.tar.xz' -- scripts/base 5.10.10
	refuses 'downloading linux_5.10.8-1 ' 'names linux 5.10.8-1, but it cannot be downloaded' -- scripts/base 5.10.8
	rm -rf "$KERNEL_DIR"
	refuses 'names linux 5.10.9-2, but it cannot be downloaded' -- scripts/base 5.10
	refuses 'names linux 5.10.11-1, but it cannot be downloaded' -- scripts/base >../output
	lacks mirror.example ../output
	bash -c '. scripts/lib/common.sh; . scripts/lib/debian.sh; debian_release_sources sid; debian_release_sources trixie' |
		diff - <(printf 'deb http://mirror.example/debian%s main\n' ' sid' ' trixie' ' trixie-updates' \
			'-security/ trixie-security')
}

# ---- release ----

# Copy `results` to the repository, whose only test is tests/one.t.
make_results()
{
	mkdir tests
	cp "$ROOT/tests/results" tests/
	printf '#!/bin/sh\necho tests/one.t\n' >tests/check
	chmod +x tests/check
}

# Write what tests/one.t, and check-release of this and of another commit, leave in build/testing.
record_success()
{
	local commit

	commit=$(git rev-parse --short=12 HEAD)
	mkdir -p build/testing/records/tests
	printf '1..1\nok 1\n# exit status 0 at %s 2021-05-01 2\n' "$commit" \
		>build/testing/records/tests/one.t
	echo "| trixie | $commit |" >build/testing/check-release-trixie.md
	echo "| sid | 0123456789ab |" >build/testing/check-release-sid.md
}

t_release()
{
	echo 0.2 >VERSION
	printf '# Changes\n\n## 0.2 (unreleased)\n' >CHANGELOG.md
	commit . -m version
	refuses "the file VERSION has 0.2, not '0.1'" -- scripts/release 0.1
	refuses 'is not "## 0.2 - YYYY-MM-DD", but "## 0.2 (unreleased)"' -- scripts/release 0.2
	sed -i 's/(unreleased)/- 2021-05-01/' CHANGELOG.md
	refuses 'changes that are in no commit' -- scripts/release 0.2
	make_results
	commit . -m release
	refuses 'tests/one.t: it has no record' -- scripts/release 0.2
	record_success
	scripts/release 0.2 >../output
	grep "^Commit $(git rev-parse --short=12 HEAD), 2021-05-01[.]" build/release/results.md
	ls build/release/check-release-trixie.md
	[ ! -e build/release/check-release-sid.md ]
	no_change
	tail -n 1 ../output | grep -x "git tag -s -m \"Release 0.2\" v0.2 $(git rev-parse --short=12 HEAD)"
	mkdir ../unpacked
	tar -xzf build/release/kvm-stats-0.2.tar.gz -C ../unpacked
	diff -r --exclude=.git --exclude=build . ../unpacked/kvm-stats-0.2
	tar -xzf build/release/kvm-stats-patches-0.2.tar.gz -C ../unpacked
	diff -r series ../unpacked/kvm-stats-patches-0.2/series
	(cd build/release && sha256sum -c SHA256SUMS)
	refuses 'the packages for Debian potato do not build' -- scripts/release 0.2 potato
	scripts/release 0.2 | diff ../output -
	rm build/testing/check-release-*.md
	scripts/release 0.2
	[ ! -e build/release/check-release-trixie.md ]
	git tag v0.2
	refuses 'the tag v0.2 exists' -- scripts/release 0.2
}

add_tests()
{
	test_case 'git am of the folders gives the trees and messages of the checkout' t_git_am
	test_case 'patches have the form of git format-patch and no name of a person' t_form
	test_case 'refresh after tree changes nothing, with other settings of git, too' t_round_trip
	test_case 'a fixup changes a patch of the first series' t_changed_patch
	test_case 'refresh writes a new patch and its file, and removes them again' t_new_patch
	test_case 'refresh refuses uncommitted changes, sign-offs, files elsewhere and lost branches' t_refresh_refuses
	test_case 'refresh does not undo changes of the repository' t_changed_here
	test_case 'tree refuses unknown series, and does not lose changes or commits' t_tree_refuses
	test_case 'a patch that does not apply is named, with the words of git, and can be resolved' t_conflict
	test_case 'series-verify accepts a correct series and offsets, and refuses fuzz' t_verify
	test_case 'series-verify refuses whole files, patches and white space that are wrong' t_verify_refuses
	test_case 'series-verify reports messages of checkpatch, except for listed ones' t_style
	test_case 'a series can replace patches for another tree' t_replaces
	test_case 'base copies a tree of the user, and refuses unsuitable ones' t_kernel
	test_case 'base uses tarballs in the cache' t_tarball
	test_case 'base takes the release that the index names, and quotes no host' t_index
	test_case 'series-verify verifies the newest release, or says why not' t_newest
	test_case 'release writes archives, and refuses wrong versions' t_release
}

export GIT_AUTHOR_DATE='2021-05-01 12:00:00 +0000' GIT_COMMITTER_DATE='2021-05-01 12:00:00 +0000'
unset KVM_STATS_TREES

begin
run_tests make_template
run_tests add_tests
run_tests run_cases
finish
