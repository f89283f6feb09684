# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: compare/reference.awk parses the page that describes the statistics, and
# reports errors in the page.
# shellcheck shell=bash

# reference TITLE LINE...: print what the parser prints for a sample page with one section. If
# the variable texts is set, it prints the texts of the entries, too.
reference()
{
	local title=$1

	shift
	{
		printf 'Title\n=====\n\nterm : text\n    Outside.\n\nx86\n===\n\n'
		printf '%s\n%s\n\n' "$title" "${title//?/-}"
		printf '%s\n' "$@"
		printf '\nText of more\nthan one line : here.\n\n'
		printf 'Next\n====\n\nb : peak\n    Outside.\n'
	} >page
	awk -v texts="${texts:-}" -f "$REFERENCE_AWK" page
}

# count_entries TITLE LINE...: print the number of lines that the parser prints
count_entries()
{
	reference "$@" | wc -l
}

test_reference_parser()
{
	local body='    It happened.' texts=''

	expect 0 "an entry becomes a line" "^x86${TAB}vm${TAB}a${TAB}peak boolean${TAB}old name$" \
		reference "VM statistics, x86" "a : peak, boolean : debugfs old name" "$body"
	expect 0 "an entry outside of a section does not become a line" '^1$' \
		count_entries 'VM statistics, x86' 'a : peak' "$body"
	expect 0 "entries without a blank line between them become lines" \
		"^x86${TAB}vm${TAB}c${TAB}instant${TAB}--$" \
		reference "VM statistics, x86" "a : peak" "$body" "c : instant" "$body"
	expect 0 "an entry of all architectures becomes a line for each architecture" \
		"^s390${TAB}vcpu${TAB}a${TAB}cumulative${TAB}--$" \
		reference "vCPU statistics, all architectures" "a : cumulative" "$body"
	expect 0 "an entry of kernels with CONFIG_SCHED_INFO becomes a line of another scope" \
		"^s390-sched${TAB}vcpu${TAB}a${TAB}cumulative${TAB}--$" \
		reference "vCPU statistics, CONFIG_SCHED_INFO" "a : cumulative" "$body"
	expect 0 "the line of a histogram has its number of buckets" \
		"${TAB}log2\[32\] ns${TAB}--$" \
		reference "vCPU statistics, powerpc booke" \
		"h : log2 histogram, 32 buckets, ns" "$body"
	expect 0 "without a debugfs name, an entry has the name of the statistic there" \
		"^x86${TAB}vm${TAB}a${TAB}peak${TAB}a$" \
		reference "VM statistics, x86" "a : peak : debugfs" "$body"
	expect 0 "a debugfs name can apply to some architectures only" \
		"^x86${TAB}vm${TAB}a${TAB}cumulative${TAB}file$" \
		reference "VM statistics, all architectures" \
		"a : cumulative : debugfs file (x86, booke)" "$body"
	expect 0 "the debugfs name does not apply to other architectures" \
		"^mips${TAB}vm${TAB}a${TAB}cumulative${TAB}--$" \
		reference "VM statistics, all architectures" \
		"a : cumulative : debugfs file (x86, booke)" "$body"
	texts=1
	expect 0 "the text is split after its first sentence" \
		"${TAB}It happened[.]${TAB}It is often bad[.] So is 5[.]10[.]$" \
		reference "VM statistics, x86" \
		"a : peak" "    It" "    happened. It is often" "    bad.  So is 5.10."
	texts=
	expect 1 "a section of an unknown architecture fails" \
		'page:10: unknown architecture: VM statistics, vax' \
		reference "VM statistics, vax" "a : peak" "$body"
	expect 1 "an entry without a type fails" "page:13: expected 'NAME : TYPE'" \
		reference "VM statistics, x86" "a" "$body"
	expect 1 "an entry whose third part is not debugfs fails" "page:13: expected" \
		reference "VM statistics, x86" "a : peak : sysfs a" "$body"
	expect 1 "a type that does not exist fails" 'unknown type: often' \
		reference "VM statistics, x86" "a : often" "$body"
	expect 1 "a unit that does not exist fails" 'unknown unit: peak, miles' \
		reference "VM statistics, x86" "a : peak, miles" "$body"
	expect 1 "a list of architectures without an end fails" 'no closing parenthesis' \
		reference "VM statistics, x86" "a : peak : debugfs (x86" "$body"
	expect 1 "a text that is not a sentence fails" \
		'page:13: the text of a is not whole sentences' \
		reference "VM statistics, x86" "a : peak" "    something"
	expect 1 "a first sentence that is too long fails" \
		'first sentence of a has 121 characters' \
		reference "VM statistics, x86" "a : peak" "    $(printf '%0120d' 0)."
	expect 1 "an entry that occurs twice fails" 'page:15: a occurs twice for x86' \
		reference "VM statistics, x86" "a : peak" "$body" "a : peak" "$body"
	expect 1 "a page without sections fails" 'no sections of statistics' \
		reference "Other" "a : peak" "$body"
}

# Write reference.list, the lines of the page of this repository, for the other test cases.
test_reference()
{
	awk -v texts=1 -f "$REFERENCE_AWK" "$PAGES/stats-reference.rst" >reference.list 2>log
	result $? "the parser reads the page of this repository"
	grep -q "^book3s${TAB}vcpu${TAB}halt_wait_ns${TAB}cumulative ns${TAB}halt_wait_ns${TAB}" \
		reference.list
	result $? "the entries of that page become lines"
	awk -F '\t' '$7 == "" && $2 != "debugfs" { print $3 }' reference.list >log
	[ ! -s log ]
	result $? "each statistic is described by more than one sentence"
}
