// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the descriptors of KVM's statistics in compiled kernel objects:
 *
 *	descriptors OBJECT...
 *
 * The objects may be of this series or of mainline, and of any word size and byte
 * order.  Each descriptor becomes one line: target, name, type, unit, base, exponent,
 * size, bucket size, offset.  The descriptors of the VM come first.  Within a target
 * they are in the order of the objects.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define NAME_SIZE		48
#define DESC_SIZE		(16 + NAME_SIZE)

/* An array of descriptors, and its target.  Mainline uses the same names. */
struct table {
	const char *symbol;
	const char *target;
};

static const struct table tables[] = {
	{ "kvm_vm_stats_desc", "vm" },
	{ "kvm_vcpu_stats_desc", "vcpu" },
};

static const char * const types[] = {
	"cumulative", "instant", "peak", "linear", "log2",
};

static const char * const units[] = {
	"none", "bytes", "seconds", "cycles", "boolean",
};

static const char * const bases[] = { "pow10", "pow2" };

struct object {
	const char *path;
	int fd;
	Elf *elf;
	bool big_endian;
	unsigned int tables;	/* number of tables that were found */
};

static __attribute__((noreturn, format(printf, 2, 3)))
void die(const struct object *object, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "descriptors: %s: ", object->path);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void open_object(struct object *object, const char *path)
{
	const char *ident;

	*object = (struct object) { .path = path, .fd = open(path, O_RDONLY) };
	if (object->fd < 0)
		die(object, "%m");
	object->elf = elf_begin(object->fd, ELF_C_READ, NULL);
	if (!object->elf || elf_kind(object->elf) != ELF_K_ELF)
		die(object, "not an ELF object");
	ident = elf_getident(object->elf, NULL);
	object->big_endian = ident[EI_DATA] == ELFDATA2MSB;
}

static void close_object(struct object *object)
{
	elf_end(object->elf);
	close(object->fd);
}

/* Return the contents of an array. */
static const uint8_t *bytes_of(const struct object *object, const GElf_Sym *symbol,
			       const char *name)
{
	Elf_Scn *section = elf_getscn(object->elf, symbol->st_shndx);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	if (!data)
		die(object, "the section of '%s' cannot be read: %s", name, elf_errmsg(-1));
	if (!data->d_buf || symbol->st_value + symbol->st_size > data->d_size)
		die(object, "'%s' reaches beyond its section", name);
	return (const uint8_t *)data->d_buf + symbol->st_value;
}

static uint32_t number(const struct object *object, const uint8_t *bytes, size_t size)
{
	uint32_t value = 0;
	size_t i;

	for (i = 0; i < size; i++)
		value = value << 8 | bytes[object->big_endian ? i : size - 1 - i];
	return value;
}

static const char *word(const struct object *object, const char *name,
			const char * const *words, size_t num, uint32_t value)
{
	if (value >= num)
		die(object, "'%s' has the flag value %" PRIu32 ", which is unknown",
		    name, value);
	return words[value];
}

static void print_desc(const struct object *object, const char *target,
		       const uint8_t *desc)
{
	const char *name = (const char *)desc + 16;
	uint32_t flags = number(object, desc, 4);

	if (!*name || strnlen(name, NAME_SIZE) == NAME_SIZE)
		die(object, "a descriptor of the %s has an empty name, or one without a null byte",
		    target);
	if (flags >> 12)
		die(object, "'%s' has unknown flags %#" PRIx32, name, flags);
	printf("%s %s %s %s %s %d %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", target, name,
	       word(object, name, types, ARRAY_SIZE(types), flags & 0xf),
	       word(object, name, units, ARRAY_SIZE(units), flags >> 4 & 0xf),
	       word(object, name, bases, ARRAY_SIZE(bases), flags >> 8 & 0xf),
	       (int16_t)number(object, desc + 4, 2), number(object, desc + 6, 2),
	       number(object, desc + 12, 4), number(object, desc + 8, 4));
}

/* An empty array may have no section, so do not read its contents. */
static void print_table(const struct object *object, const struct table *table,
			const GElf_Sym *symbol)
{
	const uint8_t *bytes;
	size_t at;

	if (symbol->st_size % DESC_SIZE)
		die(object, "'%s' has %" PRIu64 " bytes, not a multiple of %d",
		    table->symbol, symbol->st_size, DESC_SIZE);
	if (!symbol->st_size)
		return;
	bytes = bytes_of(object, symbol, table->symbol);
	for (at = 0; at < symbol->st_size; at += DESC_SIZE)
		print_desc(object, table->target, bytes + at);
}

static const struct table *table_of(const char *symbol)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i].symbol, symbol))
			return &tables[i];
	return NULL;
}

/* Ignore symbols that the object uses but does not define. */
static void print_symbols(struct object *object, Elf_Scn *section,
			  const GElf_Shdr *header, const char *target)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const struct table *table;
	const char *name;
	GElf_Sym symbol;
	int i;

	for (i = 0; gelf_getsym(data, i, &symbol); i++) {
		name = elf_strptr(object->elf, header->sh_link, symbol.st_name);
		table = name ? table_of(name) : NULL;
		if (!table || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
		    symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
			continue;
		object->tables++;
		if (!strcmp(table->target, target))
			print_table(object, table, &symbol);
	}
}

static void print_target(const char *path, const char *target)
{
	Elf_Scn *section = NULL;
	struct object object;
	GElf_Shdr header;

	open_object(&object, path);
	while ((section = elf_nextscn(object.elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			print_symbols(&object, section, &header, target);
	}
	if (!object.tables)
		die(&object, "the object has no array of descriptors, for example '%s'",
		    tables[0].symbol);
	close_object(&object);
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: descriptors OBJECT...\n");
		return 2;
	}
	elf_version(EV_CURRENT);
	for (i = 1; i < argc; i++)
		print_target(argv[i], "vm");
	for (i = 1; i < argc; i++)
		print_target(argv[i], "vcpu");
	return 0;
}
