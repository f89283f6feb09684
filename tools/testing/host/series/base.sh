# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t: scripts/base, which takes a kernel from the cache, the mirror or KERNEL=.
# shellcheck shell=bash

# list_files DIR: print name, size, time and mode of all files
list_files()
{
	find "$1" -printf '%p %s %T@ %m\n' | sort
}

t_kernel_git()
{
	git -C "$K" checkout -q base
	list_files "$K" >before
	base=$(KERNEL=$K scripts/base)
	list_files "$K" | diff before -
	[ "$(git -C "$base" rev-list --count HEAD)" = 1 ]
	diff -r --exclude=.git "$K" "$base"
	[ "$(KERNEL=$K scripts/base)" = "$base" ]
}

t_kernel_plain()
{
	git -C "$K" checkout -q base
	rm -rf "$K/.git"
	list_files "$K" >before
	base=$(KERNEL=$K scripts/base)
	list_files "$K" | diff before -
	[ "$(git -C "$base" rev-list --count HEAD)" = 1 ]
	diff -r --exclude=.git "$K" "$base"
	KERNEL=$K scripts/series-verify
}

t_kernel_wrong()
{
	KERNEL=$WORK/nowhere refuses 'no such directory' -- scripts/base
	KERNEL=$PWD refuses 'is not a kernel tree: it lacks Kbuild MAINTAINERS' \
		'expected the top directory of a Linux 5.10.y' -- scripts/base
	sed -i 's/^PATCHLEVEL = 10/PATCHLEVEL = 15/' "$K/Makefile"
	commit
	KERNEL=$K refuses 'is Linux 5.15.7' 'expected Linux 5.10.y' -- scripts/base
	KERNEL=$K refuses 'is Linux 5.15.7' -- scripts/series-verify --cached
}

t_kernel_dirty()
{
	echo x >>"$K/Makefile"
	KERNEL=$K refuses 'changes that are in no commit' 'Makefile' -- scripts/base
	rm -rf "$K/.git"
	touch "$K/.config"
	KERNEL=$K refuses 'contains files of a build' 'make mrproper' -- scripts/base
}

t_version_wrong()
{
	refuses 'not a version or a tree: ../x' -- scripts/base ../x
}

t_interrupted()
{
	mkdir -p "$KVM_STATS_CACHE/base/.new"
	echo junk >"$KVM_STATS_CACHE/base/.new/junk"
	base=$(KERNEL=$K scripts/base)
	[ ! -e "$base/junk" ]
}

# A truncated tarball must not become a base. A complete tarball must become one.
t_tarball()
{
	mkdir -p "$KVM_STATS_CACHE/src"
	git -C "$K" archive --prefix=linux-5.10.7/ base | xz >whole.tar.xz
	head -c 500 whole.tar.xz >"$KVM_STATS_CACHE/src/linux_5.10.7.orig.tar.xz"
	refuses 'cannot unpack' 'Remove it' -- scripts/base 5.10.7
	[ ! -e "$KVM_STATS_CACHE/base/5.10.7" ]
	mv whole.tar.xz "$KVM_STATS_CACHE/src/linux_5.10.7.orig.tar.xz"
	base=$(scripts/base 5.10.7)
	[ "$base" = "$KVM_STATS_CACHE/base/5.10.7" ]
	first=$(git -C "$base" rev-parse HEAD)
	rm -rf "$base"
	scripts/base 5.10.7
	[ "$(git -C "$base" rev-parse HEAD)" = "$first" ]
	[ "$(scripts/base)" = "$base" ]
	[ "$(scripts/base --cached)" = "$base" ]
}

# Put the sample kernel into the cache.
cached_base()
{
	mkdir -p "$KVM_STATS_CACHE/base"
	rm -rf "$KVM_STATS_CACHE/base/5.10.7"
	git clone -q "$K" "$KVM_STATS_CACHE/base/5.10.7"
	git -C "$KVM_STATS_CACHE/base/5.10.7" checkout -q base
}

# no_mirror CODENAME: use an apt configuration whose mirror does not exist
no_mirror()
{
	mkdir -p apt
	echo "deb file:/nowhere $1 main" >apt/sources
	printf '%s\n' "Dir::Etc::SourceList \"$PWD/apt/sources\";" \
		'Dir::Etc::SourceParts "/dev/null";' >apt/conf
	export APT_CONFIG=$PWD/apt/conf
}

t_no_mirror()
{
	command -v apt-get || { echo 'the build host has no apt-get'; exit 77; }
	# shellcheck source=/dev/null
	no_mirror "$(. /etc/os-release && echo "$VERSION_CODENAME")"
	refuses 'the mirror has no source package linux 5.10' 'KERNEL=PATH' -- scripts/base 5.10.8
	no_mirror elsewhere
	refuses 'name no Debian mirror' 'KERNEL=PATH' -- scripts/base 5.10.8
	cached_base
	sed -i 's/^tested .*/tested 5.10.7 5.10.8/' series/5.10/base
	refuses 'Linux 5.10.7: 3 patches apply' 'not checked on: 5.10.8' -- scripts/series-verify
}

t_mirror()
{
	command -v apt-get || { echo 'the build host has no apt-get'; exit 77; }
	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mkdir -p apt/parts
	cat >apt/parts/debian.sources <<-EOF
		Types: deb
		URIs: http://mirror.example/debian
		Suites: $codename $codename-updates
		Components: main contrib
	EOF
	cat >apt/parts/other.list <<-EOF
		deb [arch=$(dpkg --print-architecture)] http://security.example/security/ $codename-security main
		deb http://tools.example/apt nodistro main
	EOF
	printf '%s\n' 'Dir::Etc::SourceList "/dev/null";' \
		"Dir::Etc::SourceParts \"$PWD/apt/parts\";" >apt/conf
	export APT_CONFIG=$PWD/apt/conf
	bash -c '. scripts/lib/common.sh; . scripts/lib/debian.sh; debian_sources' |
		sed 's/\[.*\] //' >sources
	cat sources
	printf 'deb-src http://%s main\n' 'mirror.example/debian/ bullseye' \
		'security.example/security/ bullseye-security' | diff - sources
}

# Without a mirror, the base can be kernel.org's tarball.
t_kernel_org()
{
	command -v apt-get || { echo 'the build host has no apt-get'; exit 77; }
	no_mirror elsewhere
	refuses 'name no Debian mirror' "Save linux-5.10.y.tar.xz of kernel.org in $KVM_STATS_CACHE/src" -- \
		scripts/base
	mkdir -p "$KVM_STATS_CACHE/src"
	: >"$KVM_STATS_CACHE/src/linux-5.10.6.tar.xz"	# older than the series
	refuses 'name no Debian mirror' -- scripts/base
	git -C "$K" archive --prefix=linux-5.10.7/ base | xz >"$KVM_STATS_CACHE/src/linux-5.10.7.tar.xz"
	[ "$(scripts/base)" = "$KVM_STATS_CACHE/base/5.10.7" ]
}

# sid has no security archive; the one of other releases is next to its mirror.
t_sid()
{
	command -v apt-get || { echo 'the build host has no apt-get'; exit 77; }
	mkdir -p apt
	echo 'deb http://mirror.example/debian sid main' >apt/sources
	printf '%s\n' "Dir::Etc::SourceList \"$PWD/apt/sources\";" \
		'Dir::Etc::SourceParts "/dev/null";' >apt/conf
	export APT_CONFIG=$PWD/apt/conf
	bash -c '. scripts/lib/common.sh; . scripts/lib/debian.sh; debian_sources' |
		sed 's/\[.*\] //' >sources
	cat sources
	printf 'deb-src http://mirror.example/%s main\n' 'debian/ bullseye' \
		'debian-security/ bullseye-security' | diff - sources
}

add_base_tests()
{
	test_case 'KERNEL= accepts a git tree and does not change it' t_kernel_git
	test_case 'KERNEL= accepts sources without git and does not change them' t_kernel_plain
	test_case 'KERNEL= refuses a directory that is not a Linux 5.10 tree with KVM' t_kernel_wrong
	test_case 'KERNEL= refuses a tree with uncommitted changes or files of a build' t_kernel_dirty
	test_case 'base refuses an argument that is neither version nor tree' t_version_wrong
	test_case 'a base contains no files of an interrupted run' t_interrupted
	test_case 'a truncated tarball does not become a base' t_tarball
	test_case 'base uses the mirror of the apt configuration' t_mirror
	test_case 'base uses the mirror of sid and the security archive next to it' t_sid
	test_case 'base uses a tarball of kernel.org if there is no mirror' t_kernel_org
	test_case 'base reports that there is no mirror, and what to do' t_no_mirror
}
