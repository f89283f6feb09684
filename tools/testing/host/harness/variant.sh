# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: kernel/variant.sh, the source of a variant and its key.
# shellcheck shell=bash

# A base with one file, a series of two patches and one that follows it, and an injected bug.
repo=$work/variant
diff_of()
{
	printf 'diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+x\n' "$1" "$1" "$1"
}

mkdir -p "$repo"/{series/{5.10,more},tools/testing/{kernel/{bugs,emulation},mutants}}
(cd "$repo" && touch series/5.10/base && echo 'after 5.10' >series/more/base &&
	cp "$testing/kernel/variant.sh" tools/testing/kernel/ &&
	diff_of one >series/5.10/0001-one.patch && diff_of two >series/5.10/0002-two.patch &&
	diff_of three >series/more/0001-three.patch && diff_of bug >tools/testing/kernel/bugs/bug.patch &&
	git init -q && git -c user.name=n -c user.email=e commit -q --allow-empty -m base)

# variant SERIES COMMAND [ARGUMENT]: run a function of variant.sh in that repository
variant()
(
	. "$ROOT/scripts/lib/common.sh"
	. "$testing/kernel/variant.sh"
	ROOT=$repo TESTING=$repo/tools/testing CACHE=$work base=$repo SERIES=$1
	mkdir -p "$CACHE/tree"
	"${@:2}"
)

# has_files SERIES VARIANT FILE...: the tree of the variant has these files
has_files()
{
	local tree

	tree=$(variant "$1" variant_tree "$2") &&
		[ "$(git -C "$repo" ls-tree --name-only "$tree" | xargs)" = "${*:3}" ]
}

# changes_key COMMAND...: run in that repository
changes_key()
{
	local before

	before=$(variant more variant_key patched) && (cd "$repo" && "$@") &&
		[ "$(variant more variant_key patched)" != "$before" ]
}

check "a series has the patches of the one that it follows" has_files more patched one three two
check "a series can be built without those that follow it" has_files 5.10 patched one two
check "a variant can have the first patches only" has_files more patch:1 one
check "a variant can have an injected bug" has_files more bug bug one three two
check "the unpatched variant has no patch" has_files more unpatched+bug bug
expect 1 "a patch that does not exist is refused" 'there is no patch 4' variant more variant_tree patch:4
check "the key of a variant is stable" \
	test "$(variant more variant_key patched)" = "$(variant more variant_key patched)"
check "another variant has another key" \
	test "$(variant more variant_key patched)" != "$(variant more variant_key patch:1)"
check "the key changes with a patch" changes_key sed -i 's/^+x/+y/' series/5.10/0001-one.patch
check "the changed patch is applied" eval 'git -C "$repo" grep -q y "$(variant more variant_tree patched)" -- one'
check "the key changes with an injected bug" changes_key sh -c 'echo x >tools/testing/kernel/bugs/one.patch'
check "the key changes with the base" changes_key git -c user.name=n -c user.email=e commit -q --allow-empty -m another
