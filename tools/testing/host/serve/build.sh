# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. What is tested is built, with address and undefined-behaviour checks.

# The test takes of it what it needs.
build_archive()
{
	rm -f "$out/command.a"
	find "$out/checked/obj" -name '*.o' ! -name main.o ! -name '*_none.o' | sort |
		xargs ar rcs "$out/command.a"
}

build_test()
{
	gcc -std=gnu11 -Wall -Wextra -Werror $checks -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		-I"$lib" -I"$lib/tests" -I"$command" -idirafter include/uapi -o "$out/$1" \
		"$command/tests/$1.c" "$out/command.a" "$out/checked/lib/libkvmstats.a" -lm
}

# All but HTTP, as where libmicrohttpd is not there; that is told.
without_http()
{
	mkdir -p "$out/none" && cp -r "$out/checked/." "$out/none" && rm "$out/none/kvm-stats" &&
	make -s -C "$command" HTTP=no CFLAGS="$checks" O="$out/none" kvm-stats || return 1
	! ldd "$out/none/kvm-stats" | grep microhttpd || return 1
	"$out/none/kvm-stats" serve --once -g nobody | grep -q '^kvm_stats_vmms [0-9]' || return 1
	"$out/none/kvm-stats" serve >"$out/none.err" 2>&1
	[ $? -eq 1 ] && grep 'without libmicrohttpd' "$out/none.err"
}

# <asm/...> of the 64-bit headers serves both.
builds_for_32_bits()
{
	local file

	for file in "$command"/serve*.c "$command"/openmetrics*.c; do
		[ "${file##*/}" = serve_http.c ] ||
			gcc -m32 -idirafter /usr/include/x86_64-linux-gnu -std=gnu11 -Wall -Wextra \
			-Werror -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$lib" -fsyntax-only \
			"$file" || return 1
	done
}

build()
{
	check "kvm-stats builds with address and undefined-behaviour checks" \
		make -s -j2 -C "$command" CFLAGS="$checks" O="$out/checked" kvm-stats
	check "its parts are put together" build_archive
	check "exposition builds" build_test exposition
	check "serve_test builds" build_test serve_test
	check "it builds without libmicrohttpd, and says what is missing" without_http
	if echo '#include <errno.h>' | gcc -m32 -idirafter /usr/include/x86_64-linux-gnu \
		-x c -fsyntax-only - 2>/dev/null; then
		check "all but HTTP is good for 32 bits" builds_for_32_bits
	else
		skip "all but HTTP is good for 32 bits" "no 32-bit C library is installed"
	fi
}
