# SPDX-License-Identifier: GPL-2.0-only
# The patch files of a series: their form, their parts, and the whole files that they add.
# shellcheck shell=bash
#
# A patch file is
#	subject
#	(blank)
#	body
#	---
#	add PATH		zero or more: whole files of this repository
#	(blank)
#	diff --git ...		zero or more: edits of files that earlier patches or the base have
#
# A series whose base file has the line "files patches" has no whole files: the diffs of its
# patches also create files.
#
# Paths are relative to $ROOT, the working directory of all scripts that source this file.

# The directories in which a series may add whole files.
WHOLE_DIRS=(include virt arch Documentation tools/testing/selftests)

has_whole_files() {
	[ "$(series_key files)" != patches ]
}

is_whole_path() {
	local dir
	for dir in "${WHOLE_DIRS[@]}"; do
		[[ $1 == "$dir"/* ]] && return 0
	done
	return 1
}

# own_patch_files: print the patch files in the directory of the series
own_patch_files() {
	local file
	for file in "$SERIES_DIR"/[0-9][0-9][0-9][0-9]-*.patch; do
		[ -f "$file" ] && printf '%s\n' "$file"
	done
	return 0
}

# parent_count: print the number of patches of the series that this one extends
parent_count() {
	find "$(parent_dir)" -name '[0-9][0-9][0-9][0-9]-*.patch' | wc -l
}

# is_added FILE: return 0 if the patch follows those of the series that this one extends
is_added() {
	local name=${1##*/}
	[ -n "$(parent_dir)" ] && [ $((10#${name%%-*})) -gt "$(parent_count)" ]
}

# added_patch_files, replacement_files: print the files of the series that is_added accepts, or
# the others
added_patch_files() {
	local file
	while read -r file; do
		! is_added "$file" || printf '%s\n' "$file"
	done < <(own_patch_files)
}

replacement_files() {
	local file
	while read -r file; do
		is_added "$file" || printf '%s\n' "$file"
	done < <(own_patch_files)
}

# patch_files: print all patch files of the series, in order. A series that extends another
# one has the patch files of the other one, except for those that it replaces, and then its own.
patch_files() {
	local parent file
	parent=$(parent_dir)
	if [ -z "$parent" ]; then
		own_patch_files
		return
	fi
	for file in "$parent"/[0-9][0-9][0-9][0-9]-*.patch; do
		[ ! -f "$SERIES_DIR/${file##*/}" ] || file=$SERIES_DIR/${file##*/}
		[ -f "$file" ] && printf '%s\n' "$file"
	done
	added_patch_files
}

# patch_part subject|body|adds|diff FILE: print a part of a patch file
patch_part() {
	awk -v want="$1" '
	part == "diff" || /^diff --git / && part == "adds" {
		part = "diff"
		if (want == part)
			print
		next
	}
	NR == 1 { if (want == "subject") print; next }
	NR == 2 { part = "body"; next }
	part == "body" && /^---$/ { part = "adds"; next }
	part == want && part == "body" { print }
	part == want && part == "adds" && sub(/^add /, "") { print }
	' "$2"
}

# check_patch_form FILE...: print each error in the form of the patch files, as FILE:LINE: what
check_patch_form() {
	awk '
	function bad(what) {
		printf "%s:%d: %s\n", FILENAME, FNR, what
		failed = 1
	}
	function finish() {
		if (name != "" && part == "body")
			bad_at(name, "no line --- after the message")
	}
	function bad_at(file, what) {
		printf "%s: %s\n", file, what
		failed = 1
	}
	FNR == 1 {
		finish()
		name = FILENAME
		part = "body"
		if ($0 ~ /^[ \t]*$/ || $0 == "---")
			bad("expected the subject, found an empty line")
		if ($0 ~ /^\[/)
			bad("the subject starts with [, and git am would remove that part")
		next
	}
	part == "diff" { next }
	FNR == 2 {
		if ($0 != "")
			bad("expected an empty line after the subject")
		next
	}
	part == "body" && /^---$/ { part = "adds"; next }
	part == "body" && /^(diff -|Index: )/ {
		bad("git am would read this line of the message as a diff")
	}
	part == "body" && /^Signed-off-by:/ {
		bad("a sign-off; make series adds the sign-off of the user who runs it")
	}
	part == "adds" && /^diff --git / { part = "diff"; next }
	part == "adds" && !/^add [^ \t]+$/ && !/^$/ {
		bad("expected \"add PATH\" or a diff, found: " $0)
	}
	END { finish(); exit failed }
	' "$@"
}

same_part() {
	[ "$(patch_part "$1" "$2")" = "$(patch_part "$1" "$3")" ]
}

# check_replacement FILE: a replacement may differ from the original patch in its hunks only.
# If anything else differs, print it and return 1.
check_replacement() {
	local file=$1 original
	original=$(parent_dir)/${1##*/}
	if [ ! -f "$original" ]; then
		say "$file replaces no patch: there is no $original." \
			"Give it the name of the patch that it replaces, or remove it."
	elif ! same_part subject "$file" "$original" || ! same_part body "$file" "$original"; then
		say "$file and $original have different messages. Copy the message of $original."
	elif ! same_part adds "$file" "$original"; then
		say "$file adds other files than $original. Copy the lines \"add PATH\" of $original."
	else
		return 0
	fi
	return 1
}

check_replacements() {
	local file failed=0
	[ -n "$(parent_dir)" ] || return 0
	while read -r file; do
		check_replacement "$file" || failed=1
	done < <(replacement_files)
	return $failed
}

# split_diff DIR <DIFF: write one part for each changed file, and DIR/index with lines
# "PATH PART", sorted by path. A renamed file has its new name.
split_diff() {
	mkdir -p "$1"
	awk -v dir="$1" '
	/^diff --git / {
		if (part != "")
			close(part)
		part = sprintf("%s/%06d", dir, ++n)
		path = $0
		sub(/^diff --git .* b\//, "", path)
		print path, part > (dir "/unsorted")
	}
	part != "" { print > part }
	' && touch "$1/unsorted" && sort "$1/unsorted" >"$1/index"
}

diff_paths() {
	sed -n 's,^diff --git .* b/,,p' "$@"
}

# patch_paths FILE: print all files that a patch adds or edits
patch_paths() {
	patch_part adds "$1"
	diff_paths "$1"
}

# owners: print a line "PATH PATCH-FILE" for each whole file that a patch adds
owners() {
	local file path
	while read -r file; do
		while read -r path; do
			printf '%s %s\n' "$path" "$file"
		done < <(patch_part adds "$file")
	done < <(patch_files)
}

# whole_files: print the tracked whole files, if the series has such files
whole_files() {
	local path
	has_whole_files || return 0
	git ls-files -- "${WHOLE_DIRS[@]}" | while read -r path; do
		[ ! -e "$path" ] || printf "%s\n" "$path"
	done
}

# Each tracked whole file must belong to exactly one patch, and each listed file must exist.
# Print each violation, and return 1 if there is one.
check_owners() {
	local failed=0 path
	owners | sort >"$SCRATCH/owners"
	cut -d' ' -f1 "$SCRATCH/owners" | sort -u >"$SCRATCH/owned"
	whole_files | sort >"$SCRATCH/whole"

	while read -r path; do
		say "$path belongs to no patch. Add a line \"add $path\" to one file of" \
			"$(parent_dir | grep . || echo "$SERIES_DIR")."
		failed=1
	done < <(comm -23 "$SCRATCH/whole" "$SCRATCH/owned")
	while read -r path; do
		say "$path belongs to two patches. Remove the line \"add $path\" from one of:" \
			"$(owners_of "$path")"
		failed=1
	done < <(cut -d' ' -f1 "$SCRATCH/owners" | uniq -d)
	while read -r path; do
		if ! is_whole_path "$path"; then
			say "$path is outside the directories of whole files: ${WHOLE_DIRS[*]}."
			failed=1
		elif [ -L "$path" ] || [ ! -f "$path" ]; then
			say "$path is listed by $(owners_of "$path"), but there is no such file."
			failed=1
		fi
	done <"$SCRATCH/owned"
	return $failed
}

owners_of() {
	awk -v path="$1" '$1 == path { print $2 }' "$SCRATCH/owners" | xargs
}
