/* SPDX-License-Identifier: GPL-2.0-only */
/* UTF-8 text from other programs, which may be invalid or hostile. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the first character of @text, which must not be empty. Returns its length in bytes, or
 * 0 if the first byte does not begin a valid character.
 */
size_t utf8_decode(const char *text, uint32_t *character);

/*
 * Whether a terminal only shows the character. Control characters (C0, DEL and C1) can start
 * escape sequences, and bidirectional controls can change the order of the text around them.
 */
bool utf8_is_harmless(uint32_t character);

#endif /* BASE_UTF8_H */
