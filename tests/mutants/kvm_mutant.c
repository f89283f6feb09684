// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameters of mutants, see kvm_mutant.h. They are built in, because code outside of KVM's
 * modules counts as well.
 *
 * kvm_mutant.selected   mutants: numbers that are 10 times the place, plus the kind
 * kvm_mutant.reached    the places that were reached since the last write to it
 */
#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/kvm_mutant.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

static u8 kvm_mutant_kinds[KVM_MUTANT_PLACES];
static DECLARE_BITMAP(kvm_mutant_reached, KVM_MUTANT_PLACES);

static int kvm_mutant_select(const char *val, const struct kernel_param *kp)
{
	char word[16];
	unsigned int number;

	memset(kvm_mutant_kinds, 0, sizeof(kvm_mutant_kinds));
	for (val = skip_spaces(val); *val; val = skip_spaces(val + strlen(word))) {
		if (sscanf(val, "%15s", word) != 1 || kstrtouint(word, 10, &number) ||
		    number / 10 >= KVM_MUTANT_PLACES)
			return -EINVAL;
		WRITE_ONCE(kvm_mutant_kinds[number / 10], number % 10);
	}
	return 0;
}

static const struct kernel_param_ops kvm_mutant_selected_ops = {
	.set = kvm_mutant_select,
};
module_param_cb(selected, &kvm_mutant_selected_ops, NULL, 0200);

static int kvm_mutant_clear(const char *val, const struct kernel_param *kp)
{
	bitmap_zero(kvm_mutant_reached, KVM_MUTANT_PLACES);
	return 0;
}

static int kvm_mutant_print(char *buffer, const struct kernel_param *kp)
{
	unsigned int place;
	int len = 0;

	for_each_set_bit(place, kvm_mutant_reached, KVM_MUTANT_PLACES)
		len += scnprintf(buffer + len, PAGE_SIZE - len, "%u\n", place);
	return len;
}

static const struct kernel_param_ops kvm_mutant_reached_ops = {
	.set = kvm_mutant_clear,
	.get = kvm_mutant_print,
};
module_param_cb(reached, &kvm_mutant_reached_ops, NULL, 0600);

bool kvm_mutant_is(unsigned int place, enum kvm_mutant_kind kind)
{
	set_bit(place, kvm_mutant_reached);
	return READ_ONCE(kvm_mutant_kinds[place]) == kind;
}
EXPORT_SYMBOL_GPL(kvm_mutant_is);

unsigned int kvm_mutant_times(unsigned int place, bool down)
{
	if (kvm_mutant_is(place, KVM_MUTANT_NOT) ||
	    (down && kvm_mutant_is(place, KVM_MUTANT_UP)))
		return 0;
	return kvm_mutant_is(place, KVM_MUTANT_TWICE) ? 2 : 1;
}
EXPORT_SYMBOL_GPL(kvm_mutant_times);

u64 *kvm_mutant_pointer(unsigned int place, u64 *value)
{
	static u64 nobody_reads;

	return kvm_mutant_times(place, false) ? value : &nobody_reads;
}
EXPORT_SYMBOL_GPL(kvm_mutant_pointer);
