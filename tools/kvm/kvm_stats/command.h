/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands, and what they have in common. */
#ifndef COMMAND_H
#define COMMAND_H

enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/* Each takes its own arguments, argv[0] being its name; returns the status. */
int command_list(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_read(int argc, char **argv);
int command_log(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_top(int argc, char **argv);

/* Without a command: kvm_stat's options. */
int command_kvm_stat(int argc, char **argv);

#endif /* COMMAND_H */
