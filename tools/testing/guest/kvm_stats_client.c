// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test kvm-stats with a real QEMU: each command as root and as an unprivileged user, top on a
 * terminal and serve over HTTP, while a second QEMU starts and ends.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/scenario.h"
#include "lib/exit_stats.h"
#include "qemu/check/checks.h"

static const struct check with_stats[] = {
	{ "QEMU sends the QMP greeting", check_greeting },
	{ "QEMU runs its guest with KVM", check_uses_kvm },
	{ "query-cpus-fast returns each CPU", check_cpus },
	{ "list shows QEMU, the name of its guest and the source of its statistics", check_list },
	{ "schema shows statistics with their types and units", check_schema },
	{ "read shows exits and their rate", check_read },
	{ "log writes exits as comma-separated values", check_log },

	{ "serve starts", check_serve_starts },
	{ "serve uses the text format, or OpenMetrics if the client accepts it", check_formats },
	{ "serve answers 404 for other paths", check_not_found },
	{ "serve listens only on the loopback address", check_loopback },

	{ "top shows exits and their rate", check_top_starts },
	{ "top: b shows guests by name", check_top_guests },
	{ "top: Enter shows the vCPUs of a guest, and then a single vCPU", check_top_navigation },
	{ "top adapts to the size of the terminal", check_top_resizes },
	{ "top: f filters statistics", check_top_filter },

	{ "the guest stops", check_stop },
	{ "stopped: serve shows the values that QEMU reports", check_served_values },
	{ "stopped: serve -t writes the values to a file, and removes it at exit", check_textfile },
	{ "stopped: top shows the sum of the values that QEMU reports", check_top_values },

	{ "a QEMU of an unprivileged user starts", check_other_starts },
	{ "top reports and shows the new QEMU", check_top_other },
	{ "serve shows the new QEMU", check_served_other },
	{ "schema shows each statistic of two VMs once", check_both_schemas },
	{ "read shows exit statistics of both VMs", check_both_read },
	{ "log adds up exit statistics, and says how to switch them on", check_both_logged },
	{ "query and schema --json show exit statistics", check_both_queried },
	{ "serve shows the classes of exits only while they are on", check_both_served },
	{ "serve shows at most 100 series of a guest; exit statistics add 14, and 2 for each class",
	  check_few_series },
	{ "list of that user shows only that QEMU", check_user_list },
	{ "schema, log and serve of that user show that QEMU", check_user_commands },
	{ "with CAP_PERFMON alone, serve shows the QEMUs of both users", check_perfmon },
	{ "stopped: read of that user shows the values that QEMU reports", check_user_values },
	{ "top of that user shows that QEMU", check_user_top },
	{ "read of root's QEMU by that user fails, and names the missing capabilities",
	  check_user_refused },
	{ "the QEMU of that user is killed", check_other_ends },
	{ "top reports the end of that QEMU, and shows only root's QEMU", check_top_no_other },
	{ "the next scrape of serve does not contain that QEMU", check_served_no_other },
	{ "top and serve have closed the fds of that QEMU", check_fds_closed },

	{ "top: q ends top", check_top_ends },
	{ "SIGTERM ends serve", check_serve_ends },
	{ "QEMU quits", check_quits },
};

static const struct check without_stats[] = {
	{ "QEMU sends the QMP greeting", check_greeting },
	{ "list shows QEMU and the source of its statistics", check_list },
	{ "read shows sums from debugfs", check_read_debugfs },
	{ "serve starts", check_serve_starts },
	{ "the guest stops", check_stop },
	{ "stopped: read --qmp reports that QEMU has no statistics", check_no_qmp_values },
	{ "stopped: serve shows the sums from debugfs", check_served_debugfs },
	{ "stopped: top shows the sums from debugfs", check_top_debugfs },
	{ "top: q ends top", check_top_ends },
	{ "SIGTERM ends serve", check_serve_ends },
	{ "QEMU quits", check_quits },
};

/* A kernel that opens statistics for the VMM only, as mainline's do */
static const struct check with_qmp[] = {
	{ "QEMU sends the QMP greeting", check_greeting },
	{ "QEMU runs its guest with KVM", check_uses_kvm },
	{ "query-cpus-fast returns each CPU", check_cpus },
	{ "read shows sums from debugfs, and names the QMP socket", check_offers_qmp },
	{ "the guest stops", check_stop },
	{ "stopped: list --qmp shows QMP as the source", check_list_qmp },
	{ "stopped: read --qmp shows the values that QEMU reports", check_read_qmp },
	{ "QEMU quits", check_quits },
};

static void end(struct scenario *scenario)
{
	terminal_close(&scenario->top);
	if (scenario->port) {
		kill(scenario->server.pid, SIGKILL);
		run_end(&scenario->server);
	}
	session_end(&scenario->qemu);
	chmod("/dev/kvm", 0600);
}

int main(void)
{
	static struct scenario scenario = { .top = TERMINAL_NONE };
	const char *variant = getenv("BOOT_VARIANT") ?: "";
	bool on = exit_stats_are_on();
	int ret;

	/* They are on when the other QEMU starts, see client/check/other.c. */
	exit_stats_switch(false);
	session_configure(&scenario.qemu);
	scenario.qemu.config.qmp_socket = QMP_SOCKET;
	ret = session_start(&scenario.qemu);
	if (ret) {
		printf("Bail out! cannot start QEMU: %s\n", strerror(-ret));
		return 1;
	}
	if (!strcmp(variant, "unpatched"))
		ret = run_checks(without_stats, ARRAY_SIZE(without_stats), &scenario);
	else if (!strcmp(variant, "ioctl-locked"))
		ret = run_checks(with_qmp, ARRAY_SIZE(with_qmp), &scenario);
	else
		ret = run_checks(with_stats, ARRAY_SIZE(with_stats), &scenario);
	end(&scenario);
	exit_stats_switch(on);
	return ret;
}
