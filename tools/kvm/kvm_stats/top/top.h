/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_TOP_H
#define TOP_TOP_H

/* The command top: the full screen. Returns the exit status. */
int command_top(int argc, char **argv);

#endif /* TOP_TOP_H */
