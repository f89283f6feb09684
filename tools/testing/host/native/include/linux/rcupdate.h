/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#define rcu_read_lock_sched()	((void)0)
#define rcu_read_unlock_sched()	((void)0)
#define synchronize_rcu()	((void)0)
