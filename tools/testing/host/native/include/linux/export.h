/* SPDX-License-Identifier: GPL-2.0-only */
/* Nothing is exported: the KUnit suite is not compiled. */
