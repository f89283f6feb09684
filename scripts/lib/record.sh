# SPDX-License-Identifier: GPL-2.0-only
# The state in which a kernel tree and this repository were last equal. It is a blob
# in the tree that a ref keeps: a line "head COMMIT", then "BLOB PATH" for each patch
# file and each whole file of this repository.

record_ref() {
	printf 'refs/worktree/kvm-stats/%s' "$SERIES"
}

content_of() {
	if [ -f "$1" ]; then
		git hash-object --no-filters "$1"
	else
		echo -
	fi
}

same_file() {
	cmp -s "$1" "$2" && [ "$(test -x "$1"; echo $?)" = "$(test -x "$2"; echo $?)" ]
}

read_record() {
	plain_git -C "$1" cat-file blob "$(record_ref)" 2>/dev/null || true
}

# write_record TREE HEAD: record that they are equal now.
write_record() {
	local blob path
	blob=$({
		echo "head $2"
		{ own_patch_files; patch_files; owners | cut -d' ' -f1; } | sort -u |
			while read -r path; do
				echo "$(content_of "$path") $path"
			done
	} | plain_git -C "$1" hash-object -w --stdin)
	plain_git -C "$1" update-ref "$(record_ref)" "$blob"
}

# is_lost PATH NEW RECORD: if PATH is replaced by the file NEW, or removed, is content
# lost that the tree never had? Without a record, committed content counts as safe.
is_lost() {
	local now
	now=$(content_of "$1")
	[ "$now" != - ] || return 1
	[ "$now" != "$(content_of "$2")" ] || return 1
	if [ -s "$3" ]; then
		! grep -qxF "$now $1" "$3"
	else
		[ "$now" != "$(git rev-parse -q --verify "HEAD:$1" || true)" ]
	fi
}
