/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * s390. Hercules emulates SIE, the instruction that runs a guest; QEMU does not. The guest's
 * address translation is off. DIAGNOSE with an unknown function exits to user space.
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define GUEST_ENTRY		0x4000
#define guest_end_reason	KVM_EXIT_S390_SIEIC

#define GUEST_PSW		0x0000000180000000UL	/* 64-bit addresses */
#define GUEST_WAIT_PSW		0x0102000180000000UL	/* and external interrupts, wait */
#define GUEST_PROGRAM_NEW_PSW	0x1d0
#define GUEST_DATA		0x3000	/* in %r2 */
#define GUEST_WAIT		0x3100	/* the PSW of a wait */
#define GUEST_CONTINUE		0x3800	/* code that ends a program interrupt */
#define GUEST_LOOP		0x3900	/* code that never ends */
#define GUEST_LOAD		0x3a00	/* code that reads GUEST_ABSENT */
#define GUEST_NEST		0x3b00	/* code that runs a guest of the guest, twice */
#define GUEST_SIE_BLOCK		0x3c00	/* that describes the guest's guest */
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

static const uint8_t guest_nest[] = {
	0xb2, 0x14, 0x2c, 0x00,			/* sie 0xc00(%r2) */
	0xb2, 0x14, 0x2c, 0x00,			/* sie 0xc00(%r2) */
	0x83, 0x00, 0x00, 0x9f,			/* diag 0, 0, 0x9f */
};

static const uint8_t guest_inner[] = {
	0x83, 0x00, 0x00, 0x44,			/* 0: diag 0, 0, 0x44 */
	0xa7, 0xf4, 0xff, 0xfe,			/* j 0b */
};

static const uint8_t guest_diag_500[] = { 0x83, 0x00, 0x05, 0x00 };
static const uint8_t guest_diag_44[] = { 0x83, 0x00, 0x00, 0x44 };
static const uint8_t guest_stidp[] = { 0xb2, 0x02, 0x20, 0x00 };	/* stidp 0(%r2) */
static const uint8_t guest_stap[] = { 0xb2, 0x12, 0x20, 0x00 };		/* stap 0(%r2) */
static const uint8_t guest_stpx[] = { 0xb2, 0x11, 0x20, 0x00 };		/* stpx 0(%r2) */
static const uint8_t guest_spx[] = { 0xb2, 0x10, 0x20, 0x80 };		/* spx 0x80(%r2) */
static const uint8_t guest_stfl[] = { 0xb2, 0xb1, 0x00, 0x00 };		/* stfl 0 */
static const uint8_t guest_tb[] = { 0xb2, 0x2c, 0x00, 0x02 };		/* tb %r0, %r2 */
static const uint8_t guest_sck[] = { 0xb2, 0x04, 0x20, 0x00 };		/* sck 0(%r2) */
static const uint8_t guest_stsi[] = {
	0xa7, 0x08, 0x00, 0x00,		/* lhi %r0, 0 */
	0xb2, 0x7d, 0x20, 0x00,		/* stsi 0(%r2) */
};

static const uint8_t guest_sense[] = { 0xae, 0x46, 0x00, 0x01 };	/* sigp %r4, %r6, 1 */
static const uint8_t guest_illegal[] = { 0xb9, 0xab, 0x00, 0x42 };	/* essa, not enabled */

static inline void guest_go_to(const struct guest *guest, uint64_t address)
{
	guest->run->psw_mask = GUEST_PSW;
	guest->run->psw_addr = address;
}

static inline void guest_on_alarm(int sig)
{
	(void)sig;
}

/* The guest loops until a timer sends a signal. */
static inline const char *guest_signal(const struct guest *guest)
{
	struct sigaction action = { .sa_handler = guest_on_alarm };
	struct itimerval in_20ms = { .it_value.tv_usec = 20000 };

	guest_go_to(guest, GUEST_LOOP);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &in_20ms, NULL);
	if (ioctl(guest->vcpu, KVM_RUN, 0) >= 0)
		return "KVM_RUN ends without a signal";
	return errno == EINTR ? NULL : guest_error("KVM_RUN");
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

static inline const char *guest_inject_restart(const struct guest *guest)
{
	struct kvm_s390_interrupt restart = { .type = KVM_S390_RESTART };

	return ioctl(guest->vcpu, KVM_S390_INTERRUPT, &restart) ?
	       guest_error("KVM_S390_INTERRUPT") : NULL;
}

#define GUEST_UNKNOWN_SENDER	77	/* no vCPU has this id */

/* KVM refuses the interrupt but counts it. */
static inline const char *guest_inject_emergency(const struct guest *guest)
{
	struct kvm_s390_interrupt emergency = {
		.type = KVM_S390_INT_EMERGENCY,
		.parm = GUEST_UNKNOWN_SENDER,
	};

	if (!ioctl(guest->vcpu, KVM_S390_INTERRUPT, &emergency))
		return "KVM accepts an emergency signal from an unknown vCPU";
	return errno == EINVAL ? NULL : guest_error("KVM_S390_INTERRUPT");
}

/* KVM refuses another one while one is pending, but counts each one. */
static inline const char *guest_inject_external_call(const struct guest *guest)
{
	struct kvm_s390_interrupt call = { .type = KVM_S390_INT_EXTERNAL_CALL };

	if (ioctl(guest->vcpu, KVM_S390_INTERRUPT, &call) && errno != EBUSY)
		return guest_error("KVM_S390_INTERRUPT");
	return NULL;
}

#define GUEST_CODE(bytes)	.code = bytes, .size = sizeof(bytes)
/* Of all instructions that KVM emulates, except the one at the end of the code. */
#define GUEST_INSTRUCTIONS	{ "exit_instruction", "exit_instruction", GUEST_EXACTLY, \
				  { "instruction_diagnose_other" } }
#define GUEST_INSTRUCTION(mnemonic)						\
	{									\
		.name = #mnemonic,						\
		GUEST_CODE(guest_##mnemonic),					\
		.changes = {							\
			{ "instruction_" #mnemonic, "instruction_" #mnemonic, GUEST_EXACTLY }, \
			GUEST_INSTRUCTIONS,					\
		},								\
	}

static const struct guest_action guest_actions[] = {
	{
		.name = "diag_500",
		GUEST_CODE(guest_diag_500),
		.exit_reason = KVM_EXIT_S390_SIEIC,
		.changes = {
			{ "instruction_diagnose_500", "instruction_diag_500", GUEST_EXACTLY },
			{ "exit_instruction", "exit_instruction", GUEST_EXACTLY },
			{ "exit_userspace", "userspace_handled", GUEST_EXACTLY },
		},
	}, {
		.name = "diag_44",
		GUEST_CODE(guest_diag_44),
		.changes = {
			{ "instruction_diagnose_44", "instruction_diag_44", GUEST_EXACTLY },
			GUEST_INSTRUCTIONS,
		},
	},
	GUEST_INSTRUCTION(stidp),
	GUEST_INSTRUCTION(stap),
	GUEST_INSTRUCTION(stpx),
	GUEST_INSTRUCTION(spx),
	GUEST_INSTRUCTION(stfl),
	GUEST_INSTRUCTION(tb),
	GUEST_INSTRUCTION(sck),
	GUEST_INSTRUCTION(stsi),
	{
		.name = "sense",
		GUEST_CODE(guest_sense),
		.changes = {
			{ "instruction_sigp_sense", "instruction_sigp_sense", GUEST_EXACTLY },
			GUEST_INSTRUCTIONS,
		},
	}, {
		.name = "operation_exception",
		GUEST_CODE(guest_illegal),
		.changes = {
			{ "exit_operation_exception", "exit_operation_exception",
			  GUEST_EXACTLY },
			{ "inject_program", "inject_program", GUEST_EXACTLY },
			{ "deliver_program", "deliver_program", GUEST_EXACTLY },
		},
	}, {
		.name = "signal",
		.from_user_space = guest_signal,
		.changes = { { "signal_exits", NULL, GUEST_EXACTLY } },
	}, {
		.name = "major_fault",
		.prepare = guest_prepare_faults,
		.from_user_space = guest_major_fault,
		.changes = { { "pfault_sync", NULL, GUEST_EXACTLY } },
	}, {
		.name = "nested_guest",
		.is_supported = guest_can_nest,
		.prepare = guest_prepare_nesting,
		.from_user_space = guest_nested_guest,
		.of_vm = true,
		.changes = {
			{ "gmap_shadow_reuse", NULL, GUEST_AT_LEAST },
			{ "gmap_shadow_create", NULL, GUEST_EXACTLY },
			{ "gmap_shadow_r1_entry", NULL, GUEST_EXACTLY },
			{ "gmap_shadow_r2_entry", NULL, GUEST_EXACTLY },
			{ "gmap_shadow_r3_entry", NULL, GUEST_EXACTLY },
			{ "gmap_shadow_sg_entry", NULL, GUEST_EXACTLY },
			{ "gmap_shadow_pg_entry", NULL, GUEST_AT_LEAST },
		},
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
		},
	}, {
		.name = "restart_interrupt",
		.changes = { { "inject_restart", "inject_restart", GUEST_EXACTLY } },
		.from_user_space = guest_inject_restart,
	}, {
		.name = "refused_emergency_signal",
		.changes = {
			{ "inject_emergency_signal", "inject_emergency_signal", GUEST_EXACTLY },
		},
		.from_user_space = guest_inject_emergency,
	}, {
		.name = "pending_external_call",
		.changes = { { "inject_external_call", "inject_external_call", GUEST_EXACTLY } },
		.from_user_space = guest_inject_external_call,
	},
	{}
};

/* The PSW stays in the wait state after the signal that ends KVM_RUN. */
static const uint8_t guest_enabled_wait[] = { 0xb2, 0xb2, 0x21, 0x00 };	/* lpswe 0x100(%r2) */

static const struct guest_action guest_halts[] = {
	{ .name = "enabled_wait", GUEST_CODE(guest_enabled_wait) },
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
	guest_store(guest, GUEST_PROGRAM_NEW_PSW, GUEST_PSW);
	guest_store(guest, GUEST_PROGRAM_NEW_PSW + 8, GUEST_CONTINUE);
	guest_store(guest, GUEST_WAIT, GUEST_WAIT_PSW);
	guest_store(guest, GUEST_WAIT + 8, GUEST_LOOP);
	memcpy(guest->memory + GUEST_CONTINUE, guest_continue, sizeof(guest_continue));
	memcpy(guest->memory + GUEST_LOOP, guest_loop, sizeof(guest_loop));
	memcpy(guest->memory + GUEST_LOAD, guest_load, sizeof(guest_load));
	guest_go_to(guest, GUEST_ENTRY);
	return NULL;
}
