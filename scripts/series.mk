# SPDX-License-Identifier: GPL-2.0-only
# Targets that write, check and edit the patch series. SERIES= names another series than
# 5.10, for example 5.10-gki. The variable KVM_STATS_TREES names the directory with the
# archives of scripts/trees.list (default: ../shared/trees).

export SERIES KERNEL

.PHONY: series
series: ## write the series as mails for git am to build/series; check them if there is a kernel
	@scripts/series
	@scripts/series-verify --cached --no-checkpatch build/series/$(SERIES)

.PHONY: series-verify
series-verify: ## apply the series to all tested kernels and trees, compare, run checkpatch --strict
	@scripts/series-verify

.PHONY: series-check
series-check: ## series-verify, and build the kernel after each patch, for each architecture or ARCH=
	@scripts/series-check

.PHONY: tree
tree: ## make a kernel checkout to edit in, build/tree, with one commit per patch
	@scripts/tree

.PHONY: refresh
refresh: ## bring the commits of that checkout back here (TREE=path BASE=commit: of another)
	@FORCE=$(FORCE) scripts/refresh "$(or $(TREE),build/tree/$(SERIES))" "$(or $(BASE),base)"
