#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test the scripts of the series on a small sample kernel: writing, checking, editing and
# refreshing a series, and the errors. Then test the real series: its cover letter, and
# that it applies to the kernels and trees that it is tested on.

repo=$PWD
# The path has a blank, as the paths of some users have.
work=$(mktemp -d "${TMPDIR:-/tmp}/series t.XXXXXX")
trap 'rm -rf "$work"' EXIT
real_cache=${KVM_STATS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kvm-stats}
real_trees=${KVM_STATS_TREES:-}
export KVM_STATS_CACHE=$work/cache GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_DATE='2021-05-01 12:00:00 +0000' GIT_COMMITTER_DATE='2021-05-01 12:00:00 +0000'
unset KERNEL SERIES KVM_STATS_TREES TREE BASE FORCE GIT_DIR GIT_WORK_TREE EMAIL \
	GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
git config --file "$work/gitconfig" user.name 'Test Person'
git config --file "$work/gitconfig" user.email test@example.org

count=0
failed=0

# test_case DESCRIPTION FUNCTION: run FUNCTION in new copies of the repository and the kernel
test_case() {
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

# refuses TEXT... -- COMMAND...: the command must fail and print each TEXT
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

# lacks PATTERN FILE...: no line may match. "! grep" would not end a test case
lacks() {
	if grep "$@"; then
		echo "expected no match of: $*"
		return 1
	fi
}

use_real_series() {
	cd "$repo"
	export KVM_STATS_CACHE=$real_cache
	[ -z "$real_trees" ] || export KVM_STATS_TREES=$real_trees
	unset GIT_AUTHOR_DATE GIT_COMMITTER_DATE
}

t_real() {
	use_real_series
	scripts/base "$version" || { echo "Linux $version is not available"; exit 77; }
	scripts/series-verify --on "$version"
}

# Returns 77, after the reason, if the archive of the tree is missing.
t_real_tree() {
	use_real_series
	SERIES=$series scripts/series-verify --on "$name"
}

for module in sample mails check edit base user extend cover; do
	. "$(dirname "$0")/series/$module.sh"
done

echo TAP version 13
if ! (set -e; make_kernel "$work/template/kernel"; commit_patches "$work/template/kernel"
	make_repo "$work/template/repo") >"$work/log" 2>&1; then
	sed 's/^/# /' "$work/log"
	echo "Bail out! the sample kernel and its series could not be made"
	exit 1
fi
mail_tests
check_tests
edit_tests
base_tests
user_tests
extend_tests
cover_tests
for version in $(sed -n 's/^tested //p' series/5.10/base); do
	test_case "the series on Linux $version: no fuzz, same files, checkpatch --strict" t_real
done
while read -r name release series _; do
	test_case "series $series on the tree $name, Linux $release: no fuzz, same files" t_real_tree
done < <(grep -v '^#' scripts/trees.list)
echo "1..$count"
exit $failed
