#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the real series: the statements of the cover letter, and that each applies to the
# kernels of its file base and to the trees of scripts/trees.list. checkpatch runs only
# for the mails that changed since it last passed.
#
# usage: series_trees.t
# shellcheck disable=SC2317 # run_cases calls the functions by their names

# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
# shellcheck source=../series/cases.sh
. "$ROOT/tools/testing/host/series/cases.sh"
# shellcheck source=../series/cover.sh
. "$ROOT/tools/testing/host/series/cover.sh"

prepare_case()
{
	:
}

# write_mails SERIES: write the mails of the series once for all trees
write_mails()
{
	# The sender is that of series-verify, so that both use the same results of checkpatch.
	GIT_AUTHOR_NAME='KVM statistics' GIT_AUTHOR_EMAIL=kvm-stats@localhost \
		SERIES=$1 "$ROOT/scripts/series" "$WORK/mails-$1" >"$WORK/log" 2>&1 && return
	sed 's/^/# /' "$WORK/log"
	bail_out "the mails of series $1 cannot be written"
}

t_release()
{
	export SERIES=$2
	"$ROOT/scripts/base" "$1" || { echo "Linux $1 is not available"; exit 77; }
	"$ROOT/scripts/series-verify" --on "$1" "$WORK/mails-$2"
}

# series-verify exits with 77 if the archive of the tree is missing.
t_tree()
{
	SERIES=$2 "$ROOT/scripts/series-verify" --on "$1" "$WORK/mails-$2"
}

# Print the lines "SERIES RELEASE" of the releases that the series are tested on.
tested_releases()
{
	local base series release releases

	for base in "$ROOT"/series/*/base; do
		series=$(basename "${base%/base}")
		read -r -a releases < <(sed -n 's/^tested //p' "$base")
		for release in "${releases[@]}"; do
			echo "$series $release"
		done
	done
}

# Print the series of which mails are needed.
series_names()
{
	{
		awk '!/^#/ { print $3 }' "$ROOT/scripts/trees.list"
		tested_releases | cut -d' ' -f1
	} | sort -u
}

# The cases that take longest come first, so that no processor is idle at the end.
add_tests()
{
	local release name series

	while read -r series release; do
		test_case "series $series on Linux $release: no fuzz, same files, checkpatch --strict" \
			t_release "$release" "$series"
	done < <(tested_releases)
	while read -r name release series _; do
		test_case "series $series on the tree $name, Linux $release: no fuzz, same files" \
			t_tree "$name" "$series"
	done < <(grep -v '^#' "$ROOT/scripts/trees.list")
	add_cover_tests
}

begin
while read -r series; do
	write_mails "$series"
done < <(series_names)
run_tests add_tests
run_tests run_cases
finish
