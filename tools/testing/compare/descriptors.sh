# SPDX-License-Identifier: GPL-2.0-only
# Sourced after arch.sh by the scripts that read descriptors from compiled objects.
# shellcheck shell=bash

# Print the path of the program `descriptors`. Compile it if it is older than its source.
descriptors_program()
{
	local program=$ROOT/build/testing/descriptors source=$TESTING/compare/descriptors.c

	mkdir -p "${program%/*}"
	[ "$program" -nt "$source" ] ||
		run_logged "$program.log" gcc -std=gnu11 -O2 -Wall -Wextra ${WERROR:+-Werror} \
			-o "$program" "$source" -lelf
	echo "$program"
}
