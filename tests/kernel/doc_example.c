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

#include "doc_example.h"
#include "tap.h"

static void check(bool ok, const char *name, const char *why)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, "", name, why);
}

int main(void)
{
	const char *output;
	char id[32];
	int status;

	if (!strcmp(getenv("BOOT_VARIANT") ?: "", "unpatched"))
		return tap_skip_all("this kernel has no statistics fd");

	output = output_of(example_main, &status);
	snprintf(id, sizeof(id), "kvm-%d\n", getpid());

	tap_plan(3);
	check(!status, "the example of the documentation runs", "it returns an error");
	check(!strncmp(output, id, strlen(id)), "it prints the id of its VM", output);
	check(strstr(output, "\nremote_tlb_flush cumulative ") &&
	      strstr(output, "\nmmu_unsync instant 0 ") &&
	      strstr(output, "\nmax_mmu_page_hash_collisions peak "),
	      "it prints statistics of each type that there is", output);
	return tap_end();
}
