# SPDX-License-Identifier: GPL-2.0-only
# KVM's binary statistics fd for Linux 5.10: a patch series, its tools and its
# proof. The comment behind a target's name is its line in make help.

SERIES ?= 5.10

.PHONY: help
help: ## this list (the default)
	@echo "Targets:"
	@sed -n 's/^\([a-z][a-z-]*\):[^=#]*## \(.*\)/\1 \2/p' $(MAKEFILE_LIST) | \
		while read -r target line; do printf '  make %-14s %s\n' "$$target" "$$line"; done
	@echo "Variables: KERNEL=PATH (a Linux 5.10.y tree of your own to build on), ARCH=, VARIANT="

include tools/testing/testing.mk
include scripts/series.mk

.PHONY: tools
tools: ## the library and the kvm-stats command, in build/tools
	@$(MAKE) -C tools/kvm/kvm_stats O=$(CURDIR)/build/tools

.PHONY: clean
clean: ## remove what is in build/, but not the checkout build/tree; the cache stays
	@test ! -d build || find build -mindepth 1 -maxdepth 1 ! -name tree -exec rm -rf {} +
