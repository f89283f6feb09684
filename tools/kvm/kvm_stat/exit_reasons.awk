# SPDX-License-Identifier: GPL-2.0-only
# Print the C tables of exit_reasons.list, which has the exit reasons that the headers of Linux 6.1
# define. The kvm_stat of that kernel shows the same ones.
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
