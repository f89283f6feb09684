# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t. What a variant of the sources is made of.

# What a variant is made of, in a repository with a series of one step.
variant_repo=$scratch/variant
mkdir -p "$variant_repo"/{series/5.10,scripts/lib,virt/kvm,tools/testing/boot/mutations,tools/testing/boot/emulation}
(cd "$variant_repo" && touch scripts/series virt/kvm/kvm_stats.c tools/testing/boot/variant.sh &&
	printf 'A step\n---\nadd virt/kvm/kvm_stats.c\n' >series/5.10/0001-step.patch &&
	git init -q && git -c user.name=n -c user.email=e commit -q --allow-empty -m base)

key_of_variant()
{
	(
		. "$here/variant.sh"
		repo=$variant_repo base=$variant_repo
		set -o pipefail
		variant_key "$1"
	)
}

# changes_key COMMAND...: run in that repository
changes_key()
{
	local before

	before=$(key_of_variant patched) && (cd "$variant_repo" && "$@") &&
		[ "$(key_of_variant patched)" != "$before" ]
}

ok "the key of a variant stays" test "$(key_of_variant patched)" = "$(key_of_variant patched)"
ok "another variant has another" test "$(key_of_variant patched)" != "$(key_of_variant step:1)"
ok "it changes with a file of the series" changes_key sh -c 'echo x >virt/kvm/kvm_stats.c'
ok "with its mode" changes_key chmod +x virt/kvm/kvm_stats.c
ok "with a step" changes_key sed -i 's/A step/The step/' series/5.10/0001-step.patch
ok "with a mistake that is put on top" changes_key touch tools/testing/boot/mutations/one.patch
ok "with the base" changes_key git -c user.name=n -c user.email=e commit -q --allow-empty -m another
rm "$variant_repo/virt/kvm/kvm_stats.c"
no_key()
{
	! key_of_variant patched >/dev/null
}

ok "without a file of the series there is none" no_key
