#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the real series: each applies to the kernels and trees of its file base, and the cover
# letters name these. The commands of README.md work. checkpatch runs only for the patches that
# changed since it last passed.
#
# usage: series_trees.t
# shellcheck disable=SC2317 # run_cases calls the functions by their names

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../../lib/cases.sh
. "$ROOT/tests/lib/cases.sh"

prepare_case()
{
	:
}

# letter SERIES: no long lines, and each tested release of 5.10 is named
letter()
{
	local release letter=$ROOT/series/$1/cover-letter

	awk 'length($0) > (NR == 1 ? 72 : 80) { print FILENAME ":" FNR ": too long"; bad = 1 }
	END { exit bad }' "$letter"
	[[ $1 == 5.10* ]] || return 0
	while read -r release; do
		grep -qwF "$release" "$letter" || { echo "$letter does not name $release"; return 1; }
	done < <(sed -n 's/^tested //p' "$ROOT/series/5.10/base" | grep -oE '5\.10\.[0-9]+')
}

# readme SERIES BASE PATTERN: the commands of README.md with PATTERN work in a repository that has
# only files of BASE, so that git cannot find other versions of them.
readme()
{
	local base commands paths

	base=$(SERIES=$1 "$ROOT/scripts/base" "$2")
	commands=$(grep -oE 'git am [^`#]+' "$ROOT/README.md" | grep -e "$3" | sed "s,/path/to/clone,$ROOT,g")
	echo "$commands"
	eval "${commands//git am/cat}" >patches
	mapfile -t paths < <({ echo .gitattributes; sed -nE 's,^(--- a/|rename from )(.*),\2,p' patches; } | sort -u)
	mapfile -t paths < <(git -C "$base" ls-tree --name-only HEAD -- "${paths[@]}")
	git init -q kernel
	git -C "$base" archive HEAD -- "${paths[@]}" | tar -x -C kernel
	cd kernel
	git add -f -A
	git commit -q -m base
	eval "$commands"
}

# series-verify exits with 77 if the archive of the tree is missing.
add_tests()
{
	local series base

	while read -r series base; do
		test_case "series $series on $base: no fuzz, same files, checkpatch --strict" \
			"$ROOT/scripts/series-verify" "$series" "$base"
	done < <("$ROOT/scripts/series-verify" --list)
	test_case 'the commands of README.md apply series/5.10*' readme 5.10-extensions newest series/5.10
	test_case 'the command of README.md applies series/5.10-gki' readme 5.10-gki android 5.10-gki
	test_case 'the command of README.md applies series/7.2-*' readme 7.2-fixes newest series/7.2-
	for series in "$ROOT"/series/*/cover-letter; do
		series=$(basename "${series%/cover-letter}")
		test_case "the cover letter of $series has short lines and the tested releases" letter "$series"
	done
}

begin
run_tests add_tests
run_tests run_cases
finish
