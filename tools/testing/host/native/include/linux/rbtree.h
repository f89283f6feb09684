/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/kernel.h>

/* A tree of one VM: it has at most a root. */
struct rb_node {
	struct rb_node *rb_left, *rb_right;
};

struct rb_root {
	struct rb_node *rb_node;
};

#define RB_ROOT			((struct rb_root) { NULL })
#define RB_CLEAR_NODE(node)	((void)(node))
#define RB_EMPTY_NODE(node)	false
#define rb_entry(node, type, field)	container_of(node, type, field)
#define rb_last(root)		((root)->rb_node)
#define rb_link_node(node, parent, link)	((void)(parent), (void)(*(link) = (node)))
#define rb_insert_color(node, root)	((void)(node), (void)(root))
#define rb_erase(node, root)	((void)(node), (void)((root)->rb_node = NULL))
