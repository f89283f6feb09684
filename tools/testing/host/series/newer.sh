# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: the keys of series/*/base that series for newer kernels have: `files
# patches`, `suite`, and `extends` with the series of another kernel version.
# shellcheck shell=bash

# make_newer VERSION LINE: create ../VERSION, the sample kernel of this version with LINE as line
# 40 of kvm_main.c, and keep its base in the cache.
make_newer()
{
	local kernel=$PWD/../$1

	git clone -q "$K" "$kernel"
	git -C "$kernel" checkout -q base
	sed -i "s/^PATCHLEVEL = .*/PATCHLEVEL = ${1#*.}/" "$kernel/Makefile"
	sed -i "40s/.*/$2/" "$kernel/virt/kvm/kvm_main.c"
	git -C "$kernel" commit -q -a -m "Linux $1.7"
	git -C "$kernel" tag -f base
	mkdir -p "$KVM_STATS_CACHE/base"
	git clone -q "$kernel" "$KVM_STATS_CACHE/base/$1.7"
}

# commit_newer VERSION LINE: make two commits in ../VERSION. The first one changes LINE.
commit_newer()
{
	cd "../$1"
	sed -i "40s/^$2$/$2 changed/" virt/kvm/kvm_main.c
	git commit -q -a -m 'KVM: Change a line' -m 'Body.'
	seq 500 520 >virt/kvm/kvm_new.c
	git add virt/kvm/kvm_new.c
	git commit -q -m 'KVM: Add a file' -m 'Body.'
	cd "$OLDPWD"
}

# Create the series 5.12, whose patches contain the file that they add.
make_newer_series()
{
	make_newer 5.12 forty
	commit_newer 5.12 forty
	mkdir series/5.12
	printf '%s\n' 'version 5.12' 'base 5.12.7' 'tested 5.12.7' 'files patches' >series/5.12/base
	printf 'KVM: A cover\n\nCover text.\n' >series/5.12/cover-letter
	SERIES=5.12 scripts/refresh "$PWD/../5.12" base
}

t_files_in_patches()
{
	make_newer_series
	[ ! -e virt/kvm/kvm_new.c ]
	lacks '^add ' series/5.12/*.patch
	grep -qx '+520' series/5.12/0002-*.patch
	SERIES=5.12 scripts/series-verify >output
	grep -qx 'Linux 5.12.7: 2 patches apply without fuzz, checkpatch --strict is clean' output
	SERIES=5.12 scripts/series
	git -C ../5.12 checkout -q base
	git -C ../5.12 am -q "$PWD"/build/series/5.12/*.patch
	seq 500 520 | diff - ../5.12/virt/kvm/kvm_new.c
	cached_base
	scripts/series-verify --on 5.10.7 | grep '3 patches apply without fuzz, 3 files equal'
}

t_files_in_patches_edited()
{
	make_newer_series
	SERIES=5.12 scripts/tree
	sed -i 's/^510$/five-ten/' build/tree/5.12/virt/kvm/kvm_new.c
	git -C build/tree/5.12 commit -q -a --amend --no-edit
	SERIES=5.12 scripts/refresh | grep 'changed .*series/5.12/0002-'
	grep -qx '+five-ten' series/5.12/0002-*.patch
}

# The series 5.11 has another line 40, so it replaces the first patch of 5.12.
t_extends_version()
{
	make_newer_series
	make_newer 5.11 vierzig
	commit_newer 5.11 vierzig
	mkdir series/5.11
	printf '%s\n' 'extends 5.12' 'version 5.11' 'base 5.11.7' 'tested 5.11.7' 'files patches' \
		>series/5.11/base
	SERIES=5.11 scripts/refresh "$PWD/../5.11" base
	[ "$(ls series/5.11)" = "$(printf '%s\n' 0001-KVM-Change-a-line.patch base)" ]
	SERIES=5.11 scripts/series-verify | grep '^Linux 5.11.7: 2 patches apply without fuzz'
	cp series/5.12/0002-*.patch series/5.11
	SERIES=5.11 refuses 'replacements that are not needed' 'series/5.11/0002-' -- \
		scripts/series-verify
	sed -i 's/^+520$/+five-twenty/' series/5.11/0002-*.patch
	SERIES=5.11 scripts/series-verify | grep '^Linux 5.11.7: 2 patches apply without fuzz'
}

# The series 5.12-more adds a patch to 5.12. Its mails are numbered on their own.
t_extends_adds()
{
	make_newer_series
	mkdir series/5.12-more
	printf '%s\n' 'extends 5.12' 'version 5.12' 'base 5.12.7' 'tested 5.12.7' 'files patches' \
		'prefix RFC PATCH' >series/5.12-more/base
	printf 'KVM: More\n\nCover text.\n' >series/5.12-more/cover-letter
	export SERIES=5.12-more
	scripts/tree
	echo more >>build/tree/5.12-more/virt/kvm/kvm_new.c
	git -C build/tree/5.12-more commit -q -a -m 'KVM: Add a line' -m 'Body.'
	scripts/refresh | grep -x 'added   series/5.12-more/0003-KVM-Add-a-line.patch'
	[ "$(cd series/5.12-more && echo *.patch)" = 0003-KVM-Add-a-line.patch ]
	scripts/series
	grep -h '^Subject: ' build/series/5.12-more/* >subjects
	diff - subjects <<-END
	Subject: [RFC PATCH 0/1] KVM: More
	Subject: [PATCH 1/2] KVM: Change a line
	Subject: [PATCH 2/2] KVM: Add a file
	Subject: [RFC PATCH 1/1] KVM: Add a line
	END
	grep -x ' 1 file changed, 1 insertion(+), 0 deletions(-)' \
		build/series/5.12-more/0000-cover-letter.txt
	scripts/series-verify | grep '^Linux 5.12.7: 3 patches apply without fuzz'
	mv series/5.12-more/0003-KVM-Add-a-line.patch series/5.12-more/0004-KVM-Add-a-line.patch
	refuses '0004-KVM-Add-a-line.patch has the wrong number' -- scripts/series
	mv series/5.12-more/0004-KVM-Add-a-line.patch series/5.12-more/0003-KVM-Add-a-line.patch
	sed -i 's/^+520$/+five-twenty/' series/5.12/0002-*.patch
	refuses 'series 5.12-more do not apply after those of series 5.12' 'git am -3' -- scripts/tree
}

t_suite()
{
	command -v apt-get || { echo 'the build host has no apt-get'; exit 77; }
	# shellcheck source=/dev/null
	no_mirror "$(. /etc/os-release && echo "$VERSION_CODENAME")"
	echo 'suite trixie' >>series/5.10/base
	refuses 'the mirror has no source package' -- scripts/base 5.10.8
	grep -q 'file:/nowhere/\? trixie main' "$KVM_STATS_CACHE/apt-trixie/sources.list"
}

add_newer_tests()
{
	test_case 'the patches of a series can contain the files that they add' t_files_in_patches
	test_case 'refresh writes a changed file to the patch that contains it' t_files_in_patches_edited
	test_case 'a series can extend one for another kernel version' t_extends_version
	test_case 'a series can add patches to another one, which are sent separately' t_extends_adds
	test_case 'base uses the release of Debian that the series names' t_suite
}
