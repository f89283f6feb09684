# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t: mutants/mutate, which numbers the places that change a statistic, and
# mutants/record.
# shellcheck shell=bash

mutate_dir=$work/mutate

# mutate STATEMENT: run mutate on a tree with one function that has the statement
mutate()
{
	rm -rf "$mutate_dir"
	mkdir -p "$mutate_dir"/{arch/x/{kvm,include/asm},virt/kvm,include/linux,lib}
	printf 'KVM_EXIT_CLASS(other)\nKVM_EXIT_CLASS(io)\n' >"$mutate_dir/arch/x/include/asm/kvm_exit_classes.h"
	touch "$mutate_dir"/{lib/Makefile,include/linux/kvm_host.h}
	printf '#include <linux/kvm_host.h>\n\nstatic void one(struct kvm_vcpu *vcpu)\n{\n%s\n}\n' "$1" \
		>"$mutate_dir/arch/x/kvm/one.c"
	"$testing/mutants/mutate" "$mutate_dir" arch/x/kvm
}

# becomes STATEMENT LINE MUTANT...: mutate writes the line, and lists these mutants
becomes()
{
	mutate "$1" && grep -qF "$2" "$mutate_dir/arch/x/kvm/one.c" &&
		[ "$(cut -d ' ' -f 2 "$mutate_dir/virt/kvm/mutants.list" | xargs)" = "${*:3}" ]
}

check "a counter" becomes '	++vcpu->stat.exits;' 'KVM_MUTANT(0, ++vcpu->stat.exits);' one:exits:not one:exits:twice
check "an atomic counter" becomes '	atomic64_inc(&vcpu->stat.wakeup);' \
	'KVM_MUTANT(0, atomic64_inc(&vcpu->stat.wakeup));' one:wakeup:not one:wakeup:twice
check "a flag" becomes '	vcpu->stat.mode = 1;' 'KVM_MUTANT(0, vcpu->stat.mode = 1);' one:mode:not
check "the highest value" becomes $'\tif (n > stat->max)\n\t\tstat->max = n;' \
	'if (n > stat->max || kvm_mutant_is(0, KVM_MUTANT_LAST))' one:max:not one:max:last
check "a histogram of two lines" becomes $'\tkvm_stats_log2_hist_update(stat->hist,\n\t\tns);' \
	'KVM_MUTANT_BUCKET(0, ns)' one:hist:not one:hist:twice one:hist:next
check "a level that falls" becomes '	kvm->stat.pages_used += nr;' '(long)nr < 0' \
	one:pages_used:not one:pages_used:twice one:pages_used:up
check "the second place of a function has a number" becomes $'\t--kvm->stat.a;\n\tkvm->stat.a++;' \
	'KVM_MUTANT(1, kvm->stat.a++);' one:a:not one:a:twice one:a#2:not one:a#2:twice
check "each class of exits" becomes '	++stat->count;' 'KVM_MUTANT(0 + class, ++stat->count);' \
	one:exit_other:not one:exit_other:twice one:exit_io:not one:exit_io:twice
check "a statement that reads is not changed" becomes '	n = vcpu->stat.exits;' $'\tn = vcpu->stat.exits;'
expect 1 "a statement that is not known" 'one\(\): not known: .vcpu->stat.exits .= 1;' mutate '	vcpu->stat.exits |= 1;'
expect 1 "the address of a statistic" 'not known: .count\(&vcpu->stat.exits\);' mutate '	count(&vcpu->stat.exits);'

# A copy of record in $work/record-repo, with results of the boot and a list
record_repo=$work/record-repo
mkdir -p "$record_repo"/{scripts/lib,docs,tools/testing/mutants,build/testing/boots/mutants}
cp "$ROOT/scripts/lib/common.sh" "$record_repo/scripts/lib/"
cp "$testing/mutants/record" "$record_repo/tools/testing/mutants/"
printf '| statistic | mutants |\n| --- | --- |\n| exits | |\n' >"$record_repo/docs/statistics-survey.md"
known='one:exits:not survives it is a sum'
echo "$known" >"$record_repo/tools/testing/mutants/x86_64.list"

# record LINE...: run record on these results
record()
{
	printf '%s\n' "$@" >"$record_repo/build/testing/boots/mutants/results"
	"$record_repo/tools/testing/mutants/record" x86_64
}

# list_is LINE...
list_is()
{
	printf '%s\n' "$@" | diff - "$record_repo/tools/testing/mutants/x86_64.list"
}

killed='|ok 1 - one:exits:twice killed p case'
expect 1 "results of a run that did not end are refused" 'did not end' record "$killed"
expect 1 "results of a sample are refused" 'was a sample' \
	record '|# to repeat this sample: x' "$killed" '@exit mutants 0'
check "the list is then unchanged" list_is "$known"
check "record counts the mutants" eval 'record "$killed" "|ok 2 - $known" "@exit mutants 0" |
	grep -qx "x86_64: 2 mutants, 1 killed, 1 survive, 0 unreached"'
check "a survivor keeps its reason" list_is "$known" 'one:exits:twice killed p case'
check "the survey has the number" grep -qxF '| exits | x86_64 1 of 2 |' "$record_repo/docs/statistics-survey.md"
