// SPDX-License-Identifier: GPL-2.0-only
/* Test which QMP sockets are found on the command line of QEMU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/file.h"
#include "qmp/socket.h"
#include "tap.h"

static char root[] = "/tmp/qmp_socket_test.XXXXXX";

/* Writes a command line. Spaces separate its arguments. */
static void write_cmdline(const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/7/cmdline", root);
	file = fopen(path, "w");
	if (!file)
		abort();
	for (; *text; text++)
		fputc(*text == ' ' ? '\0' : *text, file);
	fputc('\0', file);
	fclose(file);
}

static void check(const struct qmp_sockets *sockets, const char *expected, const char *what)
{
	char found[512] = "";
	size_t i;

	for (i = 0; i < sockets->count; i++) {
		strcat(found, i ? " " : "");
		strcat(found, sockets->socket[i].path);
	}
	if (!tap_ok(!strcmp(found, expected), "%s", what))
		printf("# expected '%s', found '%s'\n", expected, found);
}

static void find(const char *cmdline, const char *expected, const char *what)
{
	struct qmp_sockets sockets = { 0 };

	write_cmdline(cmdline);
	if (qmp_sockets_of_vmm(&sockets, 7))
		abort();
	check(&sockets, expected, what);
	qmp_sockets_free(&sockets);
}

static void expand(const char *path, const char *guest, const char *expected, const char *what)
{
	struct qmp_sockets sockets = { 0 };

	if (qmp_sockets_add(&sockets, path, 7, guest))
		abort();
	check(&sockets, expected, what);
	qmp_sockets_free(&sockets);
}

static void test_qmp(void)
{
	find("qemu -qmp unix:/run/a,server=on,wait=off", "/run/a", "-qmp unix:");
	find("qemu --qmp unix:/run/a,server,nowait", "/run/a", "two dashes, and short forms");
	find("qemu -qmp-pretty unix:a,,b,server=yes -qmp unix:c,server=true", "a,b c",
	     "commas in paths, and two sockets");
	find("qemu -qmp unix:/run/a -qmp unix:/run/b,server=off", "", "QEMU is the client");
	find("qemu -qmp tcp:localhost:4444,server=on -qmp stdio", "", "other devices");
	find("qemu -qmp", "", "an option without its value");
	find("qemu -monitor unix:/run/a,server=on", "", "a monitor for people");
}

static void test_mon(void)
{
	find("kvm -chardev socket,id=qmp,path=/run/1.qmp,server=on,wait=off -mon "
	     "chardev=qmp,mode=control -chardev socket,id=qmp-event,path=/run/e.sock,reconnect=5 "
	     "-mon chardev=qmp-event,mode=control", "/run/1.qmp", "-mon, as on Proxmox VE");
	find("qemu -mon m,mode=control,pretty=on -chardev socket,path=/run/a,server=on,id=m",
	     "/run/a", "short forms in any order");
	find("qemu -chardev socket,id=m,path=/run/a,server=on -mon chardev=m,mode=readline", "",
	     "a monitor for people");
	find("qemu -chardev socket,id=m,path=/run/a,server=on -mon chardev=m", "",
	     "the default is for people");
	find("qemu -chardev socket,id=charmonitor,fd=30,server=on,wait=off -mon "
	     "chardev=charmonitor,id=monitor,mode=control", "", "libvirt passes an fd");
	find("qemu -mon chardev=m,mode=control", "", "a device that is missing");
	find("qemu -chardev pty,id=m,path=/run/a,server=on -mon chardev=m,mode=control", "",
	     "a device that is not a socket");
	find("qemu -qmp chardev:m -chardev socket,id=m,path=/run/a,server=on", "/run/a",
	     "-qmp chardev:");
}

static void test_expand(void)
{
	expand("/run/%g.%p", "web", "/run/web.7", "%g is the guest, and %p the process ID");
	expand("/run/50%%", NULL, "/run/50%", "%% is a percent sign");
	expand("/run/%", NULL, "/run/%", "so is one at the end");
	expand("/run/%g", NULL, "", "%g needs a name");
	expand("/run/%g", "../etc", "", "the name must not lead to another directory");
}

int main(void)
{
	char dir[64], path[64];

	if (!mkdtemp(root))
		abort();
	snprintf(dir, sizeof(dir), "%s/7", root);
	snprintf(path, sizeof(path), "%s/7/cmdline", root);
	if (mkdir(dir, 0700))
		abort();
	proc_set_root(root);
	test_qmp();
	test_mon();
	test_expand();
	unlink(path);
	rmdir(dir);
	rmdir(root);
	return tap_end();
}
