# SPDX-License-Identifier: GPL-2.0-only
# Kernels of the series: building and booting them.

boot := tools/testing/boot

# Of these, ARCH= in the environment or on the command line picks one.
export ARCH

.PHONY: run
run: ## show a real guest's statistics on a patched host, under emulation
	@$(boot)/boot --arch x86_64 --demo --name demo

.PHONY: check
check: ## run every test; the last line is "N passed, N failed, N skipped" (ARCH= one architecture's)
	@$(boot)/check

.PHONY: check-deep
check-deep: ## run what takes longer: the same tests in kernels with sanitizers and lockdep
	@$(boot)/check --deep

.PHONY: kernel
kernel: ## build the kernel (ARCH=, VARIANT=patched, unpatched, step:N, tree); print where it is
	@$(boot)/build $(or $(VARIANT),patched)

.PHONY: shell
shell: ## a prompt in the emulated host (ARCH=), on the kernel VARIANT
	@$(boot)/boot --shell --name shell --variant $(or $(VARIANT),patched)

.PHONY: compare
compare: ## this series' statistics beside mainline's: what is equal, missing, extra (ARCH= one architecture's)
	@$(boot)/compare

.PHONY: bench
bench: ## what the statistics cost, in instructions, beside mainline's and debugfs; see tools/testing/bench
	@tools/testing/bench/bench
