/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a vCPU that all architectures have; see linux/kvm_types.h.
 * This file has no include guard, because it is included twice.
 */
KVM_STAT(halt_successful_poll, COUNTER)
KVM_STAT(halt_attempted_poll, COUNTER)
KVM_STAT(halt_poll_invalid, COUNTER)
KVM_STAT_ATOMIC(halt_wakeup, COUNTER)
KVM_STAT(halt_poll_success_ns, COUNTER_NS)
KVM_STAT(halt_poll_fail_ns, COUNTER_NS)
KVM_STAT(halt_wait_ns, COUNTER_NS)
KVM_STAT_HIST(halt_poll_success_hist, LOG2_NS)
KVM_STAT_HIST(halt_poll_fail_hist, LOG2_NS)
KVM_STAT_HIST(halt_wait_hist, LOG2_NS)
KVM_STAT(blocking, BOOLEAN)
#ifdef CONFIG_SCHED_INFO
KVM_STAT(preemptions, COUNTER)
KVM_STAT(run_delay_ns, COUNTER_NS)
KVM_STAT(run_delay_max_ns, PEAK_NS)
KVM_STAT_HIST(run_delay_hist, LOG2_NS)
#endif
