// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a day of a large host to a directory, made of the recording of a small one: guests and
 * vCPUs are those of the recording, several times, each from another sample on. The day has a
 * sample for each STEP samples of the recording. Prints its size, and the CPU time and memory that
 * it needs to write a sample, without reading a host.
 *
 * usage: record_day RECORDING DIR GUESTS VCPUS STEP [SAMPLES]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "basics.h"
#include "host_format.h"
#include "record/recording.h"
#include "record/store.h"

#define INTERVAL	(10 * SECOND)
#define MAX_SOURCES	4096
#define MAX_RECORDS	1024

static struct sample source[MAX_SOURCES];
static size_t sources, step;

struct records {
	const struct kvm_host_vcpu *record[MAX_RECORDS];	/* or of another type */
	size_t count;
};

/* Copies the files whose paths begin with @from, which is replaced by @start. */
static void copy_files(struct sample *to, const struct sample *sample, const char *from,
		       const char *start)
{
	const char *at = sample->files.data;
	char path[300];

	while (at < sample->files.data + sample->files.size) {
		const char *text = at + strlen(at) + 1;

		if (!strncmp(at, from, strlen(from))) {
			snprintf(path, sizeof(path), "%s%s", start, at + strlen(from));
			sample_add_file(to, path, text);
		}
		at = text + strlen(text) + 1;
	}
}

static void load(const char *path)
{
	struct message why;
	struct recording *recording = recording_open(path, NULL, NULL, &why);
	const struct sample *sample;

	while (recording && sources < MAX_SOURCES && (sample = recording_next(recording))) {
		struct sample *to = &source[sources++];

		bytes_add(&to->pass, sample->pass.data, sample->pass.size);
		copy_files(to, sample, "", "");
	}
	recording_close(recording);
}

/* Lists the records of a type. */
static struct records records_of(const struct sample *sample, enum kvm_host_type type)
{
	struct records records = { .count = 0 };
	const struct kvm_host_vcpu *record;
	size_t at;

	for (at = 0; at < sample->pass.size; at += record->record.size) {
		record = (const void *)(sample->pass.data + at);
		if (record->record.type == type && records.count < MAX_RECORDS)
			records.record[records.count++] = record;
	}
	return records;
}

/* Returns the record of the same VM or vCPU, or NULL. */
static const uint64_t *find(const struct sample *sample, const struct kvm_host_vcpu *like)
{
	struct records records = records_of(sample, like->record.type);
	size_t i;

	for (i = 0; i < records.count; i++) {
		if (records.record[i]->record.vm == like->record.vm &&
		    records.record[i]->vcpu_id == like->vcpu_id)
			return (const void *)records.record[i];
	}
	return NULL;
}

/* No two vCPUs grow alike: clocks differ by a millisecond, other growth by a quarter. */
static uint64_t vary(uint64_t growth)
{
	uint64_t noise = (uint64_t)random();

	if (growth >> 63 || growth < 16)
		return growth;
	return growth > 5 * SECOND ? growth + noise % MILLISECOND :
				     growth - growth / 8 + noise % (growth / 4);
}

/* Which sample of the recording the one before sample @n is: another one for each @seed */
static size_t source_of(size_t n, size_t seed)
{
	return (n * step + seed * 37) % (sources - step);
}

/*
 * Adds what record @from of the recording grew by, to the record that is at this place of the pass
 * before, which has the same records.
 */
static void *add_grown(struct bytes *to, const struct bytes *before,
		       const struct kvm_host_vcpu *from, size_t n, size_t seed)
{
	size_t at = to->size, size = from->record.size, i;
	const uint64_t *old = find(&source[source_of(n, seed)], from);
	const uint64_t *now = find(&source[source_of(n, seed) + step], from);
	uint64_t *word = bytes_extend(to, size);

	memcpy(word, before->size ? before->data + at : (const char *)from, size);
	for (i = 2; before->size && old && now && i < size / sizeof(*word); i++)
		word[i] += vary(now[i] - old[i]);
	return word;
}

static void add_guest(struct sample *to, const struct bytes *before, size_t n, size_t guest,
		      size_t vcpus)
{
	static struct records vm, vcpu;
	struct kvm_host_vcpu *new_vcpu;
	struct kvm_host_vm *new_vm;
	char from[32], start[32];
	size_t i;

	if (!vm.count) {
		vm = records_of(&source[0], KVM_HOST_VM);
		vcpu = records_of(&source[0], KVM_HOST_VCPU);
	}
	new_vm = add_grown(&to->pass, before, vm.record[guest % vm.count], n, guest);
	sprintf(from, "/proc/%u/",
		((const struct kvm_host_vm *)(const void *)vm.record[guest % vm.count])->pid);
	sprintf(start, "/proc/%zu/", 1000 + guest);
	new_vm->record.vm = 0x1000 + guest;
	new_vm->pid = 1000 + (uint32_t)guest;
	for (i = 0; i < vcpus; i++) {
		new_vcpu = add_grown(&to->pass, before,
				     vcpu.record[(guest * vcpus + i) % vcpu.count], n,
				     guest * vcpus + i);
		new_vcpu->record.vm = 0x1000 + guest;
		new_vcpu->vcpu_id = (uint32_t)i;
	}
	copy_files(to, &source[source_of(n, guest) + step], from, start);
}

static void make_sample(struct sample *to, const struct bytes *before, size_t n, size_t guests,
			size_t vcpus)
{
	static const char * const hosts[] = { "/proc/stat", "/proc/meminfo", "/proc/loadavg" };
	const struct kvm_host_header *first = (const void *)source[0].pass.data;
	const struct kvm_host_vcpu *end = records_of(&source[0], KVM_HOST_END).record[0];
	struct kvm_host_header *header;
	struct kvm_host_end *new_end;
	size_t i;

	sample_clear(to);
	to->time = UINT64_C(1764370800) * SECOND + n * INTERVAL;
	bytes_add(&to->pass, first, first->record.size);
	/* No clock is set. */
	header = (void *)to->pass.data;
	header->boottime = 1000 * SECOND + n * INTERVAL;
	for (i = 0; i < guests; i++)
		add_guest(to, before, n, i, vcpus / guests);
	new_end = add_grown(&to->pass, before, end, n, 0);
	new_end->vms = (uint32_t)guests;
	new_end->vcpus = (uint32_t)(vcpus / guests * guests);
	for (i = 0; i < ARRAY_SIZE(hosts); i++)
		copy_files(to, &source[source_of(n, 0) + step], hosts[i], hosts[i]);
}

static double cpu_seconds(void)
{
	return (double)clock_read(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

int main(int argc, char **argv)
{
	const struct store_limits limits = { .age = 30 * 86400 * SECOND, .size = UINT64_MAX / 2 };
	size_t n, samples = argc > 6 ? strtoul(argv[6], NULL, 10) : 8640;
	struct sample sample[2] = { { .time = 0 }, { .time = 0 } };
	double used = 0;
	struct segment *list;
	struct message why;
	struct store *store;
	struct rusage usage;
	uint64_t size = 0;
	ssize_t count;

	if (argc < 6)
		return 2;
	load(argv[1]);
	step = strtoul(argv[5], NULL, 10);
	store = store_open(argv[2], &limits, &why);
	if (!store || sources <= step)
		return 1;
	for (n = 0; n < samples; n++) {
		double start;

		make_sample(&sample[n % 2], &sample[(n + 1) % 2].pass, n,
			    strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
		start = cpu_seconds();
		store_append(store, &sample[n % 2], &why);
		used += cpu_seconds() - start;
	}
	store_close(store);
	count = segments_list(argv[2], &list);
	while (count-- > 0)
		size += (uint64_t)list[count].size;
	getrusage(RUSAGE_SELF, &usage);
	printf("%zu samples of %zu files: %.1f MiB, %.0f bytes and %.2f ms of CPU time each; "
	       "memory %.1f MiB, of which the source has a part\n", samples, sample[0].count,
	       (double)size / 1048576, (double)size / (double)samples,
	       1000 * used / (double)samples, (double)usage.ru_maxrss / 1024);
	return 0;
}
