# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: a small sample kernel, and a repository with a series for it.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the other files use the variables

MAILS=build/series/5.10

# make_kernel DIR: create the sample kernel
make_kernel()
{
	mkdir -p "$1"/{virt/kvm,include/linux,arch/x86/kvm,drivers,scripts}
	cd "$1" || return
	git init -q -b main
	printf 'VERSION = 5\nPATCHLEVEL = 10\nSUBLEVEL = 7\nEXTRAVERSION =\n' >Makefile
	touch Kbuild MAINTAINERS
	seq 1 40 >virt/kvm/kvm_main.c
	seq 100 150 >drivers/dead.c
	seq 200 250 >drivers/moved.c
	cat >scripts/checkpatch.pl <<-'EOF'
		#!/usr/bin/perl
		@ARGV = grep { !/^--/ } @ARGV;
		while (<>) { $bad++ if /^\+.*BADSTYLE/; }
		print "virt/kvm/kvm_stats.c:2: ERROR:STYLE: bad style\n" if $bad;
		exit($bad ? 1 : 0);
	EOF
	git add -A
	git commit -q -m 'Linux 5.10.7'
	git tag base
}

LONG_SUBJECT='KVM: stats: A subject that is so long that a mail header has to fold it somewhere'

# commit_patches DIR: make three commits in the sample kernel
commit_patches()
{
	cd "$1" || return
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
	git commit -q -m "$LONG_SUBJECT" -m 'Body.'
	sed -i 's/^315$/three-fifteen/' include/linux/kvm_stats.h
	sed -i 's/^410$/four-ten/' virt/kvm/kvm_stats.c
	sed -i 's/^25$/twenty-five/' virt/kvm/kvm_main.c
	git commit -q -a -m 'KVM: x86: stats: Später' -m 'Ein Wörtchen.'
}

# make_repo DIR: create a repository like this one, with the commits of the sample kernel as its
# series
make_repo()
{
	mkdir -p "$1/series/5.10"
	cd "$1" || return
	git init -q -b main
	cp -r "$ROOT/scripts" .
	rm -f scripts/packages	# so that need_packages installs nothing
	printf 'SERIES ?= 5.10\ninclude scripts/series.mk\n' >Makefile
	echo build/ >.gitignore
	printf 'version 5.10\nbase 5.10.7\ntested 5.10.7\n' >series/5.10/base
	printf 'KVM: A cover\n\nCover text.\n' >series/5.10/cover-letter
	git add -A
	git commit -q -m start
	scripts/refresh "$WORK/template/kernel" base
	git add -A
	git commit -q -m series
}

# Create the sample kernel and the repository in $WORK/template, and set PATCH2 to the file of
# the second patch.
make_template()
{
	local dir=$WORK/template
	if ! (set -e; make_kernel "$dir/kernel"; commit_patches "$dir/kernel"
		make_repo "$dir/repo") >"$WORK/log" 2>&1; then
		sed 's/^/# /' "$WORK/log"
		bail_out "the sample kernel and its series could not be made"
	fi
	PATCH2=$(cd "$dir/repo" && echo series/5.10/0002-*.patch)
}

# ---- helpers of the test cases, in the repository; $K is the kernel ----

refresh()
{
	scripts/refresh "$K" base
}

# The repository must have no uncommitted changes.
no_change()
{
	[ -z "$(git status --porcelain)" ] || { git status --short; git diff; return 1; }
}

# commit [SUBJECT]: commit all changes of the kernel
commit()
{
	git -C "$K" add -A
	git -C "$K" commit -q -m "${1:-One more}"
}
