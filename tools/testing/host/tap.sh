# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tests of the build machine: TAP points, counted.

points=0
failures=0
# if set, a file whose first lines explain a point that fails
point_log=

# point STATUS DESCRIPTION: 0 is ok
point()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - $2"
		return
	fi
	echo "not ok $points - $2"
	failures=$((failures + 1))
	[ -z "$point_log" ] || [ ! -s "$point_log" ] || head -n 8 "$point_log" | sed 's/^/# /'
}

# skip DESCRIPTION REASON
skip()
{
	points=$((points + 1))
	echo "ok $points - $1 # SKIP $2"
}

# expect STATUS DESCRIPTION REGEX COMMAND...: its status, and a line of its output,
# which is in the file log
expect()
{
	local status=$1 what=$2 regex=$3 got=0

	shift 3
	"$@" >log 2>&1 || got=$?
	[ "$got" = "$status" ] && grep -qE -e "$regex" log
	point $? "$what"
}

# adopt FILE [PREFIX]: what another test printed, under numbers of this one
adopt()
{
	local line

	while IFS= read -r line; do
		case $line in
		"ok "*) point 0 "${2:-}${line#*- }" ;;
		"not ok "*) point 1 "${2:-}${line#*- }" ;;
		"#"*) echo "$line" ;;
		esac
	done <"$1"
}
