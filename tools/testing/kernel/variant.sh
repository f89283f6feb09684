# SPDX-License-Identifier: GPL-2.0-only
# Sourced by build: assembles the source of a variant as a git tree object, in an index of its
# own, without a checkout.
# shellcheck shell=bash

# Print the path of the git repository whose only commit is the unpatched base.
base_tree()
{
	"$ROOT/scripts/base" || die "there is no base kernel, see above"
}

# base_git ARGUMENT...: run git in the base with the index $index. (plain_git would unset
# GIT_INDEX_FILE.)
base_git()
{
	env GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_INDEX_FILE="$index" \
		git -C "$base" -c safe.directory='*' -c gc.auto=0 "$@"
}

# apply_patches FILE...: apply the patches to the index. One git command for all patches takes a
# tenth of the time. If it fails, one command for each patch finds the patch that does not apply.
apply_patches()
{
	local patch

	base_git apply --cached "$@" 2>/dev/null && return
	for patch; do
		base_git apply --cached "$patch" || die "${patch##*/} does not apply"
	done
}

# apply_series COUNT: apply the first COUNT patches of the series, or `all`. Use the mails, because
# an integrator applies these. They are not sent, so they need no real author.
apply_series()
{
	local count=$1 mails patches

	mails=$(mktemp -d)
	GIT_AUTHOR_NAME=build GIT_AUTHOR_EMAIL=build@localhost \
	GIT_COMMITTER_NAME=build GIT_COMMITTER_EMAIL=build@localhost \
		"$ROOT/scripts/series" "$mails" >"$mails/log" 2>&1 ||
		die "the series cannot be written" "$(tail -n 20 "$mails/log"; rm -rf "$mails")"
	mapfile -t patches < <(find "$mails" -name '[0-9]*.patch' | sort)
	[ "$count" = all ] || [ "$count" -le ${#patches[@]} ] ||
		die "there is no patch $count" "The series has ${#patches[@]} patches."
	[ "$count" = all ] || patches=("${patches[@]:0:count}")
	apply_patches "${patches[@]}"
	rm -rf "$mails"
}

# Print the tree object of all files in $KERNEL_TREE, committed or not, except ignored files.
read_kernel_tree()
{
	local dir=${KERNEL_TREE:-}

	[ -n "$dir" ] || die "the variant 'tree' needs the variable KERNEL_TREE" \
		"KERNEL_TREE=PATH names a kernel tree."
	[ -f "$dir/Kbuild" ] || die "KERNEL_TREE=$dir is not a kernel tree" "It has no file Kbuild."
	dir=$(cd "$dir" && pwd -P)
	index=$CACHE/tree/$(printf %s "$dir" | sha256sum | cut -c 1-16).index
	[ -f "$index" ] || base_git read-tree HEAD
	base_git --git-dir="$base/.git" --work-tree="$dir" add -A "$dir"
	base_git write-tree
}

variant_patch()
{
	find "$TESTING"/kernel/{mutations,emulation} -name "$1.patch" 2>/dev/null | grep . ||
		die "there is no variant '$1'" \
			"It is not patched, unpatched, patch:N or tree, and there is no file" \
			"tools/testing/kernel/mutations/$1.patch or tools/testing/kernel/emulation/$1.patch."
}

# assemble VARIANT: write its tree object and print its name
assemble()
{
	local index=$CACHE/tree/variant.$$.index name patch

	base_git read-tree HEAD
	case $1 in
	unpatched*) ;;
	patch:*) apply_series "${1#patch:}" ;;
	*) apply_series all ;;
	esac
	for name in ${1//+/ }; do
		case $name in
		unpatched | patched | patch:*) continue ;;
		esac
		patch=$(variant_patch "$name")
		apply_patches "$patch"
	done
	base_git write-tree
	rm -f "$index"
}

# variant_key VARIANT: print a hash of everything from which the variant is assembled. Return 1 if
# a file is missing.
variant_key()
{
	(
		cd "$ROOT"
		echo "$1 ${SERIES:-}"
		plain_git -C "$base" rev-parse HEAD
		{
			sed -s -n '/^---$/,$ s/^add //p' series/*/*.patch
			find series scripts/series scripts/lib tools/testing/kernel/{mutations,emulation,variant.sh} -type f
		} | sort | xargs -d '\n' sh -c 'stat -c "%A %n" "$@" && cat "$@"' -
	) 2>/dev/null | sha256sum | cut -c 1-16
}

# variant_tree VARIANT: print the tree object of the variant. A git reference keeps the object in
# the cache for two months.
variant_tree()
{
	local key tree

	if [ "$1" = tree ]; then
		read_kernel_tree
		return
	fi
	key=$(variant_key "$1") || key=
	if [ -z "$key" ]; then
		assemble "$1"
	elif ! plain_git -C "$base" rev-parse -q --verify "refs/variants/$key"; then
		tree=$(assemble "$1")
		plain_git -C "$base" update-ref "refs/variants/$key" "$tree"
		find "$base/.git/refs/variants" -type f -mtime +60 -delete
		echo "$tree"
	fi
}
