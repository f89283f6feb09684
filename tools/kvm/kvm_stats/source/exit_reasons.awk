# SPDX-License-Identifier: GPL-2.0-only
# Print the C tables of exit_reasons.list, which has the names that kvm_stat prints. kvm_stat does
# not know all of them; the others are those of the kernel's headers. "later" marks exit reasons
# that Linux 5.10 does not have.
#
# A line has a set, the number and the name of an exit reason, like "vmx 12 HLT", or the set and the
# field of the tracepoint that contains the reason, like "vmx field exit_reason". It precedes them.
#
# usage: awk -f exit_reasons.awk exit_reasons.list

function end_set()
{
	if (set != "")
		printf "};\n\nstatic const struct exit_reasons %s = {\n" \
			"\t\"%s\", %s_reason, ARRAY_SIZE(%s_reason)\n};\n\n", set, field, set, set
}

$2 == "field" {
	end_set()
	set = $1
	field = $3
	print "static const struct exit_reason " set "_reason[] = {"
	next
}

{ print "\t{ " $2 ", \"" $3 "\" }," }

END { end_set() }
