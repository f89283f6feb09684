# SPDX-License-Identifier: GPL-2.0-only
# The step files of a series: how they are read, and who owns which whole file.
#
# A step file is
#	subject
#	(blank)
#	body
#	---
#	add PATH		zero or more: whole files of this repository
#	(blank)
#	diff --git ...		zero or more: edits to files that exist by then
#
# Paths are relative to $ROOT, and so is the working directory of all users.

# Where whole files of a series may live.
WHOLE_DIRS=(include virt arch Documentation tools/testing/selftests)

is_whole_path() {
	local dir
	for dir in "${WHOLE_DIRS[@]}"; do
		[[ $1 == "$dir"/* ]] && return 0
	done
	return 1
}

step_files() {
	local file
	for file in "$SERIES_DIR"/[0-9][0-9][0-9][0-9]-*.patch; do
		[ -f "$file" ] && printf '%s\n' "$file"
	done
	return 0
}

# step_part subject|body|adds|diff FILE
step_part() {
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

# Say what is wrong with the form of step files, as FILE:LINE: what.
check_step_form() {
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
			bad("a subject that starts with [, which git am cuts off")
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
		bad("a message line that git am takes for a diff")
	}
	part == "body" && /^Signed-off-by:/ {
		bad("a sign-off; make series adds that of whoever runs it")
	}
	part == "adds" && /^diff --git / { part = "diff"; next }
	part == "adds" && !/^add [^ \t]+$/ && !/^$/ {
		bad("expected \"add PATH\" or a diff, found: " $0)
	}
	END { finish(); exit failed }
	' "$@"
}

# split_diff DIR <DIFF: one file per changed file, and DIR/index with lines
# "PATH PART", sorted by path. A rename goes by its new name.
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

# step_paths FILE: all that a step touches
step_paths() {
	step_part adds "$1"
	diff_paths "$1"
}

# owners: lines "PATH STEP" for every whole file that a step adds.
owners() {
	local step path
	while read -r step; do
		while read -r path; do
			printf '%s %s\n' "$path" "$step"
		done < <(step_part adds "$step")
	done < <(step_files)
}

# Every tracked whole file that is there belongs to one step; every listed one is there.
# Speaks of each that does not, returns 1 if there was any.
check_owners() {
	local failed=0 path
	owners | sort >"$SCRATCH/owners"
	cut -d' ' -f1 "$SCRATCH/owners" | sort -u >"$SCRATCH/owned"
	git ls-files -- "${WHOLE_DIRS[@]}" | while read -r path; do
		[ ! -e "$path" ] || printf "%s\n" "$path"
	done | sort >"$SCRATCH/whole"

	while read -r path; do
		say "$path belongs to no step: expected a line \"add $path\" in one file of $SERIES_DIR"
		failed=1
	done < <(comm -23 "$SCRATCH/whole" "$SCRATCH/owned")
	while read -r path; do
		say "$path belongs to two steps:" "$(awk -v p="$path" '$1 == p { printf "%s ", $2 }' "$SCRATCH/owners")"
		failed=1
	done < <(cut -d' ' -f1 "$SCRATCH/owners" | uniq -d)
	while read -r path; do
		if ! is_whole_path "$path"; then
			say "$path is outside the directories of whole files: ${WHOLE_DIRS[*]}"
			failed=1
		elif [ -L "$path" ] || [ ! -f "$path" ]; then
			say "$path is listed by $(awk -v p="$path" '$1 == p { print $2 }' "$SCRATCH/owners") but there is no such file"
			failed=1
		fi
	done <"$SCRATCH/owned"
	return $failed
}
