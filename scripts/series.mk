# SPDX-License-Identifier: GPL-2.0-only
# The patch series: writing, checking and editing it.

export SERIES KERNEL

.PHONY: series
series: ## the series as mails for git am, in build/series; checked if a kernel is at hand
	@scripts/series
	@scripts/series-verify --cached --no-checkpatch build/series/$(SERIES)

.PHONY: series-verify
series-verify: ## apply the series to all tested kernels, compare, run checkpatch --strict
	@scripts/series-verify

.PHONY: series-check
series-check: ## series-verify, and build the kernel after every step, for every architecture or ARCH=
	@scripts/series-check

.PHONY: tree
tree: ## a kernel checkout to edit in, build/tree: one commit per step
	@scripts/tree

.PHONY: refresh
refresh: ## bring the commits of that checkout back here (TREE=path BASE=commit: of another)
	@FORCE=$(FORCE) scripts/refresh "$(or $(TREE),build/tree/$(SERIES))" "$(or $(BASE),base)"
