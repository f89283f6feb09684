// SPDX-License-Identifier: GPL-2.0-only
/* Loads and attaches the BPF programs that count exits, and proves that they are right. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/kvm.h>
#include <linux/kvm_stats.h>

#include "host_file/exits.h"
#include "host_file/exits_arch.h"
#include "host_file/loader.h"
#include "kvmstats.h"

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	".global exits_object, exits_object_end\n"
	"exits_object: .incbin \"" BPF_OBJECTS "exits.bpf.o\"\n"
	"exits_object_end: .byte 0\n"
	".popsection\n");

bool exits_has_vcpu(const struct btf *btf, const char *tracepoint, int index)
{
	int id = btf__find_by_name_kind(btf, tracepoint, BTF_KIND_TYPEDEF);
	const struct btf_type *type = btf__type_by_id(btf, id < 0 ? 0 : id);

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, type->type);		/* the pointer */
	type = btf__type_by_id(btf, type->type);
	/* The first parameter is not an argument of the tracepoint. */
	if (!btf_is_func_proto(type) || btf_vlen(type) <= index + 1)
		return false;
	type = btf__type_by_id(btf, btf_params(type)[index + 1].type);
	if (!btf_is_ptr(type))
		return false;
	type = btf__type_by_id(btf, type->type);
	return btf_is_struct(type) && !strcmp(btf__name_by_offset(btf, type->name_off), "kvm_vcpu");
}

/* ---- descriptors ---- */

#define COUNTER		(KVM_STATS_TYPE_CUMULATIVE | KVM_STATS_UNIT_NONE | KVM_STATS_BASE_POW10)
#define COUNTER_NS	(KVM_STATS_TYPE_CUMULATIVE | KVM_STATS_UNIT_SECONDS | KVM_STATS_BASE_POW10)
#define HISTOGRAM_NS	(KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS | KVM_STATS_BASE_POW10)

/* The names of all classes, each with a NUL byte */
static const char names[] =
#define KVM_EXIT_CLASS(class)	#class "\0"
#include <asm/kvm_exit_classes.h>
#undef KVM_EXIT_CLASS
	;

/* @value is one of the indexes in exits.h. */
static int describe(struct loader *loader, const char *name, __u32 flags, __u32 size, __u32 value)
{
	const struct host_layout *layout = &loader->layout;
	__u32 begin = layout->vcpu_stat_size + (layout->threads + layout->clocks) * sizeof(__u64);

	return layout_add_vcpu_desc(loader, name, flags, size, begin + value * sizeof(__u64));
}

static int describe_class(struct loader *loader, __u32 class, const char *class_name)
{
	char name[KVM_HOST_NAME_SIZE];
	int err;

	snprintf(name, sizeof(name), "exit_%s", class_name);
	err = describe(loader, name, COUNTER, 1, EXIT_COUNT(class));
	if (err)
		return err;
	snprintf(name, sizeof(name), "exit_%s_ns", class_name);
	return describe(loader, name, COUNTER_NS, 1, EXIT_NS(class));
}

int exits_describe(struct loader *loader)
{
	const char *name = names;
	__u32 class, count;
	int err;

	if (layout_has_desc(loader, "exit_hist")) {
		loader->exits = EXITS_OF_NONE;
		return 0;
	}
	err = exits_find_arguments(loader);
	if (err)
		return err;
	exits_find_reasons(loader);
	if (!layout_find_field(loader->btf, "kvm_vcpu", "stat.exits", &loader->layout.vcpu_exits))
		return loader_fail(loader, "exits cannot be counted: struct kvm_vcpu has no "
				   "member stat.exits");
	count = exits_have_reasons(loader) ? KVM_EXIT_CLASSES : EXIT_CLASS_other + 1;
	for (class = 0; !err && class < count; class++, name += strlen(name) + 1)
		err = describe_class(loader, class, name);
	if (!err)
		err = describe(loader, "exit_hist", HISTOGRAM_NS, EXIT_HIST_SIZE, EXIT_HIST);
	if (!err)
		err = describe(loader, "guest_ns", COUNTER_NS, 1, EXIT_GUEST);
	if (!err)
		err = describe(loader, "userspace_ns", COUNTER_NS, 1, EXIT_USERSPACE);
	if (!err)
		err = describe(loader, "halted_ns", COUNTER_NS, 1, EXIT_HALTED);
	loader->layout.exits_size = EXIT_COUNT(count) * sizeof(__u64);
	return err;
}

/* ---- loading ---- */

/*
 * In the order in which they are attached. A vCPU counts from its first entry, so the program for
 * entries is the last one: no vCPU that counts can leave the guest, or KVM_RUN, unseen.
 */
static const char * const programs[] = {
	"exits_kvm_vcpu_wakeup", "exits_kvm_userspace_exit", "exits_kvm_exit", "exits_kvm_entry",
};

/* Returns a name in @programs, or that of the program for the other form of its tracepoint. */
static const char *program_name(const struct loader *loader, size_t i)
{
	return strcmp(programs[i], "exits_kvm_exit") ? programs[i] : exits_program(loader);
}

static struct bpf_program *program_at(const struct loader *loader, size_t i)
{
	return bpf_object__find_program_by_name(loader->exits_object, program_name(loader, i));
}

int exits_load(struct loader *loader)
{
	size_t size = exits_object_end - exits_object, i;
	struct bpf_program *program;
	int err;

	loader->layout.exits_of_all = loader->exits == EXITS_OF_ALL;
	err = loader_open_object(loader, exits_object, size, &loader->exits_object);
	if (err)
		return err;
	bpf_object__for_each_program(program, loader->exits_object)
		bpf_program__set_autoload(program, false);
	for (i = 0; i < ARRAY_SIZE(programs); i++)
		bpf_program__set_autoload(program_at(loader, i), true);
	err = bpf_object__load(loader->exits_object);
	return err ? loader_fail(loader, "the kernel does not load the BPF programs that count "
				 "exits: %s", strerror(-err)) : 0;
}

int exits_attach(struct loader *loader)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		loader->exit_links[i] = bpf_program__attach(program_at(loader, i));
		if (!loader->exit_links[i])
			return loader_fail(loader, "the BPF program %s cannot be attached: %s",
					   programs[i], strerror(errno));
	}
	return 0;
}

/* ---- the choice ---- */

/* The section .data has only the variable `choice`. */
static int begin_choice(const struct loader *loader)
{
	int fd = bpf_object__find_map_fd_by_name(loader->exits_object, ".data");
	__u32 key = 0, choice;
	int err;

	err = bpf_map_lookup_elem(fd, &key, &choice);
	if (err)
		return err;
	choice++;
	return bpf_map_update_elem(fd, &key, &choice, BPF_ANY);
}

int exits_choose(struct loader *loader, pid_t pid, bool chosen)
{
	int fd = bpf_object__find_map_fd_by_name(loader->exits_object, "chosen"), err;
	__u32 tgid = (__u32)pid;
	__u8 value = 1;

	err = chosen ? bpf_map_update_elem(fd, &tgid, &value, BPF_ANY) :
		       bpf_map_delete_elem(fd, &tgid);
	if (!err || err == -ENOENT)
		err = begin_choice(loader);
	return err ? loader_fail(loader, "PID %d cannot be chosen for statistics of exits: %s", pid,
				 strerror(-err)) : 0;
}

/* ---- the proof ---- */

/* Runs the code. A signal can end KVM_RUN before. */
static int run_code(int vcpu, const struct kvm_run *run)
{
	while (ioctl(vcpu, KVM_RUN, 0)) {
		if (errno != EINTR)
			return -1;
	}
	return run->exit_reason == exits_guest.end ? 0 : -1;
}

static int run_guest(struct loader *loader)
{
	size_t page = sysconf(_SC_PAGESIZE), size = ioctl(loader->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = exits_guest.address, .memory_size = page,
	};
	void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, loader->vcpu, 0);
	int err = -1;

	if (memory != MAP_FAILED && run != MAP_FAILED) {
		memcpy(memory, exits_guest.code, exits_guest.size);
		__builtin___clear_cache((char *)memory, (char *)memory + exits_guest.size);
		region.userspace_addr = (unsigned long)memory;
		err = ioctl(loader->vm, KVM_SET_USER_MEMORY_REGION, &region);
		if (!err)
			err = exits_set_state(loader->vm, loader->vcpu);
		if (!err)
			err = run_code(loader->vcpu, run);
		region.memory_size = 0;
		ioctl(loader->vm, KVM_SET_USER_MEMORY_REGION, &region);
	}
	if (err)
		loader_fail(loader, "exits cannot be counted: a guest of this process does not "
			    "run: %s", strerror(errno));
	munmap(memory, page);
	munmap(run, size);
	return err;
}

/* The choice of this process has no effect if all vCPUs count. */
int exits_run_guest(struct loader *loader)
{
	int err = exits_choose(loader, getpid(), true);

	if (!err)
		err = run_guest(loader);
	return err ? err : exits_choose(loader, getpid(), false);
}

/* Without known reasons, all exits are in the class "other". KVM may emulate such a guest. */
int exits_check(struct loader *loader, const struct kvmstats_sample *sample,
		const struct kvmstats_schema *schema)
{
	uint64_t exits = loader_value(sample, schema, "exits", 0);
	uint64_t other = loader_value(sample, schema, "exit_other", 0);
	uint64_t calls = loader_value(sample, schema, exits_guest.calls, 0);
	uint64_t accesses = loader_value(sample, schema, exits_guest.access, 0);

	loader->exits_unseen = exits && !other && !calls;
	if (exits_have_reasons(loader) ? calls == EXITS_CALLS && accesses == 1 : other <= exits)
		return 0;
	return loader_fail(loader, "the BPF programs that count exits are wrong on this kernel: "
			   "a guest with %s %d and %s 1 has %llu and %llu, and of %llu exits %llu "
			   "are not known. Please report this", exits_guest.calls, EXITS_CALLS,
			   exits_guest.access, (unsigned long long)calls,
			   (unsigned long long)accesses, (unsigned long long)exits,
			   (unsigned long long)other);
}

void exits_close(struct loader *loader)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(programs); i++)
		bpf_link__destroy(loader->exit_links[i]);
	bpf_object__close(loader->exits_object);
}
