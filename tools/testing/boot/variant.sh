# SPDX-License-Identifier: GPL-2.0-only
# Sourced by build: which source a variant is, as a git tree object that is
# put together in an index of its own, without a checkout.

# The git repository with the pristine base, one commit.
base_tree()
{
	"$repo/scripts/base" || die "no base kernel"
}

base_git()
{
	GIT_INDEX_FILE=$index git -C "$base" "$@"
}

# apply_patches FILE...: on top of what the index holds. All at once, which takes a
# tenth of the time; one by one, to name the one that does not apply.
apply_patches()
{
	local patch

	base_git apply --cached "$@" 2>/dev/null && return
	for patch; do
		base_git apply --cached "$patch" || die "${patch##*/} does not apply"
	done
}

# The mails of the series are what an integrator applies, so they are what is
# built. They are not sent, hence no person is needed to sign them.
apply_series()
{
	local count=$1 mails steps

	mails=$(mktemp -d)
	GIT_AUTHOR_NAME=build GIT_AUTHOR_EMAIL=build@localhost \
	GIT_COMMITTER_NAME=build GIT_COMMITTER_EMAIL=build@localhost \
		"$repo/scripts/series" "$mails" >"$mails/log" 2>&1 ||
		die "the series could not be written: $(tail -n 20 "$mails/log"; rm -rf "$mails")"
	mapfile -t steps < <(find "$mails" -name '[0-9]*.patch' | LC_ALL=C sort)
	[ "$count" = all ] || [ "$count" -le ${#steps[@]} ] ||
		die "no step $count, the series has ${#steps[@]}"
	[ "$count" = all ] || steps=("${steps[@]:0:count}")
	apply_patches "${steps[@]}"
	rm -rf "$mails"
}

# Whatever lies in a kernel tree, committed or not, short of ignored files.
read_kernel_tree()
{
	local dir=${KERNEL_TREE:-}

	[ -n "$dir" ] || die "variant 'tree' needs KERNEL_TREE=path of a kernel tree"
	[ -f "$dir/Kbuild" ] || die "KERNEL_TREE=$dir is not a kernel tree: it has no Kbuild"
	index=$cache/tree/$(printf %s "$dir" | sha256sum | cut -c 1-16).index
	[ -f "$index" ] || base_git read-tree HEAD
	GIT_INDEX_FILE=$index git --git-dir="$base/.git" --work-tree="$dir" add -A .
	base_git write-tree
}

variant_patch()
{
	find "$boot_dir"/{mutations,emulation} -name "$1.patch" 2>/dev/null | grep . ||
		die "unknown variant '$1': not patched, unpatched, step:N, tree, and there is" \
			"no mutations/$1.patch or emulation/$1.patch"
}

# put_together VARIANT: write its tree object and print its name
put_together()
{
	local index=$cache/tree/variant.$$.index name patch

	base_git read-tree HEAD
	case $1 in
	unpatched*)
		;;
	step:*)
		apply_series "${1#step:}"
		;;
	*)
		apply_series all
		;;
	esac
	for name in ${1//+/ }; do
		case $name in
		unpatched | patched | step:*) continue ;;
		esac
		patch=$(variant_patch "$name")
		apply_patches "$patch"
	done
	base_git write-tree
	rm -f "$index"
}

# variant_key VARIANT: of all that it is put together from; none if a file is missing
variant_key()
{
	(
		cd "$repo"
		echo "$1 ${SERIES:-}"
		git -C "$base" rev-parse HEAD
		{
			sed -n 's/^add //p' series/*/*.patch
			find series scripts/series scripts/lib tools/testing/boot/{mutations,emulation,variant.sh} -type f
		} | LC_ALL=C sort | xargs -d '\n' sh -c 'stat -c "%A %n" "$@" && cat "$@"' -
	) 2>/dev/null | sha256sum | cut -c 1-16
}

# variant_tree VARIANT: print the tree object. A reference keeps it for the next times, two
# months long.
variant_tree()
{
	local key tree

	if [ "$1" = tree ]; then
		read_kernel_tree
		return
	fi
	key=$(variant_key "$1") || key=
	if [ -z "$key" ]; then
		put_together "$1"
	elif ! git -C "$base" rev-parse -q --verify "refs/variants/$key"; then
		tree=$(put_together "$1")
		git -C "$base" update-ref "refs/variants/$key" "$tree"
		find "$base/.git/refs/variants" -type f -mtime +60 -delete
		echo "$tree"
	fi
}
