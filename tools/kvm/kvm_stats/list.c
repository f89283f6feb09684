// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats list */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "explain.h"
#include "kvmstats.h"
#include "output.h"

#define MAX_REASONS	8

struct reason {
	int err;
	pid_t pid;	/* the first that has it */
};

struct tally {
	size_t shown;
	size_t unseen;
	struct reason reason[MAX_REASONS];
	size_t reasons;
};

static void usage(FILE *to)
{
	fputs("Usage: kvm-stats list\n"
	      "\n"
	      "Shows the processes that have KVM VMs. NUMBERS says where their statistics\n"
	      "come from: opened (by kvm-stats), taken (fds that the VMM keeps open; taken:1/3\n"
	      "if for one of three VMs and vCPUs only), or none, with reasons on standard error.\n",
	      to);
}

/* How many targets' statistics can be had; why not the others in @why. */
static size_t count_sources(const struct kvmstats_vmm *vmm, enum kvmstats_origin *origin, int *why)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < kvmstats_vmm_targets(vmm); i++) {
		enum kvmstats_origin from;
		int fd = kvmstats_target_open(kvmstats_vmm_target(vmm, i), &from);

		if (fd < 0) {
			*why = fd;
			continue;
		}
		close(fd);
		*origin = from;
		count++;
	}
	return count;
}

static void numbers_text(const struct kvmstats_vmm *vmm, char *text, size_t size, int *why)
{
	size_t targets = kvmstats_vmm_targets(vmm);
	enum kvmstats_origin origin;
	size_t count = count_sources(vmm, &origin, why);
	const char *word;

	if (!count) {
		snprintf(text, size, "none");
		return;
	}
	word = origin == KVMSTATS_TAKEN ? "taken" : "opened";
	if (count == targets)
		snprintf(text, size, "%s", word);
	else
		snprintf(text, size, "%s:%zu/%zu", word, count, targets);
}

/* Many VMMs lack numbers for one reason, which is worth telling once. */
static void note_reason(struct tally *tally, pid_t pid, int err)
{
	size_t i;

	for (i = 0; i < tally->reasons; i++) {
		if (tally->reason[i].err == err)
			return;
	}
	if (i < MAX_REASONS)
		tally->reason[tally->reasons++] = (struct reason){ err, pid };
}

static void print_vmm(const struct kvmstats_vmm *vmm, struct tally *tally)
{
	const char *guest = kvmstats_vmm_guest(vmm);
	char comm[64], name[256], numbers[64];
	int why = 0;

	numbers_text(vmm, numbers, sizeof(numbers), &why);
	printf("%10d  %-15s  %4zu  %5zu  %-9s  %s\n", (int)kvmstats_vmm_pid(vmm),
	       harmless(kvmstats_vmm_comm(vmm), comm, sizeof(comm)),
	       kvmstats_vmm_vms(vmm), kvmstats_vmm_vcpus(vmm), numbers,
	       guest ? harmless(guest, name, sizeof(name)) : "-");
	if (why)
		note_reason(tally, kvmstats_vmm_pid(vmm), why);
}

static int visit(pid_t pid, int err, void *arg)
{
	struct tally *tally = arg;
	struct kvmstats_vmm *vmm;

	if (!err)
		err = kvmstats_vmm_open(&vmm, pid);
	if (err == -EACCES || err == -EPERM) {
		tally->unseen++;
		return 0;
	}
	/* It may have ended, or let go of its VM, since it was found. */
	if (err == -ESRCH || err == -ENODEV)
		return 0;
	if (err) {
		note_reason(tally, pid, err);
		return 0;
	}
	if (!tally->shown++)
		printf("%10s  %-15s  %4s  %5s  %-9s  %s\n",
		       "PID", "VMM", "VMS", "VCPUS", "NUMBERS", "GUEST");
	print_vmm(vmm, tally);
	kvmstats_vmm_close(vmm);
	return 0;
}

static int list(void)
{
	struct tally tally = { 0 };
	char buf[128];
	size_t i;
	int err;

	err = kvmstats_vmm_find(visit, &tally);
	if (err) {
		complain("cannot read /proc: %s", kvmstats_strerror(err, buf, sizeof(buf)));
		return STATUS_FAILED;
	}
	for (i = 0; i < tally.reasons; i++)
		explain(tally.reason[i].pid, NULL, tally.reason[i].err);
	if (!tally.shown)
		complain("no process with a KVM VM found");
	if (tally.unseen)
		complain("%zu process%s not looked into: that takes CAP_SYS_PTRACE (root)",
			 tally.unseen, tally.unseen == 1 ? "" : "es");
	return STATUS_OK;
}

int command_list(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			return STATUS_OK;
		}
		usage(stderr);
		return STATUS_USAGE;
	}
	if (optind < argc) {
		complain("list takes no argument, found '%s'", argv[optind]);
		return STATUS_USAGE;
	}
	return list();
}
