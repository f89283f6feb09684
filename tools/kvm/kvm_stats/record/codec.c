// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bytes of a sample. Numbers are varints: 7 bits in each byte, the lowest ones first, and bit 7
 * set in all but the last byte. Signed ones have their sign in bit 0.
 *
 *	edits of the list	number of edits, and for each: how many objects stay, how many
 *				after them go, how many are new, and the names of these (strings)
 *	layouts			for each new object: size, bytes, number of values. Then the number
 *				of other objects with another layout, and for each: how many
 *				objects are between it and the last one, and the same
 *	values			columns: value I of all objects that have the same number of values,
 *				in the order of that number
 *
 * A column is the growth since the last sample; objects that are new, or have another number of
 * values, had zeros. It begins with a byte: 0 if nothing has grown, 1 if the growth of each object
 * follows, or 2 if what it differs from that of the object before it does: times grow alike.
 */
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "record/sample.h"

enum column_kind { COLUMN_ZERO, COLUMN_GROWTH, COLUMN_DIFFERENCE, COLUMN_KINDS };

/* ---- numbers ---- */

static void put_number(struct bytes *to, uint64_t number)
{
	unsigned char byte[10];
	size_t n = 0;

	for (; number > 0x7f; number >>= 7)
		byte[n++] = (unsigned char)(number | 0x80);
	byte[n++] = (unsigned char)number;
	bytes_add(to, byte, n);
}

static size_t number_size(uint64_t number)
{
	return number < 0x80 ? 1 : (size_t)(64 - __builtin_clzll(number) + 6) / 7;
}

static uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold(uint64_t number)
{
	return number >> 1 ^ (number & 1 ? UINT64_MAX : 0);
}

/* What is left to decode. After an error, everything is 0. */
struct input {
	const unsigned char *at, *end;
	bool failed;
};

static uint64_t get_number(struct input *input)
{
	uint64_t number = 0;
	unsigned int shift;

	for (shift = 0; shift < 64 && input->at < input->end; shift += 7) {
		number |= (uint64_t)(*input->at & 0x7f) << shift;
		if (!(*input->at++ & 0x80))
			return number;
	}
	input->failed = true;
	input->at = input->end;
	return 0;
}

/* Returns a number of things of which each has at least one byte, or that exist already. */
static size_t get_count(struct input *input, size_t max)
{
	uint64_t count = get_number(input);

	if (count <= max)
		return (size_t)count;
	input->failed = true;
	input->at = input->end;
	return 0;
}

static size_t bytes_left(const struct input *input)
{
	return (size_t)(input->end - input->at);
}

/* ---- columns ---- */

/* The objects with the same number of values, in the order of the sample. */
struct group {
	size_t values;
	size_t objects;
	uint64_t **now;
	const uint64_t **before;	/* NULL: zeros */
	uint64_t *growth;		/* of the current column */
};

struct member {
	size_t values;
	size_t object;
};

struct groups {
	struct member *member;		/* in the order of groups */
	size_t members;
	struct group group;		/* the current one */
};

static int by_values(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->values != y->values)
		return x->values < y->values ? -1 : 1;
	return (x->object > y->object) - (x->object < y->object);
}

static bool groups_init(struct groups *groups, const struct sample *sample)
{
	size_t count = sample_objects(sample) + 1, i;
	struct group *group = &groups->group;

	*groups = (struct groups){ .member = calloc(count, sizeof(*groups->member)) };
	group->now = calloc(count, sizeof(*group->now));
	group->before = calloc(count, sizeof(*group->before));
	group->growth = calloc(count, sizeof(*group->growth));
	if (!groups->member || !group->now || !group->before || !group->growth)
		return false;
	for (i = 0; i + 1 < count; i++) {
		size_t values = sample_object(sample, i)->values;

		if (values)
			groups->member[groups->members++] = (struct member){ values, i };
	}
	if (groups->members)
		qsort(groups->member, groups->members, sizeof(*groups->member), by_values);
	return true;
}

static void groups_free(struct groups *groups)
{
	free(groups->group.growth);
	free(groups->group.now);
	free(groups->group.before);
	free(groups->member);
}

static const uint64_t *values_before(const struct sample *sample, const struct object *object,
				     const struct sample *before)
{
	const struct object *old = before ? sample_find(before, object_name(sample, object)) : NULL;

	return old && old->values == object->values ? object_values(before, old) : NULL;
}

/* Sets the group that begins with member @first. Returns the first one behind it. */
static size_t next_group(struct groups *groups, size_t first, const struct sample *sample,
			 const struct sample *before)
{
	const struct member *member = groups->member;
	struct group *group = &groups->group;

	group->values = member[first].values;
	group->objects = 0;
	for (; first < groups->members && member[first].values == group->values; first++) {
		const struct object *object = sample_object(sample, member[first].object);

		group->now[group->objects] = object_values(sample, object);
		group->before[group->objects++] = values_before(sample, object, before);
	}
	return first;
}

static uint64_t value_before(const struct group *group, size_t object, size_t column)
{
	return group->before[object] ? group->before[object][column] : 0;
}

/* Writes a column, or only returns how many bytes it needs if @to is NULL. */
static size_t put_growth(struct bytes *to, const struct group *group, enum column_kind kind)
{
	uint64_t last = 0;
	size_t size = 1, i;

	if (to)
		bytes_add(to, &(char){ (char)kind }, 1);
	for (i = 0; kind != COLUMN_ZERO && i < group->objects; i++) {
		uint64_t number = fold(group->growth[i] - last);

		size += number_size(number);
		if (to)
			put_number(to, number);
		last = kind == COLUMN_DIFFERENCE ? group->growth[i] : 0;
	}
	return size;
}

static void encode_column(struct bytes *to, const struct group *group, size_t column)
{
	uint64_t any = 0;
	size_t i;

	for (i = 0; i < group->objects; i++) {
		group->growth[i] = group->now[i][column] - value_before(group, i, column);
		any |= group->growth[i];
	}
	if (!any)
		put_growth(to, group, COLUMN_ZERO);
	else if (put_growth(NULL, group, COLUMN_GROWTH) <=
		 put_growth(NULL, group, COLUMN_DIFFERENCE))
		put_growth(to, group, COLUMN_GROWTH);
	else
		put_growth(to, group, COLUMN_DIFFERENCE);
}

static void encode_values(struct bytes *to, const struct sample *sample,
			  const struct sample *before)
{
	struct groups groups;
	size_t next = 0, i;

	to->failed |= !groups_init(&groups, sample);
	while (!to->failed && next < groups.members) {
		next = next_group(&groups, next, sample, before);
		for (i = 0; i < groups.group.values; i++)
			encode_column(to, &groups.group, i);
	}
	groups_free(&groups);
}

static void decode_column(struct input *input, const struct group *group, size_t column)
{
	enum column_kind kind = (enum column_kind)get_count(input, COLUMN_KINDS - 1);
	uint64_t growth = 0;
	size_t i;

	for (i = 0; i < group->objects; i++) {
		uint64_t number = kind == COLUMN_ZERO ? 0 : unfold(get_number(input));

		growth = number + (kind == COLUMN_DIFFERENCE ? growth : 0);
		group->now[i][column] = value_before(group, i, column) + growth;
	}
}

static bool decode_values(struct input *input, struct sample *sample, const struct sample *before)
{
	struct groups groups;
	bool good = groups_init(&groups, sample);
	size_t next = 0, i;

	while (good && !input->failed && next < groups.members) {
		next = next_group(&groups, next, sample, before);
		for (i = 0; !input->failed && i < groups.group.values; i++)
			decode_column(input, &groups.group, i);
	}
	groups_free(&groups);
	return good && !input->failed;
}

/* ---- the list and the layouts ---- */

/* An edit: @stay objects of the list before, @go that are dropped, and @add new ones. */
struct edit {
	size_t stay, go, add;
};

/* Returns the position of the object in the list before, if it is at least @from, or SIZE_MAX. */
static size_t position_before(const struct sample *sample, size_t i, const struct sample *before,
			      size_t from)
{
	const char *name = object_name(sample, sample_object(sample, i));
	const struct object *old = sample_find(before, name);
	size_t at = old ? (size_t)(old - sample_object(before, 0)) : SIZE_MAX;

	return at >= from ? at : SIZE_MAX;
}

static struct edit find_edit(const struct sample *sample, size_t *now, const struct sample *before,
			     size_t *old)
{
	size_t count = sample_objects(sample), at = SIZE_MAX;
	struct edit edit = { 0 };

	for (; *now < count && position_before(sample, *now, before, *old) == *old; ++*now, ++*old)
		edit.stay++;
	for (; *now < count && at == SIZE_MAX; *now += at == SIZE_MAX) {
		at = position_before(sample, *now, before, *old);
		edit.add += at == SIZE_MAX;
	}
	at = at == SIZE_MAX ? sample_objects(before) : at;
	edit.go = at - *old;
	*old = at;
	return edit;
}

static void encode_list(struct bytes *to, const struct sample *sample, const struct sample *before)
{
	size_t count = sample_objects(sample), now = 0, old = 0, edits = 0;
	struct bytes list = { 0 };

	while (now < count || old < sample_objects(before)) {
		struct edit edit = find_edit(sample, &now, before, &old);
		size_t i;

		put_number(&list, edit.stay);
		put_number(&list, edit.go);
		put_number(&list, edit.add);
		for (i = now - edit.add; i < now; i++) {
			const char *name = object_name(sample, sample_object(sample, i));

			bytes_add(&list, name, strlen(name) + 1);
		}
		edits++;
	}
	put_number(to, edits);
	bytes_add(to, list.data, list.size);
	to->failed |= list.failed;
	bytes_free(&list);
}

static void put_layout(struct bytes *to, const struct sample *sample, const struct object *object)
{
	put_number(to, object->layout_size);
	bytes_add(to, object_layout(sample, object), object->layout_size);
	put_number(to, object->values);
}

static bool has_layout(const struct sample *sample, const struct object *object,
		       const struct sample *before, const struct object *old)
{
	return object->layout_size == old->layout_size && object->values == old->values &&
	       !memcmp(object_layout(sample, object), object_layout(before, old),
		       object->layout_size);
}

static void encode_layouts(struct bytes *to, const struct sample *sample,
			   const struct sample *before)
{
	struct bytes changed = { 0 };
	size_t changes = 0, last = 0, i;

	for (i = 0; i < sample_objects(sample); i++) {
		const struct object *object = sample_object(sample, i);
		const struct object *old = sample_find(before, object_name(sample, object));

		if (!old) {
			put_layout(to, sample, object);
		} else if (!has_layout(sample, object, before, old)) {
			put_number(&changed, i - last);
			put_layout(&changed, sample, object);
			last = i;
			changes++;
		}
	}
	put_number(to, changes);
	bytes_add(to, changed.data, changed.size);
	to->failed |= changed.failed;
	bytes_free(&changed);
}

void sample_encode(struct bytes *to, const struct sample *sample, const struct sample *before)
{
	static const struct sample none;

	before = before ? before : &none;
	encode_list(to, sample, before);
	encode_layouts(to, sample, before);
	encode_values(to, sample, before);
}

/* What the decoder knows of an object before all of it is known */
struct entry {
	const char *name;
	const char *layout;		/* NULL: not known yet */
	size_t layout_size;
	size_t values;
};

/* The largest sample: a pass of the library has at most as much. */
#define MAX_SAMPLE	268435456u

static void keep_entries(struct bytes *entries, const struct sample *before, size_t first,
			 size_t count)
{
	size_t i;

	for (i = first; i < first + count; i++) {
		const struct object *object = sample_object(before, i);

		bytes_add(entries, &(struct entry){ .name = object_name(before, object) },
			  sizeof(struct entry));
	}
}

static void get_names(struct input *input, struct bytes *entries, size_t count)
{
	for (; count-- && !input->failed;) {
		const char *name = (const char *)input->at;
		const char *end = memchr(name, '\0', bytes_left(input));

		if (!end) {
			input->failed = true;
			return;
		}
		bytes_add(entries, &(struct entry){ .name = name }, sizeof(struct entry));
		input->at = (const unsigned char *)end + 1;
	}
}

static void decode_list(struct input *input, struct bytes *entries, const struct sample *before)
{
	size_t edits = get_count(input, bytes_left(input)), old = 0, count = sample_objects(before);

	while (edits-- && !input->failed) {
		size_t stay = get_count(input, count - old);

		keep_entries(entries, before, old, stay);
		old += stay;
		old += get_count(input, count - old);
		get_names(input, entries, get_count(input, bytes_left(input)));
	}
	input->failed |= old != count || entries->failed;
}

static void get_layout(struct input *input, struct entry *entry)
{
	entry->layout_size = get_count(input, bytes_left(input));
	entry->layout = (const char *)input->at;
	input->at += entry->layout_size;
	/* Each column has at least one byte. */
	entry->values = get_count(input, bytes_left(input));
}

static void decode_layouts(struct input *input, struct entry *entry, size_t count,
			   const struct sample *before)
{
	size_t changes, last = 0, i;

	for (i = 0; i < count; i++) {
		if (!sample_find(before, entry[i].name))
			get_layout(input, &entry[i]);
	}
	changes = get_count(input, count);
	for (i = 0; i < changes && !input->failed; i++) {
		last += get_count(input, count - 1 - last);
		if (!input->failed)
			get_layout(input, &entry[last]);
	}
	for (i = 0; i < count; i++) {
		const struct object *old = sample_find(before, entry[i].name);

		if (!old || entry[i].layout)
			continue;
		entry[i].layout = object_layout(before, old);
		entry[i].layout_size = old->layout_size;
		entry[i].values = old->values;
	}
}

static bool add_entries(struct sample *sample, const struct entry *entry, size_t count)
{
	for (; count--; entry++) {
		if (sample->value.size + entry->values * sizeof(uint64_t) > MAX_SAMPLE ||
		    sample->text.size + entry->layout_size > MAX_SAMPLE ||
		    !sample_add(sample, entry->name, entry->layout, entry->layout_size, NULL,
				entry->values))
			return false;
	}
	return true;
}

bool sample_decode(struct sample *sample, const struct sample *before, const void *data,
		   size_t size)
{
	static const struct sample none;
	struct input input = { .at = data, .end = (const unsigned char *)data + size };
	struct bytes entries = { 0 };
	size_t count = 0;
	bool good;

	before = before ? before : &none;
	sample_clear(sample);
	decode_list(&input, &entries, before);
	if (!input.failed) {
		count = entries.size / sizeof(struct entry);
		decode_layouts(&input, (struct entry *)(void *)entries.data, count, before);
	}
	good = !input.failed && add_entries(sample, (const void *)entries.data, count) &&
	       decode_values(&input, sample, before) && input.at == input.end;
	bytes_free(&entries);
	return good;
}
