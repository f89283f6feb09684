# SPDX-License-Identifier: GPL-2.0-only
# The patch files of the series, and the commits that git am makes of them.
# shellcheck shell=bash

# The directories of this repository that have the files that series/5.10* add.
WHOLE_DIRS=(Documentation arch include tools/testing/selftests virt)
# The checkout that make tree makes.
TREE=build/tree/$SERIES

tree_git() {
	plain_git -C "$TREE" "$@"
}

# chain [SERIES]: print the series that are applied one after the other; the last one is SERIES.
chain() {
	local after
	after=$(series_key after "${1:-$SERIES}")
	[ -z "$after" ] || chain "$after"
	echo "${1:-$SERIES}"
}

# patch_files [SERIES]...: print the patch files of these series, or of the chain.
patch_files() {
	local series file replaced
	# shellcheck disable=SC2046 # words
	[ $# -gt 0 ] || set -- $(chain)
	for series; do
		replaced=$(series_key replaces "$series")
		for file in "$ROOT/series/${replaced:-$series}"/[0-9][0-9][0-9][0-9]-*.patch; do
			[ ! -f "$ROOT/series/$series/${file##*/}" ] || file=$ROOT/series/$series/${file##*/}
			[ ! -f "$file" ] || printf '%s\n' "$file"
		done
	done
}

# apply_patches DIR NAME PATCH...: apply the patches with git am, which allows no fuzz. If one does
# not apply to the tree NAME in DIR, exit with the words of git and ADVICE.
AM_OPTIONS=() ADVICE=()
apply_patches() {
	local dir=$1 name=$2 patch number
	shift 2
	[ $# -gt 0 ] || return 0
	plain_git -C "$dir" am -q --committer-date-is-author-date --whitespace=error-all \
		"${AM_OPTIONS[@]}" "$@" >"$SCRATCH/am" 2>&1 </dev/null && return
	number=$(cat "$dir/.git/rebase-apply/next" 2>/dev/null || echo 1)
	patch=${!number}
	die "${patch#"$ROOT"/} does not apply to $name. git am says:" \
		"$(grep -v '^hint:' "$SCRATCH/am")" "${ADVICE[@]}"
}

# write_patches DIR SERIES RANGE OUT: write the commits of the kernel tree DIR as patches to OUT,
# without those that the series which this one replaces has with the same result.
write_patches() {
	local dir=$1 out=$4 context replaced patch commit
	replaced=$(series_key replaces "$2")
	context=$(series_key context "$2")
	plain_git -C "$dir" format-patch -q -o "$out" -N -U"${context:-3}" -M50% --no-color --zero-commit \
		--no-signature --no-thread --no-cover-letter --no-base --abbrev=12 --stat=72 --summary \
		--diff-algorithm=myers --subject-prefix=PATCH "$3"
	mkdir -p "$out"
	find "$out" -name '*.patch' -exec sed -i '1,/^$/s/^From: .*/From: KVM statistics <kvm-stats@localhost>/' {} +
	[ -n "$replaced" ] || return 0
	local INDEX=$SCRATCH/index
	for patch in "$out"/*.patch; do
		read -r commit <&3
		plain_git -C "$dir" read-tree "$commit^"
		! plain_git -C "$dir" apply --cached "$ROOT/series/$replaced/${patch##*/}" 2>/dev/null ||
			! plain_git -C "$dir" diff-index --cached --quiet "$commit" || rm "$patch"
	done 3< <(plain_git -C "$dir" rev-list --reverse "$3")
}

# whole_files DIR: print the files that the commits after the tag base of the kernel tree add
whole_files() {
	plain_git -C "$1" diff --name-only -M --diff-filter=A base HEAD
}

# series_state: print a hash of all files that make refresh may write
series_state() {
	{ patch_files; git ls-files -co --exclude-standard "${WHOLE_DIRS[@]}"; } | xargs -d '\n' cat 2>/dev/null | sha1sum |
		cut -d' ' -f1
}
