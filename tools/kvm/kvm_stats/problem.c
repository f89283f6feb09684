// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "problem.h"
#include "util.h"

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* ---- what the kernel lacks: nothing that the user could do now would help ---- */

static bool is_older_than(int major, int minor)
{
	struct utsname name;
	int has_major, has_minor;

	return !uname(&name) && sscanf(name.release, "%d.%d", &has_major, &has_minor) == 2 &&
	       (has_major < major || (has_major == major && has_minor < minor));
}

/* The host file is read without a device, which kvm-stats.service lacks. Only root loads it. */
static bool lacks_kvm(struct message *problem)
{
	bool has_kvm = exists("/sys/class/misc/kvm");
	int err = kvmstats_capabilities();

	if ((err != -ENOENT && err != -ENODEV && err != -ENXIO) ||
	    (has_kvm && geteuid() && !is_older_than(5, 14)))
		return false;
	message_set(problem, "KVM is not available: %s", strerror(-err));
	message_object(problem, "/dev/kvm");
	if (has_kvm)
		message_advice(problem, "This kernel has KVM: add the device to this container "
			       "or unit");
	else
		message_advice(problem, "Load KVM, for example with 'modprobe kvm_intel' or "
			       "'modprobe kvm_amd'. Virtualization must be enabled in the firmware "
			       "or, in a VM, by its host");
	return true;
}

static bool lacks_host_file(struct message *problem)
{
	char text[128];

	if (is_older_than(5, 14))
		message_set(problem, "this kernel is older than Linux 5.14, and has no statistics "
			    "fds");
	else if (!exists("/sys/kernel/btf/vmlinux"))
		message_set(problem, "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	else if (read_text(text, sizeof(text), "/sys/kernel/security/lockdown") &&
		 strstr(text, "[confidentiality]"))
		message_set(problem, "this kernel is locked down in the mode 'confidentiality'");
	else
		return false;
	message_advice(problem, "See kvm-stats(1) for the kernels that have statistics");
	return true;
}

/* ---- why the origins were not used ---- */

static void explain_stale(struct message *problem)
{
	message_set(problem, "the host file is stale: KVM was loaded again after it was "
		    "published");
	message_advice(problem, "Run 'kvm-stats publish' as root");
}

static void explain_file(struct message *problem, int err)
{
	switch (-err) {
	case ENOENT:
		message_set(problem, "no host file is published");
		message_advice(problem, HAVE_BPF ? "Run 'kvm-stats publish' as root, and read it "
			       "as a member of the group kvm-stats" : "This kvm-stats was built "
			       "without libbpf: publish it with one that has libbpf");
		return;
	case EACCES:
	case EPERM:
		message_set(problem, "the host file cannot be read: permission denied");
		message_advice(problem, "Run as a member of the group kvm-stats, or as root");
		break;
	case ESTALE:
		explain_stale(problem);
		break;
	default:
		message_set(problem, "the host file cannot be read: %s", strerror(-err));
		message_advice(problem, "Run 'kvm-stats publish --status'");
	}
	message_object(problem, KVMSTATS_HOST_FILE);
}

/* If /dev/kvm cannot be opened, it is not known whether the kernel has KVM_STATS_NEXT. */
static bool explain_next(struct message *problem, int err)
{
	int capabilities = kvmstats_capabilities();
	bool has_next = capabilities > 0 && capabilities & KVMSTATS_CAPABILITY_NEXT;

	if (!(err == -EPERM && has_next) && !(err == -EACCES && is_older_than(5, 14)))
		return false;
	message_set(problem, "the statistics of all VMs cannot be opened: permission denied");
	message_object(problem, "/dev/kvm");
	message_advice(problem, "Run as root, or grant CAP_PERFMON and access to /dev/kvm");
	return true;
}

static bool lacks_proc(struct message *problem)
{
	if (exists("/proc/self"))
		return false;
	message_set(problem, "/proc is not mounted");
	message_advice(problem, "Run 'mount -t proc none /proc'");
	return true;
}

/* With hidepid, /proc may hide guests. The advice remains. */
static void add_hidden(struct message *problem)
{
	struct message file = *problem;

	message_set(problem, "/proc hides the processes of other users, and %s", file.what);
	message_advice(problem, "%s", file.advice);
}

int problem_of_host(struct message *problem, const struct kvmstats_host *host,
		    const struct message *private)
{
	int file = kvmstats_host_error(host, KVMSTATS_ORIGIN_FILE);

	*problem = (struct message){ 0 };
	if (kvmstats_host_origin(host) != KVMSTATS_ORIGIN_PROC)
		return 0;
	if (lacks_proc(problem))
		return -ENOENT;
	if (lacks_kvm(problem) ||
	    explain_next(problem, kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT)) ||
	    (file == -ENOENT && lacks_host_file(problem)))
		return 0;
	if (*private->what)
		*problem = *private;
	else
		explain_file(problem, file);
	if (kvmstats_host_error(host, KVMSTATS_ORIGIN_PROC) == -EACCES)
		add_hidden(problem);
	return 0;
}

void problem_of_read(struct message *problem, const char *from, int err)
{
	char text[128];

	if (!from && lacks_proc(problem))
		return;
	if (!from) {
		message_set(problem, "the host cannot be read: %s",
			    kvmstats_strerror(err, text, sizeof(text)));
		return;
	}
	switch (-err) {
	case EPROTO:
		message_set(problem, "it is not a host file");
		message_advice(problem, "Copy one with 'cat " KVMSTATS_HOST_FILE " >FILE'");
		break;
	case EAGAIN:
		message_set(problem, "the file ends in the middle of a sample");
		message_advice(problem, "Copy it again, or read it again if it is not a copy");
		break;
	case ENODATA:
		message_set(problem, "the file has no more samples");
		break;
	case EPROTONOSUPPORT:
		message_set(problem, "the file has a format of a later version");
		message_advice(problem, "Use a later version of kvm-stats");
		break;
	case EOPNOTSUPP:
		message_set(problem, "the host file has no statistics of exits");
		message_advice(problem, "Leave out --exits, or publish the file with "
			       "'kvm-stats publish --exits'");
		break;
	case ESTALE:
		explain_stale(problem);
		break;
	default:
		message_set(problem, "the host file cannot be read: %s", strerror(-err));
	}
	message_object(problem, "%s", strcmp(from, "-") ? from : "standard input");
}
