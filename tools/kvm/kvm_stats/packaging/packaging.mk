# SPDX-License-Identifier: GPL-2.0-only
# Targets that build packages of the tools.

.PHONY: deb rpm modules

deb: ## build Debian packages of the tools and modules in build/deb (RELEASE=bullseye in a chroot; needs root)
ifdef RELEASE
	@tests/release/check-release --deb $(RELEASE)
else
	@scripts/packages deb $$(. /etc/os-release; [ "$$VERSION_ID" = 11 ] || echo deb-bpf)
	@tools/kvm/kvm_stats/packaging/deb
endif

rpm: ## build RPM packages of the tools in build/rpm
	@scripts/packages rpm
	@tools/kvm/kvm_stats/packaging/rpm

modules: ## build KVM's modules for the running kernel, or KDIR=, in build/modules
	@scripts/packages modules
	@tools/kvm/kvm_stats/modules/build "$(or $(KDIR),/lib/modules/$(shell uname -r)/build)" build/modules
