# SPDX-License-Identifier: GPL-2.0-only
# Sourced first by the bash scripts: paths, messages, temporary files, git, packages.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the variables are for the scripts that source this file

set -euo pipefail
# A failure inside $(...) ends the script.
shopt -s inherit_errexit
export LC_ALL=C

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
SERIES=${SERIES:-5.10-extensions}
SERIES_DIR=series/$SERIES
CACHE=${KVM_STATS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kvm-stats}

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# die LINE...: the first line says what is wrong, the others what to do next.
die() {
	printf '%s: error: %s\n' "${0##*/}" "$1" >&2
	shift
	[ $# -eq 0 ] || printf '    %s\n' "$@" >&2
	exit 1
}

# run_logged LOG COMMAND...: print nothing if the command succeeds, else the end of its log
run_logged() {
	local log=$1
	shift
	"$@" >"$log" 2>&1 </dev/null && return
	tail -n 25 "$log" >&2
	die "the command failed: $*" "The whole log is $log"
}

# Set SCRATCH to a directory that is removed when the script ends.
scratch() {
	SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/kvm-stats-${0##*/}.XXXXXX")
	trap 'rm -rf "$SCRATCH"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# plain_git ARGUMENT...: run git without settings of the user and the system, and without the
# variables that a git hook sets. INDEX=FILE names another index.
plain_git() {
	env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE -u GIT_PREFIX \
		${INDEX:+"GIT_INDEX_FILE=$INDEX"} GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
		GIT_AUTHOR_NAME="KVM statistics" GIT_AUTHOR_EMAIL=kvm-stats@localhost \
		GIT_COMMITTER_NAME="KVM statistics" GIT_COMMITTER_EMAIL=kvm-stats@localhost \
		git -c safe.directory='*' -c gc.auto=0 "$@"
}

# need_packages GROUP...: install the missing Debian packages of these groups, unless the
# variable NO_INSTALL is set
need_packages() {
	[ -z "${NO_INSTALL:-}" ] || return 0
	[ ! -x "$ROOT/scripts/packages" ] || "$ROOT/scripts/packages" "$@" >&2
}

# with_lock FILE: lock FILE until this script ends.
with_lock() {
	mkdir -p "$(dirname "$1")"
	exec {LOCK_FD}>"$1"
	flock -n "$LOCK_FD" && return
	say "waiting for another run, which has locked $1"
	flock "$LOCK_FD"
}

# Print the id of the commit, or the version if this is not a git checkout.
commit_id() {
	git -C "$ROOT" rev-parse --short=12 HEAD 2>/dev/null || cat "$ROOT/VERSION"
}

# series_key NAME [SERIES]: print the values of the key NAME in the file `base` of the series. A
# series that follows another one has the keys of that one, too.
series_key() {
	local file=$ROOT/series/${2:-$SERIES}/base value after
	value=$(sed -n "s/^$1 //p" "$file")
	after=$(sed -n 's/^after //p' "$file")
	[ -n "$value" ] || [ -z "$after" ] || [[ $1 =~ ^(after|files)$ ]] ||
		value=$(series_key "$1" "$after")
	[ -z "$value" ] || echo "$value"
}

need_series() {
	[ -f "$ROOT/$SERIES_DIR/base" ] || die "there is no series $SERIES" \
		"SERIES= names one of: $(basename -a "$ROOT"/series/*/ | xargs)"
}

# kernel_version DIR: print the version in the Makefile of the kernel tree DIR, or nothing
kernel_version() {
	sed -nE 's/^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION) *= *([^ \t]*).*/\2/p' "$1/Makefile" \
		2>/dev/null | head -n 4 | paste -sd. | sed 's/\.$//; s/\.-/-/'
}
