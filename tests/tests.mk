# SPDX-License-Identifier: GPL-2.0-only
# Targets that build and test the kernel.

testing := tests

export ARCH

.PHONY: run lint check check-all kernel shell compare bench check-release check-host coverage

run: ## show the statistics of a real guest on a patched kernel, under emulation
	@mkdir -p build
	@$(testing)/boots/demo --show >build/run.tap || { grep -A 30 '^not ok' build/run.tap; exit 1; }

lint: ## check the style of what has changed, in seconds (ALL=1 of all files, in minutes)
	@$(testing)/static/lint.t $(if $(ALL),--all)

check: ## the tests for each commit; the last line is "N passed, N failed, N skipped" (ARCH= all of one architecture)
	@$(testing)/check

check-all: ## every test: all architectures and series, sanitizers, all injected bugs; takes two hours
	@$(testing)/check --all

check-release: ## run and check on a new installation of Debian, RELEASE=trixie; needs root
	@$(testing)/release/check-release $(RELEASE)

kernel: ## build a kernel (ARCH=, VARIANT=patched, unpatched, patch:N, tree, NAME); print its directory
	@$(testing)/kernel/build $(or $(VARIANT),patched)

shell: arch = $(or $(ARCH),x86_64)
shell: ## a prompt in the test machine (ARCH=, VARIANT=)
	@$(or $(firstword $(wildcard $(addprefix $(testing)/boots/,$(arch) all/$(arch) all/$(arch)-*))), \
		$(error no boot has the architecture '$(arch)')) --shell variant=$(or $(VARIANT),patched)

compare: ## compare the statistics with those of mainline (ARCH= one architecture)
	@$(testing)/compare/compare

bench: ## count the instructions of each operation, see tests/bench/README.md
	@$(testing)/bench/bench

coverage: ## lines and branches of kernel part, library and command that no test executes (PART=kernel, tools)
	@$(testing)/coverage $(PART)

check-host: ## check the statistics of this host's KVM, in minutes; write build/kvm-stats-check-host.tap; needs root
	@$(testing)/check-host/build build/check-host
	@build/check-host/check-host build/kvm-stats-check-host.tap
