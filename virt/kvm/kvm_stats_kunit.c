// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the KVM binary statistics
 *
 * Tests what needs no VM: the descriptors of the architecture, the bytes that a
 * read returns, and the buckets of histograms.
 */
#include <kunit/test.h>
#include <linux/ctype.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "kvm_stats.h"

/* Descriptors */

static u32 type_of(const struct kvm_stats_desc *desc)
{
	return desc->flags & KVM_STATS_TYPE_MASK;
}

static u32 unit_of(const struct kvm_stats_desc *desc)
{
	return desc->flags & KVM_STATS_UNIT_MASK;
}

static u32 base_of(const struct kvm_stats_desc *desc)
{
	return desc->flags & KVM_STATS_BASE_MASK;
}

static bool is_histogram(const struct kvm_stats_desc *desc)
{
	return type_of(desc) == KVM_STATS_TYPE_LINEAR_HIST ||
	       type_of(desc) == KVM_STATS_TYPE_LOG_HIST;
}

static bool ends_in(const struct kvm_stats_desc *desc, const char *suffix)
{
	size_t len = strnlen(desc->name, KVM_STATS_NAME_SIZE);
	size_t suffix_len = strlen(suffix);

	return len >= suffix_len &&
	       !memcmp(desc->name + len - suffix_len, suffix, suffix_len);
}

/* The message names the statistic, even if its name has no NUL at the end. */
#define EXPECT_OF_DESC(test, desc, condition)				\
	KUNIT_EXPECT_TRUE_MSG(test, condition, "statistic %.*s",		\
			      KVM_STATS_NAME_SIZE, (desc)->name)

typedef void (*desc_check)(struct kunit *test,
			   const struct kvm_stats_desc *desc);

static void check_schema(struct kunit *test, desc_check check,
			 const struct kvm_stats_schema *schema)
{
	unsigned int n;

	for (n = 0; n < schema->num_desc; n++)
		check(test, &schema->desc[n]);
}

static void check_descriptors(struct kunit *test, desc_check check)
{
	check_schema(test, check, &kvm_vm_stats_schema);
	check_schema(test, check, &kvm_vcpu_stats_schema);
}

static void expect_names_differ(struct kunit *test,
				const struct kvm_stats_desc *a,
				const struct kvm_stats_desc *b)
{
	if (!strncmp(a->name, b->name, KVM_STATS_NAME_SIZE))
		KUNIT_FAIL(test, "two statistics have the name %.*s",
			   KVM_STATS_NAME_SIZE, b->name);
}

static void expect_unique_names(struct kunit *test,
				const struct kvm_stats_schema *schema)
{
	unsigned int n, before;

	for (n = 0; n < schema->num_desc; n++)
		for (before = 0; before < n; before++)
			expect_names_differ(test, &schema->desc[before],
					    &schema->desc[n]);
}

static void names_are_unique(struct kunit *test)
{
	expect_unique_names(test, &kvm_vm_stats_schema);
	expect_unique_names(test, &kvm_vcpu_stats_schema);
}

static bool is_name_char(char c)
{
	return isalnum(c) || c == '_';
}

static void check_name(struct kunit *test, const struct kvm_stats_desc *desc)
{
	size_t len = 0;

	while (len < KVM_STATS_NAME_SIZE && is_name_char(desc->name[len]))
		len++;

	EXPECT_OF_DESC(test, desc, len > 0);
	EXPECT_OF_DESC(test, desc, len < KVM_STATS_NAME_SIZE);
	EXPECT_OF_DESC(test, desc, !memchr_inv(desc->name + len, 0,
					       KVM_STATS_NAME_SIZE - len));
}

static void names_are_words_padded_with_nul(struct kunit *test)
{
	check_descriptors(test, check_name);
}

static void check_flags(struct kunit *test, const struct kvm_stats_desc *desc)
{
	const u32 defined = KVM_STATS_TYPE_MASK | KVM_STATS_UNIT_MASK |
			    KVM_STATS_BASE_MASK;

	EXPECT_OF_DESC(test, desc, type_of(desc) <= KVM_STATS_TYPE_MAX);
	EXPECT_OF_DESC(test, desc, unit_of(desc) <= KVM_STATS_UNIT_MAX);
	EXPECT_OF_DESC(test, desc, base_of(desc) <= KVM_STATS_BASE_MAX);
	EXPECT_OF_DESC(test, desc, !(desc->flags & ~defined));
}

static void flags_are_defined(struct kunit *test)
{
	check_descriptors(test, check_flags);
}

static bool exponent_suits_unit(const struct kvm_stats_desc *desc)
{
	switch (unit_of(desc)) {
	case KVM_STATS_UNIT_SECONDS:
		return base_of(desc) == KVM_STATS_BASE_POW10 &&
		       desc->exponent <= 0 && desc->exponent >= -9 &&
		       desc->exponent % 3 == 0;
	case KVM_STATS_UNIT_BYTES:
		return !desc->exponent ||
		       (base_of(desc) == KVM_STATS_BASE_POW2 &&
			desc->exponent > 0 && desc->exponent % 10 == 0);
	default:
		return base_of(desc) == KVM_STATS_BASE_POW10 && !desc->exponent;
	}
}

static bool is_in_nanoseconds(const struct kvm_stats_desc *desc)
{
	return unit_of(desc) == KVM_STATS_UNIT_SECONDS && desc->exponent == -9;
}

static void check_unit(struct kunit *test, const struct kvm_stats_desc *desc)
{
	EXPECT_OF_DESC(test, desc, exponent_suits_unit(desc));
	if (ends_in(desc, "_ns"))
		EXPECT_OF_DESC(test, desc, is_in_nanoseconds(desc));
	if (unit_of(desc) == KVM_STATS_UNIT_BOOLEAN)
		EXPECT_OF_DESC(test, desc,
			       type_of(desc) == KVM_STATS_TYPE_INSTANT);
}

static void exponents_suit_units(struct kunit *test)
{
	check_descriptors(test, check_unit);
}

static void check_size(struct kunit *test, const struct kvm_stats_desc *desc)
{
	bool linear = type_of(desc) == KVM_STATS_TYPE_LINEAR_HIST;

	EXPECT_OF_DESC(test, desc,
		       is_histogram(desc) ? desc->size > 1 : desc->size == 1);
	EXPECT_OF_DESC(test, desc, linear == !!desc->bucket_size);
}

static void sizes_suit_types(struct kunit *test)
{
	check_descriptors(test, check_size);
}

/*
 * Each value starts where the one before ends.  The lists guarantee this except
 * for KVM_STAT_DESC() without KVM_STAT_FIELD(), and for padding.
 */
static void expect_data_described(struct kunit *test,
				  const struct kvm_stats_schema *schema,
				  size_t size)
{
	size_t end = 0;
	unsigned int n;

	for (n = 0; n < schema->num_desc; n++) {
		const struct kvm_stats_desc *desc = &schema->desc[n];

		EXPECT_OF_DESC(test, desc, desc->offset == end);
		end = desc->offset + desc->size * sizeof(u64);
	}
	KUNIT_EXPECT_EQ(test, end, size);
	KUNIT_EXPECT_EQ(test, (size_t)schema->data_size, size);
}

static void values_are_described_without_gap(struct kunit *test)
{
	expect_data_described(test, &kvm_vm_stats_schema,
			      sizeof_field(struct kvm, stat));
	expect_data_described(test, &kvm_vcpu_stats_schema,
			      sizeof_field(struct kvm_vcpu, stat));
}

/*
 * A small file, of which every possible read can be tried.  It has both types
 * of histogram and a name of the maximum length.
 */
static const struct kvm_stats_desc small_desc[] __aligned(sizeof(u64)) = {
	{ .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1, .name = "a" },
	{ .flags = KVM_STATS_TYPE_LINEAR_HIST, .bucket_size = 7, .size = 3,
	  .offset = 8,
	  .name = "name_of_47_characters_the_most_that_leave_a_nul" },
	{ .flags = KVM_STATS_TYPE_PEAK | KVM_STATS_UNIT_BYTES |
		   KVM_STATS_BASE_POW2, .exponent = 10, .size = 1,
	  .offset = 32, .name = "kilobytes" },
	{ .flags = KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS,
	  .exponent = -9, .size = 2, .offset = 40, .name = "hist" },
};

static const struct kvm_stats_schema small_schema = {
	.desc = small_desc,
	.num_desc = ARRAY_SIZE(small_desc),
	.data_size = 56,
};

/* The VM and the vCPUs of a small file with records. */
static const struct kvm_stats_schema small_vm_schema = {
	.desc = small_desc,
	.num_desc = 1,
	.data_size = 8,
};

static const struct kvm_stats_desc small_vcpu_desc[] __aligned(sizeof(u64)) = {
	{ .flags = KVM_STATS_TYPE_LOG_HIST, .size = 2, .name = "vcpu_hist" },
};

static const struct kvm_stats_schema small_vcpu_schema = {
	.desc = small_vcpu_desc,
	.num_desc = ARRAY_SIZE(small_vcpu_desc),
	.data_size = 16,
};

/* Reads, compared with a model that contains the whole file */

#define SEED		20211u
#define MAX_RECORDS	3
#define MAX_BEYOND	64	/* bytes behind the end that reads ask for */
#define POISON		0xa5

/**
 * struct model - the expected contents of a statistics file
 * @stats: the file
 * @vm: its VM
 * @kvm: the VM that @vm points to
 * @bytes: the expected contents
 * @size: number of @bytes
 * @buf: buffer that is large enough for every read
 * @rnd: state of the random numbers, seeded with SEED
 */
struct model {
	struct kvm_stats_file stats;
	struct kvm_stats_vm vm;
	struct kvm *kvm;
	u8 *bytes;
	size_t size;
	u8 *buf;
	struct rnd_state rnd;
};

static void put(struct model *model, const void *data, size_t size)
{
	memcpy(model->bytes + model->size, data, size);
	model->size += size;
}

static void put_u64(struct model *model, u64 value)
{
	put(model, &value, 8);
}

static void put_u32(struct model *model, u32 value)
{
	put(model, &value, 4);
}

static void put_u16(struct model *model, u16 value)
{
	put(model, &value, 2);
}

static void put_name(struct model *model, const char *name)
{
	char padded[48];

	strscpy_pad(padded, name, sizeof(padded));
	put(model, padded, sizeof(padded));
}

static void put_desc(struct model *model, const struct kvm_stats_desc *desc)
{
	put_u32(model, desc->flags);
	put_u16(model, desc->exponent);
	put_u16(model, desc->size);
	put_u32(model, desc->offset);
	put_u32(model, desc->bucket_size);
	put_name(model, desc->name);
}

static void put_descs(struct model *model,
		      const struct kvm_stats_schema *schema)
{
	unsigned int n;

	for (n = 0; n < schema->num_desc; n++)
		put_desc(model, &schema->desc[n]);
}

/* The offsets are literal, because they are part of the ABI. */
static void put_file(struct model *model, const char *id)
{
	const struct kvm_stats_schema *schema = model->stats.schema;

	put_u32(model, 0);
	put_u32(model, 48);
	put_u32(model, schema->num_desc);
	put_u32(model, 24);
	put_u32(model, 72);
	put_u32(model, 72 + 64 * schema->num_desc);
	put_name(model, id);
	put_descs(model, schema);
	put(model, model->stats.values, schema->data_size);
}

static size_t record_size(const struct model *model)
{
	return 16 + model->stats.vcpu_schema->data_size;
}

static void put_record(struct model *model, const struct kvm_vcpu *vcpu)
{
	put_u64(model, vcpu->vcpu_id);
	put_u64(model, 0);
	put(model, &vcpu->stat, model->stats.vcpu_schema->data_size);
}

static void put_head_with_vcpus(struct model *model, const char *id)
{
	const struct kvm_stats_schema *schema = model->stats.schema;
	const struct kvm_stats_schema *vcpu_schema = model->stats.vcpu_schema;
	size_t vcpu_desc = 104 + 64 * schema->num_desc;
	size_t data = vcpu_desc + 64 * vcpu_schema->num_desc;

	put_u32(model, 1);
	put_u32(model, 48);
	put_u32(model, schema->num_desc);
	put_u32(model, 24);
	put_u32(model, 104);
	put_u32(model, data);
	put_name(model, id);
	put_u64(model, 0);
	put_u32(model, vcpu_schema->num_desc);
	put_u32(model, vcpu_desc);
	put_u32(model, data + schema->data_size);
	put_u32(model, record_size(model));
	put_u32(model, 16);
	put_u32(model, 0);
}

static void put_file_with_vcpus(struct model *model, unsigned int num,
				const char *id)
{
	const struct kvm_stats_schema *schema = model->stats.schema;
	unsigned int n;

	put_head_with_vcpus(model, id);
	put_descs(model, schema);
	put_descs(model, model->stats.vcpu_schema);
	put(model, model->stats.values, schema->data_size);
	for (n = 0; n < num; n++)
		put_record(model, model->kvm->vcpus[n]);
}

static void *test_alloc(struct kunit *test, size_t size)
{
	void *p = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);
	return p;
}

static struct model *make_model(struct kunit *test,
				const struct kvm_stats_schema *schema,
				pid_t pid, int vcpu_id, const char *id)
{
	size_t size = 72 + 64 * schema->num_desc + schema->data_size;
	struct model *model = test_alloc(test, sizeof(*model));
	struct kvm_vcpu *vcpu = test_alloc(test, sizeof(*vcpu));
	u64 *values = test_alloc(test, schema->data_size);

	prandom_seed_state(&model->rnd, SEED);
	prandom_bytes_state(&model->rnd, values, schema->data_size);
	vcpu->vcpu_id = vcpu_id;
	model->kvm = test_alloc(test, sizeof(*model->kvm));
	RCU_INIT_POINTER(model->vm.kvm, model->kvm);
	model->vm.pid = pid;
	model->stats.vm = &model->vm;
	model->stats.vcpu = vcpu_id < 0 ? NULL : vcpu;
	model->stats.schema = schema;
	model->stats.values = values;
	kvm_stats_compose(&model->stats);

	model->buf = test_alloc(test, size + 2 * MAX_BEYOND);
	model->bytes = test_alloc(test, size);
	put_file(model, id);
	return model;
}

/* The VM has a further vCPU that is not online, which no read may return. */
static struct kvm *make_vm(struct kunit *test, struct rnd_state *rnd,
			   unsigned int num_online)
{
	struct kvm *kvm = test_alloc(test, sizeof(*kvm));
	unsigned int n;

	atomic_set(&kvm->online_vcpus, num_online);
	prandom_bytes_state(rnd, &kvm->stat, sizeof(kvm->stat));
	for (n = 0; n <= num_online; n++) {
		struct kvm_vcpu *vcpu = test_alloc(test, sizeof(*vcpu));

		vcpu->vcpu_id = INT_MAX - 10 * n;
		vcpu->stats_record.vcpu_id = vcpu->vcpu_id;
		prandom_bytes_state(rnd, &vcpu->stat, sizeof(vcpu->stat));
		kvm->vcpus[n] = vcpu;
	}
	return kvm;
}

static struct model *make_model_with_vcpus(struct kunit *test,
					   const struct kvm_stats_schema *schema,
					   const struct kvm_stats_schema *vcpu,
					   unsigned int num)
{
	size_t data = 104 + 64 * (schema->num_desc + vcpu->num_desc);
	size_t size = data + schema->data_size + num * (16 + vcpu->data_size);
	struct model *model = test_alloc(test, sizeof(*model));

	prandom_seed_state(&model->rnd, SEED);
	model->kvm = make_vm(test, &model->rnd, num);
	RCU_INIT_POINTER(model->vm.kvm, model->kvm);
	model->vm.pid = INT_MAX;
	model->stats.vm = &model->vm;
	model->stats.schema = schema;
	model->stats.vcpu_schema = vcpu;
	model->stats.values = &model->kvm->stat;
	kvm_stats_compose(&model->stats);

	model->buf = test_alloc(test, size + 2 * MAX_BEYOND);
	model->bytes = test_alloc(test, size);
	put_file_with_vcpus(model, num, "kvm-2147483647");
	return model;
}

static struct model *small_model_with_vcpus(struct kunit *test,
					    unsigned int num)
{
	return make_model_with_vcpus(test, &small_vm_schema, &small_vcpu_schema,
				     num);
}

static struct model *model_of_vm(struct kunit *test)
{
	return make_model(test, &kvm_vm_stats_schema, 1, -1, "kvm-1");
}

static struct model *model_of_vcpu(struct kunit *test)
{
	return make_model(test, &kvm_vcpu_stats_schema, 4194304, 0,
			  "kvm-4194304/vcpu-0");
}

static struct model *small_model(struct kunit *test)
{
	return make_model(test, &small_schema, INT_MAX, INT_MAX,
			  "kvm-2147483647/vcpu-2147483647");
}

/* Read the file at @pos, as ->read does it, and advance @pos. */
static ssize_t read_file(const struct kvm_stats_file *stats, loff_t *pos,
			 void *to, size_t size)
{
	u64 buf[KVM_STATS_BUFFER];
	size_t copied = 0;
	ssize_t loaded;

	while (copied < size) {
		loaded = kvm_stats_load(stats, *pos, size - copied, buf);
		if (loaded <= 0)
			return copied ?: loaded;

		memcpy(to + copied, (void *)buf + (u32)*pos % sizeof(u64),
		       loaded);
		copied += loaded;
		*pos += loaded;
	}
	return copied;
}

static bool fail_read(struct kunit *test, const struct model *model,
		      loff_t pos, size_t size, const char *what, s64 is,
		      s64 should)
{
	KUNIT_FAIL(test, "%s, read of %zu bytes at %lld: %s %lld, not %lld; seed %u",
		   model->bytes + 24, size, pos, what, is, should, SEED);
	return false;
}

/* Compare model->buf with the model; bytes behind the read must be POISON. */
static bool check_buf(struct kunit *test, const struct model *model,
		      loff_t pos, size_t size, size_t copied)
{
	size_t i;

	for (i = 0; i < size + MAX_BEYOND; i++) {
		u8 should = i < copied ? model->bytes[pos + i] : POISON;

		if (model->buf[i] != should)
			return fail_read(test, model, pos + i, size,
					 "the byte here is", model->buf[i],
					 should);
	}
	return true;
}

/* Read @size bytes at @pos; return whether all is correct. */
static bool check_read(struct kunit *test, const struct model *model,
		       loff_t pos, size_t size)
{
	loff_t left = max_t(loff_t, model->size - pos, 0);
	size_t should = min_t(u64, left, size);
	loff_t end = pos;
	ssize_t copied;

	memset(model->buf, POISON, size + MAX_BEYOND);
	copied = read_file(&model->stats, &end, model->buf, size);

	if (copied != should)
		return fail_read(test, model, pos, size, "returns", copied,
				 should);
	if (end != pos + copied)
		return fail_read(test, model, pos, size, "ends at", end,
				 pos + copied);
	return check_buf(test, model, pos, size, copied);
}

static bool every_read(struct kunit *test, struct model *model)
{
	size_t pos, size;

	for (pos = 0; pos <= model->size; pos++) {
		for (size = 0; size <= model->size - pos + 1; size++)
			if (!check_read(test, model, pos, size))
				return false;
		cond_resched();
	}
	return true;
}

static void every_read_of_small_file(struct kunit *test)
{
	every_read(test, small_model(test));
}

/* KUnit keeps 512 bytes of the log of a case, so only the first failure. */
static void every_read_of_files_with_records(struct kunit *test)
{
	if (every_read(test, small_model_with_vcpus(test, 0)) &&
	    every_read(test, small_model_with_vcpus(test, 1)))
		every_read(test, small_model_with_vcpus(test, MAX_RECORDS));
}

static u32 random_below(struct model *model, u32 limit)
{
	return prandom_u32_state(&model->rnd) % limit;
}

static bool random_read(struct kunit *test, struct model *model)
{
	loff_t pos = random_below(model, model->size + MAX_BEYOND);
	size_t size = random_below(model, model->size + MAX_BEYOND);

	return check_read(test, model, pos, size);
}

static void random_reads(struct kunit *test, struct model *model)
{
	unsigned int i;

	for (i = 0; i < 4000 && random_read(test, model); i++)
		cond_resched();
}

static void random_reads_of_vm_file(struct kunit *test)
{
	random_reads(test, model_of_vm(test));
}

static void random_reads_of_vcpu_file(struct kunit *test)
{
	random_reads(test, model_of_vcpu(test));
}

/* The end, and offsets whose lower half alone would be within the file. */
static void reads_behind_the_end(struct kunit *test)
{
	struct model *model = model_of_vcpu(test);

	check_read(test, model, model->size - 1, MAX_BEYOND);
	check_read(test, model, model->size, MAX_BEYOND);
	check_read(test, model, model->size + 1, MAX_BEYOND);
	check_read(test, model, 1LL << 32, MAX_BEYOND);
	check_read(test, model, (1LL << 32) + model->size - 8, MAX_BEYOND);
	check_read(test, model, S64_MAX, MAX_BEYOND);
}

static void random_reads_of_file_with_records(struct kunit *test)
{
	random_reads(test, make_model_with_vcpus(test, &kvm_vm_stats_schema,
						 &kvm_vcpu_stats_schema,
						 MAX_RECORDS));
}

/* A record number of which the lower half alone would be in the file. */
static void reads_behind_the_records(struct kunit *test)
{
	struct model *model = small_model_with_vcpus(test, MAX_RECORDS);
	loff_t far = (loff_t)record_size(model) << 32;

	check_read(test, model, model->size, MAX_BEYOND);
	check_read(test, model, 1LL << 32, MAX_BEYOND);
	check_read(test, model, far, MAX_BEYOND);
	check_read(test, model, far + model->size - 8, MAX_BEYOND);
	check_read(test, model, S64_MAX, MAX_BEYOND);
}

/* The records end with the vCPUs that are online at the time of the read. */
static void file_grows_with_each_vcpu(struct kunit *test)
{
	struct model *model = small_model_with_vcpus(test, MAX_RECORDS);
	size_t start = model->size - MAX_RECORDS * record_size(model);
	unsigned int num, skip;

	for (num = 0; num <= MAX_RECORDS; num++) {
		atomic_set(&model->kvm->online_vcpus, num);
		model->size = start + num * record_size(model);
		for (skip = 0; skip <= record_size(model); skip++)
			if (!check_read(test, model, model->size - skip,
					record_size(model) + MAX_BEYOND))
				return;
	}
}

static void reads_after_the_end_of_the_vm(struct kunit *test)
{
	struct model *model = small_model_with_vcpus(test, 1);
	loff_t pos = 0;

	RCU_INIT_POINTER(model->vm.kvm, NULL);
	KUNIT_EXPECT_EQ(test, (int)read_file(&model->stats, &pos, model->buf, 8),
			-ENODEV);
	KUNIT_EXPECT_EQ(test, (int)pos, 0);
}

/* Values that change during a read */

#define NUM_FLIPPING	512
#define FLIPPING_POS	(72 + 64)

static const struct kvm_stats_desc flipping_desc __aligned(sizeof(u64)) = {
	.flags = KVM_STATS_TYPE_LOG_HIST, .size = NUM_FLIPPING,
	.name = "flipping",
};

static const struct kvm_stats_schema flipping_schema = {
	.desc = &flipping_desc,
	.num_desc = 1,
	.data_size = NUM_FLIPPING * sizeof(u64),
};

/**
 * struct flipping - values whose bits are all set and cleared continuously
 * @values: the values
 * @read: buffer for reads of @values
 * @mixed: number of reads during which the values changed
 * @timer: writes to @values in the middle of a read, even on a single CPU
 * @task: writes to @values all the time
 */
struct flipping {
	u64 values[NUM_FLIPPING];
	u64 read[NUM_FLIPPING];
	unsigned int mixed;
	struct hrtimer timer;
	struct task_struct *task;
};

static void flip(u64 *values)
{
	u64 flipped = ~READ_ONCE(values[0]) & 1 ? U64_MAX : 0;
	size_t i;

	for (i = 0; i < NUM_FLIPPING; i++)
		WRITE_ONCE(values[i], flipped);
}

static enum hrtimer_restart flip_by_timer(struct hrtimer *timer)
{
	flip(container_of(timer, struct flipping, timer)->values);
	hrtimer_forward_now(timer, ms_to_ktime(1));
	return HRTIMER_RESTART;
}

static int flip_by_task(void *data)
{
	struct flipping *flipping = data;

	while (!kthread_should_stop()) {
		flip(flipping->values);
		cond_resched();
	}
	return 0;
}

static void start_flipping(struct kunit *test, struct flipping *flipping)
{
	struct task_struct *task;

	task = kthread_run(flip_by_task, flipping, "kvm-stats-flip");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	flipping->task = task;
	hrtimer_init(&flipping->timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_REL_PINNED);
	flipping->timer.function = flip_by_timer;
	hrtimer_start(&flipping->timer, ms_to_ktime(1),
		      HRTIMER_MODE_REL_PINNED);
}

static void stop_flipping(struct flipping *flipping)
{
	hrtimer_cancel(&flipping->timer);
	kthread_stop(flipping->task);
}

static bool is_uniform(u32 half)
{
	return !half || half == U32_MAX;
}

/* 32-bit hosts load a u64 in two halves, of which each must be whole. */
static bool is_whole(u64 value)
{
	u32 low = lower_32_bits(value), high = upper_32_bits(value);

	return is_uniform(low) && is_uniform(high) &&
	       (!IS_ENABLED(CONFIG_64BIT) || low == high);
}

/* The first value is incomplete if the read starts in its middle. */
static bool check_flipping(struct kunit *test, struct flipping *flipping,
			   bool incomplete)
{
	bool mixed = false;
	size_t i;

	for (i = incomplete; i < NUM_FLIPPING; i++) {
		if (!is_whole(flipping->read[i])) {
			KUNIT_FAIL(test, "value %zu is torn: %#llx", i,
				   flipping->read[i]);
			flipping->mixed++;
			return false;
		}
		mixed |= flipping->read[i] != flipping->read[NUM_FLIPPING - 1];
	}
	flipping->mixed += mixed;
	return true;
}

/* Read from the byte @skip of the first value to the end. */
static bool read_flipping(struct kunit *test, struct flipping *flipping,
			  const struct kvm_stats_file *stats, size_t skip)
{
	ssize_t size = sizeof(flipping->read) - skip;
	loff_t pos = FLIPPING_POS + skip;
	ssize_t copied;

	copied = read_file(stats, &pos, (void *)flipping->read + skip, size);
	if (copied != size) {
		KUNIT_FAIL(test, "read returns %zd, not %zd", copied, size);
		return false;
	}
	return check_flipping(test, flipping, skip);
}

/* At least one read must see a change, or the test would prove nothing. */
static void read_while_flipping(struct kunit *test, struct flipping *flipping,
				const struct kvm_stats_file *stats)
{
	unsigned long end = jiffies + HZ / 2;
	size_t skip = 0;

	flipping->mixed = 0;
	do {
		skip = (skip + 1) % sizeof(u64);
		cond_resched();
	} while (read_flipping(test, flipping, stats, skip) &&
		 time_before(jiffies, end));
	KUNIT_EXPECT_GT(test, flipping->mixed, 0u);
}

static void changing_values_are_whole(struct kunit *test)
{
	struct flipping *flipping = test_alloc(test, sizeof(*flipping));
	struct model *model = make_model(test, &flipping_schema, 1, -1, "kvm-1");

	model->stats.values = flipping->values;
	start_flipping(test, flipping);
	read_while_flipping(test, flipping, &model->stats);
	stop_flipping(flipping);
}

/* Histograms */

/* Find the bucket without the arithmetic that is under test. */
static size_t bucket_of(u64 value)
{
	size_t bucket = 0;

	for (; value; value >>= 1)
		bucket++;
	return min_t(size_t, bucket, KVM_STATS_BUCKETS - 1);
}

static void assert_counted(struct kunit *test, u64 *buckets, u64 value)
{
	size_t bucket = bucket_of(value);

	kvm_stats_log2_hist_update(buckets, value);
	kvm_stats_log2_hist_update(buckets, value);
	buckets[bucket] -= 2;
	KUNIT_ASSERT_TRUE_MSG(test, !memchr_inv(buckets, 0, sizeof(u64) *
						(KVM_STATS_BUCKETS + 1)),
			      "%#llx belongs in bucket %zu", value, bucket);
}

static void log2_histogram(struct kunit *test)
{
	/* One more bucket, which must remain 0. */
	u64 *buckets = test_alloc(test, sizeof(u64) * (KVM_STATS_BUCKETS + 1));
	unsigned int n;

	assert_counted(test, buckets, 0);
	for (n = 0; n < 64; n++) {
		assert_counted(test, buckets, BIT_ULL(n) - 1);
		assert_counted(test, buckets, BIT_ULL(n));
		assert_counted(test, buckets, BIT_ULL(n) + 1);
	}
	assert_counted(test, buckets, U64_MAX);
}

static struct kunit_case kvm_stats_cases[] = {
	KUNIT_CASE(names_are_unique),
	KUNIT_CASE(names_are_words_padded_with_nul),
	KUNIT_CASE(flags_are_defined),
	KUNIT_CASE(exponents_suit_units),
	KUNIT_CASE(sizes_suit_types),
	KUNIT_CASE(values_are_described_without_gap),
	KUNIT_CASE(every_read_of_small_file),
	KUNIT_CASE(random_reads_of_vm_file),
	KUNIT_CASE(random_reads_of_vcpu_file),
	KUNIT_CASE(reads_behind_the_end),
	KUNIT_CASE(every_read_of_files_with_records),
	KUNIT_CASE(random_reads_of_file_with_records),
	KUNIT_CASE(reads_behind_the_records),
	KUNIT_CASE(file_grows_with_each_vcpu),
	KUNIT_CASE(reads_after_the_end_of_the_vm),
	KUNIT_CASE(changing_values_are_whole),
	KUNIT_CASE(log2_histogram),
	{}
};

static struct kunit_suite kvm_stats_suite = {
	.name = "kvm_stats",
	.test_cases = kvm_stats_cases,
};

#ifdef CONFIG_KVM_EXIT_STATS
kunit_test_suites(&kvm_stats_suite, &kvm_exit_classes_suite);
#else
kunit_test_suites(&kvm_stats_suite);
#endif

MODULE_LICENSE("GPL");
