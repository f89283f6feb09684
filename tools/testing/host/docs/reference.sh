# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: compare/reference.awk parses the page that describes the statistics. What it
# understands wrong differs from the kernel in lists.sh. These test cases are for what it refuses.
# shellcheck shell=bash

# reference TITLE ENTRY [TEXT]: parse a sample page with one section
reference()
{
	printf '%s\n' Title ===== '' "$1" "${1//?/-}" '' "$2" "    ${3:-It happened.}" >page
	awk -v texts=1 -f "$REFERENCE_AWK" page
}

test_reference_parser()
{
	local vm='VM statistics, x86'

	expect 0 "the text is split after its first sentence" \
		"^x86${TAB}vm${TAB}a${TAB}peak${TAB}--${TAB}It happened[.]${TAB}So is 5[.]10[.]$" \
		reference "$vm" 'a : peak' 'It happened. So is 5.10.'
	expect 1 "an unknown architecture fails" 'page:4: unknown architecture: VM statistics, vax' \
		reference 'VM statistics, vax' 'a : peak'
	expect 1 "an entry without a type fails" "page:7: expected 'NAME : TYPE'" reference "$vm" a
	expect 1 "a type that does not exist fails" 'unknown type: often' reference "$vm" 'a : often'
	expect 1 "a unit that does not exist fails" 'unknown unit: peak, miles' reference "$vm" 'a : peak, miles'
	expect 1 "a text that is not a sentence fails" 'the text of a is not whole sentences' \
		reference "$vm" 'a : peak' something
	expect 1 "a first sentence that is too long fails" 'first sentence of a has 121 characters' \
		reference "$vm" 'a : peak' "$(printf '%0120d' 0)."
	expect 1 "an entry that occurs twice fails" 'a occurs twice for x86' \
		reference "$vm" $'a : peak\n    It happened.\na : peak'
	expect 1 "a page without sections fails" 'no sections of statistics' reference Other 'a : peak'
}

# Write reference.list, the lines of the page of this repository, for the other test cases.
test_reference()
{
	awk -v texts=1 -f "$REFERENCE_AWK" "$PAGES/stats-reference.rst" >reference.list 2>log
	result $? "the parser reads the page of this repository"
	awk -F '\t' '$7 == "" && $2 != "debugfs" { print $3 }' reference.list >log
	[ ! -s log ]
	result $? "each statistic is described by more than one sentence"
}
