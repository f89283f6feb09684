# SPDX-License-Identifier: GPL-2.0-only
# Targets that write, verify and edit the patch series. SERIES= selects a series (default:
# 5.10): 5.10-gki, 6.12, 7.2 or 7.2-rfc. The variable KVM_STATS_TREES names the directory of the
# archives of scripts/trees.list (default: ../shared/trees).

export SERIES KERNEL

.PHONY: series
series: ## write the series as mails for git am to build/series; verify them if a kernel is cached
	@scripts/series
	@scripts/series-verify --cached --no-checkpatch build/series/$(SERIES)

.PHONY: series-verify
series-verify: ## apply the series to all tested kernels and trees, compare, run checkpatch --strict
	@scripts/series-verify

.PHONY: series-check
series-check: ## series-verify, and build the kernel after each patch, for each architecture or ARCH=
	@scripts/series-check

.PHONY: tree
tree: ## create a kernel checkout to edit, build/tree, with one commit for each patch
	@scripts/tree

.PHONY: refresh
refresh: ## turn the commits of build/tree into patches (TREE=PATH BASE=COMMIT: of another tree)
	@FORCE=$(FORCE) scripts/refresh "$(or $(TREE),build/tree/$(SERIES))" "$(or $(BASE),base)"
