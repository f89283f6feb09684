# SPDX-License-Identifier: GPL-2.0-only
# Applying the mails of a series to a base, and comparing what comes out.

am_log() {
	grep -vE '^(hint|Applying):?' "$1" | head -n 12
}

# sparse_copy BASE DIR MAIL...: a clone of the base with only those files checked
# out that the mails touch or checkpatch looks at; the base stays as it is.
# Without spdxcheck.py, because checkpatch's verdict would depend on what python
# modules are there.
sparse_copy() {
	local base=$1 dir=$2
	shift 2
	plain_git clone -q --shared --no-checkout "$base" "$dir" 2>"$SCRATCH/clone" ||
		die "cannot clone $base" "$(cat "$SCRATCH/clone")"
	{
		printf '%s\n' '/*' '!/*/' /include/ /scripts/ '!/scripts/spdxcheck.py'
		{ diff_paths "$@"; sed -n 's/^rename from //p' "$@"; } | sort -u | sed 's,^,/,'
	} | plain_git -C "$dir" sparse-checkout set --no-cone --stdin
	plain_git -C "$dir" checkout -q
	plain_git -C "$dir" tag series-base
	# checkpatch takes a kernel tree for one by these.
	(cd "$dir" && mkdir -p Documentation arch drivers fs init ipc kernel lib)
}

# apply_mails DIR MAIL...: no fuzz, which git am never allows, and no bad white space,
# which it would warn of.
apply_mails() {
	local dir=$1 version
	version=$(kernel_version "$dir")
	shift
	plain_git -C "$dir" am -q --whitespace=error "$@" >"$SCRATCH/am" 2>&1 ||
		die "the series does not apply cleanly to Linux $version; git am says:" \
			"$(am_log "$SCRATCH/am")"
}

# compare_files DIR: the files that the series added are those here, exactly.
compare_files() {
	local path
	plain_git -C "$1" diff-tree -r -M --diff-filter=A --name-only series-base HEAD |
		sort >"$SCRATCH/added"
	owners | cut -d' ' -f1 | sort >"$SCRATCH/owned"
	path=$(comm -3 "$SCRATCH/added" "$SCRATCH/owned" | tr -d '\t')
	[ -z "$path" ] || die "what the series adds is not what its steps list:" "$path"
	while read -r path; do
		plain_git -C "$1" cat-file blob "HEAD:$path" | cmp -s - "$path" ||
			die "$path differs between here and the tree that the series makes" \
				"a hunk of a later step landed in another place: make refresh"
		[ "$(plain_git -C "$1" ls-tree HEAD "$path" | cut -c1-6)" = \
			"$([ -x "$path" ] && echo 100755 || echo 100644)" ] ||
			die "$path has another mode here than in the tree that the series makes"
	done <"$SCRATCH/owned"
}
