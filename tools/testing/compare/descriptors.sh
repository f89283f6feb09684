# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the scripts that read descriptors from compiled objects.

# Print the path of the program, which is compiled if it is older than its source.
descriptors_program()
{
	local program=$build_dir/descriptors

	mkdir -p "$build_dir"
	[ "$program" -nt "$boot_dir/descriptors.c" ] ||
		run_logged "$program.log" gcc -std=gnu11 -O2 -Wall -Wextra -Werror -o "$program" \
			"$boot_dir/descriptors.c" -lelf
	echo "$program"
}
