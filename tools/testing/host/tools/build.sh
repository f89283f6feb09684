# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t. What is built, installed, exported and described.

# Sources alone, as far from this repository as can be.
build_from_a_copy()
{
	local copy=$out/copy

	rm -rf "$copy" && mkdir -p "$copy/include/uapi/linux" &&
	tar -c --exclude=build tools/lib/kvmstats tools/kvm/kvm_stats | tar -x -C "$copy" &&
	cp include/uapi/linux/kvm_stats.h "$copy/include/uapi/linux/" &&
	make -s -C "$copy/tools/kvm/kvm_stats" O="$out/from-copy" &&
	[ -z "$(find "$copy" -name '*.o')" ] && "$out/from-copy/kvm-stats" --version
}

install_somewhere()
{
	local dest=$out/dest

	rm -rf "$dest" &&
	make -s -C "$command" O="$out/gcc" DESTDIR="$dest" PREFIX=/usr install &&
	"$dest/usr/bin/kvm-stats" --help &&
	[ -f "$dest/usr/share/man/man1/kvm-stats.1" ] &&
	[ -f "$dest/usr/share/bash-completion/completions/kvm-stats" ] &&
	grep -q '^prefix=/usr$' "$dest/usr/lib/pkgconfig/libkvmstats.pc"
}

# As a program of others would: by the installed header and shared library.
link_against_installed()
{
	local dest=$out/dest

	cat >"$out/user.c" <<-'END' &&
	#include <kvmstats.h>
	#include <stdio.h>

	int main(void)
	{
		struct kvmstats_schema *schema;
		char buf[64];

		return puts(kvmstats_strerror(kvmstats_schema_read(&schema, -1), buf, sizeof(buf))) < 0;
	}
	END
	gcc -std=c99 -pedantic -Wall -Werror -I"$dest/usr/include" -o "$out/user" "$out/user.c" \
		-L"$dest/usr/lib" -lkvmstats &&
	LD_LIBRARY_PATH=$dest/usr/lib "$out/user" | grep 'Bad file descriptor'
}

# All that the header declares is exported, and nothing else.
exports_match_header()
{
	grep -o 'kvmstats_[a-z_]*(' "$lib/kvmstats.h" | tr -d '(' | sort -u >"$out/declared" &&
	nm -D --defined-only "$out/gcc/lib/libkvmstats.so" |
		awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$out/exported" &&
	grep -v '^kvmstats_[a-z]*_\?read()' "$out/declared" | diff - "$out/exported"
}

# Each exported function has a page, and the pages say nothing that mandoc or we take amiss.
pages_are_complete()
{
	local man=$out/dest/usr/share/man function bad=0

	while read -r function; do
		[ -f "$man/man3/$function.3" ] || { echo "no page for $function()"; bad=1; }
		grep -q "$function(" "$lib"/man/*.3 || { echo "no page declares $function()"; bad=1; }
	done <"$out/exported"
	[ -s "$out/exported" ] && [ $bad = 0 ] &&
	[ "$(cat "$man/man3/kvmstats_rate.3")" = ".so man3/kvmstats_sample_read.3" ] &&
	mandoc -T lint -W warning "$lib"/man/*.3 "$command/kvm-stats.1"
}

# What the pages declare is what the header declares, spaces aside.
pages_declare_the_header()
{
	sed -n 's/^\.BI //p' "$lib"/man/*.3 | tr -d '"' | tr -s ' ' | tr '\n' ' ' | sed 's/; */;\n/g' |
		grep -o '[a-z].*kvmstats_[a-z_]*(.*;' | tr -d ' ' | sort >"$out/in-pages"
	sed 's,/\*.*\*/,,; /^\/\*/,/\*\//d; /^ \*/d; s/#.*//' "$lib/kvmstats.h" | tr '\t' ' ' | tr '\n' ' ' |
		sed 's/[;{}]/&\n/g' | grep -o '[a-z].*kvmstats_[a-z_]*(.*;' | tr -d ' ' | sort >"$out/in-header"
	[ -s "$out/in-header" ] && diff "$out/in-header" "$out/in-pages"
}

build()
{
	check "the library and the command build" make -s -C "$command" O="$out/gcc" all
	check "the static command builds" make -s -C "$command" O="$out/gcc" kvm-stats.static
	check "they build from their sources alone" build_from_a_copy
	if command -v clang >/dev/null; then
		check "they build with clang" make -s -C "$command" CC=clang O="$out/clang"
	else
		skip "they build with clang" "clang is not installed"
	fi
	if echo '#include <errno.h>' | $cc32 -x c -c - -o "$out/m32" 2>/dev/null; then
		check "the library builds for 32 bits" make -s -C "$lib" CC="$cc32" O="$out/32"
	else
		skip "the library builds for 32 bits" "no 32-bit C library is installed"
	fi
	check "they are installed where they are told to" install_somewhere
	check "a C99 program links the installed library" link_against_installed
	check "the shared library exports what its header declares" exports_match_header
	check "each function has a manual page" pages_are_complete
	check "the pages declare what the header declares" pages_declare_the_header
	check "all is built with address and undefined-behaviour checks" \
		make -s -C "$command" CFLAGS="$checks" O="$out/checked" kvm-stats
}
