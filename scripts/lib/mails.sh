# SPDX-License-Identifier: GPL-2.0-only
# Step files become mails, as git format-patch writes them. No kernel is needed:
# the diffs of edits are in the step files, those of new files come from the
# files here. A scratch git repository does the work.

scratch_git() {
	GIT_DIR=$SCRATCH/git GIT_WORK_TREE=$ROOT GIT_INDEX_FILE=${INDEX:-$SCRATCH/index} \
		GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git "$@"
}

index_entry() {
	local mode=100644
	[ ! -x "$1" ] || mode=100755
	printf '%s %s\t%s\n' $mode "$(scratch_git hash-object -w --no-filters "$1")" "$1"
}

# All whole files as they are here, which is how they are after the last step.
index_final_files() {
	local path
	scratch_git init -q
	while read -r path; do
		index_entry "$path"
	done <"$SCRATCH/owned" | scratch_git update-index --index-info
}

# unedit_whole_files STEP SPLIT: undo the step's edits to whole files, and give
# their diffs the index lines that step files leave out.
unedit_whole_files() {
	local step=$1 path part owner after
	while read -r path part; do
		owner=$(awk -v p="$path" '$1 == p { print $2 }' "$SCRATCH/owners")
		[ -n "$owner" ] || continue
		[[ $owner < $step ]] || die "$step edits $path," \
			"which arrives with $owner: expected the edit in a later step"
		after=$(mode_and_blob "$path")
		scratch_git apply --cached -R "$part" 2>"$SCRATCH/apply" ||
			die "$step: its edit of $path cannot be taken back" \
				"expected the file here to hold what that edit leaves; git apply says:" \
				"$(head -n 5 "$SCRATCH/apply")" \
				"edit the file in a tree (make tree), then make refresh"
		add_index_line "$part" $(mode_and_blob "$path") $after
	done <"$2/index"
}

mode_and_blob() {
	scratch_git ls-files -s -- "$1" | awk '{ print $1, substr($2, 1, 12) }'
}

# add_index_line PART MODE BLOB MODE BLOB: as they are before and after
add_index_line() {
	awk -v before="$2 $3" -v after="$4 $5" '
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

# arrivals STEP: the diffs of the files that the step adds, as the index has them,
# where the edits of all later steps are undone.
arrivals() {
	local INDEX tree
	step_part adds "$1" >"$SCRATCH/adds"
	[ -s "$SCRATCH/adds" ] || return 0
	scratch_git ls-files -s >"$SCRATCH/entries"
	INDEX=$SCRATCH/arrivals
	rm -f "$INDEX"
	awk -F'\t' 'NR == FNR { add[$0]; next } $2 in add' "$SCRATCH/adds" "$SCRATCH/entries" |
		scratch_git update-index --index-info
	tree=$(scratch_git write-tree)
	scratch_git diff-tree -p -U3 --abbrev=12 "$(scratch_git mktree </dev/null)" "$tree"
}

joined() {
	local part
	while read -r _ part; do
		cat "$part"
	done <"$1/index"
}

# write_diffs STEP...: from the last to the first, $SCRATCH/NUMBER.diff.
write_diffs() {
	local number step
	index_final_files
	for ((number = $#; number > 0; number--)); do
		step=${!number}
		step_part diff "$step" >"$SCRATCH/edits"
		split_diff "$SCRATCH/$number.edits" <"$SCRATCH/edits"
		unedit_whole_files "$step" "$SCRATCH/$number.edits"
		joined "$SCRATCH/$number.edits" >"$SCRATCH/edits"
		arrivals "$step" >>"$SCRATCH/edits"
		split_diff "$SCRATCH/$number.parts" <"$SCRATCH/edits"
		joined "$SCRATCH/$number.parts" >"$SCRATCH/$number.diff"
		[ -s "$SCRATCH/$number.diff" ] || die "$step changes nothing" \
			"expected a line \"add PATH\" or a diff"
	done
}

# Who sends: AUTHOR, EMAIL and DATE for mail_head.
find_sender() {
	local ident
	ident=$(git -c user.useConfigOnly=true var GIT_AUTHOR_IDENT 2>/dev/null) ||
		die "git does not know who you are, and the mails need your sign-off" \
			"git config --global user.name \"Your Name\"" \
			"git config --global user.email you@example.org"
	AUTHOR=${ident%% <*}
	EMAIL=${ident#*<}
	EMAIL=${EMAIL%%>*}
	DATE=$(git log -1 --format=%cI) || die "no commit here that could date the mails"
}

# mail_head PREFIX [--signoff] <MESSAGE: headers and text of a mail
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

# step_mail STEP NUMBER TOTAL
step_mail() {
	{ step_part subject "$1"; echo; step_part body "$1"; } |
		mail_head "PATCH $(printf '%0*d/%d' ${#3} "$2" "$3")" --signoff
	echo ---
	scratch_git apply --stat --summary "$SCRATCH/$2.diff"
	echo
	cat "$SCRATCH/$2.diff"
	mail_end
}

# The whole series' diffstat: whole files count once, as they are in the end.
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
		if (length($1) > wide) wide = length($1)
		if ($2 + $3 > most) most = $2 + $3
	}
	function bar(char, count,    s, n) {
		n = most > room ? int((count * room + most - 1) / most) : count
		while (n-- > 0) s = s char
		return s
	}
	END {
		digits = length(most "")
		room = 74 - wide - digits
		if (room < 10) room = 10
		for (i = 1; i <= NR; i++)
			printf " %-*s | %*d %s%s\n", wide, path[i], digits, plus[i] + minus[i],
				bar("+", plus[i]), bar("-", minus[i])
		printf " %d file%s changed, %d insertion%s(+), %d deletion%s(-)\n", NR,
			NR == 1 ? "" : "s", all_plus, all_plus == 1 ? "" : "s",
			all_minus, all_minus == 1 ? "" : "s"
	}'
}

cover_text() {
	local step
	cat "$SERIES_DIR/cover-letter"
	printf '\n%s (%d):\n' "$AUTHOR" $#
	for step; do
		printf '  %s\n' "$(step_part subject "$step")"
	done
	echo
	total_diffstat "$SCRATCH"/*.diff
	printf '\nbase: Linux %s, tested on %s\n' "$(series_key base)" \
		"$(series_key tested | sed 's/ /, /g')"
}

# cover_mail STEP...
cover_mail() {
	cover_text "$@" | mail_head "PATCH $(printf '%0*d/%d' "$(expr length $#)" 0 $#)"
	mail_end
}
