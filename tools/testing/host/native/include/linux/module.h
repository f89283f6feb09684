/* SPDX-License-Identifier: GPL-2.0-only */
#define THIS_MODULE	NULL
