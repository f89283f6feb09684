/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen of a VT52, the simplest terminal that curses can draw on. */
#ifndef CLIENT_VT52_H
#define CLIENT_VT52_H

#include <stddef.h>

#define VT52_ROWS	24
#define VT52_COLUMNS	80

struct vt52 {
	char cell[VT52_ROWS][VT52_COLUMNS + 1];		/* each row a string */
	int row, column;
	char sequence[3];	/* of an escape sequence what has come so far */
	size_t length;
};

void vt52_clear(struct vt52 *screen);
void vt52_write(struct vt52 *screen, const char *text, size_t size);

#endif /* CLIENT_VT52_H */
