/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks. The argument of each is a struct session. */
#ifndef QEMU_CHECK_CHECKS_H
#define QEMU_CHECK_CHECKS_H

#include "qemu/session.h"

/* guest.c */
enum verdict check_greeting(void *ctx);
enum verdict check_uses_kvm(void *ctx);
enum verdict check_cpus(void *ctx);
enum verdict check_boots(void *ctx);
enum verdict check_quits(void *ctx);
enum verdict check_stop(void *ctx);
enum verdict check_cont(void *ctx);
enum verdict check_growth(void *ctx);

/* query.c */
enum verdict check_vm(void *ctx);
enum verdict check_vcpus(void *ctx);
enum verdict check_vm_provider(void *ctx);
enum verdict check_vcpu_provider(void *ctx);
enum verdict check_vm_names(void *ctx);
enum verdict check_vcpu_names(void *ctx);
enum verdict check_vcpu_paths(void *ctx);
enum verdict check_unknown_name(void *ctx);
enum verdict check_unknown_vcpu(void *ctx);
enum verdict check_no_provider(void *ctx);
enum verdict check_unknown_provider(void *ctx);
enum verdict check_vm_nothing(void *ctx);
enum verdict check_vcpu_nothing(void *ctx);

/* document.c */
enum verdict check_document_vm(void *ctx);
enum verdict check_document_vcpus(void *ctx);
enum verdict check_document_filter(void *ctx);
enum verdict check_document_schemas(void *ctx);

/* schemas.c */
enum verdict check_vm_schemas(void *ctx);
enum verdict check_vcpu_schemas(void *ctx);
enum verdict check_schemas_provider(void *ctx);
enum verdict check_schemas_unknown_provider(void *ctx);
enum verdict check_vm_types(void *ctx);
enum verdict check_vcpu_types(void *ctx);
enum verdict check_values(void *ctx);
enum verdict check_schemas_nothing(void *ctx);

/* direct.c */
enum verdict check_direct(void *ctx);
enum verdict check_ids(void *ctx);
enum verdict check_descriptors(void *ctx);
enum verdict check_running(void *ctx);
enum verdict check_stopped_vm(void *ctx);
enum verdict check_stopped_vcpus(void *ctx);
enum verdict check_outlives(void *ctx);
enum verdict check_no_capability(void *ctx);

/* monitor.c */
enum verdict check_monitor_vm(void *ctx);
enum verdict check_monitor_vcpu(void *ctx);
enum verdict check_monitor_nothing(void *ctx);

/* command.c */
enum verdict check_command_values(void *ctx);
enum verdict check_command_schemas(void *ctx);

#endif /* QEMU_CHECK_CHECKS_H */
