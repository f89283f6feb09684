# SPDX-License-Identifier: GPL-2.0-only
# Records the state in which a kernel tree and this repository were last equal. The record
# is a blob in the tree, and a ref keeps it. The blob has a line "head COMMIT" and a line
# "BLOB PATH" for each patch file and each whole file of this repository.
# shellcheck shell=bash

record_ref() {
	printf 'refs/worktree/kvm-stats/%s' "$SERIES"
}

# content_of PATH: print the blob of a file, or "-" if there is no file
content_of() {
	if [ -f "$1" ]; then
		git hash-object --no-filters "$1"
	else
		echo -
	fi
}

mode_of() {
	[ -x "$1" ] && echo executable || echo plain
}

same_file() {
	cmp -s "$1" "$2" && [ "$(mode_of "$1")" = "$(mode_of "$2")" ]
}

read_record() {
	plain_git -C "$1" cat-file blob "$(record_ref)" 2>/dev/null || true
}

# write_record TREE HEAD: record that the commit HEAD of the tree equals this repository.
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

# is_lost PATH NEW RECORD: return 0 if replacing PATH by the file NEW, or removing PATH if NEW
# does not exist, loses content that the tree never had. Without a record, only content that
# is not committed can be lost.
is_lost() {
	local now
	now=$(content_of "$1")
	[ "$now" != - ] || return 1
	[ "$now" != "$(content_of "$2")" ] || return 1
	if [ -s "$3" ]; then
		[ "$(grep -cxF "$now $1" "$3")" = 0 ]
	else
		[ "$now" != "$(git rev-parse -q --verify "HEAD:$1" || true)" ]
	fi
}
