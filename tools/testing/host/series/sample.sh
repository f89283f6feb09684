# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: a small sample kernel, and a repository with series for it.
# shellcheck shell=bash

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
