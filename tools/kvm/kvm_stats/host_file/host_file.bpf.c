// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF iterator behind the host file: it writes one record for each VM of the host and for each
 * of its vCPUs. host_format.h has the format, host_file.h what the loader knows about the kernel.
 *
 * The program follows KVM's list of VMs. It takes neither a lock nor a reference, so a VM can end
 * meanwhile, and its memory can be reused. Therefore it checks after it has copied the values that
 * the VM is still in the list and in use (is_alive()). If not, it returns RETRY: the kernel drops
 * all that this call wrote, and calls the program again. A VM is freed only after it has left the
 * list, so values that pass the check are those of the VM.
 *
 * The iterator's elements are those of the array `parts`. They have no content: each of them is a
 * call, in which the program writes as many records as the kernel's buffer has space for. Between
 * two calls it keeps its position in `cursors`. If the VM at this position has ended, or was moved,
 * it starts again at the first VM. Some VMs then have two records, which readers have to expect.
 *
 * All memory for values is on the stack: a preemptible kernel can switch to another reader at any
 * time. No address of the kernel is written, but for the program `learn`, which is never pinned.
 */
#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel.h"
#include "exit_table.h"

char LICENSE[] SEC("license") = "GPL";

#define CONTINUE	0
#define RETRY		1

/* Where a pass is. The loader's `parts` determines how many calls it has. */
struct cursor {
	__u64 session;
	__u64 node;		/* in the list: the last VM, or the head of the list */
	__u64 prev;		/* the node before it */
	__u64 mm, inode;	/* of the VM */
	__u64 identity;		/* of the VM, for records */
	__u32 vcpu;		/* index of its next vCPU */
	__u32 vcpus;		/* number of its vCPUs */
	__u32 vm_records, vcpu_records;
	__u32 dying;		/* the VM has no record, because its end has begun */
	__u32 done;
};

/* A session that more than 4096 others have displaced writes no more VMs, and no end. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, struct cursor);
} cursors SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, HOST_FILE_PARTS);
	__type(key, __u32);
	__type(value, __u32);
} parts SEC(".maps");

/* ---- reading kernel memory ---- */

static __always_inline __u64 read_pointer(__u64 at)
{
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (void *)at);
	return value;
}

/* The members of struct list_head */
static __always_inline __u64 list_next(__u64 node)
{
	return read_pointer(node);
}

static __always_inline __u64 list_prev(__u64 node)
{
	return read_pointer(node + sizeof(__u64));
}

/* ---- VMs ---- */

/*
 * Whether KVM was unloaded since the program was loaded. The number of the module's folder in
 * sysfs is never used again while the host runs.
 */
static __always_inline bool is_stale(void)
{
	__u64 node;

	if (!layout.module)
		return false;
	node = read_field(layout.module, &layout.module_node);
	return follow(node, &layout.node_id) != layout.header.instance;
}

static __always_inline __u64 vm_of(__u64 node)
{
	return node - layout.list_offset;
}

/*
 * Whether the cursor's VM is still where it was in the list, and is that VM. KVM's shrinker can
 * move a VM to the end of the list. The end of a VM can take long before it leaves the list.
 */
static __always_inline bool is_alive(const struct cursor *cursor)
{
	__u64 node = cursor->node, kvm = vm_of(node);

	if (list_prev(list_next(node)) != node || list_prev(node) != cursor->prev ||
	    list_next(cursor->prev) != node)
		return false;
	return cursor->dying || (read_field(kvm, &layout.kvm_users) &&
				 read_field(kvm, &layout.kvm_mm) == cursor->mm &&
				 inode_of(kvm, &layout) == cursor->inode);
}

/* ---- the identity of a VM: SipHash-2-4 of addresses and numbers, so that it shows none ---- */

struct sip {
	__u64 v0, v1, v2, v3;
};

static __always_inline __u64 rotate(__u64 value, int bits)
{
	return value << bits | value >> (64 - bits);
}

static __always_inline void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v2 = rotate(s->v2, 32);
}

static __always_inline void sip_add(struct sip *s, __u64 word)
{
	s->v3 ^= word;
	sip_round(s);
	sip_round(s);
	s->v0 ^= word;
}

static __always_inline __u64 identity_of(__u64 kvm, __u64 mm, __u64 inode)
{
	struct sip s = {
		.v0 = layout.key[0] ^ 0x736f6d6570736575ull,
		.v1 = layout.key[1] ^ 0x646f72616e646f6dull,
		.v2 = layout.key[0] ^ 0x6c7967656e657261ull,
		.v3 = layout.key[1] ^ 0x7465646279746573ull,
	};

	sip_add(&s, kvm);
	sip_add(&s, mm);
	sip_add(&s, read_field(kvm, &layout.kvm_pid));
	sip_add(&s, inode);
	sip_add(&s, 32ull << 56);	/* the length of the message in bytes */
	s.v2 ^= 0xff;
	sip_round(&s);
	sip_round(&s);
	sip_round(&s);
	sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

/* ---- writing ---- */

struct walk {
	struct seq_file *seq;
	struct cursor at;
	__u64 leaf;		/* the XArray's node that has the last vCPU, or 0 */
	bool wrote;
	bool full;		/* the next record does not fit */
	bool failed;		/* the VM ended: what was written must be dropped */
};

/* Without this check, the kernel would drop everything that a call wrote before. */
static __always_inline bool has_space(struct walk *walk, __u64 size)
{
	struct seq_file *seq = walk->seq;

	if (seq->count + size < seq->size)
		return true;
	walk->full = true;
	return false;
}

/* One buffer, because the kernel limits the stack to 512 bytes */
union buffer {
	__u8 stats[224];
	__u8 head[MAX_HEAD];
	__u64 thread[MAX_THREAD];
};

/* Writes @size bytes, at most MAX_STATS, from kernel memory. Returns false if that fails. */
static __always_inline bool write_stats(struct seq_file *seq, union buffer *buffer, __u64 from,
					__u32 size)
{
	const __u32 part = sizeof(buffer->stats);
	__u32 i;

	for (i = 0; i < MAX_STATS / part && i * part < size; i++) {
		__u32 rest = size - i * part < part ? size - i * part : part;

		if (bpf_probe_read_kernel(buffer->stats, rest, (void *)(from + i * part)) ||
		    bpf_seq_write(seq, buffer->stats, rest))
			return false;
	}
	return true;
}

static __always_inline struct kvm_host_record record(const struct cursor *at, __u16 type,
						     __u32 size)
{
	return (struct kvm_host_record){ .type = type, .size = size, .vm = at->identity };
}

static __always_inline bool write_vm(struct walk *walk)
{
	__u32 size = sizeof(struct kvm_host_vm) + layout.vm_stat_size;
	__u64 kvm = vm_of(walk->at.node), task = read_field(walk->at.mm, &layout.mm_owner);
	union buffer buffer;
	struct kvm_host_vm vm = {
		.record = record(&walk->at, KVM_HOST_VM, size),
		.time = bpf_ktime_get_ns(),
		.vcpus = walk->at.vcpus,
	};

	if (task && read_field(walk->at.mm, &layout.mm_users)) {
		vm.pid = read_field(task, &layout.task_tgid);
		/* The owner can be any thread of the process. */
		task = read_field(task, &layout.task_leader);
		vm.start_time = follow(task, &layout.task_start);
	} else {
		vm.pid = read_field(kvm, &layout.kvm_pid);
		vm.record.flags = KVM_HOST_ORPHAN;
	}
	return !bpf_seq_write(walk->seq, &vm, sizeof(vm)) &&
	       write_stats(walk->seq, &buffer, kvm + layout.vm_stat, layout.vm_stat_size);
}

/* ---- vCPUs ---- */

/* The entries of an XArray that are nodes have these bits; see include/linux/xarray.h. */
static __always_inline bool is_node(__u64 entry)
{
	return (entry & 3) == 2 && entry > 4096;
}

static __always_inline __u64 read_slot(__u64 node, __u64 slot)
{
	return read_pointer(node + layout.slots_offset +
			    (slot & layout.slots_mask) * sizeof(__u64));
}

/* Returns the address of the vCPU at the walk's position, or 0. */
static __always_inline __u64 vcpu_of(struct walk *walk, __u64 kvm)
{
	__u32 index = walk->at.vcpu;
	__u64 entry;
	int level;

	if (layout.vcpus_offset)
		return read_pointer(kvm + layout.vcpus_offset + index * sizeof(__u64));
	if (walk->leaf && index & layout.slots_mask) {
		entry = read_slot(walk->leaf, index);
		return entry & 3 ? 0 : entry;
	}
	entry = read_field(kvm, &layout.xa_head);
	walk->leaf = 0;
	for (level = 0; level < 3 && is_node(entry); level++) {
		walk->leaf = entry - 2;
		entry = read_slot(walk->leaf,
				  index >> (read_field(walk->leaf, &layout.node_shift) & 31));
	}
	return entry & 3 ? 0 : entry;
}

/* Finds the thread as pid_task() does. Returns its task, or 0. */
static __always_inline __u64 task_of(__u64 pid)
{
	__u64 first = read_field(pid, &layout.pid_first);
	__u64 task = first - layout.pid_links;

	return first && read_field(task, &layout.task_pid) == pid ? task : 0;
}

/* KVM can replace vcpu->pid at any time, and then the old struct pid may be freed. */
static __always_inline bool has_pid(__u64 vcpu, __u64 pid)
{
	return pid && read_field(vcpu, &layout.vcpu_pid) == pid;
}

/* Reads values of a thread whose members are next to each other: *@value and those behind it. */
static __always_inline void read_values(__u64 *value, __u32 left, __u64 task,
					const volatile struct host_field *field)
{
	__u32 size = field->size;

	if (size > sizeof(*value) && size <= left * sizeof(*value))
		bpf_probe_read_kernel(value, size, (void *)(task + field->offset));
	else if (size)
		*value = read_field(task, field);
}

/*
 * Reads the statistics thread_*. The first one is 1 if the others are those of the vCPU's thread.
 * The loader puts thread_cpu behind it, and the clocks at the end.
 */
static __always_inline void read_thread(__u64 *value, __u64 vcpu, __u64 pid, bool with_clocks)
{
	__u64 task = pid ? task_of(pid) : 0;
	__u32 i;

	__builtin_memset(value, 0, sizeof(((union buffer *)NULL)->thread));
	if (!task)
		return;
	value[0] = 1;
	for (i = 1; i < MAX_THREAD - 2 && i < layout.threads; i++)
		read_values(&value[i], MAX_THREAD - i, task, &layout.thread[i]);
	if (with_clocks && layout.clocks) {
		const struct rq *rq = bpf_per_cpu_ptr(&runqueues, (__u32)value[1]);

		if (rq) {
			value[i] = rq->clock;
			value[i + 1] = rq->clock_task;
		}
	}
	if (!has_pid(vcpu, pid))
		__builtin_memset(value, 0, sizeof(((union buffer *)NULL)->thread));
}

/* Returns a member that read_head() has read. The verifier knows its offset. */
static __always_inline __u64 member_of(const union buffer *buffer,
				       const volatile struct host_field *field)
{
	__u32 at = field->offset - layout.vcpu_head;

	if (at > sizeof(buffer->head) - sizeof(__u64))
		return 0;
	return field->size == sizeof(__u64) ? *(const __u64 *)&buffer->head[at] :
					      *(const __u32 *)&buffer->head[at];
}

/* Reads the members of the vCPU that are always next to each other. */
static __always_inline void read_head(union buffer *buffer, __u64 vcpu)
{
	__u32 size = layout.vcpu_head_size;

	if (size <= sizeof(buffer->head))
		bpf_probe_read_kernel(buffer->head, size, (void *)(vcpu + layout.vcpu_head));
}

/*
 * Returns the entry of the vCPU, which another CPU can have given to it just now: see give_entry().
 * The address depends on the value that was found, although that adds nothing, so that no CPU, not
 * even one of arm64, reads the rest of the entry before it.
 */
static __always_inline const struct exit_vcpu *find_entry(__u64 vcpu)
{
	const struct exit_vcpu *entry = find_vcpu(vcpu);
	__u64 nothing;

	if (!entry)
		return NULL;
	nothing = *(volatile __u64 *)&entry->vcpu;
	asm volatile("%0 &= 0" : "+r"(nothing));
	return (const void *)entry + nothing;
}

/* A vCPU has no entry before it first enters the guest, or if its exits are not counted. */
static __always_inline bool write_exits(struct walk *walk, __u64 vcpu)
{
	static const __u64 zero[EXIT_VALUES];
	const struct exit_vcpu *entry;
	__u32 size = layout.exits_size;

	if (!size)
		return true;
	if (size > sizeof(zero))
		return false;
	entry = find_entry(vcpu);
	if (entry && entry->kvm == vm_of(walk->at.node) && entry->inode == walk->at.inode &&
	    has_exited(entry, vcpu))
		return !bpf_seq_write(walk->seq, entry->value, size);
	return !bpf_seq_write(walk->seq, zero, size);
}

/* @buffer has what read_head() has read. */
static __always_inline bool write_vcpu(struct walk *walk, union buffer *buffer, __u64 vcpu,
				       bool with_clocks)
{
	__u32 thread_size = (layout.threads + layout.clocks) * sizeof(__u64);
	__u32 size = sizeof(struct kvm_host_vcpu) + layout.vcpu_stat_size + thread_size +
		     layout.exits_size;
	__u64 pid = read_field(vcpu, &layout.vcpu_pid);
	struct kvm_host_vcpu head = {
		.record = record(&walk->at, KVM_HOST_VCPU, size),
		.time = bpf_ktime_get_ns(),
		.vcpu_id = member_of(buffer, &layout.vcpu_id),
		.tid = follow(pid, &layout.pid_number),
		.mode = member_of(buffer, &layout.vcpu_mode),
	};

	if (!has_pid(vcpu, pid))
		head.tid = 0;
	if (bpf_seq_write(walk->seq, &head, sizeof(head)) ||
	    !write_stats(walk->seq, buffer, vcpu + layout.vcpu_stat, layout.vcpu_stat_size))
		return false;
	read_thread(buffer->thread, vcpu, pid, with_clocks);
	return thread_size <= sizeof(buffer->thread) &&
	       !bpf_seq_write(walk->seq, buffer->thread, thread_size) && write_exits(walk, vcpu);
}

static __always_inline void next_vcpu(struct walk *walk, bool with_clocks)
{
	__u64 kvm = vm_of(walk->at.node), vcpu = vcpu_of(walk, kvm);
	union buffer buffer = { .head = { 0 } };

	if (vcpu)
		read_head(&buffer, vcpu);
	/* A vCPU whose creation failed, or is not complete, is left out. */
	if (vcpu && member_of(&buffer, &layout.vcpu_kvm) == kvm) {
		if (!has_space(walk, sizeof(struct kvm_host_vcpu) + layout.vcpu_stat_size +
			       sizeof(((union buffer *)NULL)->thread) + layout.exits_size))
			return;
		if (!write_vcpu(walk, &buffer, vcpu, with_clocks)) {
			walk->failed = true;
			return;
		}
		walk->wrote = true;
		walk->at.vcpu_records++;
	}
	walk->at.vcpu++;
}

/* ---- the list of VMs ---- */

static __always_inline void first_vm(struct cursor *at)
{
	at->node = layout.vm_list;
	at->vcpu = 0;
	at->vcpus = 0;
}

/* Whether the position still exists. */
static __always_inline bool is_valid(const struct cursor *at)
{
	return at->node == layout.vm_list || is_alive(at);
}

static __always_inline void next_vm(struct walk *walk)
{
	struct cursor *at = &walk->at;
	__u64 node = list_next(at->node), kvm = vm_of(node);

	if (!is_valid(at)) {
		walk->failed = true;
		return;
	}
	if (node == layout.vm_list) {
		at->done = 1;
		return;
	}
	if (!node || list_prev(node) != at->node)
		return;		/* The list changed after list_next(): read it again. */
	if (!has_space(walk, sizeof(struct kvm_host_vm) + layout.vm_stat_size))
		return;
	at->prev = at->node;
	at->node = node;
	walk->leaf = 0;
	at->mm = read_field(kvm, &layout.kvm_mm);
	at->inode = inode_of(kvm, &layout);
	at->vcpu = 0;
	at->vcpus = 0;
	at->dying = !read_field(kvm, &layout.kvm_users);
	if (at->dying)
		return;
	at->vcpus = read_field(kvm, &layout.kvm_vcpus);
	at->identity = identity_of(kvm, at->mm, at->inode);
	if (!write_vm(walk)) {
		walk->failed = true;
		return;
	}
	walk->wrote = true;
	at->vm_records++;
}

/* Writes one record. Returns 1 to end the loop. */
static __always_inline long write_record(struct walk *walk, bool with_clocks)
{
	if (walk->at.node != layout.vm_list && walk->at.vcpu < walk->at.vcpus)
		next_vcpu(walk, with_clocks);
	else
		next_vm(walk);
	return walk->full || walk->failed || walk->at.done;
}

static long step(struct bpf_map *map, __u32 *key, __u32 *value, struct walk *walk)
{
	return write_record(walk, true);
}

static long step_without_clocks(struct bpf_map *map, __u32 *key, __u32 *value, struct walk *walk)
{
	return write_record(walk, false);
}

/* ---- a pass ---- */

static __always_inline __u16 pass_flags(void)
{
	__u64 pid = read_field(bpf_get_current_task(), &layout.task_pid);
	__u16 flags = 0;

	if (is_stale())
		flags |= KVM_HOST_STALE;
	if (follow(pid, &layout.pid_level))
		flags |= KVM_HOST_NESTED;
	return flags;
}

/* A function of its own, so that its stack is not needed in the walk. */
static __noinline bool write_header(struct seq_file *seq)
{
	struct kvm_host_header header;
	__u64 *to = (__u64 *)&header;
	__u32 size, i;

	/* The loader writes the layout, so the compiler must not use its initial value. */
	for (i = 0; i < sizeof(header) / sizeof(*to); i++)
		to[i] = ((const volatile __u64 *)&layout.header)[i];
	header.record.flags = pass_flags();
	header.monotonic = bpf_ktime_get_ns();
	header.boottime = bpf_ktime_get_boot_ns();
	header.arrival = read_field(bpf_get_current_task(), &layout.task_arrival);
	if (bpf_seq_write(seq, &header, sizeof(header)))
		return false;
	/* The verifier of Linux 5.14 forgets the range of a value while it is on the stack. */
	size = layout.desc_size;
	if (!size || size > MAX_DESCS)
		return false;
	return !bpf_seq_write(seq, (const void *)layout.desc, size);
}

static __always_inline void write_end(struct seq_file *seq, const struct cursor *at)
{
	struct kvm_host_end end = {
		.record = { .type = KVM_HOST_END, .size = sizeof(end), .flags = pass_flags() },
		.monotonic = bpf_ktime_get_ns(),
		.boottime = bpf_ktime_get_boot_ns(),
	};

	if (at->done) {
		end.vms = at->vm_records;
		end.vcpus = at->vcpu_records;
	} else {
		end.record.flags |= KVM_HOST_TRUNCATED;
	}
	bpf_seq_write(seq, &end, sizeof(end));
}

static __always_inline int write_part(struct bpf_iter__bpf_map_elem *ctx, bool with_clocks)
{
	struct seq_file *seq = ctx->meta->seq;
	__u64 session = ctx->meta->session_id;
	struct cursor *cursor = bpf_map_lookup_elem(&cursors, &session);
	__u32 *key = ctx->key;
	struct walk walk = { .seq = seq };

	if (!key) {
		/* Without its position, the pass has no end, and readers do not use it. */
		if (cursor)
			write_end(seq, cursor);
		return CONTINUE;
	}
	if (*key == 0) {
		if (!write_header(seq))
			return CONTINUE;
		walk.at.session = session;
		first_vm(&walk.at);
		walk.wrote = true;
	} else {
		if (!cursor || cursor->done)
			return CONTINUE;
		walk.at = *cursor;
	}
	/* The kernel may have given the entry to another session meanwhile. */
	if (walk.at.session != session)
		return CONTINUE;
	if (is_stale())
		walk.at.done = 1;
	else if (!is_valid(&walk.at))
		first_vm(&walk.at);
	if (!walk.at.done && with_clocks)
		bpf_for_each_map_elem(&parts, step, &walk, 0);
	else if (!walk.at.done)
		bpf_for_each_map_elem(&parts, step_without_clocks, &walk, 0);
	if (walk.failed || (walk.full && !walk.wrote))
		return RETRY;
	if (!is_valid(&walk.at))
		return RETRY;
	bpf_map_update_elem(&cursors, &session, &walk.at, BPF_ANY);
	return CONTINUE;
}

SEC("iter/bpf_map_elem")
int host_file(struct bpf_iter__bpf_map_elem *ctx)
{
	return write_part(ctx, true);
}

/* For kernels whose list of symbols does not have `runqueues` (CONFIG_KALLSYMS_ALL=n). */
SEC("iter/bpf_map_elem")
int host_file_without_clocks(struct bpf_iter__bpf_map_elem *ctx)
{
	return write_part(ctx, false);
}

/* ---- for the loader and for measurements; never pinned ---- */

SEC("iter/task_file")
int learn(struct bpf_iter__task_file *ctx)
{
	struct host_learned learned = {};
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	__u64 operations, node;

	if (!file || !task || task->tgid != bpf_get_current_pid_tgid() >> 32)
		return CONTINUE;
	operations = (__u64)BPF_CORE_READ(file, f_op);
	learned.fd = ctx->fd;
	learned.private_data = (__u64)BPF_CORE_READ(file, private_data);
	learned.operations = operations;
	learned.owner = read_pointer(operations);	/* the first member */
	node = follow(learned.owner, &layout.module_node);
	learned.instance = follow(node, &layout.node_id);
	learned.prev = list_prev(learned.private_data + layout.list_offset);
	bpf_seq_write(ctx->meta->seq, &learned, sizeof(learned));
	return CONTINUE;
}

/* Does nothing: the lowest cost that a pass can have. */
SEC("iter/bpf_map_elem")
int nothing(struct bpf_iter__bpf_map_elem *ctx)
{
	return CONTINUE;
}
