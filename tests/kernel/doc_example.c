// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the example program in Documentation/virt/kvm/stats.rst. It is compiled with the
 * headers that the patched kernel installs. The expected output is that of a VM that did
 * not run.
 */
#define main example_main
#include "doc_example.inc"
#undef main

#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

#include "tap.h"

struct output {
	pid_t pid;
	int status;
	char text[16384];
};

static void run_example(struct output *output)
{
	size_t len = 0;
	ssize_t ret;
	int pipes[2];

	if (pipe(pipes))
		err(1, "pipe");
	output->pid = fork();
	if (output->pid < 0)
		err(1, "fork");
	if (!output->pid) {
		dup2(pipes[1], STDOUT_FILENO);
		exit(example_main());
	}
	close(pipes[1]);
	do {
		ret = read(pipes[0], output->text + len, sizeof(output->text) - 1 - len);
		len += ret > 0 ? ret : 0;
	} while (ret > 0);
	output->text[len] = '\0';
	waitpid(output->pid, &output->status, 0);
}

static void check(bool ok, const char *name, const char *why)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, "", name, why);
}

int main(void)
{
	static struct output output;
	char id[32];

	if (!strcmp(getenv("BOOT_VARIANT") ?: "", "unpatched"))
		return tap_skip_all("this kernel has no statistics fd");

	run_example(&output);
	snprintf(id, sizeof(id), "kvm-%d\n", output.pid);

	tap_plan(3);
	check(WIFEXITED(output.status) && WEXITSTATUS(output.status) == 0,
	      "the example of the documentation runs", "it exits with an error");
	check(!strncmp(output.text, id, strlen(id)), "it prints the id of its VM", output.text);
	check(strstr(output.text, "\nremote_tlb_flush cumulative ") &&
	      strstr(output.text, "\nmmu_unsync instant 0 ") &&
	      strstr(output.text, "\nmax_mmu_page_hash_collisions peak "),
	      "it prints statistics of each type that there is", output.text);
	return tap_end();
}
