# SPDX-License-Identifier: GPL-2.0-only
# Runs checkpatch --strict on the mails of a series: the checkpatch of the base, and the one of
# Linux 6.1 if scripts/mainline has put its source into the cache.
# shellcheck shell=bash

IGNORED=$ROOT/scripts/checkpatch.list

# checkpatches TREE: print the scripts to run. The one of Linux 6.1 runs only if it is newer than
# that of TREE, and only for the release that the series is made for, to save time.
checkpatches() {
	local version mainline
	version=$(kernel_version "$1")
	echo "$1/scripts/checkpatch.pl"
	[ "$version" = "$(series_key base)" ] || return 0
	mainline=$(find "$CACHE/mainline" -mindepth 1 -maxdepth 1 -name '[0-9]*' -printf '%f\n' 2>/dev/null |
		sort -V | tail -n 1)
	[ "$(printf '%s\n' "$version" "$mainline" | sort -V | tail -n 1)" = "$version" ] ||
		echo "$CACHE/mainline/$mainline/scripts/checkpatch.pl"
}

# rules_key TREE CHECKPATCH: print a hash of all that the result for a mail depends on, except
# the mail: the script, the ignored messages, and the files of TREE that checkpatch reads
rules_key() {
	{
		plain_git -C "$1" ls-tree HEAD scripts include MAINTAINERS
		cat "$2" "$IGNORED"
	} | sha256sum | cut -c 1-16
}

# mail_key RULES MAIL: print a hash of the rules and of the mail without its date. The first
# line is also left out: it names a commit, whose hash depends on the date.
mail_key() {
	{ echo "$1"; sed '1d; 1,/^$/{/^Date: /d}' "$2"; } | sha256sum | cut -c 1-16
}

# Remove ignored messages and summaries from the lines "FILE:LINE: KIND:TYPE: message".
drop_ignored() {
	awk '
	FILENAME != "-" { if (!/^#/) ignored[$1, $2]; next }
	/^total: / { next }
	{
		split($1, place, ":")
		split($2, type, ":")
		if (!((type[2], place[1]) in ignored) && !((type[2], "*") in ignored))
			print
	}' "$IGNORED" -
}

# mail_style TREE CHECKPATCH MAIL: print the messages that are not ignored
mail_style() {
	local status=0
	(cd "$1" && perl "$2" --root=. --strict --terse --showfile --show-types "$3" \
		>"$SCRATCH/style" 2>&1) || status=$?
	[ $status != 0 ] || return 0
	[ -s "$SCRATCH/style" ] ||
		echo "checkpatch exited with status $status and printed nothing"
	drop_ignored <"$SCRATCH/style"
}

# check_mail TREE CHECKPATCH MAIL PASSED: return 1 if checkpatch reports a problem. A mail
# without problems creates the file PASSED.
check_mail() {
	mail_style "$1" "$2" "$3" >"$SCRATCH/messages"
	if [ ! -s "$SCRATCH/messages" ]; then
		: >"$4"
		return 0
	fi
	say "checkpatch --strict reports for ${3##*/}:"
	# A message about the whole mail has a line number, but no file.
	sed 's/^:[0-9]*: //' "$SCRATCH/messages" >&2
	return 1
}

# check_style TREE MAILS: checkpatch takes half a second for each mail, so the cache records
# which mails passed.
check_style() {
	local checkpatch rules mail passed failed
	mkdir -p "$CACHE/checkpatch"
	while read -r checkpatch; do
		rules=$(rules_key "$1" "$checkpatch")
		failed=
		for mail in "$2"/*.patch; do
			passed=$CACHE/checkpatch/$(mail_key "$rules" "$mail")
			if [ -e "$passed" ]; then
				touch "$passed"
			else
				check_mail "$1" "$checkpatch" "$mail" "$passed" || failed=1
			fi
		done
		[ -z "$failed" ] || die "checkpatch reports problems, see above ($checkpatch)" \
			"Fix them in a kernel tree (make tree), then run make refresh."
	done < <(checkpatches "$1")
	find "$CACHE/checkpatch" -type f -mtime +60 -delete
}
