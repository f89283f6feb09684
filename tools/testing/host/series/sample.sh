# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t. A small sample kernel, and a repository with a series for it.

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
		@ARGV = grep { !/^--/ } @ARGV;
		while (<>) { $bad++ if /^\+.*BADSTYLE/; }
		print "virt/kvm/kvm_stats.c:2: ERROR:STYLE: bad style\n" if $bad;
		exit($bad ? 1 : 0);
	EOF
	git add -A
	git commit -q -m 'Linux 5.10.7'
	git tag base
}

long_subject='KVM: stats: A subject that is so long that a mail header has to fold it somewhere'

commit_patches() {
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

# --- what is done with them

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
patch2=series/5.10/0002-*.patch
