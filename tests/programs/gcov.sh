#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Print the counters of gcov as comments "gcda FILE BASE64", for tests/coverage, and as TAP
# whether there are some. The root of the build host has base64.
#
# shellcheck shell=dash

echo "1..1"
dir=/sys/kernel/debug/gcov
files=$(find $dir -name '*.gcda')
for file in $files; do
	echo "# gcda ${file#"$dir"} $(chroot "$BOOT_HOST" base64 -w 0 <"$file")"
done
[ -n "$files" ] || printf 'not '
echo "ok 1 - counters of gcov"
