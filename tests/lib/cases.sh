# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t and series_trees.t after tap.sh: test cases that are functions. They run
# in parallel, each in a directory of its own, and are reported in their order.
#
# A test defines prepare_case, which runs before each case in its new directory.
# shellcheck shell=bash

# The path has a blank, as the paths of some users have.
WORK=$(mktemp -d "${TMPDIR:-/tmp}/series t.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

# The settings and variables of the user must not have an effect.
export GIT_CONFIG_GLOBAL=$WORK/gitconfig GIT_CONFIG_NOSYSTEM=1
unset KERNEL SERIES TREE BASE FORCE GIT_DIR GIT_WORK_TREE EMAIL \
	GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
git config --file "$WORK/gitconfig" user.name 'Test Person'
git config --file "$WORK/gitconfig" user.email test@example.org

DESCRIPTIONS=()
COMMANDS=()

# test_case DESCRIPTION FUNCTION [ARGUMENT...]: add a test case. It passes if the function, in
# which each failing command ends the case, returns 0. If it returns 77, the case is skipped,
# and the last line of its output is the reason. Arguments have no blanks.
test_case()
{
	DESCRIPTIONS+=("$1")
	COMMANDS+=("${*:2}")
}

# run_case NUMBER: write the output and the exit status of the case
run_case()
{
	local dir=$WORK/$1 words

	mkdir "$dir"
	read -r -a words <<<"${COMMANDS[$1]}"
	(cd "$dir" && prepare_case && set -e -o pipefail && "${words[@]}") \
		>"$dir.log" 2>&1 </dev/null
	echo $? >"$dir.status"
	rm -rf "$dir"
}

# report_case NUMBER
report_case()
{
	local status=1

	read -r status <"$WORK/$1.status"
	if [ "$status" = 77 ]; then
		skip "${DESCRIPTIONS[$1]}" "$(tail -n 1 "$WORK/$1.log")"
		return
	fi
	tail -n 20 "$WORK/$1.log" >"$WORK/end"
	tap_log=$WORK/end result "$status" "${DESCRIPTIONS[$1]}"
}

run_cases()
{
	local number running=0

	for number in "${!COMMANDS[@]}"; do
		if [ "$running" -ge "$(nproc)" ]; then
			wait -n
			running=$((running - 1))
		fi
		run_case "$number" &
		running=$((running + 1))
	done
	wait
	for number in "${!COMMANDS[@]}"; do
		report_case "$number"
	done
}

# refuses TEXT... -- COMMAND...: the command must fail and print each TEXT
refuses()
{
	local texts=() text output

	while [ "$1" != -- ]; do
		texts+=("$1")
		shift
	done
	shift
	if output=$("$@" 2>&1); then
		echo "$output"
		echo "expected a failure of: $*"
		return 1
	fi
	echo "$output"
	for text in "${texts[@]}"; do
		grep -qF -e "$text" <<<"$output" && continue
		echo "expected in the output: $text"
		return 1
	done
}

# lacks PATTERN FILE...: no line may match. ("! grep" would not end a test case.)
lacks()
{
	if grep "$@"; then
		echo "expected no match of: $*"
		return 1
	fi
}
