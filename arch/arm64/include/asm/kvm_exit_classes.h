/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The classes of exits on arm64.  arch/arm64/kvm/exit_classes.c has the exit
 * reasons of each class.  All exit reasons without an entry are in the first one.
 * This file has no include guard, because it is included several times.
 */
KVM_EXIT_CLASS(other)
KVM_EXIT_CLASS(wfi)
KVM_EXIT_CLASS(wfe)
KVM_EXIT_CLASS(mmio)
KVM_EXIT_CLASS(page_fault)
KVM_EXIT_CLASS(hypercall)
KVM_EXIT_CLASS(smc)
KVM_EXIT_CLASS(sysreg_read)
KVM_EXIT_CLASS(sysreg_write)
KVM_EXIT_CLASS(sgi)
KVM_EXIT_CLASS(timer)
KVM_EXIT_CLASS(pmu)
KVM_EXIT_CLASS(dr_access)
KVM_EXIT_CLASS(cache)
KVM_EXIT_CLASS(cp15)
KVM_EXIT_CLASS(fp_simd)
KVM_EXIT_CLASS(ptrauth)
KVM_EXIT_CLASS(interrupt)
KVM_EXIT_CLASS(serror)
KVM_EXIT_CLASS(debug)
KVM_EXIT_CLASS(entry_failed)
