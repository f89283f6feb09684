# SPDX-License-Identifier: GPL-2.0-only
# KVM's binary statistics fd for Linux 5.10: a patch series, its tools and its
# proof. Each target is described by the comment behind its name.

SERIES ?= 5.10

.PHONY: help
help: ## this list (the default)
	@echo "Targets:"
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/    make \1|\2/p' $(MAKEFILE_LIST) | \
		awk -F'|' '{ printf "%-24s %s\n", $$1, $$2 }'

-include scripts/series.mk
-include tools/testing/boot/boot.mk

.PHONY: tools
tools: ## the library and the kvm-stats command, to build/tools
	$(MAKE) -C tools/kvm/kvm_stats O=$(CURDIR)/build/tools

.PHONY: clean
clean: ## remove the outputs in build/ (not a tree being edited, not the cache)
	@scripts/clean
