# SPDX-License-Identifier: GPL-2.0-only
# Prints why a mail does not apply to a tree: which file, which hunk, which lines.
# shellcheck shell=bash

# explain_failure DIR MAIL: DIR is a clean git work tree to which all mails before MAIL were
# applied
explain_failure() {
	local dir=$1 mail=$2 excluded=() path
	while read -r path; do
		excluded+=("--exclude=$path")
	done < <(unusual_files "$dir" "$mail" | tee "$SCRATCH/unusual" | cut -f 1)
	awk -F'\t' '{ printf "%s: %s\n", $1, $2 }' "$SCRATCH/unusual"

	plain_git -C "$dir" apply --reject "${excluded[@]}" "$mail" >/dev/null 2>&1 || true
	(cd "$dir" && find . -name '*.rej' -printf '%P\n') | sort >"$SCRATCH/rejects"
	while read -r path; do
		explain_rejects "$dir" "${path%.rej}"
		rm "$dir/$path"
	done <"$SCRATCH/rejects"
	plain_git -C "$dir" reset -q --hard
	[ -s "$SCRATCH/unusual" ] || [ -s "$SCRATCH/rejects" ] || explain_by_log
}

# git am refused the mail for another reason, for example bad white space.
explain_by_log() {
	echo "git am says:"
	am_log
}

am_log() {
	grep -vE '^(hint|Applying):?' "$SCRATCH/am" | head -n 12
}

# unusual_files DIR MAIL: print a line "PATH<tab>PROBLEM" for each edited file that the tree
# does not have, and for each new file that it has
unusual_files() {
	local kind path
	local applied="this tree has the file already. Is the series, or a part of it, applied?"
	awk '
	/^diff --git / { path = $0; sub(/^diff --git .* b\//, "", path) }
	/^new file mode / { print "new", path }
	/^--- a\// { print "edited", substr($0, 7) }' "$2" | while read -r kind path; do
		if [ -e "$1/$path" ] && [ "$kind" = new ]; then
			printf '%s\t%s\n' "$path" "$applied"
		elif [ ! -e "$1/$path" ] && [ "$kind" = edited ]; then
			printf '%s\tthis tree does not have the file\n' "$path"
		fi
	done
}

# explain_rejects DIR PATH: compare the first three hunks of PATH.rej with PATH
explain_rejects() {
	local hunk hunks
	plain_git -C "$1" show "HEAD:$2" >"$SCRATCH/file"
	rm -f "$SCRATCH"/hunk.*
	awk -v out="$SCRATCH/hunk." '
	/^@@ / {
		line = $2
		sub(/^-/, "", line)
		sub(/,.*/, "", line)
		file = out sprintf("%06d", line)
		next
	}
	file != "" && /^[ -]/ { print substr($0, 2) >file }' "$1/$2.rej"
	hunks=("$SCRATCH"/hunk.*)
	for hunk in "${hunks[@]:0:3}"; do
		explain_hunk "$2" $((10#${hunk##*.})) "$hunk"
	done
}

# explain_hunk PATH LINE OLD: OLD is a file with the lines that the hunk expects
explain_hunk() {
	local at
	at=$(closest_lines "$2" "$3" "$SCRATCH/file")
	if [ "$at" = 0 ]; then
		echo "$1: the hunk for line $2 does not match. No lines like these are in the file:"
		head -n 6 "$3" | cut -c 1-90 | sed 's/^/  expected: /'
		return
	fi
	echo "$1: the hunk for line $2 does not match. The most similar lines start at line $at:"
	show_difference "$at" "$3" | cut -c 1-100
}

# closest_lines LINE OLD FILE: print the number of the line in FILE from which most lines of
# OLD match. Of equal ones, print the one closest to LINE. Print 0 if less than a third of OLD
# matches. Lines without letters and digits count less.
closest_lines() {
	awk -v line="$1" '
	function weight(text) { return text ~ /[A-Za-z0-9]/ ? 4 : 1 }
	function distance(at) { return at > line ? at - line : line - at }
	NR == FNR { old[++n] = $0; all += weight($0); next }
	{ file[++m] = $0 }
	END {
		for (at = 1; at <= m; at++) {
			score = 0
			for (i = 1; i <= n; i++)
				if (old[i] == file[at + i - 1])
					score += weight(old[i])
			if (score > best || score == best && distance(at) < distance(where)) {
				best = score
				where = at
			}
		}
		print (best * 3 >= all ? where : 0)
	}' "$2" "$3"
}

# show_difference LINE OLD: print what differs between OLD and the lines of the file from
# LINE. If lines were inserted, a comparison with two more lines on both sides is shorter.
show_difference() {
	local last=$(($1 + $(wc -l <"$2") - 1))
	difference "$2" "$1" $last >"$SCRATCH/narrow"
	difference "$2" $(($1 > 2 ? $1 - 2 : 1)) $((last + 2)) >"$SCRATCH/wide"
	if [ "$(wc -l <"$SCRATCH/wide")" -lt "$(wc -l <"$SCRATCH/narrow")" ]; then
		head -n 8 "$SCRATCH/wide"
	elif [ -s "$SCRATCH/narrow" ]; then
		head -n 8 "$SCRATCH/narrow"
	else
		echo "  the file has these lines, but not in the order of the hunks"
	fi
}

# difference OLD FIRST LAST: compare OLD with these lines of the file. Lines of the file
# before the first line of OLD or after the last one are not printed.
difference() {
	sed -n "$2,$3p" "$SCRATCH/file" >"$SCRATCH/window"
	{ diff --old-line-format='  expected: %L' --new-line-format='  found:    %L' \
		--unchanged-line-format='=%L' "$1" "$SCRATCH/window" || true; } | awk '
	{ line[NR] = $0 }
	/^=/ { last = NR }
	/^=|^  e/ && !first { first = NR }
	/^  e/ { changed = NR }
	END {
		if (changed > last)
			last = NR
		for (i = first; i <= last; i++)
			if (line[i] !~ /^=/)
				print line[i]
	}'
}
