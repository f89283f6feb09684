# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t. Arguments that mean nothing, and processes that cannot be looked at.

may_ptrace()
{
	local caps

	caps=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
	[ $((16#$caps >> 19 & 1)) = 1 ]
}

# Root without that capability may list the fds of root's processes, but not see
# what they are.
without_ptrace()
{
	setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace "$out/gcc/kvm-stats" \
		read -p "$$" >"$out/denied" 2>&1
	cat "$out/denied"
	grep -q 'not permitted to list' "$out/denied" && grep -q 'has capabilities' "$out/denied"
}

# denied_with CAPABILITIES: what an unprivileged user who has them is told of this shell
denied_with()
{
	local caps=${1:+,+${1//,/,+}}

	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps="-all$caps" \
		--ambient-caps="-all$caps" /proc/self/fd/8 read -p "$$" \
		>"$out/denied" 2>&1 8<"$out/gcc/kvm-stats.static"
	cat "$out/denied"
}

# Of the two rights that it takes, exactly those that are missing are named.
names_what_is_missing()
{
	denied_with '' && grep -q 'with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH (as root)' "$out/denied" &&
	denied_with dac_read_search && grep -q 'with CAP_SYS_PTRACE (as root)' "$out/denied" &&
	denied_with sys_ptrace && grep -q 'has CAP_SYS_PTRACE, but lacks CAP_DAC_READ_SEARCH' "$out/denied" &&
	denied_with sys_ptrace,dac_read_search && grep -q 'not a KVM VMM' "$out/denied"
}

bad_argument_tests()
{
	check "no command is a usage error" says 2 '^Usage'
	check "an unknown command is one" says 2 "no command 'frob'" frob
	check "an unknown option is one" says 2 '^Usage' read --frob
	check "a process that has no number is one" says 2 "not '0'" read -p 0
	check "completion knows the commands" completes "^list log read schema serve top\$" ""
	check "and the options of each" completes '(^| )--base-units --pid' read --
	check "and those of kvm_stat" completes '(^| )-1 --once -l ' -
	check "a guest that is not there is told" says 1 "no guest is named 'nobody'" read -g nobody
	check "a PID that is no number is one" says 2 "not '12x'" read -p 12x
	check "an interval that is no number is one" says 2 "not 'often'" read -p 1 -i often
	check "an interval of no time is one" says 2 "not '0'" read -p 1 -i 0
	check "a count of none is one" says 2 "not '0'" read -p 1 -c 0
	check "a regular expression that is none is one" says 2 'regular expression' read -p 1 -f '['
	check "vCPUs in no order are one" says 2 "not '3-1'" read -p 1 --vcpu 3-1
	check "words beside options are one" says 2 "found 'word'" read -p 1 word
	check "help is no error" says 0 '^Usage' read --help
	check "-c without -l is one" says 2 'takes -l or -L as well' -c
	check "-1 with -l is one" says 2 'exclude each other' -1 -l
	check "a delay of no time is one" says 2 "not '0'" -l -s 0
	check "a process without VMs is told" says 1 'not a KVM VMM' read -p $$
	check "a process that is gone is told" says 1 'no such process' read -p "$(sh -c 'echo $$')"
	if [ "$(id -u)" = 0 ] && may_ptrace && command -v setpriv >/dev/null; then
		check "a process that must not be looked into is told" without_ptrace
		check "of the rights to do so those that are missing are named" names_what_is_missing
	else
		skip "a process that must not be looked into is told" "takes root with CAP_SYS_PTRACE"
	fi
}
