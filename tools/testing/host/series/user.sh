# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: messages about a kernel tree of the user to which the series does not
# apply.
# shellcheck shell=bash

t_names_line()
{
	on_base
	sed -i 's/^17$/other/' "$K/virt/kvm/kvm_main.c"
	commit
	refuses '0001-KVM-stats-Begin.patch (patch 1 of 3) does not apply to Linux 5.10.7' \
		'virt/kvm/kvm_main.c: the hunk for line 17' 'start at line 17:' \
		'  expected: 17' '  found:    other' 'make tree && make series' 'git am -3' \
		-- scripts/series-verify
	refuses '  expected: 17' -- make -s series
	rm -rf "$K/.git"
	refuses 'git init && git add -A' -- scripts/series-verify
}

t_all_lines()
{
	on_base
	sed -i 's/^24$/other/; s/^26$/26\ninserted/' "$K/virt/kvm/kvm_main.c"
	commit
	refuses '(patch 3 of 3) does not apply' '  expected: 24' '  found:    inserted' \
		-- scripts/series-verify >message
	[ "$(grep -c '  expected:\|  found:' message)" = 3 ]
}

t_rewritten()
{
	on_base
	seq 1001 1040 >"$K/virt/kvm/kvm_main.c"
	commit
	refuses 'No lines like these are in the file' '  expected: 17' -- scripts/series-verify
}

t_missing_file()
{
	on_base
	git -C "$K" rm -q drivers/dead.c
	commit
	refuses '(patch 2 of 3)' 'drivers/dead.c: this tree does not have the file' \
		-- scripts/series-verify
}

t_applied_already()
{
	git -C "$K" checkout -q main
	KERNEL=$K refuses '(patch 1 of 3)' \
		'include/linux/kvm_stats.h: this tree has the file already' \
		'Is the series, or a part of it, applied?' -- scripts/series-verify
}

# Run the commands of the message, on a tree that needs a merge.
t_three_way()
{
	cached_base
	on_base
	sed -i 's/^17$/other/' "$K/virt/kvm/kvm_main.c"
	commit
	refuses 'git am -3' -- scripts/series-verify >advice
	cat advice
	unset KERNEL
	sed -n 's/^ *\(make .*\)\t.*/\1/p; s/^ *\(cd \|git fetch \|git am -3 \)/\1/p' advice >commands
	cat commands
	[ "$(wc -l <commands)" = 4 ]
	bash -e commands
	[ "$(git -C "$K" log -3 --format=%s | tail -n 1)" = 'KVM: stats: Begin' ]
	grep -qx twenty-five "$K/virt/kvm/kvm_main.c"
}

add_user_tests()
{
	test_case 'the message names patch, file, line, the lines that differ, and commands' \
		t_names_line
	test_case 'the message shows all lines that differ, also inserted ones' t_all_lines
	test_case 'the message shows the expected lines if the file has no similar lines' \
		t_rewritten
	test_case 'the message names files that the tree does not have' t_missing_file
	test_case 'the message says that the series is applied already' t_applied_already
	test_case 'the commands of the message apply the series with a merge' t_three_way
}
