// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "base/utf8.h"

static size_t length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 0;
}

static bool is_valid(uint32_t character, size_t len)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return character >= smallest[len] && character <= 0x10ffff &&
	       (character < 0xd800 || character > 0xdfff);
}

size_t utf8_decode(const char *text, uint32_t *character)
{
	const unsigned char *byte = (const unsigned char *)text;
	size_t len = length_of(*byte);
	size_t i;

	if (len <= 1) {
		*character = *byte;
		return len;
	}
	*character = *byte & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (byte[i] & 0x3f);
	}
	return is_valid(*character, len) ? len : 0;
}

bool utf8_is_harmless(uint32_t character)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} harmful[] = {
		{ 0, 0x1f },		/* C0 */
		{ 0x7f, 0x9f },		/* DEL and C1 */
		{ 0x61c, 0x61c },	/* Arabic letter mark */
		{ 0x200e, 0x200f },	/* left-to-right and right-to-left mark */
		{ 0x2028, 0x202e },	/* separators, embeddings and overrides */
		{ 0x2066, 0x2069 },	/* isolates */
		{ 0xfeff, 0xfeff },	/* byte order mark */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(harmful); i++) {
		if (character >= harmful[i].first && character <= harmful[i].last)
			return false;
	}
	return true;
}
