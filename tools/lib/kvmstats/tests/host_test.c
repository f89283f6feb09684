// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Test the host file: VMs and vCPUs from pass to pass, later versions of the format, damaged
 * passes, and where passes come from. The Makefile replaces read() and the functions that
 * allocate memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "failures.h"
#include "host_image.h"
#include "internal.h"
#include "tap.h"

/* ---- failures ---- */

static size_t max_read = SIZE_MAX;	/* bytes that read() returns at most */
static int read_error;			/* of the next @read_errors calls */
static unsigned int read_errors;
static unsigned int good_reads;		/* before them */
static unsigned int allocations = UINT_MAX;	/* number of allocations before they fail */

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	if (good_reads) {
		good_reads--;
	} else if (read_errors) {
		read_errors--;
		errno = read_error;
		return -1;
	}
	return __real_read(fd, buf, size < max_read ? size : max_read);
}

static bool may_allocate(void)
{
	if (allocations == UINT_MAX)
		return true;
	if (!allocations)
		return false;
	allocations--;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return may_allocate() ? __real_realloc(old, size) : NULL;
}

/* ---- what the tests use ---- */

#define HEADER_SIZE	(sizeof(struct kvm_host_header) + \
			 (HOST_IMAGE_VM_STATS + HOST_IMAGE_VCPU_STATS) * IMAGE_STRIDE)
#define VM_SIZE		(sizeof(struct kvm_host_vm) + 8 * HOST_IMAGE_VM_STATS)
#define VCPU_SIZE	(sizeof(struct kvm_host_vcpu) + \
			 8 * (HOST_IMAGE_VCPU_STATS - 1 + HOST_IMAGE_BUCKETS))
/* Positions in a pass of host_image_pass() */
#define AT_VM		HEADER_SIZE
#define AT_VCPU		(AT_VM + VM_SIZE)
#define AT_VM2		(AT_VM + VM_SIZE + 2 * VCPU_SIZE)
#define AT_END		(AT_VM + 2 * (VM_SIZE + 2 * VCPU_SIZE))
#define PASS_SIZE	(AT_END + sizeof(struct kvm_host_end))

#define NONE		UINT64_MAX

static const struct host_image new_image = { .session = 1, .time = 1000 };

/* The image is a file, which the host closes. Frees the image. */
static struct kvmstats_host *open_image(struct host_image *image)
{
	int fd = bytes_fd(image->data, image->size);
	struct kvmstats_host *host;
	char path[64];

	free(image->data);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (kvmstats_host_open(&host, path))
		exit(1);
	close(fd);
	return host;
}

/* Returns the error of the first pass. There must be no VM then. */
static int read_once(struct host_image *image)
{
	struct kvmstats_host *host = open_image(image);
	int err = kvmstats_host_read(host);

	if (err && (kvmstats_host_vms(host) || kvmstats_host_time(host)))
		err = 1;
	kvmstats_host_close(host);
	return err;
}

static const struct kvmstats_host_vm *find_vm(const struct kvmstats_host *host, uint64_t id)
{
	const struct kvmstats_host_vm *vm = NULL;
	size_t i;

	for (i = 0; i < kvmstats_host_vms(host); i++) {
		if (kvmstats_host_vm_id(kvmstats_host_vm(host, i)) == id)
			vm = kvmstats_host_vm(host, i);
	}
	return vm;
}

static uint64_t value_of(const struct kvmstats_host *host, enum kvmstats_kind kind,
			 const struct kvmstats_sample *sample, const char *name)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, kind);
	uint64_t value;

	if (!sample || kvmstats_sample_value(sample, kvmstats_schema_find(schema, name), 0, &value))
		return NONE;
	return value;
}

/* Return the first value of the VM or vCPU, now or in the pass before, or NONE. */
static uint64_t vm_value(const struct kvmstats_host *host, uint64_t id, bool before)
{
	const struct kvmstats_host_vm *vm = find_vm(host, id);

	if (!vm)
		return NONE;
	return value_of(host, KVMSTATS_KIND_VM, before ? kvmstats_host_vm_before(vm) :
			kvmstats_host_vm_now(vm), "remote_tlb_flush");
}

static uint64_t vcpu_value(const struct kvmstats_host *host, uint64_t vm_id, size_t i, bool before)
{
	const struct kvmstats_host_vm *vm = find_vm(host, vm_id);
	const struct kvmstats_host_vcpu *vcpu = vm ? kvmstats_host_vm_vcpu(vm, i) : NULL;

	if (!vcpu)
		return NONE;
	return value_of(host, KVMSTATS_KIND_VCPU, before ? kvmstats_host_vcpu_before(vcpu) :
			kvmstats_host_vcpu_now(vcpu), "exits");
}

/* Whether the last pass is that of host_image_pass(). */
static bool has_pass(const struct kvmstats_host *host, uint64_t value, uint64_t before)
{
	uint64_t vm, i;
	bool same = kvmstats_host_vms(host) == 2;

	for (vm = 10; vm <= 20; vm += 10) {
		const uint64_t more = 100 * vm;

		same = same && kvmstats_host_vm_vcpus(find_vm(host, vm)) == 2 &&
		       vm_value(host, vm, false) == value + more &&
		       vm_value(host, vm, true) == (before == NONE ? NONE : before + more);
		for (i = 0; i < 2; i++)
			same = same &&
			       vcpu_value(host, vm, i, false) == value + more + 10 + 10 * i &&
			       vcpu_value(host, vm, i, true) ==
			       (before == NONE ? NONE : before + more + 10 + 10 * i);
	}
	return same;
}

/* ---- a pass ---- */

static void test_pass(void)
{
	struct host_image image = new_image;
	const struct kvmstats_host_vcpu *vcpu;
	const struct kvmstats_host_vm *vm;
	const struct kvmstats_stat *hist;
	struct kvmstats_host *host;
	int fd = dup(0);

	close(fd);
	host_image_header(&image, 0);
	host_image_vm(&image, 20, 0, 500);
	host_image_vcpu(&image, 20, 7, 600);
	host_image_vm(&image, 10, KVM_HOST_ORPHAN, 700);
	host_image_end(&image, 0);
	host = open_image(&image);
	tap_ok(!kvmstats_host_schema(host, KVMSTATS_KIND_VM) && !kvmstats_host_time(host),
	       "before the first pass there are no schemas and no time");
	if (!tap_is(kvmstats_host_read(host), 0, "a pass is read"))
		return;
	tap_is(kvmstats_host_time(host), 1001, "the time of the pass is that of the header");
	tap_is(kvmstats_host_boottime(host), 1501, "so is the time since boot");
	tap_is(kvmstats_host_instance(host), 4711, "so is the instance of KVM's module");
	tap_is(kvmstats_host_is_nested(host), 0, "the reader is not in a nested PID namespace");
	tap_is(kvmstats_schema_count(kvmstats_host_schema(host, KVMSTATS_KIND_VM)),
	       HOST_IMAGE_VM_STATS, "the VM's schema has all statistics");
	tap_is(kvmstats_schema_count(kvmstats_host_schema(host, KVMSTATS_KIND_VCPU)),
	       HOST_IMAGE_VCPU_STATS, "the vCPU's schema has all statistics");
	tap_is(kvmstats_host_vms(host), 2, "the pass has two VMs");
	tap_ok(!kvmstats_host_vm(host, 2), "an index after the last VM returns NULL");
	vm = find_vm(host, 20);
	tap_is(kvmstats_host_vm_pid(vm), 1020, "a VM has its PID");
	tap_is(kvmstats_host_vm_start_time(vm), 1000020, "a VM has the start time of its process");
	tap_is(kvmstats_host_vm_is_orphan(vm), 0, "a VM whose process lives is not an orphan");
	tap_is(kvmstats_host_vm_is_orphan(find_vm(host, 10)), 1, "an orphan is one");
	tap_is(kvmstats_sample_time(kvmstats_host_vm_now(vm)), 1002, "a VM's values have a time");
	tap_is(value_of(host, KVMSTATS_KIND_VM, kvmstats_host_vm_now(vm), "pages_4k"), 501,
	       "a VM has its values");
	tap_ok(!kvmstats_host_vm_before(vm), "a new VM has no sample before");
	tap_is(kvmstats_host_vm_vcpus(find_vm(host, 10)), 0, "a VM can be without vCPUs");
	tap_is(kvmstats_host_vm_vcpus(vm), 1, "the other VM has a vCPU");
	tap_ok(!kvmstats_host_vm_vcpu(vm, 1), "an index after the last vCPU returns NULL");
	vcpu = kvmstats_host_vm_vcpu(vm, 0);
	tap_is(kvmstats_host_vcpu_id(vcpu), 7, "a vCPU has its ID");
	tap_is(kvmstats_host_vcpu_tid(vcpu), 2007, "a vCPU has its thread");
	tap_is(kvmstats_sample_time(kvmstats_host_vcpu_now(vcpu)), 1003,
	       "a vCPU's values have a time");
	hist = kvmstats_schema_find(kvmstats_host_schema(host, KVMSTATS_KIND_VCPU),
				    "halt_wait_hist");
	tap_is(kvmstats_sample_values(kvmstats_host_vcpu_now(vcpu), hist)[3], 604,
	       "a vCPU has its values");
	tap_ok(!kvmstats_host_vcpu_before(vcpu), "a new vCPU has no sample before");
	tap_is(kvmstats_host_read(host), -ENODATA, "after the last pass there is no other");
	tap_is(kvmstats_host_vms(host), 2, "the VMs of the last pass are still there");
	kvmstats_host_close(host);
	kvmstats_host_close(NULL);
	tap_is(dup(0), fd, "the file is closed");
	close(fd);
}

/* ---- from pass to pass ---- */

static void test_follow(void)
{
	struct host_image image = new_image;
	struct kvmstats_host *host;
	double rate = 0;

	host_image_pass(&image, 1);
	/* Another order; VM 10 has a new vCPU before its others, VM 5 is new, VM 20 ends. */
	host_image_header(&image, 0);
	host_image_vm(&image, 5, 0, 50);
	host_image_vm(&image, 10, 0, 2000);
	host_image_vcpu(&image, 10, 1, 2002);
	host_image_vcpu(&image, 10, 0, 2001);
	host_image_vcpu(&image, 10, 3, 2003);
	host_image_end(&image, 0);
	/* vCPU 0 is gone, vCPU 2 is between the others. */
	host_image_header(&image, 0);
	host_image_vm(&image, 10, 0, 3000);
	host_image_vcpu(&image, 10, 1, 3001);
	host_image_vcpu(&image, 10, 2, 3002);
	host_image_vcpu(&image, 10, 3, 3003);
	host_image_end(&image, 0);
	host_image_pass(&image, 4000);
	host = open_image(&image);
	kvmstats_host_read(host);
	tap_ok(has_pass(host, 1, NONE), "the first of several passes is read");
	tap_is(kvmstats_host_read(host), 0, "the second pass is read");
	tap_is(vm_value(host, 10, false), 2000, "a VM has its new values");
	tap_is(vm_value(host, 10, true), 1001, "a VM has the values of the pass before");
	tap_is(vm_value(host, 5, false), 50, "a VM appears");
	tap_is(vm_value(host, 5, true), NONE, "a VM that appears has no sample before");
	tap_ok(!find_vm(host, 20), "a VM ends");
	tap_is(kvmstats_host_vm_vcpus(find_vm(host, 10)), 3, "a vCPU is added");
	tap_is(vcpu_value(host, 10, 0, false), 2001, "vCPUs are in the order of their IDs");
	tap_is(vcpu_value(host, 10, 1, true), 1021, "a vCPU has the values of the pass before");
	tap_is(vcpu_value(host, 10, 2, true), NONE, "a vCPU that was added has no sample before");
	kvmstats_rate(kvmstats_host_vm_before(find_vm(host, 10)),
		      kvmstats_host_vm_now(find_vm(host, 10)),
		      kvmstats_schema_find(kvmstats_host_schema(host, KVMSTATS_KIND_VM),
					   "remote_tlb_flush"), 0, &rate);
	tap_is((long long)(rate / 1e9), (2000 - 1001) / 9, "a VM has a rate");
	tap_is(kvmstats_host_read(host), 0, "the third pass is read");
	tap_is(vm_value(host, 10, true), 2000, "the pass before is the second one");
	tap_is(vcpu_value(host, 10, 0, true), 2002, "a vCPU is followed although one was removed");
	tap_is(vcpu_value(host, 10, 1, true), NONE, "a vCPU between others is new");
	tap_is(vcpu_value(host, 10, 2, true), 2003, "a vCPU is followed although one was added");
	kvmstats_host_read(host);
	tap_is(vm_value(host, 10, true), 3000, "the pass before is the third one");
	tap_is(vm_value(host, 20, true), NONE, "a VM that is back has no sample before");
	kvmstats_host_close(host);
}

static void test_repeated(void)
{
	struct host_image image = new_image;
	struct kvmstats_host *host;

	host_image_pass(&image, 1);
	host_image_header(&image, 0);
	host_image_vcpu(&image, 10, 1, 100);	/* before its VM */
	host_image_vcpu(&image, 3, 0, 300);	/* their VMs have no records */
	host_image_vcpu(&image, 30, 0, 300);
	host_image_vm(&image, 10, 0, 101);
	host_image_vcpu(&image, 10, 0, 102);
	host_image_vcpu(&image, 10, 1, 103);
	host_image_vm(&image, 10, 0, 104);
	host_image_vcpu(&image, 10, 0, 105);
	host_image_end(&image, 0);
	host_image_pass(&image, 200);
	host = open_image(&image);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_read(host), 0, "a pass that repeats a VM and vCPUs is read");
	tap_is(kvmstats_host_vms(host), 1, "the VM is there once, and no VM without a record");
	tap_is(kvmstats_host_vm_vcpus(find_vm(host, 10)), 2, "each of its vCPUs is there once");
	tap_is(vm_value(host, 10, false), 104, "the last record of the VM counts");
	tap_is(vm_value(host, 10, true), 1001, "its values before are those of the pass before");
	tap_is(vcpu_value(host, 10, 0, false), 105, "the last record of a vCPU counts");
	tap_is(vcpu_value(host, 10, 1, false), 103, "so it does if the first was before its VM");
	tap_is(vcpu_value(host, 10, 0, true), 1011,
	       "the vCPU's values before are those of the pass before");
	kvmstats_host_read(host);
	tap_is(vm_value(host, 10, true), 104, "in the next pass, the last record is before");
	tap_is(vcpu_value(host, 10, 0, true), 105, "this applies to vCPUs, too");
	kvmstats_host_close(host);
}

/* The second pass has the same VMs with the same values. */
static void test_session(void)
{
	struct host_image image = new_image;
	const struct kvmstats_schema *first;
	struct kvmstats_host *host;

	host_image_pass(&image, 1);
	image.session = 2;
	host_image_pass(&image, 1);
	host_image_pass(&image, 2);
	/* "exits" becomes "exist". */
	host_image_pass(&image, 3);
	memcpy(image.data + 3 * PASS_SIZE + sizeof(struct kvm_host_header) + 2 * IMAGE_STRIDE +
	       sizeof(struct kvm_stats_desc), "exist", 5);
	host_image_pass(&image, 4);
	host = open_image(&image);
	kvmstats_host_read(host);
	first = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	kvmstats_host_read(host);
	tap_ok(has_pass(host, 1, NONE) && !kvmstats_host_vm_before(kvmstats_host_vm(host, 0)),
	       "the VMs of another session are new");
	kvmstats_host_read(host);
	tap_ok(has_pass(host, 2, 1), "they are followed in that session");
	tap_is(kvmstats_host_read(host), 0, "a pass with other descriptors is read");
	tap_ok(!kvmstats_schema_find(kvmstats_host_schema(host, KVMSTATS_KIND_VCPU), "exits"),
	       "the schema is the new one");
	tap_is(vm_value(host, 10, true), NONE, "the VMs are new then");
	tap_ok(kvmstats_schema_find(first, "exits"), "the earlier schema still exists");
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_schema(host, KVMSTATS_KIND_VCPU) == first,
	       "it is used again for a pass that has its descriptors");
	kvmstats_host_close(host);
}

/* ---- other versions, other machines ---- */

static void test_later_version(void)
{
	struct host_image image = new_image;
	struct kvmstats_host *host;

	image.more_header = 24;
	image.more_desc = 8;
	image.more_record = 16;
	host_image_pass(&image, 1);
	/* Records that this version does not know, of 16 and 40 bytes, and a sign of life */
	host_image_header(&image, 0);
	host_image_record(&image, 4711, 0, 16, 10);
	host_image_vm(&image, 10, 0, 100);
	host_image_record(&image, 7, 0xffff, 40, 10);
	host_image_pad(&image, 24);
	host_image_vcpu(&image, 10, 0, 101);
	host_image_record(&image, KVM_HOST_ALIVE, 0, 16, 0);
	host_image_end(&image, 0);
	host = open_image(&image);
	tap_is(kvmstats_host_read(host), 0, "larger headers, descriptors and records are read");
	tap_ok(has_pass(host, 1, NONE), "their values are found");
	tap_is(kvmstats_host_read(host), 0, "records of other types are skipped");
	tap_ok(vm_value(host, 10, false) == 100 && vcpu_value(host, 10, 0, false) == 101,
	       "the values behind them are found");
	kvmstats_host_close(host);
}

static void test_byte_order(void)
{
	struct host_image image = new_image;
	const struct kvmstats_stat *hist;
	struct kvmstats_host *host;

	host_image_pass(&image, 0x0102030405060708);
	image.swapped = true;
	host_image_pass(&image, 0x0102030405060709);
	image.more_header = 3;
	image.more_desc = 3;
	image.arrival = 5000;
	image.last_queued = 4000;
	host_image_header(&image, KVM_HOST_NESTED);
	host_image_vm(&image, 10, KVM_HOST_ORPHAN, 1);
	host_image_vcpu(&image, 10, 0, 1);
	host_image_end(&image, 0);
	image.swapped = false;
	image.more_desc = 0;
	image.more_header = 0;
	host_image_pass(&image, 1);
	host_image_pass(&image, 2);
	host_image_pass(&image, 3);
	host = open_image(&image);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_read(host), 0, "a pass with the other byte order is read");
	tap_ok(has_pass(host, 0x0102030405060709, 0x0102030405060708), "its values are correct");
	tap_is(kvmstats_host_boottime(host) - kvmstats_host_time(host), 500,
	       "its times are correct");
	tap_is(kvmstats_host_instance(host), 4711, "its instance is correct");
	tap_is(kvmstats_host_vm_pid(find_vm(host, 10)), 1010, "its PIDs are correct");
	tap_is(kvmstats_host_vcpu_tid(kvmstats_host_vm_vcpu(find_vm(host, 20), 1)), 2001,
	       "its threads are correct");
	hist = kvmstats_schema_find(kvmstats_host_schema(host, KVMSTATS_KIND_VCPU),
				    "halt_wait_hist");
	tap_ok(kvmstats_stat_type(hist) == KVMSTATS_TYPE_LOG_HIST &&
	       kvmstats_stat_size(hist) == HOST_IMAGE_BUCKETS &&
	       kvmstats_stat_exponent(hist) == -9 && kvmstats_stat_offset(hist) == 8,
	       "its descriptors are correct");
	tap_is(kvmstats_host_read(host), 0, "descriptors that are not aligned are read");
	tap_is(kvmstats_host_is_nested(host), 1, "its flags are correct");
	tap_is(kvmstats_host_vm_is_orphan(find_vm(host, 10)), 1, "the flags of VMs are correct");
	tap_is(kvmstats_host_vcpu_waiting(host, kvmstats_host_vm_vcpu(find_vm(host, 10), 0)), 1002,
	       "its clocks are correct");
	kvmstats_host_read(host);
	kvmstats_host_read(host);
	kvmstats_host_read(host);
	tap_ok(has_pass(host, 3, 2), "passes with this machine's byte order can follow");
	kvmstats_host_close(host);
}

/* ---- passes that must not be used ---- */

#define HEADER(field)	offsetof(struct kvm_host_header, field)
#define RECORD(field)	offsetof(struct kvm_host_record, field)
#define DESC(n, field)	(sizeof(struct kvm_host_header) + (n) * IMAGE_STRIDE + \
			 offsetof(struct kvm_stats_desc, field))

static const struct damage {
	size_t at, size;
	uint64_t value;
	int err;
	const char *what;
} damages[] = {
	{ RECORD(vm), 8, KVM_HOST_MAGIC + 1, -EPROTO, "another magic number" },
	{ RECORD(type), 2, KVM_HOST_VM, -EPROTO, "a first record that is not a header" },
	{ RECORD(size), 4, HEADER_SIZE - 8, -EPROTO, "descriptors that exceed the header" },
	{ RECORD(size), 4, sizeof(struct kvm_host_header) - 8, -EPROTO,
	  "a header that is too short" },
	{ RECORD(size), 4, HEADER_SIZE + 4, -EPROTO, "a size that is not a multiple of 8" },
	{ RECORD(size), 4, KVMSTATS_MAX_BLOCK + 8, -EPROTO, "a huge header" },
	{ RECORD(size), 4, KVMSTATS_MAX_BLOCK, -EAGAIN, "a header that exceeds the file" },
	{ HEADER(version), 4, 2, -EPROTONOSUPPORT, "another version" },
	{ HEADER(desc_offset), 4, sizeof(struct kvm_host_header) - 8, -EPROTO,
	  "descriptors in the header's members" },
	{ HEADER(desc_offset), 4, UINT32_MAX - 7, -EPROTO, "descriptors at the largest offset" },
	{ HEADER(desc_size), 4, sizeof(struct kvm_stats_desc), -EPROTO,
	  "descriptors without a name" },
	{ HEADER(desc_size), 4, 0, -EPROTO, "descriptors of 0 bytes" },
	{ HEADER(desc_size), 4, 8, -EPROTO, "descriptors without all members" },
	{ HEADER(desc_size), 4, UINT32_MAX, -EPROTO, "huge descriptors" },
	{ HEADER(desc_size), 4, IMAGE_STRIDE + 1, -EPROTO,
	  "descriptors that exceed the header by size" },
	{ HEADER(vm_descs), 4, UINT32_MAX, -EPROTO, "2^32 descriptors of VMs" },
	{ HEADER(vcpu_descs), 4, UINT32_MAX, -EPROTO, "2^32 descriptors of vCPUs" },
	{ HEADER(vcpu_descs), 4, HOST_IMAGE_VCPU_STATS + 1, -EPROTO, "a descriptor too many" },
	{ HEADER(vm_values), 4, sizeof(struct kvm_host_vm) - 8, -EPROTO,
	  "values of VMs in the members of the record" },
	{ HEADER(vm_values), 4, sizeof(struct kvm_host_vm) + 8, -EPROTO,
	  "values of VMs that exceed the record" },
	{ HEADER(vm_values), 4, UINT32_MAX - 7, -EPROTO, "values of VMs at the largest offset" },
	{ HEADER(vcpu_values), 4, sizeof(struct kvm_host_vcpu) - 8, -EPROTO,
	  "values of vCPUs in the members of the record" },
	{ HEADER(vcpu_values), 4, sizeof(struct kvm_host_vcpu) + 8, -EPROTO,
	  "values of vCPUs that exceed the record" },
	{ DESC(0, size), 2, 0, -EPROTO, "a statistic without values" },
	{ DESC(0, offset), 4, 4, -EPROTO, "a statistic that is not aligned" },
	{ DESC(1, offset), 4, 16, -EPROTO, "a statistic of VMs that exceeds their records" },
	{ DESC(6, offset), 4, 64, -EPROTO, "a statistic of vCPUs that exceeds their records" },
	{ DESC(6, offset), 4, UINT32_MAX - 7, -EOVERFLOW, "a statistic at the largest offset" },
	{ DESC(2, flags) + sizeof(struct kvm_stats_desc), 1, '\n', -EPROTO, "a name of two lines" },
	{ AT_VM + RECORD(size), 4, 8, -EPROTO, "a record that is shorter than any" },
	{ AT_VM + RECORD(size), 4, 0, -EPROTO, "a record of 0 bytes" },
	{ AT_VM + RECORD(size), 4, 16, -EPROTO, "a record of a VM without its members" },
	{ AT_VCPU + RECORD(size), 4, 16, -EPROTO, "a record of a vCPU without its members" },
	{ AT_VM + RECORD(size), 4, VM_SIZE - 8, -EPROTO,
	  "a record of a VM without its last value" },
	{ AT_VM + RECORD(size), 4, VM_SIZE + 4, -EPROTO,
	  "a record whose size is not a multiple of 8" },
	{ AT_VM + RECORD(size), 4, KVMSTATS_MAX_BLOCK + 8, -EPROTO, "a huge record" },
	{ AT_VM + RECORD(size), 4, UINT32_MAX - 7, -EPROTO, "a record of almost 4 GiB" },
	{ AT_VM + RECORD(type), 2, 77, -EPROTO, "fewer VMs than the end has" },
	{ AT_VCPU + RECORD(type), 2, 77, -EPROTO, "fewer vCPUs than the end has" },
	{ AT_VM + offsetof(struct kvm_host_vm, pid), 4, 1u << 31, -EPROTO, "a negative PID" },
	{ AT_VCPU + offsetof(struct kvm_host_vcpu, tid), 4, 1u << 31, -EPROTO,
	  "a negative thread" },
	{ AT_VCPU + offsetof(struct kvm_host_vcpu, vcpu_id), 4, UINT32_MAX, -EPROTO,
	  "a negative vCPU ID" },
	{ AT_VM2 + RECORD(type), 2, KVM_HOST_HEADER, -EPROTO,
	  "a header without a magic number inside" },
	{ AT_END + RECORD(flags), 2, KVM_HOST_STALE, -ESTALE, "a pass of another instance of KVM" },
	{ AT_END + RECORD(flags), 2, KVM_HOST_TRUNCATED, -EOVERFLOW, "a pass that lacks VMs" },
	{ AT_END + RECORD(size), 4, sizeof(struct kvm_host_end) - 8, -EPROTO,
	  "an end that is too short" },
	{ AT_END + RECORD(type), 2, KVM_HOST_ALIVE, -EAGAIN, "a pass without an end" },
	{ AT_END + offsetof(struct kvm_host_end, vms), 4, 3, -EPROTO, "a VM too few" },
	{ AT_END + offsetof(struct kvm_host_end, vcpus), 4, 3, -EPROTO, "a vCPU too many" },
};

static void test_damage(void)
{
	bool swapped = false;
	size_t i;

	do {
		for (i = 0; i < ARRAY_SIZE(damages); i++) {
			const struct damage *damage = &damages[i];
			struct host_image image = new_image;
			int err;

			image.swapped = swapped;
			host_image_pass(&image, 1);
			host_image_patch(&image, damage->at, damage->value, damage->size);
			err = read_once(&image);
			tap_ok(err == damage->err, "%s%s is refused with %s", damage->what,
			       swapped ? " (other byte order)" : "", strerror(-damage->err));
			if (err != damage->err)
				printf("# found %d\n", err);
		}
		swapped = !swapped;
	} while (swapped);
}

static void test_header(void)
{
	struct host_image image = new_image;

	host_image_header(&image, 0);
	host_image_patch(&image, RECORD(size), 16, 4);
	image.size = 16;
	tap_is(read_once(&image), -EPROTO, "a header without members is refused");

	image = new_image;
	host_image_header(&image, 0);
	host_image_patch(&image, HEADER(vm_descs), 0, 4);
	host_image_patch(&image, HEADER(vcpu_descs), 0, 4);
	host_image_patch(&image, HEADER(desc_offset), 16, 4);
	host_image_end(&image, 0);
	tap_is(read_once(&image), -EPROTO, "no descriptors in the header's members are refused");

	image = new_image;
	image.more_desc = 4096;
	host_image_pass(&image, 1);
	tap_is(read_once(&image), -EOVERFLOW, "names above 4096 bytes are refused");

	image = new_image;
	image.more_header = 17 * 65544;
	host_image_header(&image, 0);
	host_image_patch(&image, HEADER(desc_offset), sizeof(struct kvm_host_header), 4);
	host_image_patch(&image, HEADER(desc_size), 17, 4);
	host_image_patch(&image, HEADER(vm_descs), 65537, 4);
	host_image_end(&image, 0);
	tap_is(read_once(&image), -EOVERFLOW, "more than 65536 statistics are refused");

	image = new_image;
	host_image_header(&image, 0);
	host_image_vm(&image, 10, 0, 1);
	host_image_vm(&image, 10, 0, 1);
	host_image_end(&image, KVM_HOST_TRUNCATED);
	tap_is(read_once(&image), -EAGAIN, "a pass that lacks VMs because it often began again");

	image = new_image;
	image.more_record = 8;
	host_image_pass(&image, 1);
	host_image_patch(&image, HEADER(vm_values), sizeof(struct kvm_host_vm) + 4, 4);
	tap_is(read_once(&image), -EPROTO, "values of VMs that are not aligned are refused");

	image = new_image;
	image.more_record = 8;
	host_image_pass(&image, 1);
	host_image_patch(&image, HEADER(vcpu_values), sizeof(struct kvm_host_vcpu) + 4, 4);
	tap_is(read_once(&image), -EPROTO, "values of vCPUs that are not aligned are refused");
}

static void test_truncated(void)
{
	size_t cut, wrong = 0, endless = 0;

	for (cut = 0; cut < PASS_SIZE; cut++) {
		struct host_image image = new_image;
		struct kvmstats_host *host;

		host_image_pass(&image, 1);
		image.size = cut;
		host = open_image(&image);
		wrong += kvmstats_host_read(host) != (cut ? -EAGAIN : -ENODATA);
		endless += kvmstats_host_read(host) != -ENODATA;
		kvmstats_host_close(host);
	}
	tap_is(wrong, 0, "a pass that is cut at any byte returns EAGAIN, an empty file ENODATA");
	tap_is(endless, 0, "then the file has no other pass");
}

/* A pass is followed by a bad one, and by another one. */
static void test_after_error(void)
{
	static const struct {
		size_t at, size;
		uint64_t value;
		int err;
	} bad[] = {
		{ AT_END + RECORD(flags), 2, KVM_HOST_TRUNCATED, -EOVERFLOW },
		{ AT_END + offsetof(struct kvm_host_end, vms), 4, 3, -EPROTO },
		{ HEADER(session), 8, 99, 0 },
		{ DESC(0, size), 2, 0, -EPROTO },
		{ AT_END + RECORD(type), 2, 77, -EAGAIN },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct host_image image = new_image;
		struct kvmstats_host *host;
		int err;

		host_image_pass(&image, 1);
		host_image_pass(&image, 2);
		host_image_pass(&image, 3);
		host_image_patch(&image, 2 * PASS_SIZE + bad[i].at, bad[i].value, bad[i].size);
		host_image_pass(&image, 4);
		host = open_image(&image);
		kvmstats_host_read(host);
		kvmstats_host_read(host);
		err = kvmstats_host_read(host);
		tap_ok(err == bad[i].err && (!err || has_pass(host, 2, 1)),
		       "after an error, the VMs are those of the second pass (%zu)", i);
		tap_ok(!kvmstats_host_read(host) && has_pass(host, 4, err ? 2 : NONE),
		       "then the fourth pass is read (%zu)", i);
		kvmstats_host_close(host);
	}
}

/* The damage hides where the next pass begins. */
static void test_lost(void)
{
	struct host_image image = new_image;
	struct kvmstats_host *host;

	host_image_pass(&image, 1);
	host_image_pass(&image, 2);
	host_image_pass(&image, 3);
	host_image_patch(&image, PASS_SIZE + AT_VM + RECORD(size), 4, 4);
	host = open_image(&image);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_read(host), -EPROTO, "a damaged pass is refused");
	tap_is(kvmstats_host_read(host), -ENODATA, "what was read behind it is not used");
	tap_ok(has_pass(host, 1, NONE), "the VMs are those of the pass before");
	kvmstats_host_close(host);
}

static void test_no_memory(void)
{
	unsigned int n, wrong = 0;
	int err = -ENOMEM;

	for (n = 0; err && n < 2000; n++) {
		struct host_image image = new_image;
		struct kvmstats_host *host;
		uint64_t vm;

		host_image_pass(&image, 1);
		image.session = 2;
		host_image_header(&image, 0);
		for (vm = 1001; vm < 1600; vm++) {
			host_image_vm(&image, vm, 0, vm);
			host_image_vcpu(&image, vm, 0, vm);
		}
		host_image_end(&image, 0);
		host_image_pass(&image, 3);
		host = open_image(&image);
		wrong += kvmstats_host_read(host) != 0;
		allocations = n;
		err = kvmstats_host_read(host);
		allocations = UINT_MAX;
		wrong += err ? err != -ENOMEM || !has_pass(host, 1, NONE) :
			 kvmstats_host_vms(host) != 599;
		/* The second pass can still be unread. */
		while (!kvmstats_host_read(host))
			wrong += kvmstats_host_vms(host) == 1;
		wrong += !has_pass(host, 3, NONE);
		kvmstats_host_close(host);
	}
	tap_is(wrong, 0, "if memory is exhausted, the VMs are those of the last pass");
	tap_ok(n > 10 && !err, "this was so for each of %u allocations", n - 1);
}

static void test_no_memory_to_open(void)
{
	struct kvmstats_host *host = (void *)1;

	allocations = 0;
	tap_is(kvmstats_host_open(&host, "/dev/null"), -ENOMEM, "opening without memory fails");
	tap_ok(!host, "and the host is NULL");
	allocations = UINT_MAX;
}

/* ---- where passes come from ---- */

static void test_pieces(void)
{
	struct host_image image = new_image;
	struct kvmstats_host *host;
	int pipe_fd[2], err;

	host_image_pass(&image, 1);
	host_image_pass(&image, 2);
	host_image_pass(&image, 3);
	if (pipe(pipe_fd) || write(pipe_fd[1], image.data, image.size) != (ssize_t)image.size)
		exit(1);
	fcntl(pipe_fd[0], F_SETFL, O_NONBLOCK);
	free(image.data);
	kvmstats_host_open_fd(&host, pipe_fd[0]);
	max_read = 1;
	tap_is(kvmstats_host_read(host), 0, "a pass is read from a pipe, one byte at a time");
	max_read = PASS_SIZE - 5;
	read_error = EAGAIN;
	read_errors = 900;
	err = kvmstats_host_read(host);
	tap_ok(!err && has_pass(host, 2, 1), "EAGAIN is retried, because VMs can end in a pass");
	tap_is(kvmstats_host_read(host), 0, "a pass of which read() returned a part is read");
	tap_ok(has_pass(host, 3, 2), "its values are correct");
	max_read = SIZE_MAX;
	tap_is(kvmstats_host_read(host), -EAGAIN, "an empty pipe returns EAGAIN");
	close(pipe_fd[1]);
	tap_is(kvmstats_host_read(host), -ENODATA, "a closed pipe returns ENODATA");
	kvmstats_host_close(host);
	tap_ok(fcntl(pipe_fd[0], F_GETFD) >= 0, "the fd of open_fd() is not closed");
	close(pipe_fd[0]);
}

static void test_errors(void)
{
	struct host_image image = new_image;
	struct kvmstats_host *host = (void *)1;

	tap_is(kvmstats_host_open(&host, "/nonexistent/host.pin"), -ENOENT,
	       "a path that does not exist returns ENOENT");
	tap_ok(!host, "and the host is NULL");
	kvmstats_host_open(&host, "/");
	tap_is(kvmstats_host_read(host), -EISDIR, "a directory returns EISDIR");
	kvmstats_host_close(host);
	host_image_pass(&image, 1);
	host = open_image(&image);
	max_read = 500;
	read_error = EIO;
	good_reads = 2;
	read_errors = 1;
	tap_is(kvmstats_host_read(host), -EIO, "an error of read() is returned");
	tap_is(kvmstats_host_read(host), 0, "the pass can be read afterwards");
	max_read = SIZE_MAX;
	kvmstats_host_close(host);
}

/* Signs of life, and no end */
static void test_endless(void)
{
	struct host_image image = new_image;
	struct kvmstats_host *host;
	int fd[2], status;
	pid_t child;

	host_image_header(&image, 0);
	while (image.size < 1 << 16)
		host_image_record(&image, KVM_HOST_ALIVE, 0, 16, 0);
	if (pipe(fd))
		exit(1);
	child = fork();
	if (!child) {
		close(fd[0]);
		if (write(fd[1], image.data, image.size) < 0)
			_exit(1);
		while (write(fd[1], image.data + HEADER_SIZE,
			     (image.size - HEADER_SIZE) & ~15ul) > 0)
			;
		_exit(1);
	}
	close(fd[1]);
	free(image.data);
	kvmstats_host_open_fd(&host, fd[0]);
	tap_is(kvmstats_host_read(host), -EOVERFLOW, "a pass without an end has a largest size");
	kvmstats_host_close(host);
	close(fd[0]);
	waitpid(child, &status, 0);
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 8))
		exit(1);
	return fd;
}

/* Sends a pass to each reader but the first: that is kvmstats_host_open(). The third is cut. */
static void serve(int listening)
{
	int i;

	for (i = 0; i < 6; i++) {
		struct host_image image = new_image;
		int fd = accept(listening, NULL, NULL);

		host_image_pass(&image, (uint64_t)i);
		image.size = i == 2 ? AT_END : i == 3 ? 0 : image.size;
		if (i && send(fd, image.data, image.size, MSG_NOSIGNAL) < 0)
			_exit(1);
		free(image.data);
		close(fd);
	}
	_exit(0);
}

static void test_socket(void)
{
	char dir[] = "/tmp/host_test.XXXXXX", path[64], longer[200];
	struct kvmstats_host *host;
	int listening, status;
	pid_t child;

	if (!mkdtemp(dir))
		exit(1);
	snprintf(path, sizeof(path), "%s/socket", dir);
	listening = listen_at(path);
	child = fork();
	if (!child)
		serve(listening);
	close(listening);
	if (tap_is(kvmstats_host_open(&host, path), 0, "a socket is opened")) {
		tap_is(kvmstats_host_read(host), 0, "a pass is read from a socket");
		tap_is(kvmstats_host_read(host), -EAGAIN, "a pass that ends early returns EAGAIN");
		tap_is(kvmstats_host_read(host), -EAGAIN, "a socket without a pass returns EAGAIN");
		max_read = 500;
		good_reads = 1;
		read_error = EIO;
		read_errors = 1;
		tap_is(kvmstats_host_read(host), -EIO, "an error of read() is returned");
		max_read = SIZE_MAX;
		tap_is(kvmstats_host_read(host), 0, "each pass is a new connection");
		tap_ok(has_pass(host, 5, 1), "the VMs are followed from pass to pass");
		waitpid(child, &status, 0);
		tap_is(kvmstats_host_read(host), -ECONNREFUSED,
		       "a socket without a server returns ECONNREFUSED");
		tap_ok(has_pass(host, 5, 1), "the VMs are those of the last pass");
		unlink(path);
		tap_is(kvmstats_host_read(host), -ENOENT, "a socket that is gone returns ENOENT");
		kvmstats_host_close(host);
	}
	memset(longer, 'x', sizeof(longer) - 1);
	memcpy(longer, dir, strlen(dir));
	longer[strlen(dir)] = '/';
	longer[sizeof(longer) - 1] = '\0';
	if (symlink(path, longer))
		exit(1);
	close(listen_at(path));
	tap_is(kvmstats_host_open(&host, longer), -ENAMETOOLONG,
	       "a path that is too long for a socket returns ENAMETOOLONG");
	unlink(longer);
	unlink(path);
	listening = listen_at(path);
	kvmstats_host_open(&host, path);
	tap_is(kvmstats_host_read(host), -ETIMEDOUT, "a server that hangs returns ETIMEDOUT");
	kvmstats_host_close(host);
	close(listening);
	unlink(path);
	rmdir(dir);
}

/* ---- the example of a reader in Python ---- */

/* Frees the image. */
static void expect_python(const char *program, const struct host_image *image, const char *expected,
			  const char *what)
{
	char found[4096], command[300];
	int fd = bytes_fd(image->data, image->size);
	size_t size;
	FILE *pipe;

	free(image->data);
	fcntl(fd, F_SETFD, 0);
	snprintf(command, sizeof(command), "python3 %s /proc/self/fd/%d 2>/dev/null", program, fd);
	pipe = popen(command, "r");
	size = pipe ? fread(found, 1, sizeof(found) - 1, pipe) : 0;
	found[size] = '\0';
	if (pipe)
		pclose(pipe);
	close(fd);
	if (!tap_ok(!strcmp(found, expected), "in Python, %s", what))
		printf("# expected %s# found %s\n", expected, found);
}

#define VM(id, flushes, pages) \
	"{\"vm\": " #id ", \"pid\": 10" #id ", \"remote_tlb_flush\": " #flushes \
	", \"pages_4k\": " #pages "}\n"
#define VCPU(vm, id, exits, hist) \
	"{\"vm\": " #vm ", \"vcpu\": " #id ", \"tid\": 200" #id ", \"exits\": " #exits \
	", \"halt_wait_hist\": [" hist "], \"thread_rq_clock_ns\": 0, " \
	"\"thread_last_arrival_ns\": 0, \"thread_last_queued_ns\": 0, \"pid\": 10" #vm "}\n"
#define VCPU_3		"{pid=\"1010\",vm=\"10\",vcpu=\"3\""
#define GAUGE_3(name)	"# TYPE kvm_vcpu_thread_" name "_seconds gauge\n" \
			"kvm_vcpu_thread_" name "_seconds" VCPU_3 "} 0.0\n"

static void test_exporter(void)
{
	struct host_image image = new_image;

	host_image_header(&image, 0);
	host_image_vm(&image, 10, 0, 100);
	host_image_vcpu(&image, 10, 3, 5000000000);
	host_image_end(&image, 0);
	expect_python(HOST_EXPORTER, &image,
		      "# TYPE kvm_vms gauge\nkvm_vms 1\n"
		      "# TYPE kvm_vm_remote_tlb_flush_total counter\n"
		      "kvm_vm_remote_tlb_flush_total{pid=\"1010\",vm=\"10\"} 100\n"
		      "# TYPE kvm_vm_pages_4k gauge\n"
		      "kvm_vm_pages_4k{pid=\"1010\",vm=\"10\"} 101\n"
		      "# TYPE kvm_vcpu_exits_total counter\n"
		      "kvm_vcpu_exits_total" VCPU_3 "} 5000000000\n"
		      "# TYPE kvm_vcpu_halt_wait_hist_seconds histogram\n"
		      "kvm_vcpu_halt_wait_hist_seconds_bucket" VCPU_3 ",le=\"0.0\"} 5000000001\n"
		      "kvm_vcpu_halt_wait_hist_seconds_bucket" VCPU_3 ",le=\"1e-09\"} 10000000003\n"
		      "kvm_vcpu_halt_wait_hist_seconds_bucket" VCPU_3 ",le=\"3e-09\"} 15000000006\n"
		      "kvm_vcpu_halt_wait_hist_seconds_bucket" VCPU_3 ",le=\"+Inf\"} 20000000010\n"
		      "kvm_vcpu_halt_wait_hist_seconds_count" VCPU_3 "} 20000000010\n"
		      GAUGE_3("rq_clock") GAUGE_3("last_arrival") GAUGE_3("last_queued"),
		      "the exporter prints metrics");
}

static void test_python(void)
{
	struct host_image image = new_image, later = new_image, bad = new_image;

	if (access(HOST_READER, R_OK) || system("python3 -c 'import json' 2>/dev/null")) {
		tap_report(TAP_SKIP, "", "the reader in Python", "there is no " HOST_READER
			   " or no python3");
		return;
	}
	host_image_pass(&image, 1);
	expect_python(HOST_READER, &image,
		      VM(10, 1001, 1002) VCPU(10, 0, 1011, "1012, 1013, 1014, 1015")
		      VCPU(10, 1, 1021, "1022, 1023, 1024, 1025")
		      VM(20, 2001, 2002) VCPU(20, 0, 2011, "2012, 2013, 2014, 2015")
		      VCPU(20, 1, 2021, "2022, 2023, 2024, 2025"), "the reader prints a pass");
	later.swapped = true;
	later.more_header = 8;
	later.more_desc = 8;
	later.more_record = 16;
	host_image_header(&later, 0);
	host_image_record(&later, 77, 0, 16, 0);
	host_image_vcpu(&later, 10, 3, 100);
	host_image_vm(&later, 10, 0, 101);
	host_image_vm(&later, 10, 0, 102);
	host_image_vcpu(&later, 30, 0, 103);
	host_image_end(&later, 0);
	expect_python(HOST_READER, &later,
		      VM(10, 102, 103) VCPU(10, 3, 100, "101, 102, 103, 104"),
		      "the reader prints repeated records of a later version and other byte order");
	host_image_header(&bad, 0);
	host_image_vm(&bad, 10, 0, 101);
	bad.vcpus++;
	host_image_end(&bad, 0);
	expect_python(HOST_READER, &bad, "", "the reader prints no pass that lacks a vCPU");
	bad = new_image;
	host_image_header(&bad, 0);
	host_image_vm(&bad, 10, 0, 101);
	host_image_end(&bad, KVM_HOST_TRUNCATED);
	expect_python(HOST_READER, &bad, "", "the reader prints no pass that lacks VMs");
	test_exporter();
}

/* ---- waiting for a CPU ---- */

/* Reads a vCPU at the time 1003. Returns for how long it has been waiting. */
static uint64_t waiting(uint64_t arrival, uint64_t rq_clock, uint64_t last_arrival, uint64_t queued)
{
	struct host_image image = new_image;
	struct kvmstats_host *host;
	uint64_t result = NONE;

	image.arrival = arrival;
	image.rq_clock = rq_clock;
	image.last_arrival = last_arrival;
	image.last_queued = queued;
	host_image_header(&image, 0);
	host_image_vm(&image, 10, 0, 1);
	host_image_vcpu(&image, 10, 0, 1);
	host_image_end(&image, 0);
	host = open_image(&image);
	if (!kvmstats_host_read(host))
		result = kvmstats_host_vcpu_waiting(host,
						    kvmstats_host_vm_vcpu(find_vm(host, 10), 0));
	kvmstats_host_close(host);
	return result;
}

/* CLOCK_MONOTONIC is 1001 in the header, and 1003 at the vCPU. */
static void test_waiting(void)
{
	struct host_image image = new_image;
	struct kvmstats_host *host;

	tap_is(waiting(5001, 0, 0, 4000), 1003, "the reader's arrival relates the clocks");
	tap_is(waiting(0, 5103, 0, 4000), 1103, "the clock of a run queue relates the clocks");
	tap_is(waiting(0, 0, 5203, 4000), 1203, "the arrival of a thread relates the clocks");
	tap_is(waiting(4001, 5203, 5103, 4000), 1203, "the largest difference counts");
	tap_is(waiting(4001, 5103, 5203, 4000), 1203, "so it does if it is an arrival");
	tap_is(waiting(51, 0, 0, 40), 13, "the scheduler's clock can be behind");
	tap_is(waiting(5001, 0, 0, 0), 0, "a thread that is not queued does not wait");
	tap_is(waiting(5001, 0, 0, 6000), 1, "a thread that was queued just now waits for 1 ns");
	tap_is(waiting(0, 0, 0, 4000), 0, "without a clock no thread waits");

	/* Without those statistics: their names become others. */
	image.rq_clock = 5000;
	image.last_queued = 4000;
	host_image_pass(&image, 1);
	image.data[DESC(6, flags) + sizeof(struct kvm_stats_desc)] = 'x';
	host = open_image(&image);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_vcpu_waiting(host, kvmstats_host_vm_vcpu(find_vm(host, 10), 0)), 0,
	       "a kernel without the time of queueing has no waits");
	kvmstats_host_close(host);
}

/* A recording has the names of the processes, which are no longer there. */
static void test_names(void)
{
	static const char all[] = "qemu\0web\0\0scope";
	static const char cut[] = { 'v', 'm', 'm', 0, 'd', 'b', 'x', 'y' };
	const struct kvmstats_vmm *vmm;
	struct kvmstats_host *host;
	int swapped;

	for (swapped = 0; swapped < 2; swapped++) {
		struct host_image image = new_image;

		image.swapped = swapped;
		host_image_header(&image, 0);
		host_image_vm(&image, 10, 0, 100);
		host_image_vm(&image, 20, 0, 100);
		host_image_vm(&image, 30, 0, 100);
		host_image_names(&image, 10, ETIMEDOUT, all, sizeof(all));
		host_image_names(&image, 20, 0, cut, sizeof(cut));
		host_image_names(&image, 40, 0, all, sizeof(all));
		host_image_end(&image, 0);
		host = open_image(&image);
		tap_is(kvmstats_host_read(host), 0, "a pass with names is read");
		vmm = kvmstats_host_vmm(host, 0);
		tap_ok(!strcmp(kvmstats_vmm_comm(vmm), "qemu") &&
		       !strcmp(kvmstats_vmm_guest(vmm), "web") && !kvmstats_vmm_uuid(vmm) &&
		       !strcmp(kvmstats_vmm_cgroup(vmm), "scope"), "a VMM has its names");
		tap_is(kvmstats_vmm_name_error(vmm), -ETIMEDOUT, "they can be provisional");
		vmm = kvmstats_host_vmm(host, 1);
		tap_ok(!strcmp(kvmstats_vmm_comm(vmm), "vmm") && !kvmstats_vmm_guest(vmm),
		       "a name without an end is not used");
		tap_is(kvmstats_vmm_name_error(kvmstats_host_vmm(host, 2)), -EREMOTE,
		       "a VMM without a record has no names");
		kvmstats_host_close(host);
	}
}

int main(void)
{
	test_pass();
	test_follow();
	test_repeated();
	test_session();
	test_later_version();
	test_byte_order();
	test_damage();
	test_header();
	test_truncated();
	test_after_error();
	test_lost();
	test_no_memory();
	test_no_memory_to_open();
	test_pieces();
	test_errors();
	test_endless();
	test_socket();
	test_python();
	test_waiting();
	test_names();
	return tap_end();
}
