# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: the file for node_exporter.
# shellcheck shell=bash

textfile=$out/textfile/kvm.prom

# write_once: `kvm-stats serve --once` writes the file
write_once()
{
	"$stats" serve --once -g nobody -t "$textfile"
}

written_once()
{
	rm -rf "$out/textfile" && mkdir -p "$out/textfile" && write_once &&
	has_line '^kvm_stats_samples_total 1$' "$textfile" && ! has_line process_ "$textfile" &&
	[ "$(ls -A "$out/textfile")" = kvm.prom ] && [ "$(stat -c %a "$textfile")" = 644 ]
}

# The server replaces the file atomically: the file always exists and is always complete.
written_again()
{
	local first last i

	start_server -t "$textfile" -i 0.1 || return 1
	until_true 20 has_line '^kvm_stats_samples_total \([2-9]\|[0-9][0-9]\)' "$textfile" ||
		return 1
	first=$(stat -c %i "$textfile")
	for ((i = 0; i < 200; i++)); do
		cat "$textfile" >"$out/read" || return 1
		last=$(tail -n 1 "$out/read")
		[ -n "$last" ] && [[ $last != *[!\ -~]* ]] || return 1
	done
	# The file system may reuse inode numbers, so one comparison is not enough.
	until_true 5 has_other_inode "$first" && [ -z "$url" ]
}

has_other_inode()
{
	[ "$(stat -c %i "$textfile")" != "$1" ]
}

removed_at_the_end()
{
	end_server && [ -z "$(ls -A "$out/textfile")" ]
}

# removed_by SIGNAL: the server ends and removes the file
removed_by()
{
	start_server -t "$textfile" -i 0.1 && until_true 20 test -s "$textfile" &&
	end_server "$1" && [ -z "$(ls -A "$out/textfile")" ]
}

# A server that nohup(1) starts ignores SIGHUP.
nohup_ignores_hangup()
{
	: >"$out/server.err"
	nohup "$stats" serve -g "$guest" -t "$textfile" -i 0.1 </dev/null >"$out/server.out" \
		2>"$out/server.err" 9>&- &
	server=$!
	until_true 20 test -s "$textfile" && kill -HUP "$server" && sleep 0.5 &&
	is_running "$server" && end_server
}

# A symbolic link under the name of the temporary file must not redirect the output.
does_not_follow_links()
{
	echo mine >"$out/mine" && rm -f "$textfile"* && ln -s "$out/mine" "$textfile.new" &&
	write_once && [ "$(cat "$out/mine")" = mine ] && [ ! -L "$textfile" ]
}

# Fill the file system of the file in a mount namespace, and free it again.
full_disk()
{
	local dir=$out/textfile

	: >"$out/full.err"
	mount -t tmpfs -o size=64k none "$dir" || exit 1
	"$stats" serve -t "$textfile" -i 0.2 -g nobody 2>"$out/full.err" &
	server=$!
	trap 'stop "$server"' EXIT
	until_true 20 test -s "$textfile" || exit 1
	head -c 60k /dev/zero >"$dir/other" 2>/dev/null
	until_true 20 has_line 'No space left on device' "$out/full.err" || exit 1
	sleep 1
	cp "$textfile" "$out/kept"
	[ "$(echo "$dir"/*)" = "$textfile $dir/other" ] || exit 1
	rm "$dir/other"
	until_true 20 has_line 'writing succeeds again' "$out/full.err" || exit 1
	cp "$out/full.err" "$out/server.err"
	end_server
}

survives_full_disk()
{
	local reports

	export -f full_disk until_true has_line end_server stop
	export out stats textfile
	rm -rf "$out/textfile" && mkdir -p "$out/textfile" || return 1
	unshare -m bash -c full_disk || { cat "$out/full.err"; return 1; }
	cat "$out/full.err"
	reports=$(grep -c 'No space left' "$out/full.err")
	[ "$reports" = 1 ] && has_line '^kvm_stats_samples_total' "$out/kept" &&
		! has_line ERROR "$out/full.err"
}

# With and without --once
reports_unusable_path()
{
	mkdir -p "$out/textfile/directory.prom" &&
	serve_prints 1 'cannot write: No such file' -g nobody -t "$out/nowhere/kvm.prom" &&
	serve_prints 1 'cannot write: No such file' -g nobody --once -t "$out/nowhere/kvm.prom" &&
	serve_prints 1 'cannot write: Is a directory' -g nobody -t "$out/textfile/directory.prom" &&
	serve_prints 1 'cannot write: Is a directory' -g nobody -t "$out/textfile/new.prom/" &&
	rmdir "$out/textfile/directory.prom"
}

textfile_tests()
{
	local what="a full disk is reported once, the file stays until the disk has space again"

	check "--once writes a file" written_once
	check "the file is complete at every moment while the server updates it" written_again
	check "the file is removed when the server ends" removed_at_the_end
	check "SIGHUP ends the server, which removes the file" removed_by HUP
	check "SIGQUIT ends the server, which removes the file" removed_by QUIT
	check "a server under nohup ignores SIGHUP" nohup_ignores_hangup
	check "a symbolic link under the temporary name is not followed" does_not_follow_links
	check "serve does not start with a path that no file can have" reports_unusable_path
	if unshare -m true 2>/dev/null; then
		check "$what" survives_full_disk
	else
		skip "$what" "needs root, to mount a file system"
	fi
}
