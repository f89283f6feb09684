// SPDX-License-Identifier: GPL-2.0-only
/*
 * There is a /dev/kvm, or the kernel log says why this machine has none.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "tap.h"

#define READ_ALL	3	/* of klogctl() */
#define LOG_SIZE	(1 << 20)

static const char *const refusals[] = {
	"kvm-s390: SIE is not available\n",
	"kvm: no hardware support\n",
};

static const char *refusal_in(const char *log)
{
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (strstr(log, refusals[i]))
			return refusals[i];
	}
	return NULL;
}

static const char *why_not(void)
{
	static char log[LOG_SIZE + 1];

	return klogctl(READ_ALL, log, LOG_SIZE) > 0 ? refusal_in(log) : NULL;
}

int main(void)
{
	const char *name = "there is a /dev/kvm, or KVM says why not";
	const char *message;

	tap_plan(1);
	if (!access("/dev/kvm", R_OK | W_OK)) {
		tap_report(TAP_OK, "", name, NULL);
		return tap_end();
	}
	message = why_not();
	tap_report(message ? TAP_OK : TAP_NOT_OK, "", name, "not a word in the kernel log");
	if (message)
		printf("# %s", message);
	return tap_end();
}
