// SPDX-License-Identifier: GPL-2.0-only
/* Loads and attaches the BPF programs that count exits, and proves that they are right. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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
				   "member stat.exits" LOADER_REPORT);
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

/* ---- the choice ---- */

/* vCPUs compare this time with that of the choice that was applied to them. */
static int begin_choice(int fd)
{
	__u32 key = 0;
	__u64 now = clock_now();

	return bpf_map_update_elem(fd, &key, &now, BPF_ANY);
}

int exits_choose(struct loader *loader, pid_t pid, bool chosen)
{
	const struct exit_choice key = { .user = loader->exit_user, .tgid = (__u32)pid };
	int fd = loader->exit_fds[EXIT_CHOSEN], err;
	__u8 value = 1;

	err = chosen ? bpf_map_update_elem(fd, &key, &value, BPF_ANY) :
		       bpf_map_delete_elem(fd, &key);
	if (!err || err == -ENOENT)
		err = begin_choice(loader->exit_fds[EXIT_CHOICE]);
	return err ? loader_fail(loader, "the exits of PID %d cannot be counted: %s", pid,
				 strerror(-err)) : 0;
}

int exits_keep(struct loader *loader)
{
	loader->exit_user = EXIT_PUBLISHED;
	return exits_choose(loader, 0, true);
}

/* ---- users ---- */

/*
 * All users on the host have one attachment: each opens its links, which stay until the last fd is
 * closed. The lock file has the IDs of the links and maps. Only root can write it, and can open
 * objects by their IDs, so users with fewer rights have attachments of their own.
 */
struct shared {
	__u64 build;		/* of the programs, with what they know about the kernel */
	__u32 id[EXIT_FDS];
};

/*
 * A user has a lock of the byte at its number for as long as it runs. Locks the byte with the
 * command F_OFD_SETLK. With F_OFD_GETLK, returns whether there is no other user with this number.
 */
static bool lock_user(int fd, int command, __u32 user)
{
	struct flock byte = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = user, .l_len = 1,
	};

	return !fcntl(fd, command, &byte) && (command == F_OFD_SETLK || byte.l_type == F_UNLCK);
}

/* Removes the choices of this user, and of those that were killed. The file is locked. */
static void forget_choices(const struct loader *loader)
{
	int fd = loader->exit_fds[EXIT_CHOSEN], err;
	struct exit_choice key, next;

	err = bpf_map_get_next_key(fd, NULL, &next);
	while (!err) {
		key = next;
		err = bpf_map_get_next_key(fd, &key, &next);
		if (key.user != EXIT_PUBLISHED &&
		    lock_user(loader->exit_lock, F_OFD_GETLK, key.user))
			bpf_map_delete_elem(fd, &key);
	}
	begin_choice(loader->exit_fds[EXIT_CHOICE]);
}

/*
 * Locks the file, and finds a number. Without the right to do so, or without a free number, the
 * attachment will not be shared. If another process keeps the lock, returns -1 and a message.
 */
static int become_user(struct loader *loader)
{
	loader->exit_lock = loader_lock(loader->error);
	if (loader->exit_lock == -EWOULDBLOCK)
		return -1;
	while (++loader->exit_user < EXIT_USERS) {
		if (lock_user(loader->exit_lock, F_OFD_SETLK, loader->exit_user))
			return 0;
	}
	close(loader->exit_lock);
	loader->exit_lock = -1;
	loader->exit_user = 1;
	return 0;
}

static __u64 hash(__u64 value, const void *data, size_t size)
{
	const unsigned char *byte = data;

	while (size--)
		value = (value ^ *byte++) * 0x100000001b3ull;
	return value;
}

/* The members of the layout before these are random, or of no use to the programs. */
static __u64 find_build(const struct loader *loader)
{
	const struct host_layout *layout = &loader->layout;
	const size_t begin = offsetof(struct host_layout, header.instance);
	__u64 value = hash(0xcbf29ce484222325ull, exits_object, exits_object_end - exits_object);

	value = hash(value, layout->header.boot_id, sizeof(layout->header.boot_id));
	return hash(value, (const char *)layout + begin, sizeof(*layout) - begin);
}

static void close_fds(struct loader *loader)
{
	size_t i;

	for (i = 0; i < EXIT_FDS; i++) {
		if (loader->exit_fds[i] >= 0)
			close(loader->exit_fds[i]);
		loader->exit_fds[i] = -1;
	}
}

/* Returns whether there is an attachment of the same build. */
static bool join(struct loader *loader)
{
	struct shared shared;
	size_t i;

	if (pread(loader->exit_lock, &shared, sizeof(shared), 0) != sizeof(shared) ||
	    shared.build != find_build(loader))
		return false;
	for (i = 0; i < EXIT_FDS; i++) {
		loader->exit_fds[i] = i < EXIT_LINKS ? bpf_link_get_fd_by_id(shared.id[i]) :
						       bpf_map_get_fd_by_id(shared.id[i]);
		if (loader->exit_fds[i] < 0) {
			close_fds(loader);
			return false;
		}
	}
	return true;
}

/* If it fails, others do not find the attachment. */
static bool share(const struct loader *loader)
{
	struct shared shared = { .build = find_build(loader) };
	size_t i;

	for (i = 0; i < EXIT_FDS; i++) {
		struct { __u32 type, id; } info = { 0 };	/* of links and of maps */
		__u32 size = sizeof(info);

		bpf_obj_get_info_by_fd(loader->exit_fds[i], &info, &size);
		shared.id[i] = info.id;
	}
	return pwrite(loader->exit_lock, &shared, sizeof(shared), 0) == sizeof(shared);
}

void exits_unpublish(int lock)
{
	const struct exit_choice all = { .user = EXIT_PUBLISHED };
	struct shared shared;
	int chosen, choice;

	if (pread(lock, &shared, sizeof(shared), 0) != sizeof(shared))
		return;
	chosen = bpf_map_get_fd_by_id(shared.id[EXIT_CHOSEN]);
	choice = bpf_map_get_fd_by_id(shared.id[EXIT_CHOICE]);
	if (!bpf_map_delete_elem(chosen, &all))
		begin_choice(choice);
	close(chosen);
	close(choice);
}

/* ---- attaching ---- */

/*
 * In the order in which they are attached. A vCPU counts from its first entry, so the program for
 * entries is the last one: no vCPU that counts can leave the guest, or KVM_RUN, unseen.
 */
static const char * const programs[EXIT_LINKS] = {
	"exits_kvm_vcpu_wakeup", "exits_kvm_userspace_exit", "exits_kvm_exit", "exits_kvm_entry",
};

static const char * const maps[] = { "exit_vcpus", "chosen", ".data" };

/* Returns the program, or that for the other form of its tracepoint. */
static struct bpf_program *program_at(const struct loader *loader, const struct bpf_object *object,
				      size_t i)
{
	const char *name = strcmp(programs[i], "exits_kvm_exit") ? programs[i] :
								   exits_program(loader);

	return bpf_object__find_program_by_name(object, name);
}

static int load_object(struct loader *loader, struct bpf_object *object)
{
	struct bpf_program *program;
	size_t i;
	int err;

	bpf_object__for_each_program(program, object)
		bpf_program__set_autoload(program, false);
	for (i = 0; i < EXIT_LINKS; i++)
		bpf_program__set_autoload(program_at(loader, object, i), true);
	err = bpf_object__load(object);
	return err ? loader_fail(loader, "the kernel does not load the BPF programs that count "
				 "exits: %s", strerror(-err)) : 0;
}

static int attach_object(struct loader *loader, const struct bpf_object *object)
{
	int *fd = loader->exit_fds;
	size_t i;

	for (i = 0; i < EXIT_LINKS; i++, fd++) {
		*fd = bpf_raw_tracepoint_open(programs[i] + strlen("exits_"),
					      bpf_program__fd(program_at(loader, object, i)));
		if (*fd < 0)
			return loader_fail(loader, "the BPF program %s cannot be attached: %s",
					   programs[i], strerror(errno));
	}
	for (i = 0; i < ARRAY_SIZE(maps); i++, fd++)
		*fd = fcntl(bpf_object__find_map_fd_by_name(object, maps[i]), F_DUPFD_CLOEXEC, 0);
	return 0;
}

static int attach_new(struct loader *loader)
{
	struct bpf_object *object = NULL;
	int err;

	err = loader_open_object(loader, exits_object, exits_object_end - exits_object, &object);
	if (!err)
		err = load_object(loader, object);
	if (!err)
		err = attach_object(loader, object);
	bpf_object__close(object);
	if (!err)
		share(loader);
	return err;
}

int exits_attach(struct loader *loader)
{
	int err;

	if (become_user(loader))
		return -1;
	err = join(loader) ? 0 : attach_new(loader);
	forget_choices(loader);
	flock(loader->exit_lock, LOCK_UN);
	if (!err && loader->exits == EXITS_OF_ALL)
		err = exits_choose(loader, 0, true);
	return err;
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
		loader_fail(loader, "exits cannot be counted: the guest that checks the BPF "
			    "programs does not run: %s", strerror(errno));
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
			   "%s is %llu instead of %d, %s is %llu instead of 1, and exit_other is "
			   "%llu of %llu" LOADER_REPORT, exits_guest.calls,
			   (unsigned long long)calls, EXITS_CALLS, exits_guest.access,
			   (unsigned long long)accesses, (unsigned long long)other,
			   (unsigned long long)exits);
}

void exits_close(struct loader *loader)
{
	/* If another process has locked the file, such as one that is stopped, others forget. */
	if (!flock(loader->exit_lock, LOCK_EX | LOCK_NB))
		forget_choices(loader);
	close_fds(loader);
	close(loader->exit_lock);
}
