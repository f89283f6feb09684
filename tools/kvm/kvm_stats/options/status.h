/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPTIONS_STATUS_H
#define OPTIONS_STATUS_H

/* The exit status of kvm-stats. */
enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

#endif /* OPTIONS_STATUS_H */
