#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The series tooling, on a small made-up kernel: writing, checking, editing and
# refreshing a series, and what it refuses. Last, the real series on the kernels
# that it is tested on.

repo=$PWD
# With a blank in the path, as users have.
work=$(mktemp -d "${TMPDIR:-/tmp}/series t.XXXXXX")
trap 'rm -rf "$work"' EXIT
real_cache=${KVM_STATS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kvm-stats}
export KVM_STATS_CACHE=$work/cache GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_DATE='2021-05-01 12:00:00 +0000' GIT_COMMITTER_DATE='2021-05-01 12:00:00 +0000'
unset KERNEL SERIES TREE BASE FORCE GIT_DIR GIT_WORK_TREE EMAIL \
	GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
git config --file "$work/gitconfig" user.name 'Test Person'
git config --file "$work/gitconfig" user.email test@example.org

# --- the made-up kernel and a repository with a series for it

make_kernel() {
	mkdir -p "$1"/{virt/kvm,include/linux,arch/x86/kvm,drivers,scripts}
	cd "$1"
	git init -q -b main
	printf 'VERSION = 5\nPATCHLEVEL = 10\nSUBLEVEL = 7\nEXTRAVERSION =\n' >Makefile
	touch Kbuild MAINTAINERS
	seq 1 40 >virt/kvm/kvm_main.c
	seq 100 150 >drivers/dead.c
	seq 200 250 >drivers/moved.c
	cat >scripts/checkpatch.pl <<-'EOF'
		#!/usr/bin/perl
		while (<>) { $bad++ if /^\+.*BADSTYLE/; }
		print "ERROR:STYLE: bad style\n" if $bad;
		exit($bad ? 1 : 0);
	EOF
	git add -A
	git commit -q -m 'Linux 5.10.7'
	git tag base
}

long_subject='KVM: stats: A subject that is so long that a mail header has to fold it somewhere'

commit_steps() {
	cd "$1"
	sed -i 's/^20$/twenty/' virt/kvm/kvm_main.c
	seq 300 330 >include/linux/kvm_stats.h
	printf '#!/bin/sh\n' >arch/x86/kvm/run-me
	chmod +x arch/x86/kvm/run-me
	git add -A
	git commit -q -m 'KVM: stats: Begin' -m 'First paragraph.' -m 'Second one.' \
		-m 'Signed-off-by: Some One <some@example.org>'
	sed -i 's/^310$/three-ten/' include/linux/kvm_stats.h
	seq 400 450 >virt/kvm/kvm_stats.c
	git rm -q drivers/dead.c
	git mv drivers/moved.c drivers/elsewhere.c
	git add -A
	git commit -q -m "$long_subject" -m 'Body.'
	sed -i 's/^315$/three-fifteen/' include/linux/kvm_stats.h
	sed -i 's/^410$/four-ten/' virt/kvm/kvm_stats.c
	sed -i 's/^25$/twenty-five/' virt/kvm/kvm_main.c
	git commit -q -a -m 'KVM: x86: stats: Später' -m 'Ein Wörtchen.'
}

make_repo() {
	mkdir -p "$1/series/5.10"
	cd "$1"
	git init -q -b main
	cp -r "$repo/scripts" "$repo/Makefile" .
	rm -f scripts/packages	# nothing to install here
	echo build/ >.gitignore
	printf 'version 5.10\nbase 5.10.7\ntested 5.10.7\n' >series/5.10/base
	printf 'KVM: A cover\n\nCover text.\n' >series/5.10/cover-letter
	git add -A
	git commit -q -m start
	scripts/refresh "$work/template/kernel" base
	git add -A
	git commit -q -m series
}

# --- how to test

count=0

# point DESCRIPTION FUNCTION: FUNCTION in a fresh copy of repository and kernel
point() {
	local status
	count=$((count + 1))
	rm -rf "$work/now"
	cp -a "$work/template" "$work/now"
	(cd "$work/now/repo" && K=$work/now/kernel && set -e -o pipefail && $2) \
		>"$work/log" 2>&1 </dev/null
	status=$?
	if [ $status = 77 ]; then
		echo "ok $count - $1 # SKIP $(tail -n 1 "$work/log")"
	elif [ $status = 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		sed 's/^/# /' "$work/log"
		failed=1
	fi
}

# refuses TEXT... -- COMMAND...: fails, and its output has each TEXT
refuses() {
	local texts=() text
	while [ "$1" != -- ]; do
		texts+=("$1")
		shift
	done
	shift
	if "$@" >said 2>&1; then
		cat said
		echo "expected a refusal of: $*"
		return 1
	fi
	cat said
	for text in "${texts[@]}"; do
		grep -qF -e "$text" said || { echo "expected to read: $text"; return 1; }
	done
	rm said
}

# lacks PATTERN FILE...: for grep; "! grep" would not end a test
lacks() {
	if grep "$@"; then
		echo "expected no match of: $*"
		return 1
	fi
}

refresh() {
	scripts/refresh "$K" base
}

no_change() {
	[ -z "$(git status --porcelain)" ] || { git status --short; git diff; return 1; }
}

commit() {
	git -C "$K" add -A
	git -C "$K" commit -q -m "${1:-One more}"
}

mails=build/series/5.10
step2=series/5.10/0002-*.patch

# --- the mails

t_applies() {
	scripts/series
	git -C "$K" checkout -q -b try base
	git -C "$K" am -q "$PWD"/$mails/*.patch
	diff <(git -C "$K" log --format=%T base..main) <(git -C "$K" log --format=%T base..try)
}

t_messages() {
	scripts/series
	git -C "$K" checkout -q -b try base
	git -C "$K" am -q "$PWD"/$mails/*.patch
	diff <(git -C "$K" log --format=%s base..main) <(git -C "$K" log --format=%s base..try)
	[ "$(git -C "$K" log -1 --format=%b)" = 'Ein Wörtchen.

Signed-off-by: Test Person <test@example.org>' ]
}

t_form() {
	scripts/series
	grep -qE '^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001$' $mails/0001-*
	grep -qx 'Subject: \[PATCH 1/3\] KVM: stats: Begin' $mails/0001-*
	grep -qx 'From: Test Person <test@example.org>' $mails/0001-*
	grep -qE '^ 3 files changed, 33 insertions\(\+\), 1 deletion\(-\)$' $mails/0001-*
	grep -qx -- '-- ' $mails/0001-*
	[ "$(grep -c "^index " $mails/0003-*)" = 3 ]
	grep -qE "^index c89a2f6560dc\.\.[0-9a-f]{12} 100644$" $mails/0003-*
	for mail in $mails/*.patch; do
		sed -n 's/^diff --git .* b\///p' "$mail" >paths
		diff paths <(LC_ALL=C sort paths)
	done
	[ "$(grep -c '^diff --git' $mails/0002-*)" = 4 ]
	sed "/^$/q" $mails/0002-* >head
	lacks -E ".{79}" head
	lacks some@example.org $mails/*
}

t_cover() {
	scripts/series
	grep -qx 'Subject: \[PATCH 0/3\] KVM: A cover' $mails/0000-*
	grep -qx 'Cover text.' $mails/0000-*
	grep -qx 'Test Person (3):' $mails/0000-*
	grep -qE '^ include/linux/kvm_stats.h +\| +31 \++$' $mails/0000-*
	grep -qx 'base: Linux 5.10.7, tested on 5.10.7' $mails/0000-*
}

t_no_kernel() {
	scripts/series
	scripts/series-verify --cached $mails 2>&1 | grep -q 'not checked against a kernel'
}

t_same_again() {
	scripts/series build/one
	scripts/series build/two
	diff -r build/one build/two
}

t_stale_mails() {
	scripts/series
	rm series/5.10/0003-*
	sed -i 's/^three-fifteen$/315/' include/linux/kvm_stats.h
	sed -i 's/^four-ten$/410/' virt/kvm/kvm_stats.c
	scripts/series
	[ "$(ls $mails)" = "$(printf '%s\n' 0000-cover-letter.txt \
		"$(ls series/5.10 | grep ^0001)" "$(ls series/5.10 | grep ^0002)")" ]
}

t_git_apply() {
	git -C "$K" checkout -q base
	for step in series/5.10/0*.patch; do
		git apply --numstat "$step"
	done
	git -C "$K" apply --check "$PWD"/series/5.10/0001-*.patch
}

t_no_identity() {
	: >"$GIT_CONFIG_GLOBAL.none"
	GIT_CONFIG_GLOBAL=$GIT_CONFIG_GLOBAL.none \
		refuses 'git config --global user.email' -- scripts/series
	[ ! -e $mails ]
}

# --- what a series must not be

t_unowned() {
	echo x >include/linux/stray.h
	git add include/linux/stray.h
	refuses 'include/linux/stray.h belongs to no step' -- scripts/series
}

t_owned_twice() {
	sed -i 's,^---$,---\nadd include/linux/kvm_stats.h,' $step2
	refuses 'include/linux/kvm_stats.h belongs to two steps' -- scripts/series
}

t_missing() {
	rm virt/kvm/kvm_stats.c
	refuses 'virt/kvm/kvm_stats.c is listed by' 'no such file' -- scripts/series
}

t_outside() {
	sed -i 's,^---$,---\nadd Makefile,' $step2
	refuses 'Makefile is outside' -- scripts/series
}

t_stuck_edit() {
	sed -i 's/^three-ten$/something else/' include/linux/kvm_stats.h
	refuses '0002-' 'include/linux/kvm_stats.h' 'cannot be taken back' -- scripts/series
	[ ! -e $mails ]
}

t_edit_before_arrival() {
	sed -i 's,^add include/linux/kvm_stats.h$,,' series/5.10/0001-*
	sed -i 's,^---$,---\nadd include/linux/kvm_stats.h,' series/5.10/0003-*
	refuses 'edits include/linux/kvm_stats.h' 'expected the edit in a later step' -- scripts/series
}

t_bad_form() {
	sed -i '0,/^Body.$/s//Body.\nSigned-off-by: A <a@example.org>/' $step2
	refuses '0002-' ':4: a sign-off' -- scripts/series
	git checkout -q series
	sed -i 's/^---$//' $step2
	refuses '0002-' 'a message line that git am takes for a diff' -- scripts/series
	git checkout -q series
	sed -i 's/^---$/---\nremove virt/' $step2
	refuses 'expected "add PATH" or a diff, found: remove virt' -- scripts/series
	git checkout -q series
	sed -i '1s/^/[x] /' $step2
	refuses ':1: a subject that starts with [' -- scripts/series
	git checkout -q series
	git mv series/5.10/0003-* series/5.10/0004-last.patch
	refuses '0004-last.patch is out of turn' -- scripts/series
}

# --- checking against a base

on_base() {
	git -C "$K" checkout -q base
	export KERNEL=$K
}

t_verify() {
	on_base
	scripts/series-verify | grep -q '3 steps apply without fuzz, 3 files equal, checkpatch --strict is clean'
	[ -z "$(git -C "$K" status --porcelain)" ]
}

t_offset() {
	on_base
	sed -i '1i above\nabove' "$K/virt/kvm/kvm_main.c"
	commit
	scripts/series-verify | grep -q 'apply without fuzz'
}

t_fuzz() {
	on_base
	sed -i 's/^17$/other/' "$K/virt/kvm/kvm_main.c"
	commit
	refuses 'does not apply cleanly to Linux 5.10.7' 'virt/kvm/kvm_main.c' -- scripts/series-verify
}

t_white_space() {
	on_base
	sed -i "s/^401$/401 /" virt/kvm/kvm_stats.c
	refuses 'does not apply cleanly to Linux 5.10.7' 'trailing whitespace' -- scripts/series-verify
}

t_differs() {
	on_base
	scripts/series
	echo x >>include/linux/kvm_stats.h
	refuses 'include/linux/kvm_stats.h differs' -- scripts/series-verify $mails
	git checkout -q include
	chmod +x include/linux/kvm_stats.h
	refuses 'include/linux/kvm_stats.h has another mode' -- scripts/series-verify $mails
}

t_style() {
	on_base
	scripts/series-verify
	sed -i 's/^401$/BADSTYLE/' virt/kvm/kvm_stats.c
	refuses 'STYLE: bad style' 'checkpatch --strict of 0002-' -- scripts/series-verify
	refuses 'STYLE: bad style' -- scripts/series-verify
	scripts/series-verify --no-checkpatch
}

# Nothing has changed since it passed; then checkpatch has.
t_style_again() {
	on_base
	scripts/series-verify
	mkdir bin
	printf '#!/bin/sh\necho "$*" >>"%s/asked"\n' "$PWD" >bin/perl
	chmod +x bin/perl
	PATH=$PWD/bin:$PATH scripts/series-verify | grep -q 'checkpatch --strict is clean'
	[ ! -e asked ]
	echo 'print "ERROR:NEW: a new rule\n"; exit(1);' >"$K/scripts/checkpatch.pl"
	commit
	refuses 'NEW: a new rule' -- scripts/series-verify
}

make_harness() {
	local boot=tools/testing/boot
	mkdir -p $boot/arch
	echo kvm_dir=arch/x86/kvm >$boot/arch/x86_64
	echo kvm_dir=arch/arm64/kvm >$boot/arch/arm64
	printf '#!/bin/sh\necho "$2 $3" >>built\n[ "$2 $3" != "$BREAK" ]\n' >$boot/build
	printf '#!/bin/sh\necho "$2" >>looked-at\n[ "$2" != "$WARN" ]\n' >$boot/warnings
	chmod +x $boot/build $boot/warnings
}

t_build() {
	on_base
	make_harness
	scripts/series-check | grep -qx 'all 3 steps build for arm64 x86_64'
	[ "$(xargs <built)" = 'arm64 step:1 arm64 step:2 arm64 step:3 x86_64 step:1 x86_64 step:2 x86_64 step:3' ]
	[ "$(xargs <looked-at)" = 'arm64 x86_64' ]
	rm built
	ARCH=arm64 scripts/series-check
	[ "$(xargs <built)" = 'arm64 step:1 arm64 step:2 arm64 step:3' ]
	printf 'kvm_dir=arch/arm64/kvm\ntwin=arm64\n' >tools/testing/boot/arch/arm64be
	scripts/series-check | grep -qx 'all 3 steps build for arm64 x86_64'
	rm built
	ARCH=arm64be scripts/series-check | grep -qx 'all 3 steps build for arm64be'
	BREAK='x86_64 step:2' refuses '0002-' 'does not build for x86_64' -- scripts/series-check
	WARN=x86_64 refuses 'new warnings for x86_64' -- scripts/series-check
}

add_architectures() {
	mkdir -p "$K/arch/arm64/kvm"
	seq 10 >"$K/arch/x86/kvm/stats.c"
	commit 'KVM: x86: stats'
	seq 10 >"$K/arch/arm64/kvm/stats.c"
	commit 'KVM: arm64: stats'
}

t_build_others() {
	add_architectures
	refresh
	on_base
	make_harness
	scripts/series-check >said
	grep -qx 'x86_64: step 5/5 has nothing for it: KVM: arm64: stats' said
	[ "$(sed -n 's/arm64 step://p' built | xargs)" = '1 2 3 5' ]
	[ "$(sed -n 's/x86_64 step://p' built | xargs)" = '1 2 3 4' ]
}

# --- editing

t_round_trip() {
	on_base
	scripts/tree
	diff <(git -C "$K" rev-parse 'main^{tree}') <(git -C build/tree/5.10 rev-parse 'HEAD^{tree}')
	[ "$(git -C build/tree/5.10 rev-parse base^{tree})" = "$(git -C "$K" rev-parse base^{tree})" ]
	scripts/refresh
	no_change
	git -C "$K" checkout -q main
	[ -z "$(refresh)" ]
	no_change
}

t_new_step() {
	sed -i 's/^420$/four-twenty/' "$K/virt/kvm/kvm_stats.c"
	echo new >"$K/include/linux/new.h"
	commit 'KVM: stats: One more'
	refresh
	grep -qx 'add include/linux/new.h' series/5.10/0004-KVM-stats-One-more.patch
	grep -qx '+four-twenty' series/5.10/0004-KVM-stats-One-more.patch
	[ "$(cat include/linux/new.h)" = new ]
	grep -qx four-twenty virt/kvm/kvm_stats.c
}

t_gone_step() {
	git -C "$K" reset -q --hard HEAD~2
	refresh
	[ ! -e virt/kvm/kvm_stats.c ]
	[ "$(ls series/5.10 | grep -c patch)" = 1 ]
	lacks three-ten include/linux/kvm_stats.h
	scripts/series
}

t_keeps_others() {
	echo mine >include/linux/mine.h
	git -C "$K" reset -q --hard HEAD~1
	refresh
	[ "$(cat include/linux/mine.h)" = mine ]
}

t_sign_offs() {
	lacks Signed-off-by series/5.10/*.patch
	[ "$(sed -n '3,5p' series/5.10/0001-*)" = 'First paragraph.

Second one.' ]
}

t_dirty_tree() {
	echo x >>"$K/Makefile"
	refuses 'changes that are in no commit' 'Makefile' -- refresh
	no_change
}

t_merge() {
	git -C "$K" checkout -q -b side HEAD~1
	echo x >"$K/drivers/side.c"
	commit
	git -C "$K" checkout -q main
	git -C "$K" merge -q --no-edit side
	refuses 'is a merge' -- refresh
}

t_wrong_place() {
	echo x >"$K/drivers/new.c"
	commit
	refuses 'adds drivers/new.c' 'expected new files only under' -- refresh
	no_change
}

t_removed_again() {
	git -C "$K" rm -q virt/kvm/kvm_stats.c
	commit
	refuses 'adds virt/kvm/kvm_stats.c' 'squash' -- refresh
	no_change
}

t_no_tree() {
	refuses 'make tree makes one' -- scripts/refresh
	refuses 'no commit named nowhere' -- scripts/refresh "$K" nowhere
	mkdir -p build/tree/5.10
	refuses 'not a git checkout' -- scripts/refresh
}

t_changed_here() {
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

t_unrefreshed() {
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

t_tree_follows() {
	on_base
	scripts/tree
	sed -i 's/^440$/four-forty/' virt/kvm/kvm_stats.c
	scripts/tree
	grep -qx four-forty build/tree/5.10/virt/kvm/kvm_stats.c
	git commit -q -a -m edit
	scripts/refresh
	no_change
}

# --- the base

listing() {
	find "$1" -printf '%p %s %T@ %m\n' | sort
}

t_kernel_git() {
	git -C "$K" checkout -q base
	listing "$K" >before
	base=$(KERNEL=$K scripts/base)
	listing "$K" | diff before -
	[ "$(git -C "$base" rev-list --count HEAD)" = 1 ]
	diff -r --exclude=.git "$K" "$base"
	[ "$(KERNEL=$K scripts/base)" = "$base" ]
}

t_kernel_plain() {
	git -C "$K" checkout -q base
	rm -rf "$K/.git"
	listing "$K" >before
	base=$(KERNEL=$K scripts/base)
	listing "$K" | diff before -
	[ "$(git -C "$base" rev-list --count HEAD)" = 1 ]
	diff -r --exclude=.git "$K" "$base"
	KERNEL=$K scripts/series-verify
}

t_kernel_wrong() {
	KERNEL=$work/nowhere refuses 'no such directory' -- scripts/base
	KERNEL=$PWD refuses 'is no kernel tree' 'expected the top of a Linux 5.10.y' -- scripts/base
	sed -i 's/^PATCHLEVEL = 10/PATCHLEVEL = 15/' "$K/Makefile"
	commit
	KERNEL=$K refuses 'is Linux 5.15.7' 'expected Linux 5.10.y' -- scripts/base
	KERNEL=$K refuses 'is Linux 5.15.7' -- scripts/series-verify --cached
}

t_kernel_dirty() {
	echo x >>"$K/Makefile"
	KERNEL=$K refuses 'changes that are in no commit' 'Makefile' -- scripts/base
	rm -rf "$K/.git"
	touch "$K/.config"
	KERNEL=$K refuses 'products of a build' 'make mrproper' -- scripts/base
}

t_version_wrong() {
	refuses 'not a version: ../x' -- scripts/base ../x
}

t_half_base() {
	mkdir -p "$KVM_STATS_CACHE/base/.new"
	echo junk >"$KVM_STATS_CACHE/base/.new/junk"
	base=$(KERNEL=$K scripts/base)
	[ ! -e "$base/junk" ]
}

# A tarball that is cut short must not become a base, and a whole one must.
t_tarball() {
	mkdir -p "$KVM_STATS_CACHE/src"
	git -C "$K" archive --prefix=linux-5.10.7/ base | xz >whole.tar.xz
	head -c 500 whole.tar.xz >"$KVM_STATS_CACHE/src/linux_5.10.7.orig.tar.xz"
	refuses 'cannot unpack' 'remove it' -- scripts/base 5.10.7
	[ ! -e "$KVM_STATS_CACHE/base/5.10.7" ]
	mv whole.tar.xz "$KVM_STATS_CACHE/src/linux_5.10.7.orig.tar.xz"
	base=$(scripts/base 5.10.7)
	[ "$base" = "$KVM_STATS_CACHE/base/5.10.7" ]
	first=$(git -C "$base" rev-parse HEAD)
	rm -rf "$base"
	scripts/base 5.10.7
	[ "$(git -C "$base" rev-parse HEAD)" = "$first" ]
	[ "$(scripts/base)" = "$base" ]
	[ "$(scripts/base --cached)" = "$base" ]
}

cached_base() {
	mkdir -p "$KVM_STATS_CACHE/base"
	rm -rf "$KVM_STATS_CACHE/base/5.10.7"
	git clone -q "$K" "$KVM_STATS_CACHE/base/5.10.7"
	git -C "$KVM_STATS_CACHE/base/5.10.7" checkout -q base
}

no_mirror() {
	mkdir -p apt
	echo "deb file:/nowhere $1 main" >apt/sources
	printf '%s\n' "Dir::Etc::SourceList \"$PWD/apt/sources\";" \
		'Dir::Etc::SourceParts "/dev/null";' >apt/conf
	export APT_CONFIG=$PWD/apt/conf
}

t_no_mirror() {
	command -v apt-get || { echo 'no apt-get on this machine'; exit 77; }
	no_mirror "$(. /etc/os-release && echo "$VERSION_CODENAME")"
	refuses 'the mirror has no source package linux 5.10' 'KERNEL=PATH' -- scripts/base 5.10.8
	no_mirror elsewhere
	refuses 'name no Debian mirror' 'KERNEL=PATH' -- scripts/base 5.10.8
	cached_base
	sed -i 's/^tested .*/tested 5.10.7 5.10.8/' series/5.10/base
	refuses 'Linux 5.10.7: 3 steps apply' 'not checked on: 5.10.8' -- scripts/series-verify
}

t_mirror() {
	command -v apt-get || { echo 'no apt-get on this machine'; exit 77; }
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mkdir -p apt/parts
	cat >apt/parts/debian.sources <<-EOF
		Types: deb
		URIs: http://mirror.example/debian
		Suites: $codename $codename-updates
		Components: main contrib
	EOF
	cat >apt/parts/other.list <<-EOF
		deb [arch=$(dpkg --print-architecture)] http://security.example/security/ $codename-security main
		deb http://tools.example/apt nodistro main
	EOF
	printf '%s\n' 'Dir::Etc::SourceList "/dev/null";' \
		"Dir::Etc::SourceParts \"$PWD/apt/parts\";" >apt/conf
	export APT_CONFIG=$PWD/apt/conf
	bash -c '. scripts/lib/common.sh; . scripts/lib/debian.sh; debian_sources' |
		sed 's/\[.*\] //' >sources
	cat sources
	printf 'deb-src http://%s main\n' 'mirror.example/debian/ bullseye' \
		'security.example/security/ bullseye-security' | diff - sources
}

# --- the real thing

t_real() {
	cd "$repo"
	export KVM_STATS_CACHE=$real_cache
	unset GIT_AUTHOR_DATE GIT_COMMITTER_DATE
	scripts/base "$version" || { echo "Linux $version could not be had"; exit 77; }
	scripts/series-verify --on "$version"
}

tests=$(awk '!/^[a-z_]+\(\)|^[[:space:]]*#/' "$0" | grep -c '^point ')
tested=$(sed -n 's/^tested //p' series/5.10/base)
echo TAP version 13
echo "1..$((tests + $(wc -w <<<"$tested")))"
failed=0
if ! (set -e; make_kernel "$work/template/kernel"; commit_steps "$work/template/kernel"
	make_repo "$work/template/repo") >"$work/log" 2>&1; then
	sed 's/^/# /' "$work/log"
	echo "Bail out! no made-up kernel and series to test with"
	exit 1
fi

point 'the mails apply with git am and give every step its tree' t_applies
point 'git am gives back subjects and messages, folded or not ASCII' t_messages
point 'the mails have the form of git format-patch' t_form
point 'the cover letter has list, diffstat and base' t_cover
point 'the mails need no kernel, and it is said that they are not checked' t_no_kernel
point 'the same series gives the same mails' t_same_again
point 'mails of steps that are gone go' t_stale_mails
point 'git apply takes step files as they are' t_git_apply
point 'without an identity of the sender there are no mails' t_no_identity
point 'a whole file in no step is refused' t_unowned
point 'a whole file in two steps is refused' t_owned_twice
point 'a listed file that is not there is refused' t_missing
point 'a whole file outside the kernel directories is refused' t_outside
point 'a later edit that the whole file lacks is refused' t_stuck_edit
point 'an edit before the file arrives is refused' t_edit_before_arrival
point 'malformed step files are refused, with file and line' t_bad_form
point 'series-verify takes a good series' t_verify
point 'hunks may land at an offset' t_offset
point 'hunks may not need fuzz' t_fuzz
point 'bad white space is refused' t_white_space
point 'files that come out otherwise than they are here are refused' t_differs
point 'what checkpatch finds is refused' t_style
point 'checkpatch is not asked again about what passed' t_style_again
point 'series-check builds every step and names the one that does not' t_build
point 'series-check leaves out what is not built for an architecture' t_build_others
point 'tree and refresh are a round trip' t_round_trip
point 'a new commit becomes a step, with whole files' t_new_step
point 'steps and files of commits that are gone go' t_gone_step
point 'refresh leaves files alone that no step listed' t_keeps_others
point 'steps carry no sign-off' t_sign_offs
point 'refresh refuses a dirty tree' t_dirty_tree
point 'refresh refuses merges' t_merge
point 'refresh refuses new files in other places' t_wrong_place
point 'refresh refuses a file that is added and removed again' t_removed_again
point 'refresh without a tree says what to do' t_no_tree
point 'refresh does not overwrite what changed here' t_changed_here
point 'tree does not overwrite what is not refreshed' t_unrefreshed
point 'tree brings in what changed here' t_tree_follows
point 'KERNEL= takes a git tree and leaves it as it is' t_kernel_git
point 'KERNEL= takes plain sources and leaves them as they are' t_kernel_plain
point 'KERNEL= refuses what is no 5.10 kernel tree' t_kernel_wrong
point 'KERNEL= refuses a dirty tree' t_kernel_dirty
point 'a version that is none is refused' t_version_wrong
point 'a base that was interrupted leaves nothing behind' t_half_base
point 'a tarball becomes a base, whole or not at all' t_tarball
point 'the mirror comes from the configuration of apt' t_mirror
point 'without a mirror it is said what to do' t_no_mirror

for version in $tested; do
	point "the series on Linux $version: no fuzz, same files, checkpatch --strict" t_real
done
exit $failed
