# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. A file for node_exporter.

textfile=$out/textfile/kvm.prom

written_once()
{
	rm -rf "$out/textfile" && mkdir -p "$out/textfile" &&
	"$stats" serve --once -g nobody -t "$textfile" &&
	has_line '^kvm_stats_samples_total 1$' "$textfile" &&
	[ "$(ls -A "$out/textfile")" = kvm.prom ] && [ "$(stat -c %a "$textfile")" = 644 ]
}

# The inode changes, the name is always there, and no name but it.
written_again()
{
	local first seen i

	start_server -t "$textfile" -i 0.1 || return 1
	until_true 20 has_line '^kvm_stats_samples_total \([2-9]\|[0-9][0-9]\)' "$textfile" || return 1
	first=$(stat -c %i "$textfile")
	for ((i = 0; i < 200; i++)); do
		cat "$textfile" >"$out/seen" || return 1
		seen=$(tail -n 1 "$out/seen")
		[ -n "$seen" ] && [[ $seen != *[!\ -~]* ]] || return 1
	done
	# Two numbers may take turns.
	until_true 5 eval "[ \$(stat -c %i '$textfile') != $first ]" && [ -z "$url" ]
}

removed_at_the_end()
{
	end_server && [ -z "$(ls -A "$out/textfile")" ]
}

# Not a word about the old file's place: what it leads to is not ours.
does_not_follow_links()
{
	echo mine >"$out/mine" && rm -f "$textfile"* && ln -s "$out/mine" "$textfile.new" &&
	"$stats" serve --once -g nobody -t "$textfile" &&
	[ "$(cat "$out/mine")" = mine ] && [ ! -L "$textfile" ]
}

# In a mount of its own: a file system that something else fills, and frees again.
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
	until_true 20 has_line 'No space left on device. The previous' "$out/full.err" || exit 1
	sleep 1
	cp "$textfile" "$out/kept"
	[ "$(echo "$dir"/*)" = "$textfile $dir/other" ] || exit 1
	rm "$dir/other"
	until_true 20 has_line 'writing succeeds again' "$out/full.err" || exit 1
	end_server
}

survives_full_disk()
{
	local told

	export -f full_disk until_true has_line end_server stop
	export out stats textfile
	rm -rf "$out/textfile" && mkdir -p "$out/textfile" || return 1
	unshare -m bash -c full_disk || { cat "$out/full.err"; return 1; }
	cat "$out/full.err"
	told=$(grep -c 'No space left' "$out/full.err")
	[ "$told" = 1 ] && has_line '^kvm_stats_samples_total' "$out/kept" &&
		! has_line ERROR "$out/full.err"
}

no_directory()
{
	! "$stats" serve --once -g nobody -t "$out/nowhere/kvm.prom" 2>"$out/said" && cat "$out/said" &&
	has_line 'cannot write: No such file' "$out/said"
}

textfile_tests()
{
	check "a file is written once" written_once
	check "a file is written again and again, as a whole" written_again
	check "it is gone when nobody writes it any more" removed_at_the_end
	check "a link that lies in wait is not followed" does_not_follow_links
	check "a directory that is not there is told" no_directory
	if unshare -m true 2>/dev/null; then
		check "a full disk is told once, leaves the file, and passes" survives_full_disk
	else
		skip "a full disk is told once, leaves the file, and passes" "takes root, to mount one"
	fi
}
