# SPDX-License-Identifier: GPL-2.0-only
# Sourced by all tests that are shell scripts, in busybox's shell, dash and bash: report test cases in
# the Test Anything Protocol (TAP), and wait.
#
#	. "${0%/*}/check.sh"
#	check "the tool prints its version" tool --version
#	finish
# shellcheck shell=dash

tap_count=0
tap_failed=0
# shellcheck disable=SC2034 # tap.sh reads it
tap_ended=		# yes: the test ends as planned
tap_log=		# result(): a file whose first and last lines explain a test case that failed
check_log=/tmp/check.$$	# check(): the output of the last command
logs=			# files whose last lines explain any failure
SECONDS_MAX=${SECONDS_MAX:-120}		# of wait_until(), on a busy build host

# result STATUS DESCRIPTION [LOG]: the test case passes if STATUS is 0
result()
{
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - $2"
		return
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $2"
	explain "${3-$tap_log}"
}

# explain FILE: print the first and the last lines of the file as comments
explain()
{
	[ -z "$1" ] || [ ! -s "$1" ] || awk '{ line[NR] = $0 }
		END { for (i = 1; i <= NR; i++) if (i <= 20 || i > NR - 20) print "# " line[i] }' "$1"
}

# skip DESCRIPTION REASON
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# check DESCRIPTION COMMAND...: the command succeeds; its output explains a failure. It runs in this
# shell, because many commands set variables, but not those whose names begin with tap_. If a variable
# that is not set ends bash, it undoes the redirection only within an eval.
check()
{
	local tap_what=$1 tap_status=0 tap_start

	shift
	tap_start=$(uptime_seconds)
	eval '"$@" >"$check_log" 2>&1 </dev/null' || tap_status=$?
	result "$tap_status" "$tap_what" "$check_log"
	[ "$(uptime_seconds)" -lt $((tap_start + 10)) ] || echo "# It took $(($(uptime_seconds) - tap_start)) s."
}

# include_results PROGRAM: run a program that prints TAP, and report its test cases as test cases of this
# program, with new numbers. A test case is added that fails if the program's plan is not correct.
include_results()
{
	tap_included=0
	tap_plan=0
	tap_results=/tmp/results.$$
	mkfifo "$tap_results"
	"$1" >"$tap_results" 2>&1 </dev/null &
	while read -r tap_line; do
		case $tap_line in
		'ok '* | 'not ok '*)
			tap_included=$((tap_included + 1))
			[ "${tap_line#not }" = "$tap_line" ]
			result $? "${tap_line#* - }"
			;;
		1..*) tap_plan=${tap_line#1..} ;;
		TAP*) ;;
		*) echo "# ${tap_line#\# }" ;;
		esac
	done <"$tap_results"
	wait $!
	rm "$tap_results"
	[ "$tap_plan" = "$tap_included" ] && [ "$tap_included" -gt 0 ]
	result $? "${1##*/} ends with a plan"
}

uptime_seconds()
{
	local up idle

	# shellcheck disable=SC2034 # idle
	read -r up idle </proc/uptime
	echo "${up%.*}"
}

# until_true SECONDS COMMAND...: repeat the command until it succeeds. The time counts, not the number
# of tries, because a try can wait as well.
until_true()
{
	local tap_limit=$(($(uptime_seconds) + $1))

	shift
	until "$@"; do
		[ "$(uptime_seconds)" -lt "$tap_limit" ] || { echo "timeout: $*"; return 1; }
		sleep 0.1
	done
}

wait_until()
{
	until_true "$SECONDS_MAX" "$@"
}

# has_line REGEX FILE
has_line()
{
	grep -q -e "$1" "$2" 2>/dev/null
}

# A process that has ended can stay a zombie for seconds, until its parent or process 1 waits for it.
is_running()
{
	kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

has_line_or_ended()
{
	has_line "$1" "$2" || ! is_running "$3"
}

# wait_for_line REGEX FILE PID: fail if the process ends without this line
wait_for_line()
{
	wait_until has_line_or_ended "$@" && has_line "$1" "$2"
}

# stop PID [SIGNAL]: end a process of this shell; nothing if PID is empty
stop()
{
	[ -n "$1" ] || return 0
	kill "-${2:-TERM}" "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

# Print the plan, and end with the status of the test.
finish()
{
	# shellcheck disable=SC2034 # tap.sh reads it
	tap_ended=yes
	# shellcheck disable=SC2086 # words
	[ "$tap_failed" = 0 ] || [ -z "$logs" ] || tail -n 20 $logs | sed 's/^/# /'
	rm -f "/tmp/check.$$"
	echo "1..$tap_count"
	[ "$tap_failed" = 0 ]
	exit
}
