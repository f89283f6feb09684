/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The classes of exits on x86.  arch/x86/kvm/exit_classes.c has the exit reasons
 * of each class.  All exit reasons without an entry are in the first one.  This
 * file has no include guard, because it is included several times.
 */
KVM_EXIT_CLASS(other)
KVM_EXIT_CLASS(hlt)
KVM_EXIT_CLASS(io)
KVM_EXIT_CLASS(mmio)
KVM_EXIT_CLASS(page_fault)
KVM_EXIT_CLASS(cpuid)
KVM_EXIT_CLASS(msr_read)
KVM_EXIT_CLASS(msr_write)
KVM_EXIT_CLASS(cr_access)
KVM_EXIT_CLASS(dr_access)
KVM_EXIT_CLASS(interrupt)
KVM_EXIT_CLASS(interrupt_window)
KVM_EXIT_CLASS(exception)
KVM_EXIT_CLASS(hypercall)
KVM_EXIT_CLASS(pause)
KVM_EXIT_CLASS(mwait)
KVM_EXIT_CLASS(apic)
KVM_EXIT_CLASS(preemption_timer)
KVM_EXIT_CLASS(nested)
KVM_EXIT_CLASS(tlb)
KVM_EXIT_CLASS(cache)
KVM_EXIT_CLASS(rdtsc)
KVM_EXIT_CLASS(dirty_log)
KVM_EXIT_CLASS(shutdown)
KVM_EXIT_CLASS(entry_failed)
