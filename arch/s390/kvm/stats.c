// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics of s390
 */
#include <linux/kvm_host.h>

#define KVM_STATS_STRUCT	kvm_vm_stat
#define KVM_STATS_LIST (						\
	STAT(inject_io,			COUNTER),			\
	STAT(inject_float_mchk,		COUNTER),			\
	STAT(inject_pfault_done,	COUNTER),			\
	STAT(inject_service_signal,	COUNTER),			\
	STAT(inject_virtio,		COUNTER),			\
	STAT(gmap_shadow_reuse,		COUNTER),			\
	STAT(gmap_shadow_create,	COUNTER),			\
	STAT(gmap_shadow_r1_entry,	COUNTER),			\
	STAT(gmap_shadow_r2_entry,	COUNTER),			\
	STAT(gmap_shadow_r3_entry,	COUNTER),			\
	STAT(gmap_shadow_sg_entry,	COUNTER),			\
	STAT(gmap_shadow_pg_entry,	COUNTER),			\
)
#include <linux/kvm_stats_table.h>

#define KVM_STATS_STRUCT	kvm_vcpu_stat
#define KVM_STATS_LIST (						\
	STAT(exit_userspace,				COUNTER),	\
	STAT(exit_null,					COUNTER),	\
	STAT(exit_external_request,			COUNTER),	\
	STAT(exit_io_request,				COUNTER),	\
	STAT(exit_external_interrupt,			COUNTER),	\
	STAT(exit_stop_request,				COUNTER),	\
	STAT(exit_validity,				COUNTER),	\
	STAT(exit_instruction,				COUNTER),	\
	STAT(exit_pei,					COUNTER),	\
	STAT(halt_no_poll_steal,			COUNTER),	\
	STAT(instruction_lctl,				COUNTER),	\
	STAT(instruction_lctlg,				COUNTER),	\
	STAT(instruction_stctl,				COUNTER),	\
	STAT(instruction_stctg,				COUNTER),	\
	STAT(exit_program_interruption,			COUNTER),	\
	STAT(exit_instr_and_program,			COUNTER),	\
	STAT(exit_operation_exception,			COUNTER),	\
	STAT(deliver_ckc,				COUNTER),	\
	STAT(deliver_cputm,				COUNTER),	\
	STAT(deliver_external_call,			COUNTER),	\
	STAT(deliver_emergency_signal,			COUNTER),	\
	STAT(deliver_service_signal,			COUNTER),	\
	STAT(deliver_virtio,				COUNTER),	\
	STAT(deliver_stop_signal,			COUNTER),	\
	STAT(deliver_prefix_signal,			COUNTER),	\
	STAT(deliver_restart_signal,			COUNTER),	\
	STAT(deliver_program,				COUNTER),	\
	STAT(deliver_io,				COUNTER),	\
	STAT(deliver_machine_check,			COUNTER),	\
	STAT(exit_wait_state,				COUNTER),	\
	STAT(inject_ckc,				COUNTER),	\
	STAT(inject_cputm,				COUNTER),	\
	STAT(inject_external_call,			COUNTER),	\
	STAT(inject_emergency_signal,			COUNTER),	\
	STAT(inject_mchk,				COUNTER),	\
	STAT(inject_pfault_init,			COUNTER),	\
	STAT(inject_program,				COUNTER),	\
	STAT(inject_restart,				COUNTER),	\
	STAT(inject_set_prefix,				COUNTER),	\
	STAT(inject_stop_signal,			COUNTER),	\
	STAT(instruction_epsw,				COUNTER),	\
	STAT(instruction_gs,				COUNTER),	\
	STAT(instruction_io_other,			COUNTER),	\
	STAT(instruction_lpsw,				COUNTER),	\
	STAT(instruction_lpswe,				COUNTER),	\
	STAT(instruction_pfmf,				COUNTER),	\
	STAT(instruction_ptff,				COUNTER),	\
	STAT(instruction_sck,				COUNTER),	\
	STAT(instruction_sckpf,				COUNTER),	\
	STAT(instruction_stidp,				COUNTER),	\
	STAT(instruction_spx,				COUNTER),	\
	STAT(instruction_stpx,				COUNTER),	\
	STAT(instruction_stap,				COUNTER),	\
	STAT(instruction_iske,				COUNTER),	\
	STAT(instruction_ri,				COUNTER),	\
	STAT(instruction_rrbe,				COUNTER),	\
	STAT(instruction_sske,				COUNTER),	\
	STAT(instruction_ipte_interlock,		COUNTER),	\
	STAT(instruction_stsi,				COUNTER),	\
	STAT(instruction_stfl,				COUNTER),	\
	STAT(instruction_tb,				COUNTER),	\
	STAT(instruction_tpi,				COUNTER),	\
	STAT(instruction_tprot,				COUNTER),	\
	STAT(instruction_tsch,				COUNTER),	\
	STAT(instruction_sie,				COUNTER),	\
	STAT(instruction_essa,				COUNTER),	\
	STAT(instruction_sthyi,				COUNTER),	\
	STAT(instruction_sigp_sense,			COUNTER),	\
	STAT(instruction_sigp_sense_running,		COUNTER),	\
	STAT(instruction_sigp_external_call,		COUNTER),	\
	STAT(instruction_sigp_emergency,		COUNTER),	\
	STAT(instruction_sigp_cond_emergency,		COUNTER),	\
	STAT(instruction_sigp_start,			COUNTER),	\
	STAT(instruction_sigp_stop,			COUNTER),	\
	STAT(instruction_sigp_stop_store_status,	COUNTER),	\
	STAT(instruction_sigp_store_status,		COUNTER),	\
	STAT(instruction_sigp_store_adtl_status,	COUNTER),	\
	STAT(instruction_sigp_arch,			COUNTER),	\
	STAT(instruction_sigp_prefix,			COUNTER),	\
	STAT(instruction_sigp_restart,			COUNTER),	\
	STAT(instruction_sigp_init_cpu_reset,		COUNTER),	\
	STAT(instruction_sigp_cpu_reset,		COUNTER),	\
	STAT(instruction_sigp_unknown,			COUNTER),	\
	STAT_AS(instruction_diagnose_10, diagnose_10, COUNTER),		\
	STAT_AS(instruction_diagnose_44, diagnose_44, COUNTER),		\
	STAT_AS(instruction_diagnose_9c, diagnose_9c, COUNTER),		\
	STAT_AS(diag_9c_ignored, diagnose_9c_ignored, COUNTER),		\
	STAT_AS(instruction_diagnose_258, diagnose_258, COUNTER),	\
	STAT_AS(instruction_diagnose_308, diagnose_308, COUNTER),	\
	STAT_AS(instruction_diagnose_500, diagnose_500, COUNTER),	\
	STAT_AS(instruction_diagnose_other, diagnose_other, COUNTER),	\
	STAT(pfault_sync,				COUNTER),	\
	STAT(signal_exits,				COUNTER),	\
)
#include <linux/kvm_stats_table.h>
