/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/fs.h>
#include <linux/wait.h>
#include <sys/epoll.h>

#define poll_wait(file, head, table)	((void)(file), (void)(head), (void)(table))
