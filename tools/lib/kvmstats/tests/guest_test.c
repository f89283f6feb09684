// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test the name and the UUID of a guest, from the command line of its VMM. */
#include <stdio.h>
#include <string.h>

#include "guest.h"
#include "kvmstats.h"
#include "tap.h"

#define UUID	"0a1b2c3d-0000-4000-8000-00000000000f"

/* @size is that of @text as an array, which has a NUL after the last argument. */
static void expect(const char *text, size_t size, const char *name, const char *uuid,
		   const char *what)
{
	struct kvmstats_guest guest;

	if (!tap_ok(!kvmstats_guest_parse(&guest, text, size), "it is parsed: %s", what))
		return;
	tap_text(guest.name, name, what);
	tap_text(guest.uuid, uuid, "its UUID");
	kvmstats_guest_free(&guest);
}

#define EXPECT(text, name, uuid, what)	expect(text, sizeof(text), name, uuid, what)

static void test_names(void)
{
	EXPECT("qemu\0-name\0web", "web", "none", "the argument of -name is the name");
	EXPECT("qemu\0--name\0web", "web", "none", "--name is the same option");
	EXPECT("qemu\0-name\0guest=web,debug-threads=on", "web", "none", "guest= is first");
	EXPECT("qemu\0-name\0debug-threads=on,guest=web", "web", "none", "guest= can come later");
	EXPECT("qemu\0-name\0web,process=x", "web", "none", "the first suboption needs no guest=");
	EXPECT("qemu\0-name\0guest=a,,b", "a,b", "none", "a comma in the name is doubled");
	EXPECT("qemu\0-name\0process=x", "none", "none", "a command line without a name");
	EXPECT("qemu\0-name\0", "none", "none", "an empty name does not count");
	EXPECT("qemu\0-S\0-name", "none", "none", "a command line that ends in -name");
	EXPECT("", "none", "none", "an empty command line");
}

static void test_ids(void)
{
	EXPECT("firecracker\0--id\0web-1\0--api-sock\0/run/fc.sock", "web-1", "none",
	       "the ID of Firecracker is the name");
	EXPECT("firecracker\0--id=web-2", "web-2", "none", "as the jailer passes it");
	EXPECT("firecracker\0--api-sock\0/run/fc.sock", "/run/fc.sock", "none",
	       "without an ID, it is the socket");
	EXPECT("cloud-hypervisor\0--api-socket\0path=/run/ch.sock", "/run/ch.sock", "none",
	       "the socket of Cloud Hypervisor");
	EXPECT("cloud-hypervisor\0--api-socket\0fd=3", "none", "none", "which can be a descriptor");
	EXPECT("crosvm\0run\0--socket\0/run/vm.sock\0bzImage", "/run/vm.sock", "none",
	       "the socket of crosvm");
	EXPECT("/usr/bin/crosvm\0run\0-s\0/run/vm.sock\0bzImage", "/run/vm.sock", "none",
	       "which has a short option");
	EXPECT("qemu\0-s\0-S", "none", "none", "the option -s of QEMU is another one");
	EXPECT("crosvm\0--log-level=info\0run\0--name\0arc\0-s\0/run/vm.sock", "arc", "none",
	       "the name of crosvm is preferred");
	EXPECT("lkvm\0run\0--name\0web\0-c\0002", "web", "none", "the name of kvmtool");
	EXPECT("qemu\0-name\0web\0--id\0x", "web", "none", "a name is preferred");
	EXPECT("qemu\0-names\0web\0-idle\0x", "none", "none", "other options are ignored");
}

static void test_uuids(void)
{
	EXPECT("qemu\0-uuid\0000A1B2C3D-0000-4000-8000-00000000000F\0-S", "none", UUID,
	       "the UUID is in lower case");
	EXPECT("qemu\0--uuid\0" UUID "\0-name\0web", "web", UUID, "--uuid is the same option");
	EXPECT("qemu\0-S\0-uuid\0-uuid", "none", "none", "a command line that ends in -uuid");
	EXPECT("qemu\0-uuid\0000a1b2c3d-0000-4000-8000-00000000000\"", "none", "none",
	       "an argument that is not a UUID is ignored");
	EXPECT("qemu\0-uuid\0000a1b2c3d-0000-4000-8000-0000000000000", "none", "none",
	       "an argument that is too long is ignored");
}

static void expect_cgroup(const char *text, const char *cgroup, const char *guest, const char *what)
{
	char copy[256];
	const char *found_guest, *found;

	snprintf(copy, sizeof(copy), "%s", text);
	found = kvmstats_cgroup_parse(copy, &found_guest);
	tap_text(found, cgroup, what);
	tap_text(found_guest, guest, "its guest");
}

static void test_cgroups(void)
{
	expect_cgroup("0::/machine.slice/machine-qemu\\x2d12\\x2dweb\\x2d1.scope/libvirt\n",
		      "machine-qemu-12-web-1", "web-1", "the scope of a guest of libvirt");
	expect_cgroup("0::/qemu.slice/100.scope\n", "100", "100",
		      "the scope of a guest of Proxmox");
	expect_cgroup("1:cpu:/\n0::/machine.slice/machine-fc\\x2d1.scope/emulator\n",
		      "machine-fc-1", "fc-1",
		      "the first hierarchy that is not the root; another machine");
	expect_cgroup("0::/user.slice/user-0.slice/session-4.scope\n", "session-4", "none",
		      "a session does not name a guest");
	expect_cgroup("0::/system.slice/vm@web.service\n", "vm@web", "none", "nor does a service");
	expect_cgroup("0::/pods/abc\n", "abc", "none", "the innermost cgroup");
	expect_cgroup("0::/\n", "none", "none", "the root");
	expect_cgroup("", "none", "none", "an empty text");
}

static void test_other_uuids(void)
{
	EXPECT("/usr/bin/kvm\0-id\000117\0-name\0Copy-of-VM-deb12cloud,debug-threads=on\0"
	       "-smbios\0type=1,uuid=7b10d7af-b932-4c66-b2c3-3996152ec465\0-daemonize",
	       "Copy-of-VM-deb12cloud", "7b10d7af-b932-4c66-b2c3-3996152ec465",
	       "the UUID of Proxmox");
	EXPECT("qemu\0-smbios\0type=0,vendor=x\0-smbios\0type=1,serial=y,uuid=" UUID,
	       "none", UUID, "in the second of two options");
	EXPECT("qemu\0-smbios\0type=2,uuid=" UUID "\0-smbios\0type=1,uuid=0\0-smbios\0type=1",
	       "none", "none", "a UUID that is not that of the system is ignored");
	EXPECT("qemu\0-smbios\0type=1,uuid=7b10d7af-b932-4c66-b2c3-3996152ec465\0-uuid\0" UUID,
	       "none", UUID, "-uuid is preferred");
	EXPECT("cloud-hypervisor\0--api-socket=path=/run/ch.sock\0--platform\0"
	       "num_pci_segments=2,uuid=" UUID, "/run/ch.sock", UUID,
	       "the UUID of Cloud Hypervisor");
}

/* The names are those of QEMU, Firecracker, Cloud Hypervisor, crosvm and kvmtool. */
static void test_threads(void)
{
	static const struct {
		const char *name;
		int vcpu;
	} cases[] = {
		{ "CPU 0/KVM", 0 }, { "CPU 12/KVM", 12 }, { "CPU 3/TCG", -1 }, { "CPU /KVM", -1 },
		{ "fc_vcpu 3", 3 }, { "vcpu7", 7 }, { "crosvm_vcpu11", 11 }, { "kvm-vcpu-3", 3 },
		{ "vcpu", -1 }, { "vcpus", -1 }, { "vcpu1x", -1 }, { "vcpu1-io", -1 },
		{ "IO mon_iothread", -1 }, { "", -1 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_ok(kvmstats_vcpu_of_name(cases[i].name) == cases[i].vcpu,
		       "the vCPU is found in the name of a thread: '%s'", cases[i].name);
}

int main(void)
{
	test_threads();
	test_other_uuids();
	test_cgroups();
	test_names();
	test_ids();
	test_uuids();
	return tap_end();
}
