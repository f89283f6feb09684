// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm-stats beside a real QEMU: each of its commands, as root and as a user without rights, top
 * on a terminal and serve over HTTP, while another QEMU comes and goes.
 */
/* sources: client/[a-z]*.c cli/[a-z]*.c qemu/[a-z]*.c ../../lib/kvmstats/[a-z]*.c */
/* libs: -ljansson */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/scene.h"
#include "qemu/checks.h"

static const struct point with_stats[] = {
	{ "QEMU greets over QMP", check_greeting },
	{ "QEMU runs its guest with KVM", check_uses_kvm },
	{ "query-cpus-fast: each CPU is there", check_cpus },
	{ "list shows QEMU, its guest's name, and that fds were opened", check_list },
	{ "schema shows its statistics, their types and units", check_schema },
	{ "read shows its exits, and their rate", check_read },
	{ "log shows them as comma-separated values", check_log },

	{ "serve starts", check_serve_starts },
	{ "it has the text format, and OpenMetrics for those who ask for it", check_formats },
	{ "another path is 404", check_not_found },
	{ "nobody listens on other addresses than loopback's", check_loopback },

	{ "top shows exits with their rate", check_top_starts },
	{ "b shows the guest by its name", check_top_guests },
	{ "Enter leads down to vCPUs, and to one of them", check_top_leads_down },
	{ "it follows the size of the terminal", check_top_resizes },
	{ "f chooses statistics", check_top_filter },

	{ "the guest stops", check_stop },
	{ "stopped: serve has all of QEMU's values", check_served_values },
	{ "stopped: so has the file for node_exporter, gone with its writer", check_textfile },
	{ "stopped: top has QEMU's sum", check_top_values },

	{ "a QEMU of another user starts", check_other_starts },
	{ "top tells that it has appeared, and shows it", check_top_other },
	{ "serve has it", check_served_other },
	{ "its user has it listed, and no other one", check_user_list },
	{ "its user has its schema, its log and its metrics", check_user_commands },
	{ "stopped: its user reads QEMU's values", check_user_values },
	{ "its user has it in top", check_user_top },
	{ "root's QEMU is refused, and what that would take is told", check_user_refused },
	{ "it is killed", check_other_ends },
	{ "top tells that it has ended, and shows the one that is left", check_top_no_other },
	{ "the next scrape has it no more", check_served_no_other },
	{ "both have let go of its VM", check_let_go },

	{ "q ends top", check_top_ends },
	{ "SIGTERM ends serve", check_serve_ends },
	{ "QEMU quits", check_quits },
};

static const struct point without_stats[] = {
	{ "QEMU greets over QMP", check_greeting },
	{ "list shows QEMU, and that debugfs has its numbers", check_list },
	{ "read shows its sums", check_read_debugfs },
	{ "serve starts", check_serve_starts },
	{ "the guest stops", check_stop },
	{ "stopped: serve has the sums of debugfs", check_served_debugfs },
	{ "stopped: top has the sums of debugfs", check_top_debugfs },
	{ "q ends top", check_top_ends },
	{ "SIGTERM ends serve", check_serve_ends },
	{ "QEMU quits", check_quits },
};

static void end(struct scene *scene)
{
	terminal_close(&scene->top);
	if (scene->port) {
		kill(scene->server.pid, SIGKILL);
		run_end(&scene->server);
	}
	session_end(&scene->qemu);
	chmod("/dev/kvm", 0600);
}

int main(void)
{
	static struct scene scene = { .top = TERMINAL_NONE };
	const char *variant = getenv("BOOT_VARIANT");
	size_t failed;
	int ret;

	session_configure(&scene.qemu);
	ret = session_start(&scene.qemu);
	if (ret) {
		printf("Bail out! starting QEMU: %s\n", strerror(-ret));
		return 1;
	}
	if (variant && !strcmp(variant, "unpatched"))
		failed = tap_run(without_stats, ARRAY_SIZE(without_stats), &scene);
	else
		failed = tap_run(with_stats, ARRAY_SIZE(with_stats), &scene);
	end(&scene);
	return failed ? 1 : 0;
}
