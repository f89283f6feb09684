# SPDX-License-Identifier: GPL-2.0-only
# Sourced by docs.t: the pages build with Sphinx, and warnings are errors.

# Copy the pages, and the files whose kernel-doc comments they include, so that a
# test can change them.
copy_pages()
{
	local page file

	rm -rf in source out doctrees
	mkdir in source
	cp "$pages"/stats*.rst in/
	{
		printf 'KVM\n===\n\n.. toctree::\n\n'
		for page in in/stats*.rst; do
			page=${page#in/}
			echo "   ${page%.rst}"
		done
	} >in/index.rst
	for file in $(sed -n 's/^\.\. kernel-doc:: //p' in/*.rst | sort -u); do
		mkdir -p "source/${file%/*}"
		cp "$repo/$file" "source/$file"
	done
}

# Build the pages. Any output is a failure, because kernel-doc prints warnings that
# sphinx-build -W does not notice.
build_pages()
{
	local status=0

	KERNEL=$kernel SOURCE=$work/source PYTHONDONTWRITEBYTECODE=1 \
		sphinx-build -q -W --keep-going -c "$parts" -d doctrees -b html in out \
		>build.log 2>&1 || status=$?
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

# has_text PAGE TEXT: check that the built page has the text
has_text()
{
	sed 's/<[^>]*>//g' "out/$1.html" | grep -qF -e "$2"
}

copy_pages
build_pages >log
point $? "Sphinx builds the pages without a warning"
has_text stats "number of descriptors" && has_text stats "struct kvm_stats_desc"
point $? "the user's page has the kernel-doc of the uapi header"
has_text stats-internals "struct kvm_stats_source" && has_text stats-internals "kvm_stats_getfd"
point $? "the developer's page has the kernel-doc of header and code"
has_text stats-reference "halt_poll_success_hist"
point $? "the reference has the statistics"

printf '\nSome title\n=====\n\nText.\n' >>in/stats.rst
expect 1 "a warning of Sphinx fails" 'Title underline too short' build_pages
copy_pages
printf '\n.. kernel-doc:: include/uapi/linux/kvm_stats.h\n   :identifiers: kvm_stats_desc\n' >>in/stats.rst
expect 1 "an interface that is documented twice fails" 'Duplicate C declaration' build_pages
copy_pages
printf '\n.. kernel-doc:: include/uapi/linux/kvm_stats.h\n   :identifiers: no_such\n' >>in/stats.rst
expect 1 "an interface that does not exist fails" "no_such.* not found|no structured comments" build_pages
copy_pages
sed -i '/^ \* @num_desc:/d' source/include/uapi/linux/kvm_stats.h
expect 1 "a member without a description fails" "'num_desc' not described" build_pages

too_wide "$pages"/stats*.rst >log
[ ! -s log ]
point $? "no line of the pages has more than 80 columns"
printf '%081d\n' 0 >wide.rst
expect 0 "a line of 81 columns is found" 'wide[.]rst:1:' too_wide wide.rst
