# SPDX-License-Identifier: GPL-2.0-only
# Targets that build packages of the tools.

.PHONY: deb rpm

deb: ## build Debian packages of the tools in build/deb
	@scripts/packages deb
	@tools/kvm/kvm_stats/packaging/deb

rpm: ## build RPM packages of the tools in build/rpm
	@scripts/packages rpm
	@tools/kvm/kvm_stats/packaging/rpm
