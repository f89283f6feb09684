#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The series tooling, on a small made-up kernel: writing, checking, editing and
# refreshing a series, and what it refuses. Last, the real series on the kernels
# that it is tested on.

repo=$PWD
# With a blank in the path, as users have.
work=$(mktemp -d "${TMPDIR:-/tmp}/series t.XXXXXX")
trap 'rm -rf "$work"' EXIT
real_cache=${KVM_STATS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kvm-stats}
export KVM_STATS_CACHE=$work/cache GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_DATE='2021-05-01 12:00:00 +0000' GIT_COMMITTER_DATE='2021-05-01 12:00:00 +0000'
unset KERNEL SERIES TREE BASE FORCE GIT_DIR GIT_WORK_TREE EMAIL \
	GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
git config --file "$work/gitconfig" user.name 'Test Person'
git config --file "$work/gitconfig" user.email test@example.org

count=0
failed=0

# point DESCRIPTION FUNCTION: FUNCTION in a fresh copy of repository and kernel
point() {
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

# refuses TEXT... -- COMMAND...: fails, and its output has each TEXT
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

# lacks PATTERN FILE...: for grep; "! grep" would not end a test
lacks() {
	if grep "$@"; then
		echo "expected no match of: $*"
		return 1
	fi
}

t_real() {
	cd "$repo"
	export KVM_STATS_CACHE=$real_cache
	unset GIT_AUTHOR_DATE GIT_COMMITTER_DATE
	scripts/base "$version" || { echo "Linux $version could not be had"; exit 77; }
	scripts/series-verify --on "$version"
}

for room in made_up mails check edit base; do
	. "$(dirname "$0")/series/$room.sh"
done

echo TAP version 13
if ! (set -e; make_kernel "$work/template/kernel"; commit_steps "$work/template/kernel"
	make_repo "$work/template/repo") >"$work/log" 2>&1; then
	sed 's/^/# /' "$work/log"
	echo "Bail out! no made-up kernel and series to test with"
	exit 1
fi
mail_tests
check_tests
edit_tests
base_tests
for version in $(sed -n 's/^tested //p' series/5.10/base); do
	point "the series on Linux $version: no fuzz, same files, checkpatch --strict" t_real
done
echo "1..$count"
exit $failed
