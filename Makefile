# SPDX-License-Identifier: GPL-2.0-only
# The KVM binary statistics interface for Linux 5.10: a patch series, its tools and its
# tests. `make help` prints the comments behind the names of targets.

.PHONY: help
help: ## this list (the default)
	@echo "Targets:"
	@sed -n 's/^\([a-z][a-z-]*\):[^=#]*## \(.*\)/\1 \2/p' $(MAKEFILE_LIST) | \
		while read -r target line; do printf '  make %-14s %s\n' "$$target" "$$line"; done
	@echo "Variables: KERNEL=PATH (your own Linux 5.10.y tree), ARCH=, VARIANT=, SERIES="

include tests/tests.mk
include scripts/series.mk
include tools/kvm/kvm_stats/packaging/packaging.mk

.PHONY: tools
tools: ## build the library, kvm-stats (build/tools) and kvm_stat (build/kvm_stat)
	@$(MAKE) -C tools/kvm/kvm_stats O=$(CURDIR)/build/tools
	@$(MAKE) -C tools/kvm/kvm_stat O=$(CURDIR)/build/kvm_stat

.PHONY: clean
clean: ## remove build/ except the checkout build/tree; keep the cache
	@test ! -d build || find build -mindepth 1 -maxdepth 1 ! -name tree -exec rm -rf {} +
