# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: scripts/series-verify and scripts/series-check.
# shellcheck shell=bash

# Use the sample kernel without the patches as the base.
on_base()
{
	git -C "$K" checkout -q base
	export KERNEL=$K
}

t_verify()
{
	on_base
	scripts/series-verify >output
	grep -q ': 3 patches apply without fuzz, 3 files equal, checkpatch --strict is clean' output
	[ -z "$(git -C "$K" status --porcelain)" ]
}

t_offset()
{
	on_base
	sed -i '1i above\nabove' "$K/virt/kvm/kvm_main.c"
	commit
	scripts/series-verify | grep -q 'apply without fuzz'
}

t_fuzz()
{
	on_base
	sed -i 's/^17$/other/' "$K/virt/kvm/kvm_main.c"
	commit
	refuses 'does not apply to Linux 5.10.7' 'virt/kvm/kvm_main.c' -- scripts/series-verify
}

t_white_space()
{
	on_base
	sed -i "s/^401$/401 /" virt/kvm/kvm_stats.c
	refuses 'does not apply to Linux 5.10.7' 'trailing whitespace' -- scripts/series-verify
}

t_differs()
{
	on_base
	scripts/series
	echo x >>include/linux/kvm_stats.h
	refuses 'include/linux/kvm_stats.h differs' -- scripts/series-verify "$MAILS"
	git checkout -q include
	chmod +x include/linux/kvm_stats.h
	refuses 'include/linux/kvm_stats.h has a different mode' -- scripts/series-verify "$MAILS"
}

t_style()
{
	on_base
	scripts/series-verify
	sed -i 's/^401$/BADSTYLE/' virt/kvm/kvm_stats.c
	refuses 'STYLE: bad style' 'checkpatch --strict reports for 0002-' -- scripts/series-verify
	refuses 'STYLE: bad style' -- scripts/series-verify
	scripts/series-verify --no-checkpatch
}

t_style_ignored()
{
	on_base
	sed -i 's/^401$/BADSTYLE/' virt/kvm/kvm_stats.c
	printf 'STYLE virt/kvm/other.c\nOTHER virt/kvm/kvm_stats.c\n' >scripts/checkpatch.list
	refuses 'STYLE: bad style' -- scripts/series-verify
	echo 'STYLE virt/kvm/kvm_stats.c' >>scripts/checkpatch.list
	scripts/series-verify
}

t_style_mainline()
{
	on_base
	mkdir -p "$KVM_STATS_CACHE/mainline/6.1.5/scripts"
	printf '%s\n' 'print "x.c:2: ERROR:NEW: a new rule\n"; exit(1);' \
		>"$KVM_STATS_CACHE/mainline/6.1.5/scripts/checkpatch.pl"
	refuses 'NEW: a new rule' 'mainline/6.1.5/scripts/checkpatch.pl' -- scripts/series-verify
}

# The file `ran` has the commands that ran checkpatch. After the mails pass once, the test repeats
# the check four times: without a change, with another date, with a changed mail, and with a
# changed checkpatch.
t_style_again()
{
	on_base
	scripts/series-verify
	mkdir bin
	# shellcheck disable=SC2016 # the script expands the variable
	printf '#!/bin/sh\necho "$*" >>"%s/ran"\n' "$PWD" >bin/perl
	chmod +x bin/perl
	PATH=$PWD/bin:$PATH scripts/series-verify | grep -q 'checkpatch --strict is clean'
	[ ! -e ran ]
	GIT_COMMITTER_DATE='2022-01-01 12:00:00 +0000' git commit -q --allow-empty -m later
	PATH=$PWD/bin:$PATH scripts/series-verify
	[ ! -e ran ]
	sed -i 's/^Ein /Noch ein /' series/5.10/0003-*
	PATH=$PWD/bin:$PATH scripts/series-verify
	[ "$(grep -o '/000[0-9]-' ran)" = /0003- ]
	printf '%s\n' 'print "ERROR:NEW: a new rule\n"; exit(1);' >"$K/scripts/checkpatch.pl"
	commit
	refuses 'NEW: a new rule' -- scripts/series-verify
}

# Fake programs that build a kernel and find warnings. They record how they were called, and
# fail for what the variables BREAK and WARN name.
make_harness()
{
	local kernel=tools/testing/kernel arch=tools/testing/arch host=tools/testing/host
	mkdir -p "$kernel" "$arch" "$host/all"
	echo kvm_dir=arch/x86/kvm >"$arch"/x86_64
	echo kvm_dir=arch/arm64/kvm >"$arch"/arm64
	cat >"$kernel"/build <<-'EOF'
		#!/bin/sh
		echo "$2 $3" >>built
		[ "$2 $3" != "$BREAK" ]
	EOF
	cat >"$host"/all/warnings.t <<-'EOF'
		#!/bin/sh
		echo "$ARCH" >>inspected
		[ "$ARCH" != "$WARN" ]
	EOF
	chmod +x "$kernel"/build "$host"/all/warnings.t
}

t_build()
{
	on_base
	make_harness
	scripts/series-check | grep -qx 'all 3 patches build for arm64 x86_64'
	[ "$(xargs <built)" = "arm64 patch:1 arm64 patch:2 arm64 patch:3 \
x86_64 patch:1 x86_64 patch:2 x86_64 patch:3" ]
	[ "$(xargs <inspected)" = 'arm64 x86_64' ]
	rm built
	ARCH=arm64 scripts/series-check
	[ "$(xargs <built)" = 'arm64 patch:1 arm64 patch:2 arm64 patch:3' ]
	printf 'kvm_dir=arch/arm64/kvm\ntwin=arm64\n' >tools/testing/arch/arm64be
	scripts/series-check | grep -qx 'all 3 patches build for arm64 x86_64'
	rm built
	ARCH=arm64be scripts/series-check | grep -qx 'all 3 patches build for arm64be'
	BREAK='x86_64 patch:2' refuses '0002-' 'does not build for x86_64' -- scripts/series-check
	WARN=x86_64 refuses 'new warnings for x86_64' -- scripts/series-check
}

add_architectures()
{
	mkdir -p "$K/arch/arm64/kvm"
	seq 10 >"$K/arch/x86/kvm/stats.c"
	commit 'KVM: x86: stats'
	seq 10 >"$K/arch/arm64/kvm/stats.c"
	commit 'KVM: arm64: stats'
}

t_build_others()
{
	add_architectures
	refresh
	on_base
	make_harness
	scripts/series-check >output
	grep -qx 'x86_64: patch 5/5 changes nothing for it: KVM: arm64: stats' output
	[ "$(sed -n 's/arm64 patch://p' built | xargs)" = '1 2 3 5' ]
	[ "$(sed -n 's/x86_64 patch://p' built | xargs)" = '1 2 3 4' ]
}

add_check_tests()
{
	test_case 'series-verify accepts a correct series' t_verify
	test_case 'series-verify accepts hunks at an offset' t_offset
	test_case 'series-verify refuses hunks that need fuzz' t_fuzz
	test_case 'series-verify refuses bad white space' t_white_space
	test_case 'series-verify refuses a series whose files differ from the repository' \
		t_differs
	test_case 'series-verify refuses mails about which checkpatch reports a problem' t_style
	test_case 'series-verify ignores messages in checkpatch.list, for the listed files only' \
		t_style_ignored
	test_case 'series-verify runs the checkpatch of Linux 6.1 as well' t_style_mainline
	test_case 'series-verify runs checkpatch again only for mails that changed' t_style_again
	test_case 'series-check builds each patch and names the one that fails' t_build
	test_case 'series-check skips patches that change nothing for an architecture' \
		t_build_others
}
