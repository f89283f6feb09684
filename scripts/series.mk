# SPDX-License-Identifier: GPL-2.0-only
# Targets that verify, edit and release the patch series. SERIES= names one of them, a folder of
# series/ (default: 5.10-extensions, with 5.10).

export SERIES KERNEL FORCE
.PHONY: series-verify series-check tree refresh release

series-verify: ## apply each series to its kernels and trees with git am, compare, run checkpatch --strict
	@scripts/series-verify

series-check: ## build the kernel after each patch, for each architecture or ARCH=; slow
	@tests/kernel/series-check

tree: ## create a kernel checkout to edit, build/tree/SERIES, with one commit for each patch
	@scripts/tree

refresh: ## write the commits of build/tree/SERIES as patches and whole files (FORCE=1)
	@scripts/refresh

release: RELEASES ?= bullseye bookworm trixie
release: ## write archives and packages of VERSION=x.y to build/release; print how to tag it; needs root
	@scripts/release $(VERSION) $(RELEASES)
