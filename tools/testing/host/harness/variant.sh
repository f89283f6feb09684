# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: kernel/variant.sh, the key of a variant of the source.
# shellcheck shell=bash

# A repository with a series of one patch.
repo=$work/variant
mkdir -p "$repo"/{series/5.10,scripts/lib,virt/kvm,tools/testing/kernel/mutations,tools/testing/kernel/emulation}
(cd "$repo" && touch scripts/series virt/kvm/kvm_stats.c tools/testing/kernel/variant.sh &&
	printf 'A patch\n---\nadd virt/kvm/kvm_stats.c\n' >series/5.10/0001-one.patch &&
	git init -q && git -c user.name=n -c user.email=e commit -q --allow-empty -m base)

key_of()
(
	. "$ROOT/scripts/lib/common.sh"
	. "$testing/kernel/variant.sh"
	ROOT=$repo base=$repo
	variant_key "$1"
)

# changes_key COMMAND...: run in that repository
changes_key()
{
	local before

	before=$(key_of patched) && (cd "$repo" && "$@") && [ "$(key_of patched)" != "$before" ]
}

no_key()
{
	! key_of patched
}

check "the key of a variant is stable" test "$(key_of patched)" = "$(key_of patched)"
check "another variant has another key" test "$(key_of patched)" != "$(key_of patch:1)"
check "the key changes with a file of the series" changes_key sh -c 'echo x >virt/kvm/kvm_stats.c'
check "the key changes with the mode of a file" changes_key chmod +x virt/kvm/kvm_stats.c
check "the key changes with a patch" changes_key sed -i 's/A patch/The patch/' series/5.10/0001-one.patch
check "the key changes with a mutation" changes_key touch tools/testing/kernel/mutations/one.patch
check "the key changes with the base" changes_key git -c user.name=n -c user.email=e commit -q --allow-empty -m another
rm "$repo/virt/kvm/kvm_stats.c"
check "without a file of the series there is no key" no_key

touch "$repo/virt/kvm/kvm_stats.c"
printf 'A patch\n\nadd a word\n---\nadd virt/kvm/kvm_stats.c\n' >"$repo/series/5.10/0002-two.patch"
check "a message of a patch with a line \"add ...\" does not prevent the key" key_of patched
