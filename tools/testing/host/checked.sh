# SPDX-License-Identifier: GPL-2.0-only
# Sourced, first of all, by tests that compile with the compiler's checkers.

# gcc 12's address checker breaks now and then where the kernel places memory
# with more randomness than it knew (vm.mmap_rnd_bits above 28): do without.
if [ -z "${ADDRESSES_FIXED:-}" ] && setarch -R true 2>/dev/null; then
	ADDRESSES_FIXED=1 exec setarch -R "$0" "$@"
fi

checks="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
