# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: reference.awk reads the page of the statistics.

# reference TITLE LINE...: print the list of a sample page that has one section
reference()
{
	local title=$1

	shift
	{
		printf 'Title\n=====\n\nterm : text\n    Outside.\n\nx86\n===\n\n'
		printf '%s\n%s\n\n' "$title" "${title//?/-}"
		printf '%s\n' "$@"
		printf '\nText of more\nthan one line : here.\n\nNext\n====\n\nb : peak\n    Outside.\n'
	} >page
	awk -v texts="${texts:-}" -f "$boot/reference.awk" page
}

tab=$'\t'
body='    It happened.'
expect 0 "an entry becomes a line" "^x86${tab}vm${tab}a${tab}peak boolean${tab}old name$" \
	reference "VM statistics, x86" "a : peak, boolean : debugfs old name" "$body"
expect 0 "entries outside of a section do not" '^1$' \
	bash -c "$(declare -f reference); boot=$boot; reference 'VM statistics, x86' 'a : peak' '$body' | wc -l"
expect 0 "entries need no blank line between them" "^x86${tab}vm${tab}c${tab}instant${tab}--$" \
	reference "VM statistics, x86" "a : peak" "$body" "c : instant" "$body"
expect 0 "one of all architectures becomes a line for each" "^s390${tab}vcpu${tab}a${tab}cumulative${tab}--$" \
	reference "vCPU statistics, all architectures" "a : cumulative" "$body"
expect 0 "a histogram has its number of buckets" "${tab}log2\[32\] ns${tab}--$" \
	reference "vCPU statistics, powerpc booke" "h : log2 histogram, 32 buckets, ns" "$body"
expect 0 "a debugfs file has the name of the statistic" "^x86${tab}vm${tab}a${tab}peak${tab}a$" \
	reference "VM statistics, x86" "a : peak : debugfs" "$body"
expect 0 "a debugfs name can be one of some architectures" "^x86${tab}vm${tab}a${tab}cumulative${tab}file$" \
	reference "VM statistics, all architectures" "a : cumulative : debugfs file (x86, booke)" "$body"
expect 0 "the other architectures do not have it" "^mips${tab}vm${tab}a${tab}cumulative${tab}--$" \
	reference "VM statistics, all architectures" "a : cumulative : debugfs file (x86, booke)" "$body"
texts=1
expect 0 "the text is split after its first sentence" "${tab}It happened[.]${tab}It is often bad[.] So is 5[.]10[.]$" \
	reference "VM statistics, x86" "a : peak" "    It" "    happened. It is often" "    bad.  So is 5.10."
texts=
expect 1 "a section of an unknown architecture fails" 'page:10: unknown architecture: VM statistics, vax' \
	reference "VM statistics, vax" "a : peak" "$body"
expect 1 "an entry without a type fails" "page:13: expected 'NAME : TYPE'" reference "VM statistics, x86" "a" "$body"
expect 1 "a third part that is not debugfs fails" "page:13: expected" \
	reference "VM statistics, x86" "a : peak : sysfs a" "$body"
expect 1 "a type that does not exist fails" 'unknown type: often' reference "VM statistics, x86" "a : often" "$body"
expect 1 "a unit that does not exist fails" 'unknown unit: peak, miles' \
	reference "VM statistics, x86" "a : peak, miles" "$body"
expect 1 "a list of architectures without an end fails" 'no closing parenthesis' \
	reference "VM statistics, x86" "a : peak : debugfs (x86" "$body"
expect 1 "a text that is not a sentence fails" 'page:13: the text of a is not whole sentences' \
	reference "VM statistics, x86" "a : peak" "    something"
expect 1 "a first sentence that is too long fails" 'first sentence of a has 121 characters' \
	reference "VM statistics, x86" "a : peak" "    $(printf '%0120d' 0)."
expect 1 "an entry that is there twice fails" 'page:15: a is there twice for x86' \
	reference "VM statistics, x86" "a : peak" "$body" "a : peak" "$body"
expect 1 "a page without sections fails" 'no sections of statistics' reference "Other" "a : peak" "$body"

awk -v texts=1 -f "$boot/reference.awk" "$pages/stats-reference.rst" >reference.list 2>log
point $? "the page itself can be read"
grep -q "^book3s${tab}vcpu${tab}halt_wait_ns${tab}cumulative ns${tab}halt_wait_ns${tab}" reference.list
point $? "it becomes lines"
awk -F '\t' '$7 == "" && $2 != "debugfs" { print $3 }' reference.list >log
[ ! -s log ]
point $? "each statistic has more than one sentence"
