# SPDX-License-Identifier: GPL-2.0-only
# Applies the mails of a series to a base, and compares the result with this repository.
# A script that calls apply_mails defines advise(), which prints what to do about a mail
# that does not apply. Sourced together with patches.sh and explain.sh.
# shellcheck shell=bash

# sparse_copy BASE DIR MAIL...: clone the base, and check out only the files that the
# mails change or that checkpatch reads. The base does not change. spdxcheck.py is left
# out, because with it the result of checkpatch depends on the installed Python modules.
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
	# checkpatch recognises a kernel tree by these directories.
	(cd "$dir" && mkdir -p Documentation arch drivers fs init ipc kernel lib)
}

# not_in_base DIR MAIL...: print the files that the mails edit, but that are neither in
# the base nor added by a mail
not_in_base() {
	local dir=$1
	shift
	cat "$@" | awk '
	/^diff --git / { path = $0; sub(/^diff --git .* b\//, "", path) }
	/^new file mode / { added[path] }
	/^--- a\// { edited[substr($0, 7)] }
	END { for (path in edited) if (!(path in added)) print path }' | sort |
		while read -r path; do
			plain_git -C "$dir" cat-file -e "series-base:$path" 2>/dev/null || echo "$path"
		done
}

# More options for git am and git apply, set by the callers.
AM_OPTIONS=()

# try_mails DIR MAIL...: apply the mails with git am, which allows no fuzz. Bad white space
# is an error, although git am only warns of it by default. If a mail does not apply,
# return 1. The commits of the mails before it stay.
try_mails() {
	local dir=$1
	shift
	plain_git -C "$dir" am -q --whitespace=error "${AM_OPTIONS[@]}" "$@" \
		>"$SCRATCH/am" 2>&1 && return
	plain_git -C "$dir" am --quit 2>/dev/null || true
	plain_git -C "$dir" reset -q --hard
	return 1
}

# apply_mails DIR TREE MAIL...: apply the mails. If one does not apply, print where and
# why, and exit. TREE is the name of the tree in the messages.
apply_mails() {
	local dir=$1 tree=$2 number
	shift 2
	try_mails "$dir" "$@" && return
	number=$(($(plain_git -C "$dir" rev-list --count series-base..HEAD) + 1))
	explain_failure "$dir" "${!number}" >"$SCRATCH/explanation"
	advise >"$SCRATCH/advice"
	die "${!number##*/} (patch $number of $#) does not apply to $tree" \
		"$(cat "$SCRATCH/explanation" "$SCRATCH/advice" | sed '2,$s/^/    /')"
}

# applies_to DIR COMMIT PATCH-FILE: return 0 if the edits of the patch file apply to COMMIT
# without fuzz. The result is in the index that result_git uses.
applies_to() {
	local dir=$1 commit=$2
	rm -f "$SCRATCH/result"
	patch_part diff "$3" >"$SCRATCH/edits"
	result_git "$dir" read-tree "$commit"
	[ ! -s "$SCRATCH/edits" ] || result_git "$dir" apply --cached --whitespace=nowarn \
		"${AM_OPTIONS[@]}" "$SCRATCH/edits" 2>/dev/null
}

# result_git DIR ARGUMENT...: git in the repository DIR with the index $SCRATCH/result
result_git() {
	local dir
	dir=$(plain_git -C "$1" rev-parse --absolute-git-dir)
	shift
	GIT_DIR=$dir GIT_WORK_TREE=$ROOT GIT_INDEX_FILE=$SCRATCH/result \
		GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -c safe.directory='*' "$@"
}

# compare_files DIR: exit with an error if a whole file that the series adds differs from
# the file of this repository. Write the names of the whole files to $SCRATCH/owned.
compare_files() {
	local path
	: >"$SCRATCH/owned"
	has_whole_files || return 0
	plain_git -C "$1" diff-tree -r -M --diff-filter=A --name-only series-base HEAD |
		sort >"$SCRATCH/added"
	owners | cut -d' ' -f1 | sort >"$SCRATCH/owned"
	path=$(comm -3 "$SCRATCH/added" "$SCRATCH/owned" | tr -d '\t')
	[ -z "$path" ] || die "these files are added but not listed by the patches, or listed but not added:" "$path" \
		"Run make refresh."
	while read -r path; do
		plain_git -C "$1" cat-file blob "HEAD:$path" | cmp -s - "$path" ||
			die "$path differs between this repository and the tree with the series" \
				"A later patch was applied at another place. Run make refresh."
		[ "$(plain_git -C "$1" ls-tree HEAD "$path" | cut -c1-6)" = \
			"$([ -x "$path" ] && echo 100755 || echo 100644)" ] ||
			die "$path has a different mode in this repository and in the tree with the series" \
				"Change it with chmod, or run make refresh."
	done <"$SCRATCH/owned"
}
