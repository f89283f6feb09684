# SPDX-License-Identifier: GPL-2.0-only
# The kernel trees of other maintainers that scripts/trees.list describes.
# shellcheck shell=bash

TREES=${KVM_STATS_TREES:-$ROOT/../shared/trees}

# tree_field NAME release|series|archive|source|commit: print nothing for an unknown tree
tree_field() {
	awk -v name="$1" -v field="$2" '
	BEGIN { n["release"] = 2; n["series"] = 3; n["archive"] = 4; n["source"] = 5; n["commit"] = 6 }
	!/^#/ && $1 == name { print $n[field] }' "$ROOT/scripts/trees.list"
}

is_tree() {
	[ -n "$(tree_field "$1" series)" ]
}

# Print the trees to which the series applies.
tree_names() {
	awk -v series="$SERIES" '!/^#/ && $3 == series { print $1 }' "$ROOT/scripts/trees.list"
}

tree_archive() {
	echo "$TREES/$(tree_field "$1" archive)"
}

has_archive() {
	[ -f "$(tree_archive "$1")" ]
}

no_archive() {
	echo "the tree $1 has no archive at $(tree_archive "$1")." \
		"KVM_STATS_TREES=DIRECTORY names the directory of the archives;" \
		"scripts/trees.list describes their contents."
}

describe_tree() {
	echo "Linux $(tree_field "$1" release) ($(tree_field "$1" source) at $(tree_field "$1" commit))"
}

# tree_base_name NAME: print the name of the tree's base in the cache; see scripts/base
tree_base_name() {
	echo "tree-$1-$(tree_field "$1" commit)"
}

# is_partial BASE: return 0 if the base has only the KVM parts of a kernel
is_partial() {
	[[ ${1##*/} == tree-* ]]
}
