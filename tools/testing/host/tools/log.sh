# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: kvm-stats log on a full disk.
# shellcheck shell=bash

# has_lines COUNT FILE
has_lines()
{
	[ "$(wc -l 2>/dev/null <"$2" || echo 0)" -ge "$1" ]
}

# Fill the file system for a while. Records are lost, the log file has only whole ones, and the log
# goes on when there is space. Log all statistics, so that records soon need another page.
survives_a_full_disk()
{
	local logger dir=$out/small status=0

	mkdir -p "$dir" && mount -t tmpfs -o size=8k none "$dir" || return 1
	"$stats" -L "$dir/log" -c -p "$vmm" -s 0.1 -f '[a-z_]*$' 2>"$out/log.err" 9>&- &
	logger=$!
	until_true 60 has_lines 2 "$dir/log" && head -c 8k /dev/zero >"$dir/filler" 2>/dev/null
	truncate -s 4k "$dir/log.part" 2>/dev/null
	wait_for_line 'cannot write to .*No space left' "$out/log.err" "$logger"
	sleep 1
	[ -z "$(tail -c 1 "$dir/log")" ] || echo "the file ends with a part of a record"
	rm -f "$dir/filler" "$dir/log.part"
	wait_for_line 'can write to .* again; [0-9]* lines* could not' "$out/log.err" "$logger" ||
		status=1
	kill -TERM "$logger"
	! wait "$logger" || status=1
	cp "$dir/log" "$out/survived.csv"
	umount "$dir"
	cat "$out/log.err"
	[ "$status" -eq 0 ] &&
	! grep -vE '^(timestamp(,[a-z_]+)+|[0-9-]{10} [0-9:]{8}(,-?[0-9]+)+)$' "$out/survived.csv"
}

log_tests()
{
	check "a VMM for log starts" start_vmm -s -name "logged.$$"
	if [ "$(id -u)" = 0 ] && mkdir -p "$out/small" &&
		mount -t tmpfs none "$out/small" 2>/dev/null; then
		umount "$out/small"
		check "a full disk for the log file loses whole records only" survives_a_full_disk
	else
		skip "a full disk for the log file loses whole records only" \
			"needs permission to mount a file system"
	fi
	stop_vmm
}
