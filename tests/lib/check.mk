# SPDX-License-Identifier: GPL-2.0-only
# Included by the Makefiles of the library and of the command: build their unit tests with
# gcc's sanitizers and run them with prove.
#
# A unit test, tests/*_test.c, is a program that prints TAP and needs no arguments. The Makefile
# sets `top`, `src`, `O` and `skipped_unit_tests` (names of unit tests that cannot be built), and
# defines `checked-programs`, the target that builds the unit tests in $(O)/tests.

SANITIZE ?= -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
unit_test_names := $(filter-out $(skipped_unit_tests),$(notdir \
		   $(basename $(wildcard $(src)/tests/*_test.c))))
# The programs are in checked/tests. Each of these scripts runs one of them.
unit_tests := $(unit_test_names:%=$(O)/checked/unit/%)

# Build in $(O)/checked with sanitizers.
checked:
	+$(MAKE) -C $(src) O=$(O)/checked CFLAGS='$(SANITIZE)' WERROR=1 checked-programs >&2

$(unit_tests): $(O)/checked/unit/%: $(top)/tests/lib/check.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s %s\n' $(top)/tests/lib/fixed-addresses \
		$(O)/checked/tests/$* >$@
	@chmod +x $@

# Use `make -s check-programs`: without -s, make itself writes to standard output.
check-programs: checked $(unit_tests)
	@printf '%s\n' $(unit_tests)

check: checked $(unit_tests)
	prove $(unit_tests)

.PHONY: checked checked-programs check check-programs
