# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t: lists that are made from other files, the fuzzer, the library's examples.
# shellcheck shell=bash

# list_matches_headers TREE
list_matches_headers()
{
	"$command/tests/exit-reasons" "$1" | diff <(grep -v ' later$' "$command/source/exit_reasons.list") -
}

exit_reason_tests()
{
	local base what="exit_reasons.list matches the kernel's headers"

	if base=$("$ROOT/scripts/base" --cached 2>/dev/null); then
		check "$what" list_matches_headers "$base"
	else
		skip "$what" "no kernel source has been fetched"
	fi
}

# Run the fuzzer 100,000 times, starting from valid files, which schema_seeds writes.
fuzz()
{
	rm -rf "$out/corpus" "$out/seeds" && mkdir -p "$out/corpus" "$out/seeds" &&
	build_plain library && make -s -C "$lib" O="$plain/lib" "$plain/lib/tests/schema_seeds" &&
	"$plain/lib/tests/schema_seeds" "$out/seeds" &&
	clang -std=gnu11 -Wall -Wextra -Werror -O1 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$lib" \
		-I"$plain/lib" -idirafter "$ROOT/include/uapi" -o "$out/schema_fuzz" \
		"$lib/tests/schema_fuzz.c" "$lib"/*.c &&
	"$out/schema_fuzz" -runs=100000 -seed=1 -max_len=4096 -max_total_time=100 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="$out/" "$out/corpus" "$out/seeds" &&
	# If the fuzzer finds few new inputs, it does not get past the header.
	[ "$(find "$out/corpus" -type f | wc -l)" -gt 20 ]
}

fuzz_tests()
{
	local what="the library rejects or reads fuzzed schemas without errors (libFuzzer)"

	if echo 'int LLVMFuzzerTestOneInput() { return 0; }' |
		clang -fsanitize=fuzzer,address -w -x c - -o "$out/fuzzer" 2>"$out/log"; then
		check "$what" fuzz
	else
		skip "$what" "clang has no libFuzzer: $(head -n 1 "$out/log")"
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

	for name in own agent passed_fds; do
		check "example '$name' builds with pkg-config" build_example "$name"
	done
}

running_example_tests()
{
	check "example 'own' reads its own statistics" example_prints '^  exits [0-9]+$' own
	check "example 'passed_fds' reads the statistics of an fd received over a socket" \
		example_prints '^vCPU 0: "kvm-[0-9]+/vcpu-0"' passed_fds
	check "a VMM for the example 'agent' starts" start_vmm -s
	check "example 'agent' finds all VMs" \
		example_prints '^  vcpu1: [1-9][0-9]* exits/s$' agent 1
	stop_vmm
}
