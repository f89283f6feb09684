# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t. kvm-stats log, and kvm_stat's options.

# A header, and records of a time and a number that is not 0 in all of them.
logs_like_vmstat()
{
	"$stats" -l -p "$vmm" -s 0.2 -n 3 -f exits >"$out/log.txt" 2>"$out/log.err" 9>&- || return 1
	cat "$out/log.txt" "$out/log.err"
	[ "$(awk 'NR == 1 { print NF, $1 }' "$out/log.txt")" = "1 exits" ] &&
	[ "$(grep -cE '^[0-9-]{10} [0-9:]{8} +[1-9][0-9]*$' "$out/log.txt")" = 3 ] &&
	grep -q 'from statistics fds' "$out/log.err"
}

repeats_its_header()
{
	"$stats" log -p "$vmm" -s 0.1 -n 21 -f exits 2>/dev/null 9>&- >"$out/log.txt" || return 1
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

# -L FILE: appended to, with one header; after SIGHUP in a new file.
rotates()
{
	local logger file=$out/rotated.csv

	rm -f "$file" "$file.1"
	"$stats" -L "$file" -c -p "$vmm" -s 0.1 -n 2 -f exits 2>/dev/null 9>&- || return 1
	"$stats" -L "$file" -c -p "$vmm" -s 0.1 -f exits 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_lines 5 "$file" && mv "$file" "$file.1" && kill -HUP $logger &&
	wait_for_lines 3 "$file" && kill -TERM $logger
	wait $logger || return 1
	head "$file" "$file.1"
	cat "$out/log.err"
	[ "$(grep -c timestamp "$file.1")" = 1 ] && [ "$(head -n 1 "$file")" = timestamp,exits ] &&
	[ -z "$(tail -c 1 "$file.1")" ] &&
	! grep -vE '^(timestamp,exits|[0-9-]{10} [0-9:]{8},[0-9]+)$' "$file" "$file.1"
}

wait_for_lines()
{
	local tries=600

	until [ "$(wc -l <"$2" 2>/dev/null || echo 0)" -ge "$1" ]; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

refuses_other_columns()
{
	echo timestamp,something >"$out/other.csv"
	says 1 'has other columns' -L "$out/other.csv" -c -p "$vmm" -s 0.1 -n 1 -f exits &&
	[ "$(cat "$out/other.csv")" = timestamp,something ]
}

# A disk that is full for a while: whole records, and none is lost. Long ones, for the
# file's last page to be full soon.
survives_a_full_disk()
{
	local logger dir=$out/small status

	mkdir -p "$dir" && mount -t tmpfs -o size=8k none "$dir" || return 1
	"$stats" -L "$dir/log" -c -p "$vmm" -s 0.1 -f '[a-z_]*$' 2>"$out/log.err" 9>&- &
	logger=$!
	wait_for_lines 2 "$dir/log" && head -c 8k /dev/zero >"$dir/filler" 2>/dev/null
	truncate -s 4k "$dir/log.part" 2>/dev/null
	wait_for_line 'cannot write to .*No space left' "$out/log.err" $logger
	sleep 1
	[ -z "$(tail -c 1 "$dir/log")" ] || echo "a part of a record is in the file"
	rm -f "$dir/filler" "$dir/log.part"
	wait_for_line 'nothing is lost' "$out/log.err" $logger
	status=$?
	kill -TERM $logger
	wait $logger || status=1
	cp "$dir/log" "$out/survived.csv"
	umount "$dir"
	cat "$out/log.err"
	[ $status -eq 0 ] && ! grep -vE '^(timestamp(,[a-z_]+)+|[0-9-]{10} [0-9:]{8}(,-?[0-9]+)+)$' "$out/survived.csv"
}

skips_zeros()
{
	freeze_vmm || return 1
	"$stats" -l -z -p "$vmm" -s 0.1 -n 5 -f exits >"$out/log.txt" 2>/dev/null 9>&- &&
	cat "$out/log.txt" && [ ! -s "$out/log.txt" ]
}

# Two numbers behind each name, in columns like kvm_stat's; without -i they are the same.
prints_once()
{
	"$stats" -1 -p "$vmm" >"$out/once" 2>/dev/null 9>&- || return 1
	cat "$out/once"
	! grep -vE '^[a-z0-9_]+ +[0-9]+ +-?[0-9]+$' "$out/once" &&
	awk '$1 == "exits" { found = $2 == $3 && $2 > 0 } END { exit !found }' "$out/once" &&
	"$stats" -1 -i -p "$vmm" -f exits 2>/dev/null 9>&- | awk '!($2 > $3) { exit 1 }'
}

log_is_lost()
{
	! "$stats" log -p "$vmm" -s 0.1 -n 2 >/dev/full 2>"$out/lost" 9>&- || return 1
	cat "$out/lost"
	grep -q 'cannot write the output: No space left' "$out/lost"
}

log_tests()
{
	check "a VMM to log starts" start_vmm -s -name logged
	check "-l logs like vmstat" logs_like_vmstat
	check "the header is repeated" repeats_its_header
	check "-l -c logs comma-separated values" logs_csv
	check "-L appends to a file, and starts a new one on SIGHUP" rotates
	check "a file with other columns is left alone" refuses_other_columns
	check "a log file that cannot be opened is an error" \
		says 1 'cannot open /nonexistent/log' -L /nonexistent/log -p "$vmm"
	check "a full disk under standard output is an error" log_is_lost
	if [ "$(id -u)" = 0 ] && mkdir -p "$out/small" && mount -t tmpfs none "$out/small" 2>/dev/null; then
		umount "$out/small"
		check "a full disk loses no record" survives_a_full_disk
	else
		skip "a full disk loses no record" "takes the right to mount a small file system"
	fi
	check "-1 prints totals and growth" prints_once
	check "-g chooses a guest" says 0 '^exits ' -1 -g logged -f exits
	check "-f matches from the beginning" says_not 0 '^io_exits' -1 -p "$vmm" -f exits
	check "-f help lists names" says 0 '^  io_exits$' -p "$vmm" -f help
	check "-z leaves out what is all zero" skips_zeros
	stop_vmm
}
