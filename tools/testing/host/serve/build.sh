# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: builds with and without libmicrohttpd, and for 32 bits.
# shellcheck shell=bash

# A command that was built without libmicrohttpd does all except HTTP, and says so.
without_http()
{
	local none=$out/none

	build_plain kvm-stats || return 1
	mkdir -p "$none" && cp -r "$plain/." "$none" && rm "$none/kvm-stats" &&
	make -s -C "$command" HTTP=no O="$none" kvm-stats || return 1
	! ldd "$none/kvm-stats" | grep microhttpd || return 1
	"$none/kvm-stats" serve --once -g nobody | grep -q '^kvm_stats_vmms [0-9]' || return 1
	! "$none/kvm-stats" serve 2>"$out/none.err" && grep 'without libmicrohttpd' "$out/none.err"
}

# Without zlib the answers are not compressed. Without libyaml a web configuration is refused.
without_libraries()
{
	local none=$out/no-libraries

	build_plain kvm-stats || return 1
	mkdir -p "$none" && cp -r "$plain/." "$none" && rm "$none/kvm-stats" &&
	make -s -C "$command" ZLIB=no YAML=no O="$none" kvm-stats || return 1
	! ldd "$none/kvm-stats" | grep 'libz\|libyaml\|libcrypt' || return 1
	stats=$none/kvm-stats start_server --listen 127.0.0.1:0 &&
	answers 200 -H 'Accept-Encoding: gzip' && ! has_header 'content-encoding:.*' &&
	grep '^kvm_stats_samples_total' "$out/scraped" && end_server &&
	stats=$none/kvm-stats serve_prints 1 'without libyaml.*reverse proxy' \
		--listen 127.0.0.1:0 --web.config.file any.yml
}

# The table of texts in the library has to be generated again after the reference changed.
help_texts_are_current()
{
	make -s -C "$lib" help_table HELP_TABLE="$out/help_table.h" &&
	diff "$lib/help_table.h" "$out/help_table.h"
}

# The 64-bit headers have <asm/...> for both sizes.
cc32="gcc -m32 -idirafter /usr/include/x86_64-linux-gnu"

build_tests()
{
	local what="all except HTTP and top builds for 32 bits"

	check "kvm-stats and the test programs build with sanitizers" build_checked
	check "without libmicrohttpd, serve reports what is missing" without_http
	check "without zlib and libyaml, serve works and reports what is missing" without_libraries
	check "the texts that describe statistics are those of the reference" help_texts_are_current
	# shellcheck disable=SC2086 # a command and its options
	if echo '#include <errno.h>' | $cc32 -x c -fsyntax-only - 2>/dev/null; then
		check "$what" make -s -j2 -C "$command" CC="$cc32" HTTP=no CURSES=no O="$out/32" \
			kvm-stats
	else
		skip "$what" "no 32-bit C library is installed"
	fi
}
