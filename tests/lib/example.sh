# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the scripts that compile the example programs of the documentation.
# shellcheck shell=bash

# print_example N FILE: print the Nth indented block of FILE that follows "code-block:: c"
print_example()
{
	awk -v n="$1" '
	/^\.\. code-block:: c$/ { on = ++count == n; next }
	on && /^[^\t]/ { exit }
	on { sub(/^\t/, ""); print }' "$2"
}
