#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Check the style of scripts, C code, documents and commit messages. `make lint` runs this.
#
# usage: lint.t [--all]
#
# checkpatch and shellcheck take minutes for the whole repository, so they check what has changed
# since the last commit that HEAD shares with upstream/main, origin/main or main. If HEAD has no
# commits of its own, as in a new clone, they check what the last 10 commits changed. Uncommitted
# changes and new files are always included. All other checks are of the whole repository.
#
# With --all, or if LINT_ALL is set in the environment, both check all files.
# shellcheck source=../lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
set -u
lint=$ROOT/tests/static/lint
# The rule for commit subjects applies to the commits after the first of these, that for bodies to
# those after the second.
first_commit=ed66bf2f8202
first_with_body=34017dd4e7ed
recent_commits=10

# files [PATHSPEC...]: the files of the repository, also new ones. git lists deleted files, too.
files()
{
	git ls-files -co --exclude-standard -- "$@" | while IFS= read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done
}

# shell_files PATTERN: the scripts whose first line matches
shell_files()
{
	git grep -lE --untracked "$1" -- scripts tests tools .ci | while read -r file; do
		! head -n 1 "$file" | grep -qE "$1" || echo "$file"
	done
}

# The commit since which files count as changed. A shallow clone may not have enough commits: then
# it is the oldest that the clone has.
changed_since()
{
	local main base=

	for main in upstream/main origin/main main; do
		! base=$(git merge-base HEAD "$main" 2>/dev/null) || break
	done
	if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
		base=$(git rev-list --first-parent -n $((recent_commits + 1)) HEAD | tail -n 1)
	fi
	echo "$base"
}

# changed_files: those of the files on stdin that have changed
changed_files()
{
	if [ -n "$all" ]; then
		cat
	else
		grep -xFf <(git diff --name-only "$since"; git ls-files -o --exclude-standard)
	fi
}

# script_of FILE: the script itself, or of a sourced file a script that sources it, because shellcheck
# reads a sourced file as a part of a script
script_of()
{
	local file=$1

	for _ in {1..4}; do
		! grep -qxF "$file" <<<"$scripts" || { echo "$file"; return; }
		file=$(git grep -l --untracked -E "^\s*# shellcheck source=(.*/)?${file##*/}$" -- scripts tests tools | head -n 1)
		[ -n "$file" ] || return 0
	done
}

# The scripts to check
chosen_scripts()
{
	local scripts file

	scripts=$(shell_files '^#!.*(bash|/sh)$')
	if [ -n "$all" ]; then
		echo "$scripts"
	else
		files scripts tests tools .ci | changed_files | while read -r file; do script_of "$file"; done | sort -u
	fi
}

# SC2329 is a function that is never called; shellcheck does not see that `check` and `expect` call
# functions.
shellcheck_clean()
{
	chosen_scripts | xargs -r -d '\n' -n 4 -P 2 shellcheck -x -a -P SCRIPTDIR:tests/kernel -e SC2329 -f gcc
}

chosen_c()
{
	files 'tools/*.[ch]' 'tests/*.[ch]' | grep -vE '^(tools/testing/selftests/|tests/bench/kernel\.h)' | changed_files
}

checkpatch_clean()
{
	local base file dir status=0

	base=$(scripts/base) || return
	dir=$(mktemp -d)
	for file in checkpatch.pl spelling.txt const_structs.checkpatch; do
		git -C "$base" show "HEAD:scripts/$file" >"$dir/$file"
	done
	chosen_c | xargs -r -n 24 -P 2 perl "$dir/checkpatch.pl" --terse --show-types -f >"$dir/log" 2>&1
	! grep -E '(ERROR|WARNING|CHECK):' "$dir/log" || status=1
	rm -rf "$dir"
	return "$status"
}

# Lines of scripts that are longer than 120 columns, and were not in the repository before.
# checkpatch checks C code.
short_lines()
{
	local dir status=0

	dir=$(mktemp -d)
	git grep -hE '.{50}' "$since" -- scripts tests tools .ci >"$dir/old"
	{ shell_files '^#!'; files '*.sh' '*.awk' '*.mk'; } | grep -v '^tests/boots/' | sort -u |
		xargs -d '\n' awk -f "$lint/columns.awk" "$dir/old" || status=1
	rm -rf "$dir"
	return "$status"
}

# Modules and folders of the command and of the library do not include each other in a circle.
layered_includes()
{
	local dir status=0

	dir=$(mktemp -d)
	files 'tools/kvm/kvm_stats/*.[ch]' 'tools/lib/kvmstats/*.[ch]' >"$dir/list"
	xargs grep -H '^#include "' <"$dir/list" >"$dir/includes"
	awk -f "$lint/includes.awk" "$dir/list" docs/architecture.md "$dir/includes" >"$dir/edges" || status=1
	tsort "$dir/edges" >/dev/null || status=1
	rm -rf "$dir"
	return "$status"
}

documents()
{
	files '*.md'
}

spelling()
{
	files | grep -vE '^(LICENSES|series)/|\.zst$|/seeds/' | xargs -d '\n' codespell
}

# "prefix: Imperative verb ...", at most 72 columns
commit_subjects()
{
	git log --no-merges --format=%s "$first_commit"..HEAD | awk -f "$lint/subject.awk"
}

# A body is not empty.
commit_bodies()
{
	! git log --no-merges --format='%x02%h "%s"%x01%b' "$first_with_body"..HEAD |
		awk -v RS='\002' -F '\001' 'NR > 1 && $2 !~ /[^ \n]/ { print $1 " has no body" }' |
		grep .
}

# The files of the series are reviewed as kernel code.
terms()
{
	files | grep -vE '^(LICENSES|series|virt|include|arch|Documentation|tools/testing/selftests)/' |
		grep -vE '\.(zst|json)$|/seeds/|/terms\.list$' |
		xargs -d '\n' awk -f "$lint/terms.awk" "$lint/terms.list"
}

# Lines that can be broken: not tables, links or code.
wrapped_documents()
{
	# shellcheck disable=SC2016 # an awk program
	documents | xargs awk '
	FNR == 1 { code = 0 }
	/^ *```/ { code = !code; next }
	length($0) > 80 && !code && !/^    / && !/^ *\|/ && !/^\[/ && !/^[^ ]*$/ && !/\]\(/ {
		print FILENAME ":" FNR ": longer than 80 columns"
		bad = 1
	}
	END { exit bad }'
}

# anchors FILE: the anchors of the headings of a document, as GitHub and GitLab make them
anchors()
{
	sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'
}

links()
{
	local document link file status=0

	while read -r document; do
		while IFS= read -r link; do
			file=$(dirname "$document")/${link%%#*}
			[ -n "${link%%#*}" ] || file=$document
			if [ ! -e "$file" ] || { [[ $link = *.md#* || $link = '#'* ]] &&
				! anchors "$file" | grep -qxF -- "${link#*#}"; }; then
				echo "$document: the link $link leads nowhere"
				status=1
			fi
		done < <(grep -oE '\]\([^)]+\)' "$document" | sed 's/^](//; s/)$//' | grep -vE '^(https?|mailto):')
	done < <(documents)
	return "$status"
}

# The tests in the table "What is tested where" of docs/testing.md exist.
named_tests_exist()
{
	local name folder status=0

	# shellcheck disable=SC2016 # backquotes of Markdown
	while read -r name; do
		for folder in tests/{cli,static,boots}{,/all} tests/programs tools/testing/selftests/kvm{,/*}; do
			compgen -G "$folder/$name" || compgen -G "$folder/$name.[cs]*"
		done | grep -q . || { echo "docs/testing.md: there is no test $name"; status=1; }
	done < <(sed -n '/^## What is tested where/,/^## What runs/p' docs/testing.md | cut -d '|' -f 3 |
		grep -oE '`[^`]+`' | tr -d '`')
	return "$status"
}

readme_is_short()
{
	[ "$(wc -l <README.md)" -le 120 ] || { echo "README.md has $(wc -l <README.md) lines, more than 120"; return 1; }
}

# The first section of the changelog is that of the version, with its date or as unreleased.
changelog_has_version()
{
	local section

	section=$(grep -m 1 '^## ' CHANGELOG.md)
	[[ $section =~ ^"## $(<VERSION) "(\(unreleased\)|- [0-9]{4}-[0-9]{2}-[0-9]{2})$ ]] && return
	echo "The first section of CHANGELOG.md is \"$section\", and VERSION has $(<VERSION)."
	return 1
}

# Every file matches a pattern "F:" of MAINTAINERS, and every pattern a file, as get_maintainer.pl
# reads them: a pattern that ends in "/" is a folder with all below it, "*" matches within one name.
maintained()
{
	local patterns pattern

	mapfile -t patterns < <(sed -nE 's,^F:[ \t]*,,; T; s,/$,/**,; p' MAINTAINERS)
	for pattern in "${patterns[@]}"; do
		if [ -z "$(files ":(glob)$pattern")" ]; then
			echo "$pattern in MAINTAINERS matches no file"
			return 1
		fi
	done
	! files . "${patterns[@]/#/:(exclude,glob)}" |
		sed 's/$/ matches no pattern of MAINTAINERS/' | grep .
}

# check_commits FIRST COMMAND DESCRIPTION: a test case about the commits after FIRST
check_commits()
{
	if git cat-file -e "$1" 2>/dev/null; then
		check "$3" "$2"
	else
		skip "$3" "this clone does not have the commit $1"
	fi
}

cd "$ROOT" || exit
all=${LINT_ALL:-}
case "$*" in
'') ;;
--all) all=yes ;;
*) bail_out "usage: lint.t [--all]" ;;
esac
"$ROOT/scripts/packages" lint >&2 || bail_out "packages are missing"
git rev-parse --git-dir >/dev/null 2>&1 || bail_out "$ROOT is not a git checkout"
since=$(changed_since)
begin
if [ -n "$all" ]; then
	echo "# shellcheck and checkpatch: all files"
else
	echo "# shellcheck and checkpatch: $(chosen_scripts | wc -l) scripts and $(chosen_c | wc -l) C files" \
		"that changed since $(git log -1 --format='%h of %cs' "$since"). All files: make lint ALL=1"
fi
check "shellcheck has no findings" shellcheck_clean
findings="checkpatch --strict has no findings in user-space C"
if [ -n "$all" ] || scripts/base --cached >/dev/null; then
	check "$findings" checkpatch_clean
else
	skip "$findings" "the cache has no kernel, which contains checkpatch; make lint ALL=1 downloads it"
fi
check "no new line of a script has more than 120 columns" short_lines
check "no files of the command and the library include each other in a circle" layered_includes
check "codespell finds no misspelled word" spelling
check "no term that lint/terms.list replaces" terms
check "documents wrap at 80 columns" wrapped_documents
check "links in documents lead to files and headings" links
check "README.md has at most 120 lines" readme_is_short
check "the first section of CHANGELOG.md has the version in VERSION" changelog_has_version
check "the tests that docs/testing.md names exist" named_tests_exist
check "MAINTAINERS covers every file, and each of its patterns matches one" maintained
check_commits "$first_commit" commit_subjects \
	"commit subjects are imperative, prefixed and at most 72 columns long"
check_commits "$first_with_body" commit_bodies "commits have a body"
finish
