// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test that the header and the library have the same version, and that versions are in order. */
#include <stdio.h>
#include <string.h>

#include "kvmstats.h"
#include "tap.h"

int main(void)
{
	unsigned int version = kvmstats_version();
	char text[32];
	int len;

	tap_is(version, KVMSTATS_VERSION_NUMBER,
	       "the header and the library have the same version");
	len = snprintf(text, sizeof(text), "%u.%u", version >> 16, version >> 8 & 0xff);
	if (version & 0xff)
		snprintf(text + len, sizeof(text) - len, ".%u", version & 0xff);
	tap_ok(!strcmp(text, KVMSTATS_VERSION), "the number %s and the string %s are equal", text,
	       KVMSTATS_VERSION);
	tap_ok(version >= KVMSTATS_MAKE_VERSION(1, 0, 0), "the version is 1.0 or later");
	tap_ok(KVMSTATS_MAKE_VERSION(1, 0, 9) < KVMSTATS_MAKE_VERSION(1, 1, 0) &&
	       KVMSTATS_MAKE_VERSION(1, 255, 0) < KVMSTATS_MAKE_VERSION(2, 0, 0),
	       "a later version has a larger number");
	return tap_end();
}
