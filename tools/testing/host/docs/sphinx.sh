# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: Sphinx builds the pages, and warnings are errors.
# shellcheck shell=bash

# Copy the pages, and the files from which they include kernel-doc comments. The page uapi, which only this test has, includes all comments of the uapi
# header.
copy_pages()
{
	local page file

	mkdir -p in source
	cp "$PAGES"/stats*.rst Documentation/virt/kvm/api.rst in/
	printf 'uapi\n====\n\n.. kernel-doc:: include/uapi/linux/kvm_stats.h\n   :internal:\n' >in/uapi.rst
	printf 'KVM\n===\n\n.. toctree::\n\n   api\n   uapi\n' >in/index.rst
	for page in "$PAGES"/stats*.rst; do
		page=${page##*/}
		echo "   ${page%.rst}" >>in/index.rst
	done
	sed -n 's/^\.\. kernel-doc:: //p' in/*.rst | sort -u | while read -r file; do
		mkdir -p "source/${file%/*}"
		cp "$ROOT/$file" "source/$file"
	done
}

# Build the pages. Any output is an error, because sphinx-build -W ignores the warnings that
# kernel-doc prints. Warnings of Python and Perl about the kernel's extensions and about kernel-doc
# itself are left out. They depend on the versions of Sphinx and Perl.
build_pages()
{
	local status=0

	KERNEL=$BASE SOURCE=$PWD/source PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore \
		sphinx-build -q -W --keep-going -c "$DOCS" -d doctrees -b html in out \
		>build.out 2>&1 || status=$?
	grep -vE ' at .*/scripts/kernel-doc line [0-9]+\.$' build.out >build.log
	cat build.log
	[ "$status" = 0 ] && [ ! -s build.log ]
}

# has_text PAGE TEXT: return 0 if the built page has the text
has_text()
{
	sed 's/<[^>]*>//g' "out/$1.html" | grep -qF -e "$2"
}

test_sphinx()
{
	copy_pages
	build_pages >log
	result $? "Sphinx builds the pages and all of api.rst without a warning"
	has_text api "is the number of descriptors" && has_text api "struct kvm_stats_desc"
	result $? "api.rst has the structures of the uapi header"
	has_text stats-internals "struct kvm_stats_file" &&
		has_text stats-internals "kvm_stats_vm_ioctl"
	result $? "the developer's page has the kernel-doc of header and code"
	has_text stats-reference "halt_poll_success_hist"
	result $? "the reference has the statistics"

	! expand "$PAGES"/stats*.rst api.rst | grep -E '.{81}' >log
	result $? "no line of the pages has more than 80 columns"
}
