// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out how the kernel that runs lays out its structures. BTF has offsets and sizes, a VM of
 * the loader has the names, types and units of KVM's statistics. Its version has no effect.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/random.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <linux/kvm_stats.h>

#include "host_file/loader.h"

#define DESC_SIZE	(sizeof(struct kvm_stats_desc) + KVM_HOST_NAME_SIZE)

/* ---- BTF ---- */

static const struct btf_type *resolve(const struct btf *btf, __u32 *id)
{
	const struct btf_type *type = btf__type_by_id(btf, *id);

	while (btf_is_mod(type) || btf_is_typedef(type) || btf_kind(type) == BTF_KIND_TYPE_TAG) {
		*id = type->type;
		type = btf__type_by_id(btf, *id);
	}
	return type;
}

/* What a path of members led to */
struct found {
	__u32 type;
	__u32 offset;		/* from the start of the structure, in bytes */
	__u32 elements;		/* of an array of which an element was chosen */
};

/* Finds a member, also in anonymous structures and unions. Adds to found->offset. */
static bool find_member(const struct btf *btf, __u32 id, const char *name, struct found *found)
{
	const struct btf_type *type = resolve(btf, &id);
	const struct btf_member *member = btf_members(type);
	int i;

	if (!btf_is_composite(type))
		return false;
	for (i = 0; i < btf_vlen(type); i++, member++) {
		const char *member_name = btf__name_by_offset(btf, member->name_off);
		struct found inner = {
			.type = member->type,
			.offset = found->offset + btf_member_bit_offset(type, i) / 8,
		};

		if (!strcmp(member_name, name)) {
			if (btf_member_bitfield_size(type, i))
				return false;
			*found = inner;
			return true;
		}
		if (!*member_name && find_member(btf, member->type, name, &inner)) {
			*found = inner;
			return true;
		}
	}
	return false;
}

/* Chooses the first element of an array. */
static bool first_element(const struct btf *btf, struct found *found)
{
	const struct btf_type *type = resolve(btf, &found->type);

	if (!btf_is_array(type))
		return false;
	found->elements = btf_array(type)->nelems;
	found->type = btf_array(type)->type;
	return true;
}

/* Finds a path such as "sched_info.run_delay" or "numbers[0].nr". */
static bool find_path(const struct btf *btf, __u32 id, const char *path, struct found *found)
{
	char name[64];

	*found = (struct found){ .type = id };
	while (*path) {
		size_t len = strcspn(path, ".[");

		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		if (!find_member(btf, found->type, name, found))
			return false;
		path += len;
		if (!strncmp(path, "[0]", 3)) {
			if (!first_element(btf, found))
				return false;
			path += 3;
		}
		path += *path == '.';
	}
	return true;
}

/*
 * A module's own definition has precedence over that of vmlinux, which can be another structure
 * with this name. Returns 0 if it is missing, or if the module has two.
 */
static __u32 find_struct(const struct btf *btf, const char *name)
{
	const struct btf *base = btf__base_btf(btf);
	__u32 own = 0, i;
	int id;

	for (i = base ? btf__type_cnt(base) : btf__type_cnt(btf); i < btf__type_cnt(btf); i++) {
		const struct btf_type *type = btf__type_by_id(btf, i);

		if (!btf_is_struct(type) || strcmp(btf__name_by_offset(btf, type->name_off), name))
			continue;
		if (own)
			return 0;
		own = i;
	}
	if (own)
		return own;
	id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	return id > 0 ? (__u32)id : 0;
}

static bool find(const struct btf *btf, const char *structure, const char *path,
		 struct found *found)
{
	__u32 id = find_struct(btf, structure);

	return id && find_path(btf, id, path, found);
}

bool layout_find_field(const struct btf *btf, const char *structure, const char *path,
		       struct host_field *field)
{
	struct found found;
	__s64 size;

	if (!find(btf, structure, path, &found))
		return false;
	size = btf__resolve_size(btf, found.type);
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	*field = (struct host_field){ .offset = found.offset, .size = (__u32)size };
	return true;
}

/* ---- members of the kernel's structures ---- */

enum { OPTIONAL, REQUIRED };

static const struct {
	const char *structure;
	const char *path;
	size_t member;		/* offset in struct host_layout */
	int need;
} members[] = {
#define MEMBER(name) offsetof(struct host_layout, name)
	{ "module", "mkobj.kobj.sd", MEMBER(module_node), OPTIONAL },
	{ "kernfs_node", "id", MEMBER(node_id), OPTIONAL },
	{ "kvm", "mm", MEMBER(kvm_mm), REQUIRED },
	{ "kvm", "users_count.refs.counter", MEMBER(kvm_users), REQUIRED },
	{ "kvm", "online_vcpus.counter", MEMBER(kvm_vcpus), REQUIRED },
	{ "kvm", "userspace_pid", MEMBER(kvm_pid), OPTIONAL },
	{ "kvm", "debugfs_dentry", MEMBER(kvm_dentry), OPTIONAL },
	{ "dentry", "d_inode", MEMBER(dentry_inode), REQUIRED },
	{ "inode", "i_ino", MEMBER(inode_number), REQUIRED },
	{ "mm_struct", "owner", MEMBER(mm_owner), REQUIRED },
	{ "mm_struct", "mm_users.counter", MEMBER(mm_users), REQUIRED },
	{ "task_struct", "tgid", MEMBER(task_tgid), REQUIRED },
	{ "task_struct", "group_leader", MEMBER(task_leader), REQUIRED },
	{ "task_struct", "start_boottime", MEMBER(task_start), OPTIONAL },
	{ "task_struct", "sched_info.last_arrival", MEMBER(task_arrival), OPTIONAL },
	{ "kvm", "vcpu_array.xa_head", MEMBER(xa_head), OPTIONAL },
	{ "xa_node", "shift", MEMBER(node_shift), REQUIRED },
	{ "kvm_vcpu", "kvm", MEMBER(vcpu_kvm), REQUIRED },
	{ "kvm_vcpu", "vcpu_id", MEMBER(vcpu_id), REQUIRED },
	{ "kvm_vcpu", "mode", MEMBER(vcpu_mode), REQUIRED },
	{ "kvm_vcpu", "pid", MEMBER(vcpu_pid), REQUIRED },
	{ "pid", "tasks[0].first", MEMBER(pid_first), REQUIRED },
	{ "pid", "numbers[0].nr", MEMBER(pid_number), REQUIRED },
	{ "pid", "level", MEMBER(pid_level), REQUIRED },
	{ "task_struct", "thread_pid", MEMBER(task_pid), REQUIRED },
#undef MEMBER
};

static int find_members(struct loader *loader)
{
	struct host_layout *layout = &loader->layout;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		struct host_field *field = (void *)((char *)layout + members[i].member);

		if (layout_find_field(loader->btf, members[i].structure, members[i].path, field))
			continue;
		if (members[i].need == REQUIRED)
			return loader_fail(loader, "the kernel's BTF has no usable member %s of "
					   "struct %s" LOADER_REPORT,
					   members[i].path, members[i].structure);
	}
	return 0;
}

/* The part of struct kvm_vcpu that is read at once */
static int find_vcpu_head(struct loader *loader)
{
	struct host_layout *layout = &loader->layout;
	const struct host_field *fields[] = {
		&layout->vcpu_kvm, &layout->vcpu_id, &layout->vcpu_mode,
	};
	__u32 first = layout->vcpu_kvm.offset, end = first;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		first = MIN(first, fields[i]->offset);
		end = MAX(end, fields[i]->offset + fields[i]->size);
	}
	if (end - first > MAX_HEAD || layout->vcpu_kvm.size != sizeof(__u64) ||
	    layout->vcpu_id.size != sizeof(__u32))
		return loader_fail(loader, "the members kvm, vcpu_id and mode of struct kvm_vcpu "
				   "are too far apart in the kernel's BTF" LOADER_REPORT);
	layout->vcpu_head = first;
	layout->vcpu_head_size = end - first;
	return 0;
}

/* The places that are not read as one value */
static int find_places(struct loader *loader)
{
	struct host_layout *layout = &loader->layout;
	struct found found;

	if (find_vcpu_head(loader))
		return -1;
	if (!find(loader->btf, "kvm", "vm_list", &found))
		return loader_fail(loader, "the kernel's BTF has no member vm_list of struct kvm"
				   LOADER_REPORT);
	layout->list_offset = found.offset;
	if (!find(loader->btf, "task_struct", "pid_links[0]", &found))
		return loader_fail(loader, "the kernel's BTF has no member pid_links of struct "
				   "task_struct" LOADER_REPORT);
	layout->pid_links = found.offset;
	if (find(loader->btf, "kvm", "vcpus[0]", &found))
		layout->vcpus_offset = found.offset;
	else if (!layout->xa_head.size)
		return loader_fail(loader, "the kernel's BTF does not show where struct kvm has "
				   "its vCPUs" LOADER_REPORT);
	if (!find(loader->btf, "xa_node", "slots[0]", &found) || !found.elements)
		return loader_fail(loader, "the kernel's BTF has no member slots of struct "
				   "xa_node" LOADER_REPORT);
	layout->slots_offset = found.offset;
	layout->slots_mask = found.elements - 1;
	return 0;
}

/* ---- the statistics thread_* ---- */

#define FLAGS(type, unit)	(KVM_STATS_TYPE_##type | KVM_STATS_UNIT_##unit | \
				 KVM_STATS_BASE_POW10)
#define GAUGE			FLAGS(INSTANT, NONE)
#define STATE_NS		FLAGS(INSTANT, SECONDS)
#define COUNTER			FLAGS(CUMULATIVE, NONE)
#define COUNTER_NS		FLAGS(CUMULATIVE, SECONDS)

/*
 * kvm-stats-host-file(5) describes them. thread_cpu must be the first behind thread_known. The
 * others are in the order of the kernel's structures, so that many can be read at once.
 */
static const struct {
	const char *name;
	__u32 flags;
	const char *path, *other_path;	/* in struct task_struct; the latter in earlier kernels */
} thread_stats[] = {
	{ "thread_cpu", GAUGE, "thread_info.cpu", "cpu" },
	{ "thread_on_cpu", FLAGS(INSTANT, BOOLEAN), "on_cpu", NULL },
	{ "thread_state", GAUGE, "__state", "state" },
	{ "thread_run_delay_ns", COUNTER_NS, "sched_info.run_delay", NULL },
	{ "thread_last_arrival_ns", STATE_NS, "sched_info.last_arrival", NULL },
	{ "thread_last_queued_ns", STATE_NS, "sched_info.last_queued", NULL },
	{ "thread_exec_start_ns", STATE_NS, "se.exec_start", NULL },
	{ "thread_runtime_ns", COUNTER_NS, "se.sum_exec_runtime", NULL },
	{ "thread_user_ns", COUNTER_NS, "utime", NULL },
	{ "thread_system_ns", COUNTER_NS, "stime", NULL },
	{ "thread_guest_ns", COUNTER_NS, "gtime", NULL },
	{ "thread_voluntary_switches", COUNTER, "nvcsw", NULL },
	{ "thread_involuntary_switches", COUNTER, "nivcsw", NULL },
	{ "thread_minor_faults", COUNTER, "min_flt", NULL },
	{ "thread_major_faults", COUNTER, "maj_flt", NULL },
};

/* With thread_known and two clocks */
_Static_assert(ARRAY_SIZE(thread_stats) + 3 <= MAX_THREAD, "increase MAX_THREAD");

static int add_descs(struct loader *loader, const void *descs, size_t size)
{
	struct host_layout *layout = &loader->layout;

	if (size > MAX_DESCS - layout->desc_size)
		return loader_fail(loader, "the descriptors of KVM's statistics have more than %u "
				   "bytes" LOADER_REPORT, MAX_DESCS);
	memcpy(layout->desc + layout->desc_size, descs, size);
	layout->desc_size += size;
	return 0;
}

int layout_add_vcpu_desc(struct loader *loader, const char *name, __u32 flags, __u32 size,
			 __u32 offset)
{
	__u8 buffer[DESC_SIZE] = { 0 };
	struct kvm_stats_desc *desc = (void *)buffer;

	desc->flags = flags;
	desc->exponent = (flags & KVM_STATS_UNIT_MASK) == KVM_STATS_UNIT_SECONDS ? -9 : 0;
	desc->size = size;
	desc->offset = offset;
	strcpy(desc->name, name);
	loader->layout.header.vcpu_descs++;
	return add_descs(loader, buffer, sizeof(buffer));
}

bool layout_has_desc(const struct loader *loader, const char *name)
{
	const char *desc = (const char *)loader->layout.desc +
			   offsetof(struct kvm_stats_desc, name);
	__u32 at;

	for (at = 0; at < loader->layout.desc_size; at += DESC_SIZE) {
		if (!strcmp(desc + at, name))
			return true;
	}
	return false;
}

/* Its value follows the other values of the vCPU. */
static int add_thread_desc(struct loader *loader, const char *name, __u32 flags, size_t index)
{
	return layout_add_vcpu_desc(loader, name, flags, 1,
				    loader->layout.vcpu_stat_size + index * sizeof(__u64));
}

/* Makes one field of those that follow each other. */
static void merge_thread_fields(struct host_layout *layout)
{
	struct host_field *first = &layout->thread[1];
	__u32 i;

	for (i = 2; i < layout->threads; i++) {
		struct host_field *field = &layout->thread[i];

		if (first->size % sizeof(__u64) || field->size != sizeof(__u64) ||
		    field->offset != first->offset + first->size) {
			first = field;
			continue;
		}
		first->size += field->size;
		field->size = 0;
	}
}

static int add_thread_stats(struct loader *loader)
{
	struct host_layout *layout = &loader->layout;
	size_t i;
	int err;

	err = add_thread_desc(loader, "thread_known", FLAGS(INSTANT, BOOLEAN), layout->threads++);
	for (i = 0; !err && i < ARRAY_SIZE(thread_stats); i++) {
		const char *other = thread_stats[i].other_path;
		struct host_field *field = &layout->thread[layout->threads];

		if (!layout_find_field(loader->btf, "task_struct", thread_stats[i].path, field) &&
		    !(other && layout_find_field(loader->btf, "task_struct", other, field))) {
			if (!i)
				return loader_fail(loader, "the kernel's BTF does not show the "
						   "CPU of a thread" LOADER_REPORT);
			continue;
		}
		err = add_thread_desc(loader, thread_stats[i].name, thread_stats[i].flags,
				      layout->threads++);
	}
	merge_thread_fields(layout);
	/* The program indexes the run queues with the first value. */
	if (err || !loader->with_clocks)
		return err;
	layout->clocks = 2;
	err = add_thread_desc(loader, "thread_rq_clock_ns", STATE_NS, layout->threads);
	return err ? err : add_thread_desc(loader, "thread_rq_clock_task_ns", STATE_NS,
					   layout->threads + 1);
}

/* ---- KVM's own statistics ---- */

/* Appends the descriptors of a statistics file. Stores their number. */
static int copy_descs(struct loader *loader, int fd, __u32 size, __u32 *count)
{
	struct kvm_stats_header header;
	__u8 block[MAX_DESCS];
	size_t bytes;
	__u32 i;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return loader_fail(loader, "the statistics of a new VM cannot be read: %s",
				   strerror(errno));
	bytes = (size_t)header.num_desc * DESC_SIZE;
	if (header.name_size != KVM_HOST_NAME_SIZE || !header.num_desc || bytes > sizeof(block) ||
	    pread(fd, block, bytes, header.desc_offset) != (ssize_t)bytes)
		return loader_fail(loader, "the descriptors of KVM's statistics have an unknown "
				   "format" LOADER_REPORT);
	for (i = 0; i < header.num_desc; i++) {
		const struct kvm_stats_desc *desc = (void *)(block + i * DESC_SIZE);

		if (!desc->size || desc->offset + (size_t)desc->size * sizeof(__u64) > size)
			return loader_fail(loader, "KVM's BTF does not describe the loaded module: "
					   "the statistic %.47s is outside of its structure. "
					   "Install the distribution's module", desc->name);
	}
	*count = header.num_desc;
	return add_descs(loader, block, bytes);
}

static int find_stats(struct loader *loader, const char *structure, __u32 *offset, __u32 *size)
{
	struct found found;
	__s64 bytes;

	if (!find(loader->btf, structure, "stat", &found))
		return loader_fail(loader, "the kernel's BTF has no member stat of struct %s"
				   LOADER_REPORT, structure);
	bytes = btf__resolve_size(loader->btf, found.type);
	if (bytes <= 0 || bytes > MAX_STATS || bytes % 8 || found.offset % 8)
		return loader_fail(loader, "the statistics in struct %s have an unexpected size: "
				   "%lld bytes" LOADER_REPORT,
				   structure, (long long)bytes);
	*offset = found.offset;
	*size = (__u32)bytes;
	return 0;
}

static int find_kvm_stats(struct loader *loader)
{
	struct host_layout *layout = &loader->layout;
	int err;

	err = find_stats(loader, "kvm", &layout->vm_stat, &layout->vm_stat_size);
	if (!err)
		err = find_stats(loader, "kvm_vcpu", &layout->vcpu_stat, &layout->vcpu_stat_size);
	if (!err)
		err = copy_descs(loader, loader->vm_stats, layout->vm_stat_size,
				 &layout->header.vm_descs);
	if (!err)
		err = copy_descs(loader, loader->vcpu_stats, layout->vcpu_stat_size,
				 &layout->header.vcpu_descs);
	return err;
}

/* ---- the layout ---- */

static int read_boot_id(struct loader *loader, __u8 *id)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	int i, n = 0;

	for (i = 0; file && i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			fgetc(file);
		n += fscanf(file, "%2hhx", &id[i]) == 1;
	}
	if (file)
		fclose(file);
	return n == 16 ? 0 : loader_fail(loader, "the boot ID cannot be read from "
					      "/proc/sys/kernel/random/boot_id");
}

static bool draw(void *buffer, size_t size)
{
	return getrandom(buffer, size, 0) == (ssize_t)size;
}

static int fill_header(struct loader *loader)
{
	struct kvm_host_header *header = &loader->layout.header;

	header->record.type = KVM_HOST_HEADER;
	header->record.size = sizeof(*header) + loader->layout.desc_size;
	header->record.vm = KVM_HOST_MAGIC;
	header->version = KVM_HOST_VERSION;
	header->desc_offset = sizeof(*header);
	header->desc_size = DESC_SIZE;
	header->vm_values = sizeof(struct kvm_host_vm);
	header->vcpu_values = sizeof(struct kvm_host_vcpu);
	if (!draw(&header->session, sizeof(header->session)) ||
	    !draw(loader->layout.key, sizeof(loader->layout.key)))
		return loader_fail(loader, "cannot get random numbers: %s", strerror(errno));
	return read_boot_id(loader, header->boot_id);
}

/* loader_close() frees it. The layout can be found again. */
static int load_btf(struct loader *loader)
{
	if (loader->btf)
		return 0;
	loader->base_btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	if (!loader->base_btf)
		return loader_fail(loader, "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF): "
				   "/sys/kernel/btf/vmlinux: %s", strerror(errno));
	if (btf__pointer_size(loader->base_btf) != 8 || sizeof(long) != 8)
		return loader_fail(loader, "32-bit kernels are not supported");
	loader->btf = loader->base_btf;
	if (!loader->is_module)
		return 0;
	loader->btf = btf__parse_split("/sys/kernel/btf/kvm", loader->base_btf);
	if (!loader->btf)
		return loader_fail(loader, "the module kvm has no BTF: /sys/kernel/btf/kvm: %s. "
				   "A module that is built separately from the kernel often has "
				   "none. Install the distribution's module", strerror(errno));
	return 0;
}

int layout_find(struct loader *loader)
{
	int err;

	err = load_btf(loader);
	if (!err)
		err = find_members(loader);
	if (!err)
		err = find_places(loader);
	if (!err)
		err = find_kvm_stats(loader);
	if (!err)
		err = add_thread_stats(loader);
	if (!err && WITH_EXITS(loader))
		err = exits_describe(loader);
	return err ? err : fill_header(loader);
}
