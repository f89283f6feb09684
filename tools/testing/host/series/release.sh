# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: scripts/release.
# shellcheck shell=bash

# Prepare a repository for release 0.2.
make_release()
{
	echo 0.2 >VERSION
	printf '# Changes\n\n## 0.2 - 2021-05-01\n\nText.\n\n## 0.3 (unreleased)\n' >CHANGELOG.md
	git add VERSION CHANGELOG.md
	git commit -q -m 'Release 0.2'
}

t_release_files()
{
	make_release
	scripts/release 0.2 >../output
	no_change
	grep -qx "git tag -s -m \"Release 0.2\" v0.2 $(git rev-parse --short=12 HEAD)" ../output
	grep '\.tar\.gz$' ../output >../sums
	(cd build/release && sha256sum -c ../../../sums)
	mkdir ../unpacked
	tar -xzf build/release/kvm-stats-0.2.tar.gz -C ../unpacked
	diff -r --exclude=.git --exclude=build . ../unpacked/kvm-stats-0.2
	tar -xzf build/release/kvm-binary-stats-5.10-0.2.tar.gz -C ../unpacked
	scripts/series
	diff -r "$MAILS" ../unpacked/kvm-binary-stats-5.10-0.2
	[ -z "$(git tag)" ]
}

t_release_again()
{
	make_release
	scripts/release 0.2 >../first
	rm -rf build
	sleep 1
	scripts/release 0.2 | diff ../first -
}

t_release_refused()
{
	refuses 'expected a version' 'make release VERSION=' -- scripts/release
	refuses 'expected a version' -- scripts/release next
	make_release
	refuses 'the file VERSION has 0.2, not 0.1' -- scripts/release 0.1
	echo 0.3 >VERSION
	refuses 'CHANGELOG.md has no section "## 0.3 - YYYY-MM-DD"' -- scripts/release 0.3
	git checkout -q VERSION
	echo x >>series/5.10/cover-letter
	refuses 'changes that are in no commit' 'series/5.10/cover-letter' -- scripts/release 0.2
	git checkout -q series
	git tag v0.2
	refuses 'the tag v0.2 exists' -- scripts/release 0.2
	[ ! -e build/release ]
}

add_release_tests()
{
	test_case 'release writes archives of the repository and of the mails' t_release_files
	test_case 'two runs of release write the same files' t_release_again
	test_case 'release refuses wrong versions, uncommitted changes and an existing tag' \
		t_release_refused
}
