# SPDX-License-Identifier: GPL-2.0-only
# The patch series: writing, checking and editing it.

export SERIES KERNEL

.PHONY: refresh
refresh: ## bring the commits of a kernel tree back here (TREE=path BASE=commit)
	@FORCE=$(FORCE) scripts/refresh "$(or $(TREE),build/tree/$(SERIES))" "$(or $(BASE),base)"
