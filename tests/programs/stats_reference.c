// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare the reference of the statistics with the running kernel: both must have
 * the same statistics, with the same types and units. docs.t compares its debugfs names.
 *
 * The Makefile converts Documentation/virt/kvm/stats-reference.rst to a list with
 * ../../tools/lib/kvmstats/reference.awk. The initramfs contains the list.
 */
#define _GNU_SOURCE

#include "kvm_stats_vmm.h"
#include "lib/run.h"

#define LIST		"/tests/stats-reference.list"
#define MAX_ROWS	512
#define MAX_TEXT	64

/* The scope of ../../tools/lib/kvmstats/reference.awk for this architecture. */
#if defined(__x86_64__) || defined(__i386__)
#define SCOPE		"x86"
#elif defined(__aarch64__)
#define SCOPE		"arm64"
#elif defined(__s390x__)
#define SCOPE		"s390"
#elif defined(__powerpc64__)
#define SCOPE		"book3s"
#elif defined(__powerpc__)
#define SCOPE		"booke"
#elif defined(__mips__)
/* Trap-and-emulate: no emulated machine has VZ. */
#define SCOPE		"mips"
#endif

struct row {
	char target[MAX_TEXT];
	char name[MAX_TEXT];
	char description[MAX_TEXT];
	bool found;
};

static struct row rows[MAX_ROWS];
static size_t num_rows;

/*
 * The statistics of the scope "SCOPE-sched" exist if the kernel has CONFIG_SCHED_INFO, and those of
 * the scope "SCOPE-exits" if it has CONFIG_KVM_EXIT_STATS.
 */
static bool is_in_scope(const char *scope)
{
	size_t len = strlen(SCOPE);

	if (strncmp(scope, SCOPE, len))
		return false;
	return !scope[len] || (!strcmp(scope + len, "-exits") && kernel_has_exit_stats()) ||
	       (!strcmp(scope + len, "-sched") && !access("/proc/self/schedstat", F_OK));
}

static const char *read_list(void)
{
	char line[512], scope[MAX_TEXT];
	const char *path = getenv("STATS_REFERENCE") ?: LIST;
	FILE *list = fopen(path, "r");
	struct row *row;

	if (!list)
		return stats_fail("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), list)) {
		if (num_rows == MAX_ROWS)
			return stats_fail("more than %d rows", MAX_ROWS);
		row = &rows[num_rows];
		if (sscanf(line, "%63[^\t]\t%63[^\t]\t%63[^\t]\t%63[^\t]", scope,
			   row->target, row->name, row->description) != 4)
			return stats_fail("not a row: %s", line);
		if (is_in_scope(scope))
			num_rows++;
	}
	fclose(list);
	return num_rows ? NULL : stats_fail("%s has no statistic of " SCOPE, path);
}

static struct row *row_of(const char *target, const char *name)
{
	size_t i;

	for (i = 0; i < num_rows; i++) {
		if (!strcmp(rows[i].target, target) && !strcmp(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

static const char *type_word(uint32_t flags)
{
	static const char * const words[] = {
		"cumulative", "instant", "peak", "linear", "log2",
	};
	uint32_t type = (flags & KVM_STATS_TYPE_MASK) >> KVM_STATS_TYPE_SHIFT;

	return type < ARRAY_SIZE(words) ? words[type] : "?";
}

static const char *unit_word(const struct kvm_stats_desc *desc)
{
	bool pow10 = (desc->flags & KVM_STATS_BASE_MASK) == KVM_STATS_BASE_POW10;

	switch (desc->flags & KVM_STATS_UNIT_MASK) {
	case KVM_STATS_UNIT_SECONDS:
		return pow10 && desc->exponent == -9 ? " ns" : "?";
	case KVM_STATS_UNIT_BYTES:
		return pow10 && !desc->exponent ? " bytes" : "?";
	case KVM_STATS_UNIT_CYCLES:
		return pow10 && !desc->exponent ? " cycles" : "?";
	case KVM_STATS_UNIT_BOOLEAN:
		return pow10 && !desc->exponent ? " boolean" : "?";
	default:
		return pow10 && !desc->exponent ? "" : "?";
	}
}

/* Use the format of ../compare/descriptors. */
static void describe(const struct kvm_stats_desc *desc, char text[MAX_TEXT])
{
	char size[24] = "";

	if (desc->bucket_size)
		snprintf(size, sizeof(size), "[%ux%u]", desc->size, desc->bucket_size);
	else if (desc->size != 1)
		snprintf(size, sizeof(size), "[%u]", desc->size);
	snprintf(text, MAX_TEXT, "%s%s%s", type_word(desc->flags), size, unit_word(desc));
}

static const char *check_desc(const char *target, const struct kvm_stats_desc *desc)
{
	struct row *row = row_of(target, desc->name);
	char text[MAX_TEXT];

	if (!row)
		return stats_fail("%s is not in the reference", desc->name);
	row->found = true;
	describe(desc, text);
	if (strcmp(row->description, text))
		return stats_fail("%s is '%s', but '%s' in the reference", desc->name,
				  text, row->description);
	return NULL;
}

static const char *described(const char *target, int fd)
{
	const struct kvm_stats_desc *desc;
	const char *why, *first = NULL;
	struct stats_file file;
	uint32_t i;

	why = stats_file_load(&file, fd);
	if (why)
		return why;
	if (!file.header.num_desc)
		first = stats_fail("the file has no descriptors");
	for (i = 0; (desc = stats_file_desc(&file, i)); i++) {
		why = check_desc(target, desc);
		if (!why)
			continue;
		printf("# %s\n", why);
		first = why;
	}
	stats_file_free(&file);
	return first;
}

/* Check that the file has each statistic of the reference; call after described(). */
static const char *complete(const char *target)
{
	const char *why = NULL;
	size_t i;

	for (i = 0; i < num_rows; i++) {
		if (strcmp(rows[i].target, target) || rows[i].found)
			continue;
		why = stats_fail("%s is in the reference, but not in the file", rows[i].name);
		printf("# %s\n", why);
	}
	return why;
}

int main(void)
{
	int fds[STATS_NUM_FDS];
	const char *why;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	why = stats_bare_vm(fds);
	if (!why)
		why = read_list();
	bail_out(why);
	tap_plan(4);
	report("vm", "described", described("vm", fds[STATS_FD_VM_STATS]));
	report("vm", "complete", complete("vm"));
	report("vcpu", "described", described("vcpu", fds[STATS_FD_VCPU_STATS]));
	report("vcpu", "complete", complete("vcpu"));
	return tap_end();
}
