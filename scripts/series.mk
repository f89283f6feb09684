# SPDX-License-Identifier: GPL-2.0-only
# The patch series: writing, checking and editing it.

export SERIES KERNEL

.PHONY: refresh
refresh: ## bring the commits of a kernel tree back here (TREE=path BASE=commit)
	@FORCE=$(FORCE) scripts/refresh "$(or $(TREE),build/tree/$(SERIES))" "$(or $(BASE),base)"

.PHONY: series
series: ## write the mails of the series to build/series (for git am), check them if a kernel is there
	@scripts/series
	@scripts/series-verify --cached --no-checkpatch build/series/$(SERIES)

.PHONY: series-verify
series-verify: ## apply the series to all tested kernels, compare, run checkpatch --strict
	@scripts/series-verify
