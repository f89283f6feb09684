# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: Sphinx builds the pages, and warnings are errors.
# shellcheck shell=bash

# Copy the pages, and the files from which they include kernel-doc comments, so that a test
# case can change them. The page uapi, which only this test has, includes all comments of the uapi
# header.
copy_pages()
{
	local page file

	rm -rf in source out doctrees
	mkdir in source
	cp "$PAGES"/stats*.rst api.rst in/
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

# include_identifier NAME: add the kernel-doc comment of NAME to a page
include_identifier()
{
	printf '\n.. kernel-doc:: include/uapi/linux/kvm_stats.h\n   :identifiers: %s\n' "$1" \
		>>in/stats.rst
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

# too_wide FILE...: print the lines that are longer than 80 columns
too_wide()
{
	local file

	for file; do
		expand "$file" | awk -v file="${file##*/}" 'length > 80 { print file ":" FNR ": " $0 }'
	done
}

# has_text PAGE TEXT: return 0 if the built page has the text
has_text()
{
	sed 's/<[^>]*>//g' "out/$1.html" | grep -qF -e "$2"
}

test_sphinx()
{
	copy_pages
	cp Documentation/virt/kvm/api.rst in/
	build_pages >log
	result $? "Sphinx builds the pages and all of api.rst without a warning"
	has_text api "is the number of descriptors" && has_text api "struct kvm_stats_desc"
	result $? "api.rst has the structures of the uapi header"
	has_text stats-internals "struct kvm_stats_file" &&
		has_text stats-internals "kvm_stats_vm_ioctl"
	result $? "the developer's page has the kernel-doc of header and code"
	has_text stats-reference "halt_poll_success_hist"
	result $? "the reference has the statistics"

	printf '\nSome title\n=====\n\nText.\n' >>in/stats.rst
	expect 1 "a warning of Sphinx fails" 'Title underline too short' build_pages
	copy_pages
	include_identifier kvm_stats_desc
	expect 1 "an interface that is documented twice fails" 'Duplicate C declaration' build_pages
	copy_pages
	include_identifier no_such
	expect 1 "an interface that does not exist fails" \
		"no_such.* not found|no structured comments" \
		build_pages
	copy_pages
	sed -i '/^ \* @num_desc:/d' source/include/uapi/linux/kvm_stats.h
	expect 1 "a member without a description fails" "'num_desc' not described" build_pages

	too_wide "$PAGES"/stats*.rst api.rst >log
	[ ! -s log ]
	result $? "no line of the pages has more than 80 columns"
	printf '%081d\n' 0 >wide.rst
	expect 0 "a line of 81 columns is found" 'wide[.]rst:1:' too_wide wide.rst
}
