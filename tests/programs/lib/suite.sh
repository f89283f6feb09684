# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the test programs that are shell scripts, with busybox or any POSIX shell:
#
#	. "${0%/*}/suite.sh"
#	check "the tool prints its version" tool --version
#	finish
# shellcheck shell=dash

SECONDS_MAX=${SECONDS_MAX:-120}		# for each wait, on a busy build host
number=0
failed=0
logs=		# files whose end explains that a test case failed
case_log=/tmp/suite.$$

# check NAME COMMAND...: the command succeeds; the end of its output explains a failure
check()
{
	local name=$1 not=''

	number=$((number + 1))
	shift
	"$@" >"$case_log" 2>&1 </dev/null || { not='not '; failed=1; }
	echo "${not}ok $number - $name"
	[ -z "$not" ] || tail -n 40 "$case_log" | sed 's/^/# /'
}

# skip NAME REASON
skip()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

uptime_seconds()
{
	cut -d . -f 1 /proc/uptime
}

# wait_until COMMAND...: the time counts, not the number of tries, because a try can wait as well.
wait_until()
{
	local end=$(($(uptime_seconds) + SECONDS_MAX))

	until "$@"; do
		[ "$(uptime_seconds)" -lt "$end" ] || { echo "timeout: $*"; return 1; }
		sleep 0.5
	done
}

# Print the plan, and end.
finish()
{
	# shellcheck disable=SC2086 # words
	[ $failed = 0 ] || [ -z "$logs" ] || tail -n 20 $logs | sed 's/^/# /'
	rm -f "$case_log"
	echo "1..$number"
	exit $failed
}
