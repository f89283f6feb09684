// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test messages: the same one about many VMMs is printed once, with all of them, and the advice
 * for tracepoints depends on perf_event_paranoid.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "messages/grouped.h"
#include "messages/sources.h"
#include "proc/file.h"
#include "tap.h"

static char *printed;

/* Calls @fn, and stores what it prints in @printed. */
static void capture(void (*fn)(void *arg), void *arg)
{
	FILE *file = tmpfile();
	int old = dup(STDERR_FILENO);
	size_t len;

	if (!file || old < 0 || dup2(fileno(file), STDERR_FILENO) < 0)
		exit(1);
	fn(arg);
	if (dup2(old, STDERR_FILENO) < 0)
		exit(1);
	close(old);
	free(printed);
	printed = calloc(1, 4096);
	rewind(file);
	len = printed ? fread(printed, 1, 4095, file) : 0;
	fclose(file);
	if (!len)
		printf("# nothing was printed\n");
}

static void print_grouped(void *grouped)
{
	grouped_print(grouped);
}

static void print(struct grouped *grouped)
{
	capture(print_grouped, grouped);
}

static void check_printed(const char *expected, const char *what)
{
	if (!tap_ok(printed && !strcmp(printed, expected), "%s", what))
		printf("# expected:\n%s# found:\n%s", expected, printed);
}

static const struct kvmstats_vmm *any_kvm(void)
{
	static int dummy;

	return (const struct kvmstats_vmm *)&dummy;
}

static void add(struct grouped *grouped, struct vmm *vmm, size_t count, const char *text)
{
	static char guest[16][32];
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(guest[i], sizeof(guest[i]), "guest%zu", i);
		vmm[i] = (struct vmm){
			.pid = 1000 + i, .comm = "vmm", .kvm = any_kvm(),
			.guest = i ? guest[i] : NULL,
		};
		grouped_add(grouped, &vmm[i], "%s", text);
	}
}

static void test_few(void)
{
	struct grouped grouped = { 0 };
	struct vmm vmm[3];

	add(&grouped, vmm, 3, "no");
	print(&grouped);
	check_printed("kvm-stats: PID 1000 (vmm): no\n"
		      "kvm-stats: PID 1001 (vmm), guest \"guest1\": no\n"
		      "kvm-stats: PID 1002 (vmm), guest \"guest2\": no\n",
		      "each of three VMMs has a line");
	tap_ok(!grouped.messages && !grouped.message, "printed messages are removed");
}

static void test_many(void)
{
	struct grouped grouped = { 0 };
	struct vmm vmm[6], other[1];

	add(&grouped, vmm, 3, "no");
	add(&grouped, other, 1, "why");
	add(&grouped, vmm, 6, "no");
	print(&grouped);
	check_printed("kvm-stats: no. This applies to 9 VMMs:\n"
		      "kvm-stats:     1000 (vmm), 1001 \"guest1\", 1002 \"guest2\", 1000 (vmm),\n"
		      "kvm-stats:     1001 \"guest1\", 1002 \"guest2\", 1003 \"guest3\", 1004 \"guest4\",\n"
		      "kvm-stats:     1005 \"guest5\"\n"
		      "kvm-stats: PID 1000 (vmm): why\n",
		      "many VMMs are a list, and another message remains");
}

static void test_bad_names(void)
{
	struct grouped grouped = { 0 };
	struct vmm vmm[4];

	add(&grouped, vmm, 4, "no");
	vmm[1].guest = "a\033[2J";
	print(&grouped);
	tap_ok(strstr(printed, "1001 \"a?[2J\"") && !strchr(printed, '\033'),
	       "control characters in a list are replaced");
}

static void print_denied_tracepoints(void *arg)
{
	(void)arg;
	explain_tracepoints(-EACCES);
}

static void test_level(const char *level, const char *capability)
{
	char dir[] = "/tmp/messages_test.XXXXXX", path[64];
	char other[32];
	FILE *file;

	if (!mkdtemp(dir))
		exit(1);
	snprintf(path, sizeof(path), "%s/sys", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/sys/kernel", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/sys/kernel/perf_event_paranoid", dir);
	file = fopen(path, "w");
	if (!file || fputs(level, file) < 0 || fclose(file))
		exit(1);
	proc_set_root(dir);
	capture(print_denied_tracepoints, NULL);
	proc_set_root("/proc");
	unlink(path);
	for (*strrchr(path, '/') = '\0'; strlen(path) >= strlen(dir); *strrchr(path, '/') = '\0')
		rmdir(path);
	snprintf(other, sizeof(other), " It is %s.", level);
	if (!tap_ok(strstr(printed, capability) && strstr(printed, other),
		    "at level %s, tracepoints need %s", level, capability))
		printf("# found:\n%s", printed);
}

/* Debian has level 3, where the kernel does not accept CAP_PERFMON. */
static void test_tracepoints(void)
{
	test_level("2", "CAP_PERFMON");
	tap_ok(!strstr(printed, "CAP_SYS_ADMIN"), "and not CAP_SYS_ADMIN");
	test_level("3", "CAP_SYS_ADMIN");
	tap_ok(!strstr(printed, "CAP_PERFMON"), "and not only CAP_PERFMON");
}

int main(void)
{
	test_few();
	test_many();
	test_bad_names();
	test_tracepoints();
	free(printed);
	return tap_end();
}
