# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the test programs that are shell scripts, after check.sh: a QEMU in the root directory of
# the build host, and its QMP monitor. $work is a directory of the test program.
# shellcheck shell=dash
# shellcheck disable=SC2154 # the test program sets work

QEMU=${BOOT_QEMU:-/usr/bin/qemu-system-x86_64}

# start_monitored NAME OPTION...: start QEMU in the background, and set qemu. fd 8 writes to its monitor,
# and $work/answers has what it answers. The CPU model has no XSAVE, because emulated SVM passes on XSAVE
# leaves of the test machine that a guest kernel considers inconsistent. Each CPU is a socket, because
# firmware without ACPI counts only sockets. Without -kernel, the guest is the firmware.
start_monitored()
{
	local name=$1

	shift
	mkfifo "$work/commands"
	exec 8<>"$work/commands"
	: >"$work/answers"
	chroot "$BOOT_HOST" "$QEMU" -name "$name" -accel kvm -cpu kvm64,-vme \
		-smp 2,sockets=2 -display none -no-user-config -nodefaults -no-reboot -qmp stdio "$@" \
		<"$work/commands" >>"$work/answers" 2>>"$work/log" &
	qemu=$!
	# With KASAN under emulation, this takes minutes.
	until grep -q '"QMP"' "$work/answers"; do
		kill -0 "$qemu" 2>/dev/null || { echo "QEMU ended"; return 1; }
		sleep 0.5
	done
	ask '{"execute": "qmp_capabilities"}' >/dev/null
}

# ask COMMAND: print the answer of QEMU, and fail if it is an error
ask()
{
	local before

	before=$(wc -l <"$work/answers")
	echo "$1" >&8
	wait_until has_answer "$before" || { kill -0 "$qemu" && echo "QEMU runs, but does not answer"; return 1; }
	cat "$work/answer"
	grep -q '"return"' "$work/answer"
}

# has_answer LINES: is there an answer after so many lines? QEMU may still write the last line.
has_answer()
{
	awk -v before="$1" -v complete="$(wc -l <"$work/answers")" \
		'NR > before && NR <= complete && /"(return|error)"/' "$work/answers" | tr -d '\r' >"$work/answer"
	[ -s "$work/answer" ]
}

# query COMMAND [MEMBERS]: ask() with this command and these members of its arguments
query()
{
	ask "{\"execute\": \"$1\"${2:+, \"arguments\": {$2\}}}"
}

# JSON of QEMU and of kvm-stats, one object per record. QEMU may print members in any order.
members='
function member(text, key,  value) {
	if (!match(text, "\"" key "\": *"))
		return "-"
	value = substr(text, RSTART + RLENGTH)
	if (value ~ /^\[/) {
		sub(/\].*/, "", value)
		return "[" substr(value, 2) "]"
	}
	if (value ~ /^"/) {
		sub(/^"/, "", value)
		sub(/".*/, "", value)
	} else {
		sub(/[],} ].*/, "", value)
	}
	return value
}
function inner(text) { sub(/}.*/, "", text); return text }
function outer(text) { sub(/^[^}]*}/, "", text); return text }'

# Print "NAME VALUE" for each statistic of standard input.
values()
{
	awk -v RS='{' "$members"' member(inner($0), "name") != "-" {
		value = member(inner($0), "value")
		gsub(/ /, "", value)
		print member(inner($0), "name"), value
	}' | sort
}
