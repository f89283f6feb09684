# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t. The library's own tests, its examples, and hostile schemas.

# unit_test NAME SOURCE OBJECT...: run with what is in arguments
arguments=()
unit_test()
{
	local test=$1 source=$2 status

	shift 2
	if ! gcc -std=gnu11 -Wall -Wextra -Werror $checks -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		-I"$lib" -I"$command" -idirafter include/uapi -o "$out/$test" "$source" "$@" \
		"$out/checked/lib/libkvmstats.a" >"$out/log" 2>&1; then
		sed 's/^/# /' "$out/log"
		point 1 "$test builds"
		return
	fi
	timeout 120 "$out/$test" "${arguments[@]}" >"$out/log" 2>"$out/errors"
	status=$?
	adopt "$out/log" "$test: "
	[ -s "$out/errors" ] && sed 's/^/# /' "$out/errors"
	[ "$(tail -n 1 "$out/log")" = "1..$(grep -c '^\(not \)\?ok ' "$out/log")" ]
	point $? "$test: runs to its end"
	[ $status -eq 0 ] || ! grep -q '^1\.\.' "$out/log" || grep -q '^not ok' "$out/log"
	point $? "$test: leaves with its verdict"
}

# rooms NAME...: the objects of the command's files
rooms()
{
	printf "$out/checked/obj/%s.o\n" "$@"
}

# The list is of the series' base; where that has not been fetched, it is taken as it is.
list_is_of_headers()
{
	"$command/tests/exit-reasons" "$1" | diff "$command/tests/exit_reasons.list" -
}

exit_reason_tests()
{
	local base

	if base=$(scripts/base --cached 2>/dev/null); then
		check "exit_reasons.list has what the kernel's headers say" list_is_of_headers "$base"
	else
		skip "exit_reasons.list has what the kernel's headers say" "no kernel source has been fetched"
	fi
	rm -rf "$out/tracefs" && mkdir -p "$out/tracefs"
	arguments=("$command/tests/exit_reasons.list" "$out/tracefs")
	unit_test exit_reason_test "$command/tests/exit_reason_test.c" \
		$(rooms exit_reason tracepoints debugfs)
	arguments=()
}

# 100,000 files that grow out of those in tests/seeds.
fuzz()
{
	rm -rf "$out/corpus" && mkdir -p "$out/corpus" &&
	clang -std=gnu11 -Wall -Wextra -Werror -O1 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$lib" \
		-idirafter include/uapi -o "$out/schema_fuzz" "$lib/tests/schema_fuzz.c" "$lib"/*.c &&
	"$out/schema_fuzz" -runs=100000 -seed=1 -max_len=4096 -max_total_time=100 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="$out/" "$out/corpus" "$lib/tests/seeds" &&
	# Fewer would be the time limit, and no new input no look behind the header.
	[ "$(ls "$out/corpus" | wc -l)" -gt 20 ]
}

# The seeds are what the program of that name writes, and the library takes them.
seeds_are_good()
{
	mkdir -p "$out/seeds" &&
	gcc -D_GNU_SOURCE -I"$lib" -idirafter include/uapi -o "$out/make_seeds" "$lib/tests/make_seeds.c" &&
	"$out/make_seeds" "$out/seeds" && diff -r "$out/seeds" "$lib/tests/seeds"
}

fuzz_tests()
{
	check "the seeds are as their maker writes them" seeds_are_good
	if echo 'int LLVMFuzzerTestOneInput() { return 0; }' |
		clang -fsanitize=fuzzer,address -w -x c - -o "$out/fuzzer" 2>"$out/log"; then
		check "hostile schemas do no harm (libFuzzer)" fuzz
	else
		skip "hostile schemas do no harm (libFuzzer)" "clang has no libFuzzer: $(head -n 1 "$out/log")"
	fi
}

example()
{
	local name=$1

	PKG_CONFIG_PATH=$out/dest/usr/lib/pkgconfig pkg-config --define-variable=prefix="$out/dest/usr" \
		--define-variable=libdir="$out/dest/usr/lib" \
		--define-variable=includedir="$out/dest/usr/include" --cflags --libs libkvmstats >"$out/flags" &&
	gcc -std=gnu11 -Wall -Wextra -Werror -o "$out/example-$name" "$lib/examples/$name.c" $(cat "$out/flags")
}

# runs_example REGEX NAME ARGUMENT...
runs_example()
{
	local regex=$1 name=$2

	shift 2
	LD_LIBRARY_PATH=$out/dest/usr/lib "$out/example-$name" "$@" >"$out/example.out" 2>&1 9>&-
	local status=$?
	cat "$out/example.out"
	[ $status -eq 0 ] && grep -Eq "$regex" "$out/example.out"
}

example_tests()
{
	local name

	for name in own agent handed; do
		check "example '$name' builds by pkg-config" example $name
	done
}

running_example_tests()
{
	check "example 'own' reads its own statistics" runs_example '^  exits [0-9]+$' own
	check "example 'handed' reads what came over a socket" runs_example '^vCPU 0: "kvm-[0-9]+/vcpu-0"' handed
	check "a VMM for the agent starts" start_vmm -s
	check "example 'agent' finds all VMs" runs_example '^  vcpu1: [1-9][0-9]* exits/s$' agent 1
	stop_vmm
}
