// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names are the ones that kvm_stat prints. Reasons that kvm_stat does not know have the
 * names of the kernel's headers.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "source/sources.h"

static const struct exit_reason vmx_reason[] = {
	{ 0, "EXCEPTION_NMI" },
	{ 1, "EXTERNAL_INTERRUPT" },
	{ 2, "TRIPLE_FAULT" },
	{ 3, "INIT_SIGNAL" },
	{ 7, "PENDING_INTERRUPT" },
	{ 8, "NMI_WINDOW" },
	{ 9, "TASK_SWITCH" },
	{ 10, "CPUID" },
	{ 12, "HLT" },
	{ 13, "INVD" },
	{ 14, "INVLPG" },
	{ 15, "RDPMC" },
	{ 16, "RDTSC" },
	{ 18, "VMCALL" },
	{ 19, "VMCLEAR" },
	{ 20, "VMLAUNCH" },
	{ 21, "VMPTRLD" },
	{ 22, "VMPTRST" },
	{ 23, "VMREAD" },
	{ 24, "VMRESUME" },
	{ 25, "VMWRITE" },
	{ 26, "VMOFF" },
	{ 27, "VMON" },
	{ 28, "CR_ACCESS" },
	{ 29, "DR_ACCESS" },
	{ 30, "IO_INSTRUCTION" },
	{ 31, "MSR_READ" },
	{ 32, "MSR_WRITE" },
	{ 33, "INVALID_STATE" },
	{ 34, "MSR_LOAD_FAIL" },
	{ 36, "MWAIT_INSTRUCTION" },
	{ 37, "MONITOR_TRAP_FLAG" },
	{ 39, "MONITOR_INSTRUCTION" },
	{ 40, "PAUSE_INSTRUCTION" },
	{ 41, "MCE_DURING_VMENTRY" },
	{ 43, "TPR_BELOW_THRESHOLD" },
	{ 44, "APIC_ACCESS" },
	{ 45, "EOI_INDUCED" },
	{ 46, "GDTR_IDTR" },
	{ 47, "LDTR_TR" },
	{ 48, "EPT_VIOLATION" },
	{ 49, "EPT_MISCONFIG" },
	{ 50, "INVEPT" },
	{ 51, "RDTSCP" },
	{ 52, "PREEMPTION_TIMER" },
	{ 53, "INVVPID" },
	{ 54, "WBINVD" },
	{ 55, "XSETBV" },
	{ 56, "APIC_WRITE" },
	{ 57, "RDRAND" },
	{ 58, "INVPCID" },
	{ 59, "VMFUNC" },
	{ 60, "ENCLS" },
	{ 61, "RDSEED" },
	{ 62, "PML_FULL" },
	{ 63, "XSAVES" },
	{ 64, "XRSTORS" },
	{ 67, "UMWAIT" },
	{ 68, "TPAUSE" },
	{ 74, "BUS_LOCK" },
	{ 75, "NOTIFY" },
};

static const struct exit_reason svm_reason[] = {
	{ 0x000, "READ_CR0" },
	{ 0x002, "READ_CR2" },
	{ 0x003, "READ_CR3" },
	{ 0x004, "READ_CR4" },
	{ 0x008, "READ_CR8" },
	{ 0x010, "WRITE_CR0" },
	{ 0x012, "WRITE_CR2" },
	{ 0x013, "WRITE_CR3" },
	{ 0x014, "WRITE_CR4" },
	{ 0x018, "WRITE_CR8" },
	{ 0x020, "READ_DR0" },
	{ 0x021, "READ_DR1" },
	{ 0x022, "READ_DR2" },
	{ 0x023, "READ_DR3" },
	{ 0x024, "READ_DR4" },
	{ 0x025, "READ_DR5" },
	{ 0x026, "READ_DR6" },
	{ 0x027, "READ_DR7" },
	{ 0x030, "WRITE_DR0" },
	{ 0x031, "WRITE_DR1" },
	{ 0x032, "WRITE_DR2" },
	{ 0x033, "WRITE_DR3" },
	{ 0x034, "WRITE_DR4" },
	{ 0x035, "WRITE_DR5" },
	{ 0x036, "WRITE_DR6" },
	{ 0x037, "WRITE_DR7" },
	{ 0x040, "EXCP_BASE" },
	{ 0x060, "INTR" },
	{ 0x061, "NMI" },
	{ 0x062, "SMI" },
	{ 0x063, "INIT" },
	{ 0x064, "VINTR" },
	{ 0x065, "CR0_SEL_WRITE" },
	{ 0x066, "IDTR_READ" },
	{ 0x067, "GDTR_READ" },
	{ 0x068, "LDTR_READ" },
	{ 0x069, "TR_READ" },
	{ 0x06a, "IDTR_WRITE" },
	{ 0x06b, "GDTR_WRITE" },
	{ 0x06c, "LDTR_WRITE" },
	{ 0x06d, "TR_WRITE" },
	{ 0x06e, "RDTSC" },
	{ 0x06f, "RDPMC" },
	{ 0x070, "PUSHF" },
	{ 0x071, "POPF" },
	{ 0x072, "CPUID" },
	{ 0x073, "RSM" },
	{ 0x074, "IRET" },
	{ 0x075, "SWINT" },
	{ 0x076, "INVD" },
	{ 0x077, "PAUSE" },
	{ 0x078, "HLT" },
	{ 0x079, "INVLPG" },
	{ 0x07a, "INVLPGA" },
	{ 0x07b, "IOIO" },
	{ 0x07c, "MSR" },
	{ 0x07d, "TASK_SWITCH" },
	{ 0x07e, "FERR_FREEZE" },
	{ 0x07f, "SHUTDOWN" },
	{ 0x080, "VMRUN" },
	{ 0x081, "VMMCALL" },
	{ 0x082, "VMLOAD" },
	{ 0x083, "VMSAVE" },
	{ 0x084, "STGI" },
	{ 0x085, "CLGI" },
	{ 0x086, "SKINIT" },
	{ 0x087, "RDTSCP" },
	{ 0x088, "ICEBP" },
	{ 0x089, "WBINVD" },
	{ 0x08a, "MONITOR" },
	{ 0x08b, "MWAIT" },
	{ 0x08c, "MWAIT_COND" },
	{ 0x08d, "XSETBV" },
	{ 0x08e, "RDPRU" },
	{ 0x0a2, "INVPCID" },
	{ 0x400, "NPF" },
	{ 0x401, "AVIC_INCOMPLETE_IPI" },
	{ 0x402, "AVIC_UNACCELERATED_ACCESS" },
};

static const struct exit_reason arm64_reason[] = {
	{ 0x00, "UNKNOWN" },
	{ 0x01, "WFI" },
	{ 0x03, "CP15_32" },
	{ 0x04, "CP15_64" },
	{ 0x05, "CP14_MR" },
	{ 0x06, "CP14_LS" },
	{ 0x07, "FP_ASIMD" },
	{ 0x08, "CP10_ID" },
	{ 0x09, "PAC" },
	{ 0x0c, "CP14_64" },
	{ 0x0d, "BTI" },
	{ 0x0e, "ILL_ISS" },
	{ 0x11, "SVC32" },
	{ 0x12, "HVC32" },
	{ 0x13, "SMC32" },
	{ 0x15, "SVC64" },
	{ 0x16, "HVC64" },
	{ 0x17, "SMC64" },
	{ 0x18, "SYS64" },
	{ 0x19, "SVE" },
	{ 0x1a, "ERET" },
	{ 0x1c, "FPAC" },
	{ 0x20, "IABT" },
	{ 0x21, "IABT_HYP" },
	{ 0x22, "PC_ALIGN" },
	{ 0x24, "DABT" },
	{ 0x25, "DABT_HYP" },
	{ 0x26, "SP_ALIGN" },
	{ 0x28, "FP_EXC32" },
	{ 0x2c, "FP_EXC64" },
	{ 0x2f, "SERROR" },
	{ 0x30, "BREAKPT" },
	{ 0x31, "BREAKPT_HYP" },
	{ 0x32, "SOFTSTP" },
	{ 0x33, "SOFTSTP_HYP" },
	{ 0x34, "WATCHPT" },
	{ 0x35, "WATCHPT_HYP" },
	{ 0x38, "BKPT32" },
	{ 0x3a, "VECTOR32" },
	{ 0x3c, "BRK64" },
};

static const struct exit_reason userspace_reason[] = {
	{ 0, "UNKNOWN" },
	{ 1, "EXCEPTION" },
	{ 2, "IO" },
	{ 3, "HYPERCALL" },
	{ 4, "DEBUG" },
	{ 5, "HLT" },
	{ 6, "MMIO" },
	{ 7, "IRQ_WINDOW_OPEN" },
	{ 8, "SHUTDOWN" },
	{ 9, "FAIL_ENTRY" },
	{ 10, "INTR" },
	{ 11, "SET_TPR" },
	{ 12, "TPR_ACCESS" },
	{ 13, "S390_SIEIC" },
	{ 14, "S390_RESET" },
	{ 15, "DCR" },
	{ 16, "NMI" },
	{ 17, "INTERNAL_ERROR" },
	{ 18, "OSI" },
	{ 19, "PAPR_HCALL" },
	{ 20, "S390_UCONTROL" },
	{ 21, "WATCHDOG" },
	{ 22, "S390_TSCH" },
	{ 23, "EPR" },
	{ 24, "SYSTEM_EVENT" },
	{ 25, "S390_STSI" },
	{ 26, "IOAPIC_EOI" },
	{ 27, "HYPERV" },
	{ 28, "ARM_NISV" },
	{ 29, "X86_RDMSR" },
	{ 30, "X86_WRMSR" },
	{ 31, "DIRTY_RING_FULL" },
	{ 32, "AP_RESET_HOLD" },
	{ 33, "X86_BUS_LOCK" },
	{ 34, "XEN" },
	{ 35, "RISCV_SBI" },
	{ 36, "RISCV_CSR" },
	{ 37, "NOTIFY" },
	{ 38, "LOONGARCH_IOCSR" },
	{ 39, "MEMORY_FAULT" },
};

static const struct exit_reasons vmx = { "exit_reason", vmx_reason, ARRAY_SIZE(vmx_reason) };
static const struct exit_reasons svm = { "exit_reason", svm_reason, ARRAY_SIZE(svm_reason) };
static const struct exit_reasons arm64 = { "esr_ec", arm64_reason, ARRAY_SIZE(arm64_reason) };
static const struct exit_reasons userspace = {
	"reason", userspace_reason, ARRAY_SIZE(userspace_reason)
};

static bool is_x86(const char *machine)
{
	return !strcmp(machine, "x86_64") || (machine[0] == 'i' && !strcmp(machine + 2, "86"));
}

const struct exit_reasons *exit_reasons_for(const char *event, const char *machine, int has_svm)
{
	if (!strcmp(event, "kvm_userspace_exit"))
		return &userspace;
	if (strcmp(event, "kvm_exit"))
		return NULL;
	if (is_x86(machine))
		return has_svm ? &svm : &vmx;
	return !strncmp(machine, "aarch64", strlen("aarch64")) ? &arm64 : NULL;
}

/* Whether /proc/cpuinfo lists @flag for the first CPU. */
static bool cpu_has(const char *flag)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[8192];
	bool has = false;
	char *word, *save;

	if (!file)
		return false;
	while (!has && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "flags", strlen("flags")))
			continue;
		for (word = strtok_r(line, " \t\n", &save); word && !has;
		     word = strtok_r(NULL, " \t\n", &save))
			has = !strcmp(word, flag);
		break;
	}
	fclose(file);
	return has;
}

const struct exit_reasons *exit_reasons_for_this_machine(const char *event)
{
	struct utsname name;

	if (uname(&name))
		return NULL;
	return exit_reasons_for(event, name.machine, !cpu_has("vmx") && cpu_has("svm"));
}
