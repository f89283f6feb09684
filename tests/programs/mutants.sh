#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Select mutants of KVM, and find the test case that fails for each of them, and whose name or message
# has the name of the statistic. A failure of a sum or a comparison is ignored, because it does not show
# that this statistic is wrong.
#
# mutants.list names the mutants, see mutants/mutate. mutants-known.list has what the last run found:
# "MUTANT killed PROGRAM CASE", "MUTANT survives REASON", "MUTANT unreached REASON", and killed-npt if
# the case needs nested paging. The mutants of killed-vmx, killed-max and killed-nvhe need another boot,
# which selects them with $MUTANTS_ONLY, and sets $MUTANTS_STATE.
#
# First, each mutant runs with the case that killed it. All others are selected together, and each case
# that fails then runs with one of them after the other. A mutant passes if a case kills it, or if it is
# listed as one that survives or that no case reaches. A mutant of the list that the kernel does not have
# fails.
#
# $MUTANTS_SAMPLE, a number, selects up to 24 of the mutants that a case kills, and only these cases
# run. $MUTANTS_ONLY, a regular expression, selects the mutants whose name matches it.
#
# shellcheck shell=dash

dir=${0%/*}
list=$dir/mutants.list
known=$dir/mutants-known.list
parameters=/sys/module/kvm_mutant/parameters
# The programs that test values. Some run one case, if TEST_CASE names it.
programs='vcpu_run vcpu_halt kvm_stats_[!o]*_test kvm_stats_test exit_stats run_delay'
count=0

# run PROGRAM [CASE [SECONDS]]: write the output to /tmp/output
run()
{
	# A statistic that is wrong can keep a test waiting.
	TEST_CASE=${2:-} timeout -s KILL "${3:-45}" "$dir/$1" >/tmp/output 2>&1 </dev/null
}

result()
{
	count=$((count + 1))
	echo "$1 $count - $2"
}

# Print "CASE|MESSAGE" for each case in /tmp/output that failed.
failures()
{
	awk '
	function print_failure()
	{
		if (name != "" && text !~ /all classes|debugfs/)
			print name "|" text
		name = text = ""
	}
	/^(not )?ok/ { print_failure() }
	/^not ok/ { name = $0; sub(/^not ok [0-9]+ (- )?/, "", name); gsub(/\|/, " ", name) }
	/^#/ { text = text " " $0 }
	END { print_failure() }' /tmp/output
}

# names STATISTIC: whether a line of standard input has the name
names()
{
	grep -qE "(^|[^a-z0-9_])$(echo "$1" | sed 's/\*/[a-z0-9_]+/')([^a-z0-9_]|\$)"
}

# known_of MUTANT: print the rest of its line in the list: the state, and the case or the reason
known_of()
{
	awk -v mutant="$1" '$1 == mutant { sub(/^[^ ]* /, ""); print }' "$known"
}

# Print the lines of standard input whose mutant is at a place that the programs reach without a mutant.
reached()
{
	awk 'FILENAME != "-" { reached[$1]; next } int($1 / 10) in reached' /tmp/reached -
}

# killer NUMBER STATISTIC PROGRAM CASE: print the case that kills the mutant
killer()
{
	local case rest

	echo "$1" >$parameters/selected
	run "$3" "$4"
	echo 0 >$parameters/selected
	failures | while IFS='|' read -r case rest; do
		! echo "$case $rest" | names "$2" || echo "$case"
	done | head -n 1
}

# test_known STATE: test each mutant of /tmp/rest that has this state in the list with the case that the
# list names. Try it up to three times, because some cases depend on when threads run. The mutants that
# survive, and those of other states, remain in /tmp/rest.
test_known()
{
	local number mutant statistic state program case by

	cp /tmp/rest /tmp/mutants
	while read -r number mutant statistic; do
		read -r state program case <<-END
		$(known_of "$mutant")
		END
		by=
		for _ in 1 2 3; do
			if [ "$state" = "$1" ] && [ -z "$by" ]; then
				by=$(killer "$number" "$statistic" "$program" "$case")
			fi
		done
		if [ -n "$by" ]; then
			result ok "$mutant $1 $program $by" >&3
		else
			echo "$number $mutant $statistic"
		fi
	done </tmp/mutants 3>&1 >/tmp/rest
}

# test_case STATE PROGRAM CASE MESSAGE: the case failed while the mutants of /tmp/selected were selected.
# Test it with each of them whose statistic it names.
test_case()
{
	local number mutant statistic by

	# One process for all mutants: Hercules needs long to start a process.
	awk -v text="$3 $4" '
	FILENAME == ARGV[1] { for (i = 1; i <= NF; i++) selected[$i]; next }
	{
		statistic = $3
		sub(/[*]/, "[a-z0-9_]+", statistic)
	}
	$1 in selected && text ~ "(^|[^a-z0-9_])" statistic "([^a-z0-9_]|$)"' /tmp/selected /tmp/rest >/tmp/mutants
	while read -r number mutant statistic; do
		by=$(killer "$number" "$statistic" "$2" "$3")
		[ -n "$by" ] || continue
		result ok "$mutant $1 $2 $by"
		echo x >>/tmp/found
		sed -i "/^$number /d" /tmp/rest
	done </tmp/mutants
}

# test_together STATE KINDS: select all mutants of /tmp/rest that have these kinds
test_together()
{
	local program one case message

	# shellcheck disable=SC2086 # patterns
	for program in $(cd "$dir" && echo $programs); do
		while read -r one; do
			sed -n "s/^\([0-9]*[$2]\) .*/\1/p" /tmp/rest | reached | tr '\n' ' ' >/tmp/selected
			[ -s /tmp/selected ] || return
			echo "# $program $one with $(wc -w </tmp/selected) mutants"
			cat /tmp/selected >$parameters/selected
			run "$program" "$one"
			echo 0 >$parameters/selected
			failures >/tmp/failures
			while IFS='|' read -r case message; do
				test_case "$1" "$program" "$case" "$message"
			done </tmp/failures
		done <"/tmp/cases-$program"
	done
}

# round STATE: test the mutants of /tmp/rest until no case finds another one.
round()
{
	test_known "$1"
	[ -z "$MUTANTS_SAMPLE" ] || return
	[ -s /tmp/rest ] || return
	test_unmutated
	while :; do
		: >/tmp/found
		for kinds in 1 2 345 6; do
			test_together "$1" $kinds
		done
		[ -s /tmp/found ] || break
	done
}

# A mutant that mutants/mutate no longer makes is not tested.
report_missing()
{
	local mutant

	awk 'FILENAME == ARGV[1] { exists[$2]; next } !($1 in exists) { print $1 }' "$list" "$known" >/tmp/missing
	while read -r mutant; do
		result "not ok" "$mutant exists"
	done </tmp/missing
}

# Report the mutants that no case kills. They pass if the list says so.
report_others()
{
	local number mutant state reason found

	reached </tmp/rest >/tmp/survivors
	while read -r number mutant _; do
		found=unreached
		[ -z "$MUTANTS_SAMPLE" ] || found='is not killed'
		! grep -q "^$number " /tmp/survivors || found=survives
		read -r state reason <<-END
		$(known_of "$mutant")
		END
		case $MUTANTS_STATE:$state:$found in
		*":$found:$found") result ok "$mutant $found $reason" ;;
		:killed-vmx:unreached | :killed-max:unreached | :killed-nvhe:unreached)
			result ok "$mutant $state $reason # SKIP needs another boot" ;;
		*) result "not ok" "$mutant $found" ;;
		esac
	done </tmp/rest
}

# All programs without a mutant. With one, a case of these two can wait for ever, and the cases after
# it would not run, so /tmp/cases-PROGRAM has all their cases, to run them one by one. /tmp/reached
# gets the places that are reached.
test_unmutated()
{
	local program

	echo 0 >$parameters/reached
	# shellcheck disable=SC2086 # patterns
	for program in $(cd "$dir" && echo $programs); do
		run "$program" '' 240
		if grep -qE '^ok|^1..0 # SKIP' /tmp/output && ! grep -q '^not ok' /tmp/output; then
			result ok "$program passes without a mutant"
		else
			result "not ok" "$program passes without a mutant"
			sed 's/^/# /' /tmp/output
		fi
		case $program in
		exit_stats | run_delay) sed -nE 's/^ok [0-9]+ - //p' /tmp/output | grep -v '# SKIP' ;;
		*) echo ;;
		esac >"/tmp/cases-$program"
	done
	sort -u $parameters/reached /tmp/reached >/tmp/reached.new
	cp /tmp/reached.new /tmp/reached
}

# Print the mutants of which the known case must fail.
sample()
{
	local every

	sed -nE 's/ killed(-npt)? .*//p' "$known" >/tmp/killed
	every=$(($(wc -l </tmp/killed) / 24 + 1))
	awk "(NR + $((MUTANTS_SAMPLE))) % $every == 0" /tmp/killed |
		while read -r mutant; do
			grep -F " $mutant " "$list"
		done
}

echo "TAP version 13"
if [ ! -f $parameters/selected ]; then
	echo "1..0 # SKIP this kernel has no mutants"
	exit
fi
if [ -f /sys/module/kvm/parameters/exit_stats ]; then
	echo Y >/sys/module/kvm/parameters/exit_stats
else
	# s390 does not have them, and no kselftests of values.
	programs='vcpu_run vcpu_halt'
fi
: >/tmp/reached
if [ -n "$MUTANTS_SAMPLE" ]; then
	echo "# to repeat this sample: tests/boots/mutants env=MUTANTS_SAMPLE=$MUTANTS_SAMPLE"
	sample >/tmp/rest
else
	[ -z "$MUTANTS_ONLY" ] || echo "# only the mutants that match $MUTANTS_ONLY"
	awk -v only="$MUTANTS_ONLY" '$2 ~ only' "$list" >/tmp/rest
fi
case $MUTANTS_STATE in
killed-vmx) programs='vcpu_run l1d_flush exit_stats kvm_stats_[!o]*_test kvm_stats_test' ;;
killed-*) programs=exit_stats ;;
esac
round "${MUTANTS_STATE:-killed}"
if [ -d /sys/module/kvm_amd ]; then
	rmmod kvm_amd && insmod /modules/kvm-amd.ko npt=1
	round killed-npt
fi
report_others
report_missing
echo "1..$count"
