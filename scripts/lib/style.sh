# SPDX-License-Identifier: GPL-2.0-only
# Runs checkpatch --strict on the mails of a series: the one of the base, and that of
# Linux 6.1 if scripts/mainline has put its source into the cache.

IGNORED=$ROOT/scripts/checkpatch.list

# checkpatches TREE: the scripts to run. That of 6.1 takes another minute, so it runs for one
# release only.
checkpatches() {
	echo "$1/scripts/checkpatch.pl"
	[ "$(kernel_version "$1")" = "$(series_key base)" ] || return 0
	find "$CACHE/mainline" -mindepth 3 -maxdepth 3 -path '*/scripts/checkpatch.pl' 2>/dev/null |
		sort -V | tail -n 1
}

# style_key TREE CHECKPATCH MAILS: a hash of all that the result depends on. TREE has
# files that checkpatch reads.
style_key() {
	{
		plain_git -C "$1" rev-parse 'HEAD^{tree}'
		cat "$2" "$IGNORED" "$3"/*.patch
	} | sha256sum | cut -c 1-16
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
		echo "checkpatch ended with status $status and printed nothing"
	drop_ignored <"$SCRATCH/style"
}

# check_style TREE MAILS: it takes a minute, so the cache remembers what has passed.
check_style() {
	local checkpatch passed mail bad=
	while read -r checkpatch; do
		passed=$CACHE/checkpatch/$(style_key "$1" "$checkpatch" "$2")
		[ ! -e "$passed" ] || continue
		for mail in "$2"/*.patch; do
			mail_style "$1" "$checkpatch" "$mail" >"$SCRATCH/messages"
			[ -s "$SCRATCH/messages" ] || continue
			say "checkpatch --strict reports for ${mail##*/}:"
			cat "$SCRATCH/messages" >&2
			bad=1
		done
		[ -z "$bad" ] || die "checkpatch reports problems, see above ($checkpatch)" \
			"fix them in a kernel tree (make tree), then run make refresh"
		mkdir -p "${passed%/*}"
		: >"$passed"
	done < <(checkpatches "$1")
}
