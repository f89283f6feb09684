# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: builds, installation, exported functions, manual pages; lists that are made from other
# files, the fuzzer, the library's examples.
# shellcheck shell=bash

# The 64-bit headers have <asm/...> for both sizes.
cc32="gcc -m32 -idirafter /usr/include/x86_64-linux-gnu"
installed=$out/installed

# Copy the sources of the tools alone, without the rest of the repository.
build_from_a_copy()
{
	local copy=$out/copy

	rm -rf "$copy" && mkdir -p "$copy" &&
	tar -c --exclude=build -C "$ROOT" VERSION Documentation/virt/kvm/stats-reference.rst \
		include/uapi/linux/kvm_stats.h arch/x86/kvm/exit_classes.c \
		arch/x86/include/asm/kvm_exit_classes.h \
		tools/lib/kvmstats tools/kvm/kvm_stats | tar -x -C "$copy" &&
	make -s -C "$copy/tools/kvm/kvm_stats" O="$out/from-copy" &&
	[ -z "$(find "$copy" -name '*.o')" ] &&
	[ "$("$out/from-copy/kvm-stats" --version)" = "kvm-stats $(cat "$ROOT/VERSION")" ]
}

builds_with_clang()
{
	make -s -C "$command" CC=clang O="$out/clang" &&
	make -s -C "$lib" CC=clang CFLAGS='-O1 -fsanitize=address,undefined' \
		O="$out/clang-sanitized" all
}

# kvm-stats builds if libraries are missing, and make prints what it has left out, unless the
# user wants that. It prints that when it links, so the program must not exist yet.
builds_without_libraries()
{
	local fake=$out/fake-cc

	printf '#!/bin/sh\ncase "$*" in *-include*) exit 1 ;; esac\nexec gcc "$@"\n' >"$fake"
	chmod +x "$fake" &&
	rm -f "$out/without/kvm-stats" &&
	make -s -C "$command" CC="$fake" O="$out/without" all 2>"$out/notes" || return 1
	cat "$out/notes"
	grep -q 'without the command top.*libncurses-dev' "$out/notes" &&
	grep -q 'without serve --listen.*libmicrohttpd-dev' "$out/notes" &&
	rm "$out/without/kvm-stats" &&
	make -s -C "$command" CURSES= HTTP= O="$out/without" all 2>"$out/notes" &&
	[ ! -s "$out/notes" ] || return 1
	sed -i 's/-include/seccomp.h/' "$fake" &&
	rm "$out/without/kvm-stats" &&
	make -s -C "$command" CC="$fake" CURSES= O="$out/without" all 2>"$out/notes" || return 1
	cat "$out/notes"
	[ "$(wc -l <"$out/notes")" = 1 ] &&
	grep -q 'without the filter of system calls in serve.*libseccomp-dev' "$out/notes"
}

# Only the checks of the project compile with -Werror: a later compiler has other warnings.
only_checks_use_werror()
{
	local dir

	for dir in tools/lib/kvmstats tools/kvm/kvm_stats tests/programs tests/bench; do
		echo "$dir"
		env -u WERROR make -n -B -C "$ROOT/$dir" O="$out/dry" OUT="$out/dry" >"$out/dry.log" &&
		! grep -e -Werror "$out/dry.log" &&
		WERROR=1 make -n -B -C "$ROOT/$dir" O="$out/dry" OUT="$out/dry" >"$out/dry.log" &&
		grep -q -e -Werror "$out/dry.log" || return
	done
	! grep -rn -e -Werror "$ROOT"/tools/{kvm,lib} "$ROOT"/tests/{bench,compare,programs,kernel,machine} |
		grep -v WERROR
}

install_somewhere()
{
	rm -rf "$installed" &&
	build_plain DESTDIR="$installed" PREFIX=/usr install &&
	"$installed/usr/bin/kvm-stats" --help &&
	[ -f "$installed/usr/share/man/man1/kvm-stats.1" ] &&
	[ -f "$installed/usr/share/bash-completion/completions/kvm-stats" ] &&
	grep -q '^prefix=/usr$' "$installed/usr/lib/pkgconfig/libkvmstats.pc" &&
	diff -r "$lib/examples" "$installed/usr/share/doc/libkvmstats/examples"
}

# Use the installed header and shared library, like another project's program.
link_against_installed()
{
	cat >"$out/user.c" <<-'END' &&
	#include <kvmstats.h>
	#include <stdio.h>

	int main(void)
	{
		struct kvmstats_schema *schema;
		char buf[64];

		int err = kvmstats_schema_read(&schema, -1);

		return puts(kvmstats_strerror(err, buf, sizeof(buf))) < 0;
	}
	END
	gcc -std=c99 -pedantic -Wall -Werror -I"$installed/usr/include" -o "$out/user" \
		"$out/user.c" -L"$installed/usr/lib" -lkvmstats &&
	LD_LIBRARY_PATH=$installed/usr/lib "$out/user" | grep 'Bad file descriptor'
}

# C++ programs can use the header, with strict warnings.
header_is_cpp()
{
	cat >"$out/user.cpp" <<-'END' &&
	#include <kvmstats.h>

	int main()
	{
		kvmstats_host *host;

		kvmstats_host_close(kvmstats_host_open(&host, nullptr) ? nullptr : host);
		return 0;
	}
	END
	g++ -std=c++11 -pedantic -Wall -Wextra -Wold-style-cast -Werror -I"$installed/usr/include" \
		-o "$out/user-cpp" "$out/user.cpp" -L"$installed/usr/lib" -lkvmstats &&
	LD_LIBRARY_PATH=$installed/usr/lib "$out/user-cpp"
}

# The shared library, pkg-config, the page and the command have the version in the file VERSION.
versions_are_equal()
{
	local version

	version=$(cat "$ROOT/VERSION")
	[ "$("$installed/usr/bin/kvm-stats" --version)" = "kvm-stats $version" ] &&
	grep -qx "Version: $version" "$installed/usr/lib/pkgconfig/libkvmstats.pc" &&
	readelf -d "$installed/usr/lib/libkvmstats.so.${version%%.*}" |
		grep -F "soname: [libkvmstats.so.${version%%.*}]" &&
	grep "^\.TH .*\"libkvmstats $version\"" "$installed/usr/share/man/man3/kvmstats.3"
}

# All functions have the symbol version of the first version that is published.
symbol_versions()
{
	nm -D --defined-only "$plain/lib/libkvmstats.so" | awk '$2 == "T" { print $3 }' |
		grep -vE '^kvmstats_[a-z_]*@@KVMSTATS_1\.1$' >"$out/other-versions"
	cat "$out/other-versions"
	[ ! -s "$out/other-versions" ] && [ -s "$out/exported" ]
}

# The library exports the functions that its header declares, and no others.
exports_match_header()
{
	grep -o 'kvmstats_[a-z_]*(' "$lib/kvmstats.h" | tr -d '(' | sort -u >"$out/declared" &&
	nm -D --defined-only "$plain/lib/libkvmstats.so" |
		awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$out/exported" &&
	grep -v '^kvmstats_[a-z]*_\?read()' "$out/declared" | diff - "$out/exported"
}

# Each exported function has the name of a manual page, and mandoc reports no problem in any page.
pages_are_complete()
{
	local man=$installed/usr/share/man function status=0

	while read -r function; do
		[ "$(cat "$man/man3/$function.3")" = ".so man3/kvmstats.3" ] ||
			{ echo "no page for $function()"; status=1; }
		grep -q "$function ()" "$lib/man/kvmstats.3" ||
			{ echo "the page does not describe $function()"; status=1; }
	done <"$out/exported"
	[ -s "$out/exported" ] && [ "$status" = 0 ] &&
	mandoc -T lint -W warning "$plain/lib/kvmstats.3" \
		"$command"/man/kvm-stats{.1,-host-file.5,-publish.8}
}

# Tables, declarations and examples do not wrap, so each line has to fit. In other locales, col and
# grep would count bytes.
pages_fit_80_columns()
{
	local -x LC_ALL=C.UTF-8
	local page status=0

	for page in "$command"/man/*.[158] "$plain/lib/kvmstats.3"; do
		! mandoc -T utf8 -O width=78 "$page" | col -bx | grep -E '.{81}' || status=1
	done
	return "$status"
}

build_tests()
{
	check "the library and the command build" build_plain all
	check "the static command builds" build_plain kvm-stats.static
	check "the library and the command build from their sources alone" build_from_a_copy
	if command -v clang >/dev/null; then
		check "the library and the command build with clang, and with its sanitizers" \
			builds_with_clang
	else
		skip "the library and the command build with clang" "clang is not installed"
	fi
	check "only the project's checks build with -Werror" only_checks_use_werror
	check "make prints what it leaves out if libraries are missing" builds_without_libraries
	# shellcheck disable=SC2086 # a command and its options
	if echo '#include <errno.h>' | $cc32 -x c -c - -o "$out/m32" 2>/dev/null; then
		check "the library builds for 32 bits" make -s -C "$lib" CC="$cc32" O="$out/32"
	else
		skip "the library builds for 32 bits" "no 32-bit C library is installed"
	fi
	check "the library and the command are installed below DESTDIR and PREFIX" install_somewhere
	check "a C99 program links the installed library" link_against_installed
	check "a C++ program links the installed library" header_is_cpp
	check "the shared library exports the functions that its header declares" exports_match_header
	check "all exported functions have the symbol version of their first version" symbol_versions
	check "the version is the same in the library, the command and the page" versions_are_equal
	check "each function has a manual page" pages_are_complete
	check "the manual pages fit 80 columns" pages_fit_80_columns
	check "all programs build with address and undefined-behaviour sanitizers" build_checked
}

# Write valid files for the fuzzers. That of recordings writes its own.
make_seeds()
{
	rm -rf "$out/seeds" && mkdir -p "$out"/seeds/{schema,host,record} && build_plain library &&
	make -s -C "$lib" O="$plain/lib" "$plain/lib/tests/fuzz_seeds" &&
	"$plain/lib/tests/fuzz_seeds" "$out/seeds/schema" "$out/seeds/host"
}

# fuzz NAME SIZE ARGUMENT...: build the fuzzer with these arguments of clang, and run it 50,000 times,
# starting from the valid files
fuzz()
{
	local name=$1 size=$2 corpus=$out/corpus/$1

	shift 2
	rm -rf "$corpus" && mkdir -p "$corpus" &&
	clang -std=gnu11 -Wall -Wextra -Werror -O1 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$lib" \
		-I"$plain/lib" -idirafter "$ROOT/include/uapi" -o "$out/${name}_fuzz" "$@" "$lib"/*.c &&
	SEEDS=$out/seeds/$name "$out/${name}_fuzz" -runs=50000 -seed=1 -max_len="$size" -max_total_time=50 \
		-verbosity=0 -print_final_stats=1 -artifact_prefix="$out/" "$corpus" "$out/seeds/$name" &&
	# If the fuzzer finds few new inputs, it does not get past the header.
	[ "$(find "$corpus" -type f | wc -l)" -gt 20 ]
}

fuzz_recordings()
{
	fuzz record 8192 -Wno-unused-function -Wno-gnu-variable-sized-type-not-at-end -DHAVE_ZSTD=1 \
		-I"$command" -I"$lib/tests" "$command"/tests/record_fuzz.c \
		"$command"/record/{sample,codec,frame,recording}.c "$command"/{util,message}.c -lzstd -lz
}

fuzz_tests()
{
	local recordings="kvm-stats rejects or reads fuzzed recordings without errors (libFuzzer)"
	local schemas="the library rejects or reads fuzzed schemas without errors (libFuzzer)"
	local hosts="the library rejects or reads fuzzed host files without errors (libFuzzer)"

	if echo 'int LLVMFuzzerTestOneInput() { return 0; }' |
		clang -fsanitize=fuzzer,address -w -x c - -o "$out/fuzzer" 2>"$out/log"; then
		check "valid files for the fuzzers are written" make_seeds
		check "$schemas" fuzz schema 4096 "$lib/tests/schema_fuzz.c"
		check "$hosts" fuzz host 4096 "$lib/tests/host_fuzz.c"
		check "$recordings" fuzz_recordings
	else
		skip "$schemas" "clang has no libFuzzer: $(head -n 1 "$out/log")"
		skip "$hosts" "clang has no libFuzzer"
		skip "$recordings" "clang has no libFuzzer"
	fi
}

# build_example NAME: compile the installed source with the flags that pkg-config prints for the installed library
build_example()
{
	local flags usr=$installed/usr

	flags=$(PKG_CONFIG_PATH=$usr/lib/pkgconfig pkg-config --define-variable=prefix="$usr" \
		--define-variable=libdir="$usr/lib" --define-variable=includedir="$usr/include" \
		--cflags --libs libkvmstats) || return 1
	# shellcheck disable=SC2086 # several flags
	gcc -std=gnu11 -Wall -Wextra -Werror -o "$out/example-$1" \
		"$usr/share/doc/libkvmstats/examples/$1.c" $flags
}

# example_prints REGEX NAME [ARGUMENT]...
example_prints()
{
	local regex=$1 name=$2 status=0

	shift 2
	LD_LIBRARY_PATH=$installed/usr/lib "$out/example-$name" "$@" >"$out/example.out" 2>&1 \
		9>&- || status=$?
	cat "$out/example.out"
	[ "$status" -eq 0 ] && grep -Eq "$regex" "$out/example.out"
}

example_tests()
{
	local name

	for name in own agent; do
		check "example '$name' builds with pkg-config" build_example "$name"
	done
}

running_example_tests()
{
	check "example 'own' reads its own statistics" example_prints '^  exits [0-9]+$' own
	check "a VMM for the example 'agent' starts" start_vmm -s
	check "example 'agent' finds the VMM" example_prints '^[0-9]+ vmm \(.*vCPUs$' agent 1
	stop_vmm
}
