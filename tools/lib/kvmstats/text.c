// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Texts: names and units of statistics, values in whole units, what statistics mean, errors. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ---- units and values ---- */

static const char * const unit_symbols[] = {
	[KVMSTATS_UNIT_NONE] = "",
	[KVMSTATS_UNIT_BYTES] = "B",
	[KVMSTATS_UNIT_SECONDS] = "s",
	[KVMSTATS_UNIT_CYCLES] = "cycles",
	[KVMSTATS_UNIT_BOOLEAN] = "boolean",
};

static const struct {
	unsigned int base;
	int exponent;
	const char *text;
} prefixes[] = {
	{ KVMSTATS_BASE_POW10, -12, "p" },
	{ KVMSTATS_BASE_POW10, -9, "n" },
	{ KVMSTATS_BASE_POW10, -6, "u" },
	{ KVMSTATS_BASE_POW10, -3, "m" },
	{ KVMSTATS_BASE_POW10, 3, "k" },
	{ KVMSTATS_BASE_POW10, 6, "M" },
	{ KVMSTATS_BASE_POW10, 9, "G" },
	{ KVMSTATS_BASE_POW2, 10, "Ki" },
	{ KVMSTATS_BASE_POW2, 20, "Mi" },
	{ KVMSTATS_BASE_POW2, 30, "Gi" },
	{ KVMSTATS_BASE_POW2, 40, "Ti" },
};

static const char *find_prefix(unsigned int base, int exponent)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (prefixes[i].base == base && prefixes[i].exponent == exponent)
			return prefixes[i].text;
	}
	return NULL;
}

static bool has_prefixes(unsigned int unit)
{
	return unit == KVMSTATS_UNIT_BYTES || unit == KVMSTATS_UNIT_SECONDS;
}

int kvmstats_stat_unit_text(const struct kvmstats_stat *stat, char *buf, size_t size)
{
	unsigned int unit = kvmstats_stat_unit(stat);
	unsigned int base = kvmstats_stat_base(stat);
	int exponent = kvmstats_stat_exponent(stat);
	const char *prefix = has_prefixes(unit) ? find_prefix(base, exponent) : NULL;
	char symbol[16], power[32] = "";
	int n;

	if (unit < ARRAY_SIZE(unit_symbols))
		snprintf(symbol, sizeof(symbol), "%s", unit_symbols[unit]);
	else
		snprintf(symbol, sizeof(symbol), "unit%u", unit);

	if (!prefix && exponent) {
		if (base == KVMSTATS_BASE_POW10 || base == KVMSTATS_BASE_POW2)
			snprintf(power, sizeof(power), "*%d^%d",
				 base == KVMSTATS_BASE_POW10 ? 10 : 2, exponent);
		else
			snprintf(power, sizeof(power), "*base%u^%d", base, exponent);
	}

	n = snprintf(buf, size, "%s%s%s", prefix ? prefix : "", symbol, power);
	return (size_t)n < size ? n : -EOVERFLOW;
}

/*
 * Multiplies the decimal number in @buf, which has @size bytes, by @factor, which is at most 10.
 * Returns -EOVERFLOW if the product does not fit.
 */
static int multiply(char *buf, size_t size, unsigned int factor)
{
	size_t len = strlen(buf);
	unsigned int carry = 0;
	size_t i;

	for (i = len; i-- > 0;) {
		carry += (buf[i] - '0') * factor;
		buf[i] = '0' + carry % 10;
		carry /= 10;
	}
	if (!carry)
		return 0;
	if (len + 2 > size)
		return -EOVERFLOW;
	memmove(buf + 1, buf, len + 1);
	buf[0] = '0' + carry;
	return 0;
}

/* Divides the decimal number in @buf by 10^@places, removes trailing zeros, returns the length. */
static int set_point(char *buf, size_t size, size_t places)
{
	size_t len = strlen(buf);
	size_t zeros = places >= len ? places - len + 1 : 0;

	if (len + zeros + 2 > size)
		return -EOVERFLOW;
	memmove(buf + zeros, buf, len + 1);
	memset(buf, '0', zeros);
	len += zeros;
	memmove(buf + len - places + 1, buf + len - places, places + 1);
	buf[len - places] = '.';
	while (buf[len] == '0')
		buf[len--] = '\0';
	if (buf[len] == '.')
		buf[len--] = '\0';
	return (int)len + 1;
}

int kvmstats_stat_scale(const struct kvmstats_stat *stat, uint64_t value, char *buf, size_t size)
{
	bool pow2 = kvmstats_stat_base(stat) == KVMSTATS_BASE_POW2;
	int exponent = value ? kvmstats_stat_exponent(stat) : 0;
	int places = exponent < 0 ? -exponent : 0;
	int times = exponent < 0 ? (pow2 ? -exponent : 0) : exponent;
	unsigned int factor = pow2 ? (exponent < 0 ? 5 : 2) : 10;
	int n = snprintf(buf, size, "%" PRIu64, value);

	if (!kvmstats_base_name(kvmstats_stat_base(stat)))
		return -EINVAL;
	if ((size_t)n >= size)
		return -EOVERFLOW;

	/* A division by 2^n is a multiplication by 5^n and a division by 10^n. */
	for (; times; times--) {
		if (multiply(buf, size, factor))
			return -EOVERFLOW;
	}
	return places ? set_point(buf, size, places) : (int)strlen(buf);
}

/* ---- what a statistic means ---- */

#define HELP_X86	1u
#define HELP_ARM64	2u
#define HELP_S390	4u
#define HELP_BOOK3S	8u
#define HELP_BOOKE	16u
#define HELP_MIPS	32u
#define HELP_ALL	63u

#if defined(__x86_64__) || defined(__i386__)
#define HELP_HERE	HELP_X86
#elif defined(__aarch64__)
#define HELP_HERE	HELP_ARM64
#elif defined(__s390x__)
#define HELP_HERE	HELP_S390
#elif defined(__powerpc64__)
#define HELP_HERE	HELP_BOOK3S
#elif defined(__powerpc__)
#define HELP_HERE	HELP_BOOKE
#elif defined(__mips__)
#define HELP_HERE	HELP_MIPS
#else
#define HELP_HERE	HELP_ALL
#endif

static const struct {
	unsigned int architectures;
	enum kvmstats_kind kind;
	const char *name;
	const char *text;
} help[] = {
#include "help_table.h"
	/* Later kernels have it. The reference is that of 5.10. */
	{ HELP_X86, KVMSTATS_KIND_VCPU, "notify_window_exits",
	  "The vCPU left the guest because the CPU could not deliver events for as long as the notify "
	  "window." },
};

const char *kvmstats_stat_help(const char *name, enum kvmstats_kind kind)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(help); i++) {
		if (help[i].architectures & HELP_HERE && help[i].kind == kind &&
		    !strcmp(help[i].name, name))
			return help[i].text;
	}
	return NULL;
}

/* ---- errors ---- */

static const struct {
	int err;
	const char *text;
} messages[] = {
	{ ESRCH, "no such process" },
	{ ENODEV, "the VM has ended" },
	{ EPERM,
	  "not permitted: KVM_STATS_NEXT needs CAP_PERFMON in the initial user namespace" },
	{ EOPNOTSUPP, "this kernel does not have this kind of binary KVM statistics" },
	{ EIO, "an I/O error, or this kernel opens statistics for the VMM only" },
	{ ESTALE, "the value was cleared in the meantime, or KVM's module was loaded again after "
	  "the host file was published" },
	{ EPROTO, "not a KVM fd, or not a valid KVM statistics file or host file" },
	{ EOVERFLOW, "a size exceeds the limits of the library or of the buffer" },
	{ ENODATA, "the sample has not been read yet, or the host file has no other pass" },
	{ EPROTONOSUPPORT, "the host file has a version that this library does not know" },
	{ EREMOTE, "the process is not one of this machine, or not one of this PID namespace" },
	{ ETIMEDOUT, "the process that has to answer hangs" },
};

/* glibc has a strerror_r() that returns a string. The one of POSIX returns an int. */
static const char *system_text(int err, char *buf, size_t size)
{
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
	return strerror_r(err, buf, size);
#else
	return strerror_r(err, buf, size) ? "unknown error" : buf;
#endif
}

const char *kvmstats_strerror(int err, char *buf, size_t size)
{
	size_t i;

	err = abs(err);
	for (i = 0; i < ARRAY_SIZE(messages); i++) {
		if (messages[i].err == err)
			return messages[i].text;
	}
	return system_text(err, buf, size);
}
