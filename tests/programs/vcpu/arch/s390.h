/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * s390. Hercules emulates SIE, the instruction that runs a guest; QEMU does not. The guest's
 * address translation is off. DIAGNOSE with an unknown function exits to user space.
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/syscall.h>

#define GUEST_ENTRY		0x4000
#define guest_end_reason	KVM_EXIT_S390_SIEIC

#define GUEST_PSW		0x0000000180000000UL	/* 64-bit addresses */
#define GUEST_WAIT_PSW		0x0102000180000000UL	/* and external interrupts, wait */
#define GUEST_PSW_EXTERNAL	0x0100000000000000UL	/* external interrupts are enabled */
#define GUEST_PSW_IO		0x0200000000000000UL
#define GUEST_PSW_MCHK		0x0004000000000000UL
#define GUEST_PSW_WAIT		0x0002000000000000UL
#define GUEST_PROGRAM_NEW_PSW	0x1d0
#define GUEST_DATA		0x3000	/* in %r2 */
#define GUEST_WAIT		0x3100	/* the PSW of a wait */
#define GUEST_CONTINUE		0x3800	/* code that ends a program interrupt */
#define GUEST_LOOP		0x3900	/* code that never ends */
#define GUEST_LOAD		0x3a00	/* code that reads GUEST_ABSENT */
#define GUEST_NEST		0x3b00	/* code that runs a guest of the guest, twice */
#define GUEST_SIE_BLOCK		0x3c00	/* that describes the guest's guest */
#define GUEST_STOP		0x3d00	/* code that exits to user space; interrupts begin there */
#define GUEST_ENABLE		0x3d10	/* code that enables external and I/O interrupts */
#define GUEST_LOAD_PSW		0x3d20	/* code that loads the short PSW */
#define GUEST_SHORT_PSW		0x3200
#define GUEST_TABLES		0x60000	/* that translate the addresses of the guest's guest */
#define GUEST_INNER_MEMORY	0x70000	/* of the guest's guest */
#define GUEST_ABSENT		0x80000	/* a page that user space provides when it is read */

static const uint8_t guest_start[] = { 0xa7, 0x28, 0x30, 0x00 };	/* lhi %r2, 0x3000 */
static const uint8_t guest_end[] = { 0x83, 0x00, 0x00, 0x9f };		/* diag 0, 0, 0x9f */
static const uint8_t guest_continue[] = { 0xb2, 0xb2, 0x01, 0x50 };	/* lpswe 0x150 */
static const uint8_t guest_loop[] = { 0xa7, 0xf4, 0x00, 0x00 };		/* j . */
static const uint8_t guest_load[] = {
	0xc0, 0x4f, 0x00, 0x08, 0x00, 0x00,	/* llilf %r4, 0x80000 */
	0xe3, 0x54, 0x00, 0x00, 0x00, 0x04,	/* lg %r5, 0(%r4) */
	0x83, 0x00, 0x00, 0x9f,			/* diag 0, 0, 0x9f */
};

static const uint8_t guest_enable[] = {
	0xad, 0x03, 0x20, 0x00,			/* stosm 0(%r2), 3 */
	0x83, 0x00, 0x00, 0x9f,			/* diag 0, 0, 0x9f */
};

static const uint8_t guest_load_psw[] = { 0x82, 0x00, 0x22, 0x00 };	/* lpsw 0x200(%r2) */
/* 31-bit addresses, then GUEST_STOP */
static const uint8_t guest_short_psw[] = { 0x00, 0x08, 0x00, 0x00, 0x80, 0x00, 0x3d, 0x00 };

static const uint8_t guest_nest[] = {
	0xb2, 0x14, 0x2c, 0x00,			/* sie 0xc00(%r2) */
	0xb2, 0x14, 0x2c, 0x00,			/* sie 0xc00(%r2) */
	0x83, 0x00, 0x00, 0x9f,			/* diag 0, 0, 0x9f */
};

static const uint8_t guest_inner[] = {
	0x83, 0x00, 0x00, 0x44,			/* 0: diag 0, 0, 0x44 */
	0xa7, 0xf4, 0xff, 0xfe,			/* j 0b */
};

static inline void guest_go_to(const struct guest *guest, uint64_t address)
{
	guest->run->psw_mask = GUEST_PSW;
	guest->run->psw_addr = address;
}

static inline const char *guest_signal(const struct guest *guest)
{
	guest_go_to(guest, GUEST_LOOP);
	return guest_run_until_signal(guest);
}

/* KVM tries to handle a page fault without waiting only if this is enabled. */
static inline const char *guest_enable_pfault(const struct guest *guest)
{
	struct kvm_create_device flic = { .type = KVM_DEV_TYPE_FLIC };
	struct kvm_device_attr enable = { .group = KVM_DEV_FLIC_APF_ENABLE };

	if (ioctl(guest->vm, KVM_CREATE_DEVICE, &flic))
		return guest_error("KVM_CREATE_DEVICE of KVM_DEV_TYPE_FLIC");
	return ioctl(flic.fd, KVM_SET_DEVICE_ATTR, &enable) ?
	       guest_error("KVM_DEV_FLIC_APF_ENABLE") : NULL;
}

static int guest_userfaultfd;

/* A thread: provide the page for which a vCPU waits. */
static inline void *guest_provide_pages(void *arg)
{
	struct uffd_msg msg;

	(void)arg;
	while (read(guest_userfaultfd, &msg, sizeof(msg)) == sizeof(msg)) {
		struct uffdio_zeropage zero = {
			.range = { .start = msg.arg.pagefault.address & -4096UL, .len = 4096 },
		};

		usleep(1000);
		ioctl(guest_userfaultfd, UFFDIO_ZEROPAGE, &zero);
	}
	return NULL;
}

static inline const char *guest_prepare_faults(const struct guest *guest)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register page = {
		.range = { .start = (uintptr_t)guest->memory + GUEST_ABSENT, .len = 4096 },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	const char *message = guest_enable_pfault(guest);
	pthread_t thread;

	if (message)
		return message;
	guest_userfaultfd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (guest_userfaultfd < 0 || ioctl(guest_userfaultfd, UFFDIO_API, &api) ||
	    ioctl(guest_userfaultfd, UFFDIO_REGISTER, &page))
		return guest_error("userfaultfd");
	return pthread_create(&thread, NULL, guest_provide_pages, NULL) ?
	       "pthread_create failed" : NULL;
}

/* The guest reads a page that is absent. */
static inline const char *guest_major_fault(const struct guest *guest)
{
	if (madvise(guest->memory + GUEST_ABSENT, 4096, MADV_REMOVE))
		return guest_error("MADV_REMOVE");
	guest_go_to(guest, GUEST_LOAD);
	if (ioctl(guest->vcpu, KVM_RUN, 0))
		return guest_error("KVM_RUN");
	return guest->run->exit_reason == guest_end_reason ? NULL : "the guest does not end";
}

static inline void guest_store(const struct guest *guest, uint64_t at, uint64_t value)
{
	memcpy(guest->memory + at, &value, sizeof(value));
}

/* A table with one valid entry, the first one. */
static inline void guest_store_table(const struct guest *guest, uint64_t at, uint64_t first,
				     uint64_t invalid)
{
	unsigned int i;

	for (i = 0; i < 512; i++)
		guest_store(guest, at + 8 * i, i ? invalid : first);
}

/*
 * The memory of the guest's guest is 16 pages. Its addresses are translated by four tables of
 * 512 entries for the regions and segments, and one of 256 entries for the pages.
 */
static inline void guest_store_tables(const struct guest *guest)
{
	unsigned int level, i;

	for (level = 0; level < 4; level++) {
		uint64_t at = GUEST_TABLES + level * 0x1000, type = (3 - level) << 2;

		guest_store_table(guest, at, (at + 0x1000) | type, 0x20 | type);
	}
	for (i = 0; i < 256; i++)
		guest_store(guest, GUEST_TABLES + 0x4000 + 8 * i,
			    i < 16 ? GUEST_INNER_MEMORY + 0x1000 * i : 0x400);
}

/* KVM reads the tables' address from control register 1. */
static inline const char *guest_prepare_nesting(const struct guest *guest)
{
	uint32_t flags = 0x800;		/* z/Architecture */
	uint16_t last_cpu = 0xffff;
	struct kvm_sregs sregs;

	guest_store_tables(guest);
	memcpy(guest->memory + GUEST_NEST, guest_nest, sizeof(guest_nest));
	memcpy(guest->memory + GUEST_INNER_MEMORY + GUEST_ENTRY, guest_inner, sizeof(guest_inner));
	memcpy(guest->memory + GUEST_SIE_BLOCK, &flags, sizeof(flags));
	memcpy(guest->memory + GUEST_SIE_BLOCK + 0x52, &last_cpu, sizeof(last_cpu));
	guest_store(guest, GUEST_SIE_BLOCK + 0x90, GUEST_PSW);
	guest_store(guest, GUEST_SIE_BLOCK + 0x98, GUEST_ENTRY);
	if (ioctl(guest->vcpu, KVM_GET_SREGS, &sregs))
		return guest_error("KVM_GET_SREGS");
	sregs.crs[1] = GUEST_TABLES | 3 << 2;
	return ioctl(guest->vcpu, KVM_SET_SREGS, &sregs) ? guest_error("KVM_SET_SREGS") : NULL;
}

/*
 * KVM drops its shadow of the tables because the first one is written to. It makes one when the
 * guest's guest runs, and uses it again after the fault on its first page, and for the second
 * run. The shadow has the pages of the prefix and of the code.
 */
static inline const char *guest_nested_guest(const struct guest *guest)
{
	guest_store(guest, GUEST_TABLES + 8, 0x2c);
	guest->run->s.regs.gprs[2] = GUEST_DATA;
	guest->run->kvm_dirty_regs = KVM_SYNC_GPRS;
	guest_go_to(guest, GUEST_NEST);
	if (ioctl(guest->vcpu, KVM_RUN, 0))
		return guest_error("KVM_RUN");
	return guest->run->exit_reason == guest_end_reason &&
	       guest->run->psw_addr == GUEST_NEST + sizeof(guest_nest) ?
	       NULL : "the guest does not end, or its guest does not run";
}

static inline struct kvm_s390_vm_cpu_feat guest_cpu_features(int vm)
{
	struct kvm_s390_vm_cpu_feat features = {};
	struct kvm_device_attr get = {
		.group = KVM_S390_VM_CPU_MODEL,
		.attr = KVM_S390_VM_CPU_MACHINE_FEAT,
		.addr = (uintptr_t)&features,
	};

	ioctl(vm, KVM_GET_DEVICE_ATTR, &get);
	return features;
}

static inline bool guest_can_nest(const struct guest *guest)
{
	return guest_cpu_features(guest->vm).feat[0] >> (63 - KVM_S390_VM_CPU_FEAT_SIEF2) & 1;
}

static inline bool guest_cannot_nest(const struct guest *guest)
{
	return !guest_can_nest(guest);
}

/* A run of code, and an interrupt that user space makes pending before it. */
struct s390_run {
	uint32_t type;		/* of the interrupt, 0: none */
	uint32_t parm;
	uint64_t parm64;
	bool floating;		/* the interrupt is for any vCPU of the VM */
	int error;		/* of the injection */
	uint64_t cr0, cr6, cr14;	/* which interrupts are enabled */
	uint64_t psw_mask, psw_addr;
};

static inline const char *guest_inject(const struct guest *guest, const struct s390_run *run)
{
	struct kvm_s390_interrupt irq = {
		.type = run->type,
		.parm = run->parm,
		.parm64 = run->parm64,
	};

	if (!ioctl(run->floating ? guest->vm : guest->vcpu, KVM_S390_INTERRUPT, &irq))
		return run->error ? "KVM accepts the interrupt" : NULL;
	return errno == run->error ? NULL : guest_error("KVM_S390_INTERRUPT");
}

static inline const char *guest_enable_interrupts(const struct guest *guest,
						  const struct s390_run *run)
{
	struct kvm_sregs sregs;

	if (ioctl(guest->vcpu, KVM_GET_SREGS, &sregs))
		return guest_error("KVM_GET_SREGS");
	sregs.crs[0] |= run->cr0;
	sregs.crs[6] |= run->cr6;
	sregs.crs[14] |= run->cr14;
	return ioctl(guest->vcpu, KVM_SET_SREGS, &sregs) ? guest_error("KVM_SET_SREGS") : NULL;
}

/* Without an address, the code is at GUEST_STOP, and the PSW enables no interrupts. */
static inline const char *guest_run_at(const struct guest *guest, const struct s390_run *run)
{
	guest_go_to(guest, run->psw_addr ? run->psw_addr : GUEST_STOP);
	guest->run->psw_mask |= run->psw_mask;
	guest->run->s.regs.gprs[2] = GUEST_DATA;
	guest->run->kvm_dirty_regs = KVM_SYNC_GPRS;
	if (ioctl(guest->vcpu, KVM_RUN, 0))
		return guest_error("KVM_RUN");
	return guest->run->exit_reason == guest_end_reason ? NULL : "the guest does not end";
}

static inline const char *guest_inject_only(const struct guest *guest)
{
	return guest_inject(guest, guest->arg);
}

static inline const char *guest_interrupted(const struct guest *guest)
{
	const struct s390_run *run = guest->arg;
	const char *message = guest_enable_interrupts(guest, run);

	if (!message && run->type)
		message = guest_inject(guest, run);
	return message ? message : guest_run_at(guest, run);
}

/* The CPU timer has run out while the guest disables its interrupts. */
static inline const char *guest_timer_ran_out(const struct guest *guest)
{
	static const uint64_t negative = -1;
	struct kvm_one_reg timer = {
		.id = KVM_REG_S390_CPU_TIMER,
		.addr = (uintptr_t)&negative,
	};

	return ioctl(guest->vcpu, KVM_SET_ONE_REG, &timer) ?
	       guest_error("KVM_REG_S390_CPU_TIMER") : guest_interrupted(guest);
}

static inline const char *guest_set_state(const struct guest *guest, uint32_t state)
{
	struct kvm_mp_state mp_state = { .mp_state = state };

	return ioctl(guest->vcpu, KVM_SET_MP_STATE, &mp_state) ?
	       guest_error("KVM_SET_MP_STATE") : NULL;
}

/* KVM sets the prefix of a stopped vCPU only. */
static inline const char *guest_set_prefix(const struct guest *guest)
{
	const char *message = guest_set_state(guest, KVM_MP_STATE_STOPPED);

	if (!message)
		message = guest_inject(guest, guest->arg);
	if (!message)
		message = guest_set_state(guest, KVM_MP_STATE_OPERATING);
	return message ? message : guest_run_at(guest, guest->arg);
}

/* A request to stop counts. That user space stops the vCPU does not, whether it runs or not. */
static inline const char *guest_stop(const struct guest *guest)
{
	const char *message = guest_interrupted(guest);
	int i;

	for (i = 0; i < 2 && !message; i++)
		message = guest_set_state(guest, KVM_MP_STATE_STOPPED);
	return message ? message : guest_set_state(guest, KVM_MP_STATE_OPERATING);
}

/* While user space debugs a guest, KVM emulates what changes control registers. */
static inline const char *guest_debug(const struct guest *guest)
{
	struct kvm_guest_debug debug = {
		.control = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_USE_HW_BP,
	};

	return ioctl(guest->vcpu, KVM_SET_GUEST_DEBUG, &debug) ?
	       guest_error("KVM_SET_GUEST_DEBUG") : NULL;
}

/* While a machine check is pending that the PSW disables, KVM emulates what loads a PSW. */
static inline const char *guest_pend_mchk(const struct guest *guest)
{
	static const struct s390_run mchk = { .type = KVM_S390_MCHK, .parm64 = 1UL << 63 };

	return guest_inject(guest, &mchk);
}

static inline const char *guest_call(const struct guest *guest)
{
	static const struct s390_run call = { .type = KVM_S390_INT_EXTERNAL_CALL };

	return guest_inject(guest, &call);
}

static inline const char *guest_enable_cap(int fd, uint32_t cap)
{
	struct kvm_enable_cap enable = { .cap = cap };

	return ioctl(fd, KVM_ENABLE_CAP, &enable) ? guest_error("KVM_ENABLE_CAP") : NULL;
}

/* Without the channel subsystem of user space, KVM counts no instructions of I/O. */
static inline const char *guest_enable_io(const struct guest *guest)
{
	return guest_enable_cap(guest->vcpu, KVM_CAP_S390_CSS_SUPPORT);
}

static inline const char *guest_enable_user_sigp(const struct guest *guest)
{
	return guest_enable_cap(guest->vm, KVM_CAP_S390_USER_SIGP);
}

#define GUEST_BYTES(...)							\
	.code = (const uint8_t []){ __VA_ARGS__ },				\
	.size = sizeof((const uint8_t []){ __VA_ARGS__ })
/* Of all instructions that KVM emulates, except the one at the end of the code. */
#define GUEST_INSTRUCTIONS \
	{ "exit_instruction", GUEST_EXACTLY, { "instruction_diagnose_other" } }

/* KVM emulates the instruction. */
#define GUEST_EMULATED(mnemonic, ...)						\
	GUEST_ACTION(mnemonic, GUEST_BYTES(__VA_ARGS__),			\
		     GUEST_ONCE(instruction_##mnemonic), GUEST_INSTRUCTIONS)

/* User space emulates the instruction. */
#define GUEST_IN_USER_SPACE(title, statistic, ...)				\
	GUEST_ACTION(title, GUEST_SIEIC(GUEST_BYTES(__VA_ARGS__)),		\
		     GUEST_ONCE(statistic), GUEST_ONCE(exit_userspace))
#define GUEST_SIEIC(...)	.exit_reason = KVM_EXIT_S390_SIEIC, __VA_ARGS__

/* KVM emulates the instruction, and it ends with a program interrupt. */
#define GUEST_REFUSED(title, statistic, ...)					\
	GUEST_ACTION(title, GUEST_BYTES(__VA_ARGS__),				\
		     GUEST_ONCE(statistic), GUEST_ONCE(deliver_program))

#define GUEST_RUN(...)	.arg = &(const struct s390_run){ __VA_ARGS__ }
#define GUEST_DONE_BY(function, ...)						\
	.from_user_space = function, GUEST_RUN(__VA_ARGS__)

/* An interrupt for a vCPU: injected, and delivered */
#define GUEST_INTERRUPT(title, injected, delivered, ...)			\
	GUEST_ACTION(title, GUEST_DONE_BY(guest_interrupted, __VA_ARGS__),	\
		     GUEST_ONCE(injected), GUEST_ONCE(delivered))

/* An interrupt for any vCPU. The VM counts the injection, and the vCPU the delivery. */
#define GUEST_FLOATING(title, statistic, vm, ...)				\
	GUEST_ACTION(title, GUEST_INTERRUPTED(vm, __VA_ARGS__), GUEST_ONCE(statistic))
#define GUEST_INTERRUPTED(vm, ...)						\
	.of_vm = vm, GUEST_DONE_BY(guest_interrupted, .floating = true, __VA_ARGS__)

#define GUEST_SCLP	.type = KVM_S390_INT_SERVICE, .parm = 0x1000, .cr0 = 0x200,	\
			.psw_mask = GUEST_PSW_EXTERNAL
#define GUEST_VIRTIO	.type = KVM_S390_INT_VIRTIO, .cr0 = 0x200, .psw_mask = GUEST_PSW_EXTERNAL
#define GUEST_PFAULT	.type = KVM_S390_INT_PFAULT_DONE, .cr0 = 0x200,			\
			.psw_mask = GUEST_PSW_EXTERNAL
#define GUEST_SUBCHANNEL	.type = KVM_S390_INT_IO(0, 0, 0, 1), .parm = 0x10001,	\
				.cr6 = 0x80000000, .psw_mask = GUEST_PSW_IO
/* A channel report */
#define GUEST_CHANNEL	.type = KVM_S390_MCHK, .parm = 1 << 28, .parm64 = 1UL << 44,	\
			.cr14 = 1 << 28, .psw_mask = GUEST_PSW_MCHK

static const struct guest_action guest_actions[] = {
	{
		.name = "diag_500",
		GUEST_BYTES(0x83, 0x00, 0x05, 0x00),
		.exit_reason = KVM_EXIT_S390_SIEIC,
		.changes = {
			GUEST_ONCE(instruction_diagnose_500),
			GUEST_ONCE(exit_instruction),
			GUEST_ONCE(exit_userspace),
		},
	},
	GUEST_IN_USER_SPACE(diag_other, instruction_diagnose_other, 0x83, 0x00, 0x00, 0x9f),
	GUEST_IN_USER_SPACE(diag_308, instruction_diagnose_308, 0x83, 0x07, 0x03, 0x08),
	GUEST_EMULATED(diagnose_44, 0x83, 0x00, 0x00, 0x44),
	GUEST_EMULATED(diagnose_10, 0x83, 0x22, 0x00, 0x10),		/* diag %r2, %r2, 0x10 */
	GUEST_REFUSED(diag_10_of_the_lowcore, instruction_diagnose_10, 0x83, 0x00, 0x00, 0x10),
	GUEST_REFUSED(diag_258_of_nothing, instruction_diagnose_258, 0x83, 0x00, 0x02, 0x58),
	GUEST_ACTION(diag_9c_of_itself, GUEST_BYTES(0x83, 0x70, 0x00, 0x9c),
		     GUEST_ONCE(instruction_diagnose_9c), GUEST_ONCE(diag_9c_ignored)),
	GUEST_EMULATED(stidp, 0xb2, 0x02, 0x20, 0x00),			/* stidp 0(%r2) */
	GUEST_REFUSED(stidp_of_an_odd_address, instruction_stidp, 0xb2, 0x02, 0x20, 0x01),
	GUEST_EMULATED(stap, 0xb2, 0x12, 0x20, 0x00),			/* stap 0(%r2) */
	GUEST_EMULATED(stpx, 0xb2, 0x11, 0x20, 0x00),			/* stpx 0(%r2) */
	GUEST_EMULATED(spx, 0xb2, 0x10, 0x20, 0x80),			/* spx 0x80(%r2) */
	GUEST_EMULATED(stfl, 0xb2, 0xb1, 0x00, 0x00),			/* stfl 0 */
	GUEST_EMULATED(tb, 0xb2, 0x2c, 0x00, 0x02),			/* tb %r0, %r2 */
	GUEST_EMULATED(sck, 0xb2, 0x04, 0x20, 0x00),			/* sck 0(%r2) */
	GUEST_EMULATED(stsi, 0xa7, 0x08, 0x00, 0x00,			/* lhi %r0, 0 */
		       0xb2, 0x7d, 0x20, 0x00),				/* stsi 0(%r2) */
	GUEST_EMULATED(ptff, 0x01, 0x04),				/* ptff */
#define GUEST_DEBUGGED(mnemonic, ...)						\
	GUEST_ACTION(mnemonic, GUEST_DEBUGGED_BYTES(__VA_ARGS__),		\
		     GUEST_ONCE(instruction_##mnemonic), GUEST_INSTRUCTIONS)
#define GUEST_DEBUGGED_BYTES(...)	.prepare = guest_debug, GUEST_BYTES(__VA_ARGS__)
	GUEST_DEBUGGED(lctl, 0xb7, 0x99, 0x20, 0x00),			/* lctl 9, 9, 0(%r2) */
	GUEST_DEBUGGED(lctlg, 0xeb, 0x99, 0x20, 0x00, 0x00, 0x2f),	/* lctlg 9, 9, 0(%r2) */
	GUEST_DEBUGGED(stctl, 0xb6, 0x99, 0x20, 0x00),			/* stctl 9, 9, 0(%r2) */
	GUEST_DEBUGGED(stctg, 0xeb, 0x99, 0x20, 0x00, 0x00, 0x25),	/* stctg 9, 9, 0(%r2) */
	{
		.name = "debugged_division_by_zero",
		.prepare = guest_debug,
		GUEST_BYTES(0x1d, 0x48),				/* dr %r4, %r8 */
		.changes = {
			GUEST_ONCE(exit_program_interruption),
			GUEST_ONCE(inject_program),
			GUEST_ONCE(deliver_program),
		},
	}, {
		.name = "lpswe",
		.prepare = guest_pend_mchk,
		GUEST_BYTES(0xb9, 0xab, 0x00, 0x42),	/* the program interrupt ends with lpswe */
		.changes = { GUEST_ONCE(instruction_lpswe), GUEST_NEVER(deliver_machine_check) },
	}, {
		.name = "lpsw",
		.prepare = guest_pend_mchk,
		.from_user_space = guest_interrupted,
		GUEST_RUN(.psw_addr = GUEST_LOAD_PSW),
		.changes = { GUEST_ONCE(instruction_lpsw) },
	}, {
		.name = "tpi",
		.prepare = guest_enable_io,
		GUEST_BYTES(0xb2, 0x36, 0x20, 0x00),			/* tpi 0(%r2) */
		.changes = { GUEST_ONCE(instruction_tpi), GUEST_INSTRUCTIONS },
	}, {
		.name = "tsch",
		.prepare = guest_enable_io,
		.exit_reason = KVM_EXIT_S390_TSCH,
		GUEST_BYTES(0xb2, 0x35, 0x20, 0x00),			/* tsch 0(%r2) */
		.changes = { GUEST_ONCE(instruction_tsch), GUEST_NEVER(instruction_io_other) },
	}, {
		.name = "csch",
		.prepare = guest_enable_io,
		.exit_reason = KVM_EXIT_S390_SIEIC,
		GUEST_BYTES(0xb2, 0x30, 0x00, 0x00),			/* csch */
		.changes = { GUEST_ONCE(instruction_io_other), GUEST_ONCE(exit_userspace) },
	},
	GUEST_ACTION(csch_without_channels, GUEST_BYTES(0xb2, 0x30, 0x00, 0x00),
		     GUEST_NEVER(instruction_io_other), GUEST_INSTRUCTIONS),
/* sigp %r4, %r6, ORDER: %r6 is 0, the address of the vCPU itself */
#define GUEST_SIGP(name, order)							\
	GUEST_EMULATED(sigp_##name, 0xae, 0x46, 0x00, order)
#define GUEST_SIGP_IN_USER_SPACE(name, order)					\
	GUEST_IN_USER_SPACE(sigp_##name, instruction_sigp_##name, 0xae, 0x46, 0x00, order)
	GUEST_SIGP(sense, 0x01),
	GUEST_SIGP(external_call, 0x02),
	GUEST_SIGP(emergency, 0x03),
	GUEST_SIGP(prefix, 0x0d),
	GUEST_SIGP(store_status, 0x0e),
	GUEST_SIGP(arch, 0x12),
	GUEST_SIGP(cond_emergency, 0x13),
	GUEST_SIGP(sense_running, 0x15),
	GUEST_SIGP_IN_USER_SPACE(start, 0x04),
	GUEST_SIGP_IN_USER_SPACE(stop, 0x05),
	GUEST_SIGP_IN_USER_SPACE(restart, 0x06),
	GUEST_SIGP_IN_USER_SPACE(stop_store_status, 0x09),
	GUEST_SIGP_IN_USER_SPACE(init_cpu_reset, 0x0b),
	GUEST_SIGP_IN_USER_SPACE(cpu_reset, 0x0c),
	GUEST_SIGP_IN_USER_SPACE(unknown, 0x77),
/* User space has asked for all orders that need not be fast. KVM counts what it passes on. */
#define GUEST_USER_SIGP(title, order)						\
	{									\
		.name = "user_sigp_" #title,					\
		.prepare = guest_enable_user_sigp,				\
		.exit_reason = KVM_EXIT_S390_SIEIC,				\
		GUEST_BYTES(0xae, 0x46, 0x00, order),				\
		.changes = { GUEST_ONCE(instruction_sigp_##title) },		\
	}
	GUEST_USER_SIGP(start, 0x04),
	GUEST_USER_SIGP(stop, 0x05),
	GUEST_USER_SIGP(restart, 0x06),
	GUEST_USER_SIGP(stop_store_status, 0x09),
	GUEST_USER_SIGP(init_cpu_reset, 0x0b),
	GUEST_USER_SIGP(cpu_reset, 0x0c),
	GUEST_USER_SIGP(prefix, 0x0d),
	GUEST_USER_SIGP(store_status, 0x0e),
	GUEST_USER_SIGP(store_adtl_status, 0x17),
	GUEST_USER_SIGP(unknown, 0x12),		/* set architecture */
	{
		.name = "sense_of_no_vcpu",
		GUEST_BYTES(0xae, 0x42, 0x00, 0x01),			/* sigp %r4, %r2, 1 */
		.changes = { GUEST_NEVER(instruction_sigp_sense), GUEST_INSTRUCTIONS },
	}, {
		.name = "operation_exception",
		GUEST_BYTES(0xb9, 0xab, 0x00, 0x42),			/* essa, not enabled */
		.changes = {
			GUEST_ONCE(exit_operation_exception),
			GUEST_ONCE(inject_program),
			GUEST_ONCE(deliver_program),
		},
	},
	GUEST_ACTION(signal, .from_user_space = guest_signal,
		     GUEST_ONCE(signal_exits), { "exit_null", GUEST_AT_LEAST }),
	{
		.name = "major_fault",
		.prepare = guest_prepare_faults,
		.from_user_space = guest_major_fault,
		.changes = { GUEST_ONCE(pfault_sync) },
	}, {
		.name = "nested_guest",
		.is_supported = guest_can_nest,
		.prepare = guest_prepare_nesting,
		.from_user_space = guest_nested_guest,
		.of_vm = true,
		.changes = {
			{ "gmap_shadow_reuse", GUEST_TWICE },
			GUEST_ONCE(gmap_shadow_create),
			GUEST_ONCE(gmap_shadow_r1_entry),
			GUEST_ONCE(gmap_shadow_r2_entry),
			GUEST_ONCE(gmap_shadow_r3_entry),
			GUEST_ONCE(gmap_shadow_sg_entry),
			{ "gmap_shadow_pg_entry", GUEST_TWICE },
		},
	}, {
		.name = "nested_guest_of_vcpu",
		.is_supported = guest_can_nest,
		.prepare = guest_prepare_nesting,
		.from_user_space = guest_nested_guest,
		.changes = { { "instruction_sie", GUEST_TWICE } },
	}, {
		.name = "nested_guest",
		.is_supported = guest_cannot_nest,
		.skip_reason = "KVM does not let guests run guests on this machine",
		.changes = {
			{ "gmap_shadow_reuse" },
			{ "gmap_shadow_create" },
			{ "gmap_shadow_r1_entry" },
			{ "gmap_shadow_r2_entry" },
			{ "gmap_shadow_r3_entry" },
			{ "gmap_shadow_sg_entry" },
			{ "gmap_shadow_pg_entry" },
			{ "instruction_sie" },
		},
	},
	GUEST_INTERRUPT(restart, inject_restart, deliver_restart_signal, .type = KVM_S390_RESTART),
	GUEST_INTERRUPT(emergency_signal, inject_emergency_signal, deliver_emergency_signal,
			.type = KVM_S390_INT_EMERGENCY, .cr0 = 0x4000,
			.psw_mask = GUEST_PSW_EXTERNAL),
	GUEST_INTERRUPT(external_call, inject_external_call, deliver_external_call,
			.type = KVM_S390_INT_EXTERNAL_CALL, .cr0 = 0x2000,
			.psw_mask = GUEST_PSW_EXTERNAL),
	GUEST_INTERRUPT(clock_comparator, inject_ckc, deliver_ckc,
			.type = KVM_S390_INT_CLOCK_COMP, .cr0 = 0x800,
			.psw_mask = GUEST_PSW_EXTERNAL),
	GUEST_INTERRUPT(cpu_timer, inject_cputm, deliver_cputm,
			.type = KVM_S390_INT_CPU_TIMER, .cr0 = 0x400,
			.psw_mask = GUEST_PSW_EXTERNAL),
	GUEST_INTERRUPT(machine_check, inject_mchk, deliver_machine_check,
			.type = KVM_S390_MCHK, .parm64 = 1UL << 63, .psw_mask = GUEST_PSW_MCHK),
	GUEST_FLOATING(service_signal_of_vm, inject_service_signal, true, GUEST_SCLP),
	GUEST_FLOATING(service_signal, deliver_service_signal, false, GUEST_SCLP),
	GUEST_FLOATING(virtio_of_vm, inject_virtio, true, GUEST_VIRTIO),
	GUEST_FLOATING(virtio, deliver_virtio, false, GUEST_VIRTIO),
	GUEST_FLOATING(pfault_done_of_vm, inject_pfault_done, true, GUEST_PFAULT),
	GUEST_FLOATING(io_of_vm, inject_io, true, GUEST_SUBCHANNEL),
	GUEST_FLOATING(io, deliver_io, false, GUEST_SUBCHANNEL),
	GUEST_FLOATING(floating_machine_check_of_vm, inject_float_mchk, true, GUEST_CHANNEL),
	GUEST_FLOATING(floating_machine_check, deliver_machine_check, false, GUEST_CHANNEL),
	GUEST_ACTION(stop, GUEST_DONE_BY(guest_stop, .type = KVM_S390_SIGP_STOP),
		     GUEST_ONCE(inject_stop_signal), GUEST_ONCE(exit_stop_request)),
	{
		.name = "pfault_init",
		.from_user_space = guest_inject_only,
		GUEST_RUN(.type = KVM_S390_INT_PFAULT_INIT),
		.changes = { GUEST_ONCE(inject_pfault_init) },
	}, {
		.name = "disabled_emergency_signal",
		.from_user_space = guest_interrupted,
		GUEST_RUN(.type = KVM_S390_INT_EMERGENCY, .cr0 = 0x4000),
		.changes = {
			GUEST_ONCE(inject_emergency_signal), GUEST_NEVER(deliver_emergency_signal),
		},
	}, {
		.name = "emergency_signal_that_the_guest_enables",
		.from_user_space = guest_interrupted,
		GUEST_RUN(.type = KVM_S390_INT_EMERGENCY, .cr0 = 0x4000, .psw_addr = GUEST_ENABLE),
		.changes = {
			GUEST_ONCE(exit_external_request), GUEST_ONCE(deliver_emergency_signal),
		},
	}, {
		.name = "cpu_timer_that_the_guest_enables",
		.from_user_space = guest_timer_ran_out,
		GUEST_RUN(.cr0 = 0x400, .psw_addr = GUEST_ENABLE),
		.changes = { GUEST_ONCE(exit_external_interrupt), GUEST_ONCE(deliver_cputm) },
	}, {
		.name = "io_that_the_guest_enables",
		.from_user_space = guest_interrupted,
		GUEST_RUN(.floating = true, .type = KVM_S390_INT_IO(0, 0, 0, 1), .parm = 0x10001,
			  .cr6 = 0x80000000, .psw_addr = GUEST_ENABLE),
		.changes = { GUEST_ONCE(exit_io_request), GUEST_ONCE(deliver_io) },
	},
	GUEST_ACTION(disabled_wait, GUEST_DONE_BY(guest_interrupted, .psw_mask = GUEST_PSW_WAIT),
		     GUEST_ONCE(exit_wait_state)),
	GUEST_ACTION(set_prefix, GUEST_DONE_BY(guest_set_prefix, .type = KVM_S390_SIGP_SET_PREFIX),
		     GUEST_ONCE(inject_set_prefix), GUEST_ONCE(deliver_prefix_signal)),
	{
		.name = "refused_emergency_signal",
		.from_user_space = guest_inject_only,
		/* no vCPU has this id */
		GUEST_RUN(.type = KVM_S390_INT_EMERGENCY, .parm = 77, .error = EINVAL),
		.changes = { GUEST_ONCE(inject_emergency_signal) },
	}, {
		.name = "external_call_while_one_is_pending",
		.prepare = guest_call,
		.from_user_space = guest_inject_only,
		GUEST_RUN(.type = KVM_S390_INT_EXTERNAL_CALL, .error = EBUSY),
		.changes = { GUEST_ONCE(inject_external_call) },
	},
	{}
};

/* The PSW stays in the wait state after the signal that ends KVM_RUN. */
static const uint8_t guest_enabled_wait[] = { 0xb2, 0xb2, 0x21, 0x00 };	/* lpswe 0x100(%r2) */

/* After the interrupt, the guest exits, and then waits again. */
static inline const char *guest_emergency_signal(const struct guest *guest, bool raise)
{
	static const struct s390_run signal = { .type = KVM_S390_INT_EMERGENCY };

	return raise ? guest_inject(guest, &signal) : NULL;
}

static const struct guest_action guest_halts[] = {
	{ .name = "enabled_wait", GUEST_CODE(guest_enabled_wait) },
	{
		.name = "interrupted_wait",
		GUEST_CODE(guest_enabled_wait),
		.exit_reason = KVM_EXIT_S390_SIEIC,
		.interrupt = guest_emergency_signal,
	},
	{}
};

/* Gives the vCPU all features that KVM has, for example to run guests of the guest. */
static inline const char *guest_before_vcpu(struct guest *guest)
{
	struct kvm_s390_vm_cpu_feat features = guest_cpu_features(guest->vm);
	struct kvm_device_attr set = {
		.group = KVM_S390_VM_CPU_MODEL,
		.attr = KVM_S390_VM_CPU_PROCESSOR_FEAT,
		.addr = (uintptr_t)&features,
	};

	return ioctl(guest->vm, KVM_SET_DEVICE_ATTR, &set) ?
	       guest_error("KVM_S390_VM_CPU_PROCESSOR_FEAT") : NULL;
}

static inline const char *guest_set_up(struct guest *guest)
{
	/* of restarts, external interrupts, machine checks and I/O */
	static const uint64_t new_psws[] = { 0x1a0, 0x1b0, 0x1e0, 0x1f0 };
	static const struct s390_run emergency_signal = { .cr0 = 0x4000 };
	unsigned int i;

	guest_store(guest, GUEST_PROGRAM_NEW_PSW, GUEST_PSW);
	guest_store(guest, GUEST_PROGRAM_NEW_PSW + 8, GUEST_CONTINUE);
	for (i = 0; i < sizeof(new_psws) / sizeof(new_psws[0]); i++) {
		guest_store(guest, new_psws[i], GUEST_PSW);
		guest_store(guest, new_psws[i] + 8, GUEST_STOP);
	}
	guest_store(guest, GUEST_WAIT, GUEST_WAIT_PSW);
	guest_store(guest, GUEST_WAIT + 8, GUEST_LOOP);
	memcpy(guest->memory + GUEST_CONTINUE, guest_continue, sizeof(guest_continue));
	memcpy(guest->memory + GUEST_LOOP, guest_loop, sizeof(guest_loop));
	memcpy(guest->memory + GUEST_LOAD, guest_load, sizeof(guest_load));
	memcpy(guest->memory + GUEST_STOP, guest_end, sizeof(guest_end));
	memcpy(guest->memory + GUEST_STOP + sizeof(guest_end), guest_enabled_wait,
	       sizeof(guest_enabled_wait));
	memcpy(guest->memory + GUEST_ENABLE, guest_enable, sizeof(guest_enable));
	memcpy(guest->memory + GUEST_LOAD_PSW, guest_load_psw, sizeof(guest_load_psw));
	memcpy(guest->memory + GUEST_SHORT_PSW, guest_short_psw, sizeof(guest_short_psw));
	guest_go_to(guest, GUEST_ENTRY);
	return guest_enable_interrupts(guest, &emergency_signal);
}
