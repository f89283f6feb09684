# SPDX-License-Identifier: GPL-2.0-only
# Turns patch files into mails in the format of git format-patch. This needs no kernel:
# the patch files hold the diffs of edited files, and the diffs of new files are
# made from the files of this repository, in a temporary git repository.
# shellcheck shell=bash

scratch_git() {
	GIT_DIR=$SCRATCH/git GIT_WORK_TREE=$ROOT GIT_INDEX_FILE=${INDEX:-$SCRATCH/index} \
		GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git "$@"
}

# index_entry PATH: print a line for git update-index --index-info
index_entry() {
	local mode=100644
	[ ! -x "$1" ] || mode=100755
	printf '%s %s\t%s\n' $mode "$(scratch_git hash-object -w --no-filters "$1")" "$1"
}

# Put all whole files into the index. In this repository they have the content that the last
# patch gives them.
index_final_files() {
	local path
	scratch_git init -q
	while read -r path; do
		index_entry "$path"
	done <"$SCRATCH/owned" | scratch_git update-index --index-info
}

# undo_edits PATCH SPLIT: undo the patch's edits of whole files in the index, and add the
# index lines, which patch files omit, to the diffs. SPLIT is a directory of split_diff.
undo_edits() {
	local patch=$1 path part owner after
	while read -r path part; do
		owner=$(awk -v p="$path" '$1 == p { print $2 }' "$SCRATCH/owners")
		[ -n "$owner" ] || continue
		[[ ${owner##*/} < ${patch##*/} ]] || die "$patch edits $path," \
			"which $owner adds: expected the edit in a later patch"
		after=$(mode_and_blob "$path")
		scratch_git apply --cached -R "$part" 2>"$SCRATCH/apply" ||
			die "$patch: cannot undo its edit of $path" \
				"expected the file to have the result of that edit. git apply says:" \
				"$(head -n 5 "$SCRATCH/apply")" \
				"Edit the file in a kernel tree (make tree), then run make refresh."
		add_index_line "$part" "$(mode_and_blob "$path")" "$after"
	done <"$2/index"
}

# mode_and_blob PATH: print the mode and the abbreviated blob of the file in the index
mode_and_blob() {
	scratch_git ls-files -s -- "$1" | awk '{ print $1, substr($2, 1, 12) }'
}

# add_index_line PART BEFORE AFTER: BEFORE and AFTER are like "100644 0123456789ab"
add_index_line() {
	awk -v before="$2" -v after="$3" '
	/^--- / && !done {
		split(before, b)
		split(after, a)
		print "index " b[2] ".." a[2] (a[1] == b[1] ? " " a[1] : "")
		done = 1
	}
	!done && /^index / { next }
	{ print }' "$1" >"$1.new"
	mv "$1.new" "$1"
}

# added_diffs PATCH: print the diffs of the files that the patch adds, with their content in
# the index, where the edits of all later patches are undone.
added_diffs() {
	local INDEX tree
	patch_part adds "$1" >"$SCRATCH/adds"
	[ -s "$SCRATCH/adds" ] || return 0
	scratch_git ls-files -s >"$SCRATCH/entries"
	INDEX=$SCRATCH/added-index
	rm -f "$INDEX"
	awk -F'\t' 'NR == FNR { add[$0]; next } $2 in add' "$SCRATCH/adds" "$SCRATCH/entries" |
		scratch_git update-index --index-info
	tree=$(scratch_git write-tree)
	scratch_git diff-tree -p -U3 --abbrev=12 "$(scratch_git mktree </dev/null)" "$tree"
}

# join_parts SPLIT: print the parts of split_diff in the order of their paths
join_parts() {
	local part
	while read -r _ part; do
		cat "$part"
	done <"$1/index"
}

# write_diffs PATCH...: write $SCRATCH/NUMBER.diff for each patch, the last one first.
write_diffs() {
	local number patch
	index_final_files
	for ((number = $#; number > 0; number--)); do
		patch=${!number}
		patch_part diff "$patch" >"$SCRATCH/edits"
		split_diff "$SCRATCH/$number.edits" <"$SCRATCH/edits"
		undo_edits "$patch" "$SCRATCH/$number.edits"
		join_parts "$SCRATCH/$number.edits" >"$SCRATCH/edits"
		added_diffs "$patch" >>"$SCRATCH/edits"
		split_diff "$SCRATCH/$number.parts" <"$SCRATCH/edits"
		join_parts "$SCRATCH/$number.parts" >"$SCRATCH/$number.diff"
		[ -s "$SCRATCH/$number.diff" ] || die "$patch changes nothing" \
			"expected a line \"add PATH\" or a diff"
	done
}

# Set AUTHOR and EMAIL to the sender, and DATE to the date of the last commit, for mail_head.
find_sender() {
	local ident
	ident=$(git -c user.useConfigOnly=true var GIT_AUTHOR_IDENT 2>/dev/null) ||
		die "git has no name and email address for your sign-off. Set them:" \
			"git config --global user.name \"Your Name\"" \
			"git config --global user.email you@example.org"
	AUTHOR=${ident%% <*}
	EMAIL=${ident#*<}
	EMAIL=${EMAIL%%>*}
	DATE=$(git log -1 --format=%cI) ||
		die "this repository has no commit, and the mails have the date of the last commit" \
			"Clone the repository instead of copying its files."
}

# mail_head PREFIX [--signoff] <MESSAGE: print the headers and the text of a mail
mail_head() {
	local commit empty
	empty=$(scratch_git mktree </dev/null)
	export GIT_AUTHOR_NAME=$AUTHOR GIT_AUTHOR_EMAIL=$EMAIL GIT_AUTHOR_DATE=$DATE
	export GIT_COMMITTER_NAME=$AUTHOR GIT_COMMITTER_EMAIL=$EMAIL GIT_COMMITTER_DATE=$DATE
	commit=$(scratch_git commit-tree "$empty")
	scratch_git format-patch --stdout --always --root -1 -N --no-signature \
		--subject-prefix="$1" "${@:2}" "$commit" |
		awk '/^$/ { blank = blank "\n"; next } { printf "%s%s\n", blank, $0; blank = "" }'
}

mail_end() {
	printf -- '-- \n%s\n\n' "$(git version | sed 's/^git version //')"
}

# mail_prefix PATCH|"" NUMBER TOTAL: print the prefix of the subject of a patch or of the cover
# letter. A patch of the series that this one extends has the prefix that it has there.
mail_prefix() {
	local prefix
	prefix=$(series_key prefix)
	[ -z "$1" ] || [ -z "$(added_patch_files)" ] || is_added "$1" || prefix=
	printf '%s %0*d/%d' "${prefix:-PATCH}" ${#3} "$2" "$3"
}

# patch_mail PATCH DIFF PREFIX
patch_mail() {
	{ patch_part subject "$1"; echo; patch_part body "$1"; } | mail_head "$3" --signoff
	echo ---
	scratch_git apply --stat --summary "$2"
	echo
	cat "$2"
	mail_end
}

# total_diffstat DIFF...: print the diffstat of the series. Whole files count once, with
# their final content.
total_diffstat() {
	{
		while read -r path; do
			echo "$(wc -l <"$path") 0 $path whole"
		done <"$SCRATCH/owned"
		for diff in "$@"; do
			scratch_git apply --numstat "$diff"
		done
	} | awk '
	$4 == "whole" { whole[$3] = plus[$3] = $1; minus[$3] = 0; next }
	!($3 in whole) { plus[$3] += $1; minus[$3] += $2 }
	END { for (path in plus) print path, plus[path], minus[path] }' | sort | awk '
	{
		path[NR] = $1; plus[NR] = $2; minus[NR] = $3
		all_plus += $2; all_minus += $3
		if (length($1) > longest) longest = length($1)
		if ($2 + $3 > most) most = $2 + $3
	}
	function bar(char, count,    s, n) {
		n = most > columns ? int((count * columns + most - 1) / most) : count
		while (n-- > 0) s = s char
		return s
	}
	END {
		digits = length(most "")
		columns = 74 - longest - digits
		if (columns < 10) columns = 10
		for (i = 1; i <= NR; i++)
			printf " %-*s | %*d %s%s\n", longest, path[i], digits, plus[i] + minus[i],
				bar("+", plus[i]), bar("-", minus[i])
		printf " %d file%s changed, %d insertion%s(+), %d deletion%s(-)\n", NR,
			NR == 1 ? "" : "s", all_plus, all_plus == 1 ? "" : "s",
			all_minus, all_minus == 1 ? "" : "s"
	}'
}

# Print the text of the cover letter of the series, or of the series that it extends.
cover_letter() {
	local parent
	parent=$(parent_dir)
	[ -f "$SERIES_DIR/cover-letter" ] || [ -z "$parent" ] || {
		cat "$parent/cover-letter"
		return
	}
	cat "$SERIES_DIR/cover-letter"
}

cover_base() {
	local base
	base=$(series_key base)
	if is_tree "$base"; then
		printf 'base: %s.\n' "$(describe_tree "$base")"
		printf 'The patches apply to its KVM parts; they were not built in this tree.\n'
	else
		printf 'base: Linux %s, tested on %s\n' "$base" "$(series_key tested | sed 's/ /, /g')"
	fi
}

# Print how the series differs from the series that it extends.
cover_replacements() {
	local file
	[ -n "$(replacement_files)" ] && [ -n "$(parent_dir)" ] || return 0
	printf '\nAll patches except the following are those for Linux %s. The following\n' \
		"$(series_key extends)"
	printf 'patches make the same changes, with hunks for this tree:\n'
	while read -r file; do
		printf '  %s\n' "$(patch_part subject "$file")"
	done < <(replacement_files)
}

cover_text() {
	local patch
	cover_letter
	printf '\n%s (%d):\n' "$AUTHOR" $#
	for patch; do
		printf '  %s\n' "$(patch_part subject "$patch")"
	done
	echo
	total_diffstat "${diffs[@]}"
	echo
	cover_base
	cover_replacements
}

# cover_mail PATCH...: write the cover letter of these patches. The array diffs has their diffs.
cover_mail() {
	cover_text "$@" | mail_head "$(mail_prefix '' 0 $#)"
	mail_end
}
