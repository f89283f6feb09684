# SPDX-License-Identifier: GPL-2.0-only
# Sourced by series.t. Where the kernel comes from that a series is for.

listing() {
	find "$1" -printf '%p %s %T@ %m\n' | sort
}

t_kernel_git() {
	git -C "$K" checkout -q base
	listing "$K" >before
	base=$(KERNEL=$K scripts/base)
	listing "$K" | diff before -
	[ "$(git -C "$base" rev-list --count HEAD)" = 1 ]
	diff -r --exclude=.git "$K" "$base"
	[ "$(KERNEL=$K scripts/base)" = "$base" ]
}

t_kernel_plain() {
	git -C "$K" checkout -q base
	rm -rf "$K/.git"
	listing "$K" >before
	base=$(KERNEL=$K scripts/base)
	listing "$K" | diff before -
	[ "$(git -C "$base" rev-list --count HEAD)" = 1 ]
	diff -r --exclude=.git "$K" "$base"
	KERNEL=$K scripts/series-verify
}

t_kernel_wrong() {
	KERNEL=$work/nowhere refuses 'no such directory' -- scripts/base
	KERNEL=$PWD refuses 'is no kernel tree' 'expected the top of a Linux 5.10.y' -- scripts/base
	sed -i 's/^PATCHLEVEL = 10/PATCHLEVEL = 15/' "$K/Makefile"
	commit
	KERNEL=$K refuses 'is Linux 5.15.7' 'expected Linux 5.10.y' -- scripts/base
	KERNEL=$K refuses 'is Linux 5.15.7' -- scripts/series-verify --cached
}

t_kernel_dirty() {
	echo x >>"$K/Makefile"
	KERNEL=$K refuses 'changes that are in no commit' 'Makefile' -- scripts/base
	rm -rf "$K/.git"
	touch "$K/.config"
	KERNEL=$K refuses 'products of a build' 'make mrproper' -- scripts/base
}

t_version_wrong() {
	refuses 'not a version: ../x' -- scripts/base ../x
}

t_half_base() {
	mkdir -p "$KVM_STATS_CACHE/base/.new"
	echo junk >"$KVM_STATS_CACHE/base/.new/junk"
	base=$(KERNEL=$K scripts/base)
	[ ! -e "$base/junk" ]
}

# A tarball that is cut short must not become a base, and a whole one must.
t_tarball() {
	mkdir -p "$KVM_STATS_CACHE/src"
	git -C "$K" archive --prefix=linux-5.10.7/ base | xz >whole.tar.xz
	head -c 500 whole.tar.xz >"$KVM_STATS_CACHE/src/linux_5.10.7.orig.tar.xz"
	refuses 'cannot unpack' 'remove it' -- scripts/base 5.10.7
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

cached_base() {
	mkdir -p "$KVM_STATS_CACHE/base"
	rm -rf "$KVM_STATS_CACHE/base/5.10.7"
	git clone -q "$K" "$KVM_STATS_CACHE/base/5.10.7"
	git -C "$KVM_STATS_CACHE/base/5.10.7" checkout -q base
}

no_mirror() {
	mkdir -p apt
	echo "deb file:/nowhere $1 main" >apt/sources
	printf '%s\n' "Dir::Etc::SourceList \"$PWD/apt/sources\";" \
		'Dir::Etc::SourceParts "/dev/null";' >apt/conf
	export APT_CONFIG=$PWD/apt/conf
}

t_no_mirror() {
	command -v apt-get || { echo 'no apt-get on this machine'; exit 77; }
	no_mirror "$(. /etc/os-release && echo "$VERSION_CODENAME")"
	refuses 'the mirror has no source package linux 5.10' 'KERNEL=PATH' -- scripts/base 5.10.8
	no_mirror elsewhere
	refuses 'name no Debian mirror' 'KERNEL=PATH' -- scripts/base 5.10.8
	cached_base
	sed -i 's/^tested .*/tested 5.10.7 5.10.8/' series/5.10/base
	refuses 'Linux 5.10.7: 3 steps apply' 'not checked on: 5.10.8' -- scripts/series-verify
}

t_mirror() {
	command -v apt-get || { echo 'no apt-get on this machine'; exit 77; }
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

base_tests() {
	point 'KERNEL= takes a git tree and leaves it as it is' t_kernel_git
	point 'KERNEL= takes plain sources and leaves them as they are' t_kernel_plain
	point 'KERNEL= refuses what is no 5.10 kernel tree' t_kernel_wrong
	point 'KERNEL= refuses a dirty tree' t_kernel_dirty
	point 'a version that is none is refused' t_version_wrong
	point 'a base that was interrupted leaves nothing behind' t_half_base
	point 'a tarball becomes a base, whole or not at all' t_tarball
	point 'the mirror comes from the configuration of apt' t_mirror
	point 'without a mirror it is said what to do' t_no_mirror
}
