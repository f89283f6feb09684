/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands. */
#ifndef COMMANDS_COMMAND_H
#define COMMANDS_COMMAND_H

/*
 * argv[0] is the name that getopt_long() prints. They return the exit status, see
 * options/status.h.
 */
int command_list(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_query(int argc, char **argv);
int command_read(int argc, char **argv);
int command_log(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_top(int argc, char **argv);

/* Shows the view of kvm_stat. Returns the exit status. */
struct kvm_stat_options;
int kvm_stat_run(struct kvm_stat_options *options);

/* Runs kvm-stats without a subcommand, with the options of kvm_stat. */
int command_kvm_stat(int argc, char **argv);

#endif /* COMMANDS_COMMAND_H */
