# SPDX-License-Identifier: GPL-2.0-only
# Sourced by build: assembles the source of a variant as a git tree object, in an index of its
# own, without a checkout.
# shellcheck shell=bash

# shellcheck source=../../scripts/lib/patches.sh
. "$ROOT/scripts/lib/patches.sh"

# Print the path of the git repository whose only commit is the unpatched base.
base_tree()
{
	"$ROOT/scripts/base" || die "there is no base kernel, see above"
}

# base_git ARGUMENT...: run git in the base with the index $index
base_git()
{
	INDEX=$index plain_git -C "$base" "$@"
}

# apply_diffs FILE...: apply the patches to the index. One git command for all patches takes a
# tenth of the time. If it fails, one command for each patch finds the patch that does not apply.
apply_diffs()
{
	local patch

	base_git apply --cached "$@" 2>/dev/null && return
	for patch; do
		base_git apply --cached "$patch" || die "${patch#"$ROOT"/} does not apply, see git's words above"
	done
}

# apply_series COUNT: apply the first COUNT patches of the series and of those before it, or `all`
apply_series()
{
	local patches

	mapfile -t patches < <(patch_files)
	[ "$1" = all ] || [ "$1" -le ${#patches[@]} ] ||
		die "there is no patch $1" "The series has ${#patches[@]} patches."
	[ "$1" = all ] || patches=("${patches[@]:0:$1}")
	apply_diffs "${patches[@]}"
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
	find "$TESTING"/kernel/{bugs,emulation} -name "$1.patch" 2>/dev/null | grep . ||
		die "there is no variant '$1'" \
			"It is not patched, unpatched, patch:N or tree, and there is no $1.patch in" \
			"tests/kernel/bugs/ and tests/kernel/emulation/."
}

# Number the places that change statistics in $index, see mutants/mutate.
mutate()
{
	local copy=$CACHE/tree/mutants.$$ files

	mapfile -t files < <(base_git ls-files "$kvm_dir" virt/kvm include/linux/kvm_host.h lib/Makefile \
		"${kvm_dir%/kvm}"/include/asm/{kvm_exit_classes,kvm_vcpu_stat_defs}.h)
	apply_diffs "$TESTING"/mutants/*.patch
	base_git checkout-index --prefix="$copy/" "${files[@]}"
	cp "$TESTING/mutants/kvm_mutant.h" "$copy/include/linux/"
	cp "$TESTING/mutants/kvm_mutant.c" "$copy/lib/"
	"$TESTING/mutants/mutate" "$copy" "$kvm_dir" || die "the variant 'mutants' cannot be made, see above"
	(cd "$copy" && find . -type f -printf '%P\0' |
		base_git --git-dir="$base/.git" --work-tree="$copy" update-index -z --add --stdin)
	rm -rf "$copy"
}

# assemble VARIANT: write its tree object and print its name
assemble()
{
	local index=$CACHE/tree/variant.$$.index name patch

	base_git read-tree HEAD
	case $1 in
	unpatched* | modules) ;;
	patch:*) apply_series "${1#patch:}" ;;
	*) apply_series all ;;
	esac
	for name in ${1//+/ }; do
		case $name in
		unpatched | patched | modules | patch:*) continue ;;
		mutants) mutate; continue ;;
		esac
		patch=$(variant_patch "$name")
		apply_diffs "$patch"
	done
	base_git write-tree
	rm -f "$index"
}

# variant_key VARIANT: print a hash of everything from which the variant is assembled.
variant_key()
{
	{
		echo "$1"
		[[ $1 != *mutants* ]] || echo "$kvm_dir"
		plain_git -C "$base" rev-parse HEAD
		{ patch_files; find "$TESTING"/kernel/{bugs,emulation,variant.sh} "$TESTING/mutants" -type f | sort; } |
			xargs -d '\n' cat
	} | sha256sum | cut -c 1-16
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
	key=$(variant_key "$1")
	if ! plain_git -C "$base" rev-parse -q --verify "refs/variants/$key"; then
		tree=$(assemble "$1") || return
		plain_git -C "$base" update-ref "refs/variants/$key" "$tree"
		find "$base/.git/refs/variants" -type f -mtime +60 -delete
		echo "$tree"
	fi
}
