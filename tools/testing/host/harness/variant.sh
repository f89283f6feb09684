# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: kernel/variant.sh. If the key of a kernel does not change with its source, the
# results are of another kernel.
# shellcheck shell=bash

repo=$work/variant
mkdir -p "$repo"/{series/5.10,tools/testing/{kernel/{bugs,emulation},mutants}}
touch "$repo/series/5.10/base"
cp "$testing/kernel/variant.sh" "$repo/tools/testing/kernel/"
printf 'diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n' \
	>"$repo/series/5.10/0001-x.patch"

commit_base()
{
	git -C "$repo" -c user.name=n -c user.email=e commit -q --allow-empty -m base
}

key_of()
(
	. "$ROOT/scripts/lib/common.sh"
	. "$testing/kernel/variant.sh"
	ROOT=$repo TESTING=$repo/tools/testing CACHE=$work base=$repo SERIES=5.10
	mkdir -p "$CACHE/tree"
	variant_key "$1"
)

# changes_key COMMAND...: run in that repository
changes_key()
{
	local before

	before=$(key_of patched) && (cd "$repo" && "$@") && [ "$(key_of patched)" != "$before" ]
}

git -C "$repo" init -q
commit_base
check "the key of a variant is stable" test "$(key_of patched)" = "$(key_of patched)"
check "another variant has another key" test "$(key_of patched)" != "$(key_of unpatched)"
check "the key changes with a patch" changes_key sed -i 's/^+x/+y/' series/5.10/0001-x.patch
check "the key changes with an injected bug" changes_key sh -c 'echo x >tools/testing/kernel/bugs/one.patch'
check "the key changes with the base" changes_key commit_base
