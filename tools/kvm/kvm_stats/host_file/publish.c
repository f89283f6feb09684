// SPDX-License-Identifier: GPL-2.0-only
/* `kvm-stats publish`: pins the host file, reports what is published, or removes it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "host_file/loader.h"
#include "host_file/publish.h"
#include "kvmstats.h"
#include "options.h"
#include "util.h"

#define DIRECTORY	"/run/kvm-stats"
#define BPFFS		DIRECTORY "/bpf"	/* a file system of its own */
#define PIN		BPFFS "/host"	/* names of pins have no dots */
#define NEW		BPFFS "/new"	/* the next PIN, and the first part of other names */
#define GROUP		"kvm-stats"

struct arguments {
	bool check, status, remove, exits;
	const char *group;
};

/* ---- the file system of BPF ---- */

static bool is_bpffs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (__u32)fs.f_type == BPF_FS_MAGIC;
}

static bool make_directory(const char *path)
{
	if (!mkdir(path, 0755) || errno == EEXIST)
		return true;
	complain("the directory %s cannot be created: %s", path, strerror(errno));
	return false;
}

static bool mount_bpffs(void)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	if (!make_directory(DIRECTORY) || !make_directory(BPFFS))
		return false;
	if (is_bpffs(BPFFS) || !mount("bpf", BPFFS, "bpf", flags, "mode=0755"))
		return true;
	complain("no bpf file system can be mounted on %s: %s. Run as root, or grant CAP_SYS_ADMIN",
		 BPFFS, strerror(errno));
	return false;
}

/* Programs open DIRECTORY/host.pin, next to which a socket can be: bpffs has no sockets. */
static bool link_pin(void)
{
	char target[64];
	ssize_t n = readlink(KVMSTATS_HOST_FILE, target, sizeof(target) - 1);

	if (n > 0) {
		target[n] = '\0';
		if (!strcmp(target, "bpf/host"))
			return true;
	}
	if (n > 0)
		unlink(KVMSTATS_HOST_FILE);
	if (!symlink("bpf/host", KVMSTATS_HOST_FILE))
		return true;
	complain("the symbolic link %s to %s cannot be created: %s", KVMSTATS_HOST_FILE, PIN,
		 strerror(errno));
	return false;
}

/* ---- publishing ---- */

static bool find_group(const char *name, gid_t *gid)
{
	const struct group *group = getgrnam(name);

	if (group) {
		*gid = group->gr_gid;
		return true;
	}
	complain("there is no group '%s'. Run 'groupadd --system %s', or use another group with "
		 "--group",
		 name, name);
	return false;
}

/* One process at a time changes what is published. The end of the process releases the lock. */
static int pins_lock;

static bool lock_pins(void)
{
	char error[LOADER_ERROR];

	pins_lock = loader_lock(error);
	if (pins_lock < 0)
		complain("%s", error);
	return pins_lock >= 0;
}

/*
 * Removes the pins whose names begin with @prefix. To unmount the file system is not enough: a
 * container that has a mount of its own would keep its programs attached.
 */
static bool remove_pins(const char *prefix)
{
	DIR *dir = opendir(BPFFS);
	const struct dirent *entry;
	bool removed = dir;

	while (removed && (entry = readdir(dir))) {
		/* The kernel's own files have names with dots, and cannot be removed. */
		if (strchr(entry->d_name, '.') || strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		removed = !unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (!removed)
		complain("the pins in %s cannot be removed: %s", BPFFS, strerror(errno));
	if (dir)
		closedir(dir);
	return removed;
}

static bool pin_link(int fd, const char *path)
{
	int err = bpf_obj_pin(fd, path);

	if (!err)
		return true;
	complain("a BPF program cannot be pinned as %s: %s", path, strerror(-err));
	return false;
}

/* Pins everything under names that nothing uses. */
static bool pin_new(const struct loader *loader, gid_t gid)
{
	char path[64];
	size_t i;

	if (!pin_link(bpf_link__fd(loader->link), NEW))
		return false;
	if (chown(NEW, 0, gid) || chmod(NEW, 0440)) {
		complain("the group and the mode of %s cannot be set: %s", NEW, strerror(errno));
		return false;
	}
	for (i = 0; loader->exits && i < EXIT_LINKS; i++) {
		snprintf(path, sizeof(path), NEW "-exits-%zu", i);
		if (!pin_link(loader->exit_fds[i], path))
			return false;
	}
	return true;
}

/*
 * Replaces the links to tracepoints, which take effect as long as they are pinned, and then the
 * file that has their values.
 */
static bool replace_pins(const struct loader *loader)
{
	char from[64], path[64];
	size_t i;

	for (i = 0; i < EXIT_LINKS; i++) {
		snprintf(from, sizeof(from), NEW "-exits-%zu", i);
		snprintf(path, sizeof(path), BPFFS "/exits-%zu", i);
		if (loader->exits ? rename(from, path) : unlink(path) && errno != ENOENT) {
			complain("%s cannot be replaced: %s", path, strerror(errno));
			return false;
		}
	}
	if (HAVE_EXITS && !loader->exits)
		exits_unpublish(pins_lock);
	if (!rename(NEW, PIN))
		return true;
	complain("%s cannot be renamed to %s: %s", NEW, PIN, strerror(errno));
	return false;
}

/* Readers see the file only when its owner and mode are set. A killed process can leave pins. */
static bool pin(const struct loader *loader, gid_t gid)
{
	if (!remove_pins("new"))
		return false;
	if (pin_new(loader, gid) && replace_pins(loader))
		return link_pin();
	remove_pins("new");
	return false;
}

/* @known: the exit reasons of the vendor module are known */
static void print_exits(bool known)
{
	puts(known ? "exits: counted by class" :
	     "exits: all counted in the class 'other', because the exit reasons of KVM's vendor "
	     "module are not known");
}

static void print_exits_of_loader(const struct loader *loader)
{
	if (loader->exits_unseen)
		puts("exits: none counted, because KVM's vendor module does not use the "
		     "tracepoints kvm_entry and kvm_exit");
	else
		print_exits(HAVE_EXITS && exits_have_reasons(loader));
}

/* Whatever the umask is, members of the group can enter the directories. */
static int publish(const struct arguments *arguments, struct loader *loader)
{
	gid_t gid;

	umask(022);
	if (!find_group(arguments->group, &gid) || !lock_pins() || !mount_bpffs() ||
	    !pin(loader, gid))
		return STATUS_FAILED;
	if (WITH_EXITS(loader) && exits_keep(loader)) {
		complain("%s", loader->error);
		return STATUS_FAILED;
	}
	printf("%s: published for group %s\n", KVMSTATS_HOST_FILE, arguments->group);
	if (loader->exits_unseen)
		print_exits_of_loader(loader);
	return STATUS_OK;
}

/* ---- reports ---- */

static void print_limits(const struct loader *loader)
{
	const struct host_layout *layout = &loader->layout;

	if (!layout->clocks)
		puts("limit: the time of a wait that has not ended is less exact, because the "
		     "kernel's symbols do not include the run queues (CONFIG_KALLSYMS_ALL)");
	/* The kernel makes this directory if debugfs exists, mounted or not. */
	if (access("/sys/kernel/debug", F_OK))
		puts("limit: a VM can have the identity of an earlier VM, because the kernel has "
		     "no debugfs");
}

static int check(const struct loader *loader)
{
	const struct kvm_host_header *header = &loader->layout.header;
	struct utsname name;

	uname(&name);
	printf("kernel: %s %s\n", name.release, name.machine);
	printf("KVM: %s\n", loader->layout.module ? "a module" : "built in");
	printf("statistics: %u of a VM, %u of a vCPU\n", header->vm_descs, header->vcpu_descs);
	if (loader->exits)
		print_exits_of_loader(loader);
	print_limits(loader);
	puts("proof: the statistics of a VM of this process are equal to those of KVM's own files");
	return STATUS_OK;
}

static int status_error(int err)
{
	if (err == -ENOENT)
		complain("the host file is not published. Run 'kvm-stats publish' as root");
	else if (err == -ESTALE)
		complain("%s is stale: KVM's module was loaded again after it was published. "
			 "Run 'kvm-stats publish' as root",
			 KVMSTATS_HOST_FILE);
	else if (err == -EACCES)
		complain("%s cannot be read: permission denied. Run this as root, or as a member "
			 "of the group of this file", KVMSTATS_HOST_FILE);
	else
		complain("%s cannot be read: %s", KVMSTATS_HOST_FILE, strerror(-err));
	return STATUS_FAILED;
}

static uint64_t sum_of(const struct kvmstats_host *host, const char *name)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	const struct kvmstats_stat *stat = kvmstats_schema_find(schema, name);
	uint64_t sum = 0, value;
	size_t i, j;

	for (i = 0; stat && i < kvmstats_host_vms(host); i++) {
		const struct kvmstats_host_vm *vm = kvmstats_host_vm(host, i);

		for (j = 0; j < kvmstats_host_vm_vcpus(vm); j++) {
			const struct kvmstats_host_vcpu *vcpu = kvmstats_host_vm_vcpu(vm, j);

			if (!kvmstats_sample_value(kvmstats_host_vcpu_now(vcpu), stat, 0, &value))
				sum += value;
		}
	}
	return sum;
}

/*
 * KVM has counted exits, but the programs have seen no vCPU in the guest. Just after the file is
 * published, this can be normal.
 */
static void print_exits_of_host(const struct kvmstats_host *host)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);

	if (sum_of(host, "exits") && !sum_of(host, "guest_ns"))
		puts("exits: none counted yet. If that remains so while guests run, find out why: "
		     "kvm-stats publish --check --exits");
	else
		print_exits(kvmstats_schema_find(schema, "exit_mmio"));
}

static void print_status(const struct kvmstats_host *host)
{
	const struct kvmstats_schema *vcpu = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	char since[40] = "";
	size_t vcpus = 0, i;
	struct stat st;

	for (i = 0; i < kvmstats_host_vms(host); i++)
		vcpus += kvmstats_host_vm_vcpus(kvmstats_host_vm(host, i));
	if (!stat(KVMSTATS_HOST_FILE, &st))
		strftime(since, sizeof(since), "%F %T %z", localtime(&st.st_ctime));
	printf("%s: published\n", KVMSTATS_HOST_FILE);
	printf("since: %s\n", since);
	if (kvmstats_host_instance(host))
		printf("KVM: module, instance %" PRIu64 "\n", kvmstats_host_instance(host));
	else
		puts("KVM: built in");
	printf("statistics: %zu of a VM, %zu of a vCPU\n",
	       kvmstats_schema_count(kvmstats_host_schema(host, KVMSTATS_KIND_VM)),
	       kvmstats_schema_count(vcpu));
	if (kvmstats_schema_find(vcpu, "exit_other"))
		print_exits_of_host(host);
	printf("now: %zu VM%s, %zu vCPU%s\n", kvmstats_host_vms(host),
	       plural(kvmstats_host_vms(host)), vcpus, plural(vcpus));
}

static int status(void)
{
	struct kvmstats_host *host;
	int err;

	err = kvmstats_host_open(&host, KVMSTATS_HOST_FILE);
	if (err)
		return status_error(err);
	err = kvmstats_host_read(host);
	if (!err)
		print_status(host);
	kvmstats_host_close(host);
	return err ? status_error(err) : STATUS_OK;
}

/* The directory stays if something else is in it, such as the relay's socket. */
static int unpublish(void)
{
	if (!lock_pins() || (is_bpffs(BPFFS) && !remove_pins("")))
		return STATUS_FAILED;
	if (HAVE_EXITS)
		exits_unpublish(pins_lock);
	if (is_bpffs(BPFFS) && umount2(BPFFS, MNT_DETACH)) {
		complain("%s cannot be unmounted: %s", BPFFS, strerror(errno));
		return STATUS_FAILED;
	}
	rmdir(BPFFS);
	if (unlink(KVMSTATS_HOST_FILE) && errno != ENOENT) {
		complain("%s cannot be removed: %s", KVMSTATS_HOST_FILE, strerror(errno));
		return STATUS_FAILED;
	}
	rmdir(DIRECTORY);
	return STATUS_OK;
}

/* ---- the command ---- */

static const char usage[] =
	"Usage: kvm-stats publish [OPTION]\n"
	"\n"
	"Publish the host file: the statistics of all VMs and vCPUs of this host, as\n"
	"/run/kvm-stats/host.pin, for members of a group. Nothing keeps running. It needs\n"
	"root, Linux 5.14 or later, and BTF. See kvm-stats-publish(8).\n"
	"\n";

#define MEMBER(member)	offsetof(struct arguments, member)

enum { OPTION_GROUP = FIRST_LONG_OPTION, OPTION_CHECK, OPTION_STATUS, OPTION_REMOVE };

static const struct command_option table[] = {
	{ OPTION_GROUP, "group", "GROUP", "members of this group can read it (default: " GROUP ")",
	  .kind = OPTION_TEXT, .member = MEMBER(group) },
	{ LONG_OPTION_EXITS, "exits", NULL,
	  "count the exits of all vCPUs by class, and their times",
	  .kind = OPTION_FLAG, .member = MEMBER(exits) },
	{ OPTION_CHECK, "check", NULL, "load the program, compare its output, and publish nothing",
	  .kind = OPTION_FLAG, .member = MEMBER(check) },
	{ OPTION_STATUS, "status", NULL, "print what is published",
	  .kind = OPTION_FLAG, .member = MEMBER(status) },
	{ OPTION_REMOVE, "remove", NULL, "remove the file",
	  .kind = OPTION_FLAG, .member = MEMBER(remove) },
	{ 0 }
};

static int use_loader(const struct arguments *arguments)
{
	struct loader *loader = malloc(sizeof(*loader));
	int result = STATUS_FAILED;

	if (!loader)
		return out_of_memory(), STATUS_FAILED;
	if (loader_open_with_exits(loader, arguments->exits ? EXITS_OF_ALL : EXITS_OF_NONE))
		complain("%s", loader->error);
	else
		result = arguments->check ? check(loader) : publish(arguments, loader);
	loader_close(loader);
	free(loader);
	return result;
}

int command_publish(int argc, char **argv)
{
	static const struct command_options accepted = {
		.command = "publish", .usage = usage, .table = table,
	};
	struct arguments arguments = { .group = GROUP };
	int result = options_parse(argc, argv, &accepted, &arguments, NULL);

	if (result >= 0)
		return result;
	if (arguments.check + arguments.status + arguments.remove > 1) {
		complain("--check, --status and --remove cannot be combined. Use one of them");
		return STATUS_USAGE;
	}
	if (arguments.status)
		return status();
	return arguments.remove ? unpublish() : use_loader(&arguments);
}
