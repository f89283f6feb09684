/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel exports symbols for the KUnit tests only, which are not compiled here. */
