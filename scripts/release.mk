# SPDX-License-Identifier: GPL-2.0-only
# The target that writes the files of a release.

.PHONY: release
release: ## write the archives of release VERSION=x.y to build/release; print how to tag it
	@scripts/release $(VERSION)
