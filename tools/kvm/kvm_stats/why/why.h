/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef WHY_WHY_H
#define WHY_WHY_H

/* kvm-stats why: returns the exit status. */
int command_why(int argc, char **argv);

#endif /* WHY_WHY_H */
