# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: kvm-stats log, and the options of kvm_stat.
# shellcheck shell=bash

# The log has a heading and three records. Each record has a time and a value that is not 0.
logs_like_vmstat()
{
	"$stats" -l -p "$vmm" -s 0.2 -n 3 -f exits >"$out/log.txt" 2>"$out/log.err" 9>&- || return 1
	cat "$out/log.txt" "$out/log.err"
	[ "$(awk 'NR == 1 { print NF, $1 }' "$out/log.txt")" = "1 exits" ] &&
	[ "$(grep -cE '^[0-9-]{10} [0-9:]{8} +[1-9][0-9]*$' "$out/log.txt")" = 3 ] &&
	grep -q 'source: statistics fds' "$out/log.err"
}

repeats_its_heading()
{
	"$stats" log -p "$vmm" -i 0.1 -c 21 -f "^exits\$" 2>/dev/null 9>&- >"$out/log.txt" || return 1
	cat "$out/log.txt"
	[ "$(grep -n '^ *exits$' "$out/log.txt" | tr '\n' ' ' | tr -d ' ')" = "1:exits22:exits" ]
}

logs_csv()
{
	"$stats" -l -c -p "$vmm" -s 0.1 -n 2 -f '(io_)?exits$' >"$out/log.txt" 2>/dev/null 9>&- ||
		return 1
	cat "$out/log.txt"
	[ "$(head -n 1 "$out/log.txt")" = timestamp,exits,io_exits ] &&
	[ "$(grep -cE '^[0-9-]{10} [0-9:]{8},[0-9]+,[0-9]+$' "$out/log.txt")" = 2 ]
}

# The command log has letters and time stamps of its own.
logs_with_zone()
{
	TZ=XYZ-05:30 "$stats" log --csv -p "$vmm" -i 0.1 -c 2 -f 'exits$' >"$out/log.txt" \
		2>/dev/null 9>&- || return 1
	cat "$out/log.txt"
	[ "$(grep -cE "^$(TZ=XYZ-05:30 date +%Y-%m-%dT%H:)[0-9:]{5}[.][0-9]{3}[+]05:30,[0-9]" \
		"$out/log.txt")" = 2 ]
}

has_lines()
{
	[ "$(wc -l 2>/dev/null <"$2" || echo 0)" -ge "$1" ]
}

# wait_for_lines COUNT FILE
wait_for_lines()
{
	until_true 60 has_lines "$@"
}

# -L appends records under one heading. After SIGHUP they go to a new file.
rotates()
{
	local logger file=$out/rotated.csv

	rm -f "$file" "$file.1"
	"$stats" -L "$file" -c -p "$vmm" -s 0.1 -n 2 -f exits 2>/dev/null 9>&- || return 1
	"$stats" -L "$file" -c -p "$vmm" -s 0.1 -f exits 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_lines 5 "$file" && mv "$file" "$file.1" && kill -HUP "$logger" &&
	wait_for_lines 3 "$file" && kill -TERM "$logger"
	wait "$logger" || return 1
	head "$file" "$file.1"
	cat "$out/log.err"
	[ "$(grep -c timestamp "$file.1")" = 1 ] &&
	[ "$(head -n 1 "$file")" = timestamp,exits ] && [ -z "$(tail -c 1 "$file.1")" ] &&
	! grep -vE '^(timestamp,exits|[0-9-]{10} [0-9:]{8},[0-9]+)$' "$file" "$file.1"
}

refuses_other_columns()
{
	echo timestamp,something >"$out/other.csv"
	prints 1 'has other columns' -L "$out/other.csv" -c -p "$vmm" -s 0.1 -n 1 -f exits &&
	[ "$(cat "$out/other.csv")" = timestamp,something ]
}

# Fill the file system for a while. Records are lost, the log file has only whole ones, and the log
# goes on when there is space. Log all statistics, so that records soon need another page.
survives_a_full_disk()
{
	local logger dir=$out/small status=0

	mkdir -p "$dir" && mount -t tmpfs -o size=8k none "$dir" || return 1
	"$stats" -L "$dir/log" -c -p "$vmm" -s 0.1 -f '[a-z_]*$' 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_lines 2 "$dir/log" && head -c 8k /dev/zero >"$dir/filler" 2>/dev/null
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

omits_zeros()
{
	freeze_vmm || return 1
	"$stats" -l -z -p "$vmm" -s 0.1 -n 5 -f exits >"$out/log.txt" 2>/dev/null 9>&- &&
	cat "$out/log.txt" && [ ! -s "$out/log.txt" ]
}

# Each line has two values after the name, in the columns of kvm_stat: the total and the growth.
# Without -i they are equal.
prints_once()
{
	"$stats" -1 -p "$vmm" >"$out/once" 2>/dev/null 9>&- || return 1
	cat "$out/once"
	! grep -vE '^[a-z0-9_]+ +[0-9]+ +-?[0-9]+$' "$out/once" &&
	awk '$1 == "exits" { found = $2 == $3 && $2 > 0 } END { exit !found }' "$out/once" &&
	"$stats" -1 -i -p "$vmm" -f exits 2>/dev/null 9>&- | awk '!($2 > $3) { exit 1 }'
}

log_reports_full_disk()
{
	! "$stats" log -p "$vmm" -i 0.1 -c 2 >/dev/full 2>"$out/lost" 9>&- || return 1
	cat "$out/lost"
	grep -q 'cannot write the output: No space left' "$out/lost"
}

log_file_tests()
{
	check "-L appends to a file, and starts a new file on SIGHUP" rotates
	check "-L does not change a file with other columns" refuses_other_columns
	check "a log file that cannot be opened is an error" \
		prints 1 'cannot open /nonexistent/log' -L /nonexistent/log -p "$vmm"
	check "a full disk for standard output is an error" log_reports_full_disk
	if [ "$(id -u)" = 0 ] && mkdir -p "$out/small" &&
		mount -t tmpfs none "$out/small" 2>/dev/null; then
		umount "$out/small"
		check "a full disk for the log file loses whole records only" survives_a_full_disk
	else
		skip "a full disk for the log file loses whole records only" \
			"needs permission to mount a file system"
	fi
}

log_tests()
{
	check "a VMM for log starts" start_vmm -s -name "logged.$$"
	check "-l logs like vmstat" logs_like_vmstat
	check "log repeats its heading" repeats_its_heading
	check "-l -c logs comma-separated values" logs_csv
	check "log --csv writes local times with fraction and zone" logs_with_zone
	log_file_tests
	check "-1 prints the total and the growth of each statistic" prints_once
	check "-g selects a guest" prints 0 '^exits ' -1 -g "logged.$$" -f exits
	check "-f matches from the beginning of a name" prints_no 0 '^io_exits' -1 -p "$vmm" -f exits
	check "-f help lists names" prints 0 '^  io_exits$' -p "$vmm" -f help
	check "-z omits records with only zeros" omits_zeros
	stop_vmm
}
