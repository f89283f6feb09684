# SPDX-License-Identifier: GPL-2.0-only
# Linux 5.10 from the Debian mirror that this machine uses already: the release
# before Debian 12 has it as source package. The mirror comes out of apt's own
# configuration, and apt verifies what it gives; apt's lists and settings on the
# machine stay as they are, ours are kept in the cache.

DEBIAN_SUITE=bullseye
DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
DEBIAN_DIR=$CACHE/apt

# deb-src lines for the same servers, with the suite exchanged.
debian_sources() {
	local codename
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	apt-get indextargets --no-release-info \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v codename="$codename" -v suite="$DEBIAN_SUITE" \
			-v key="$DEBIAN_KEYRING" '
		$3 != "main" { next }
		{ security = sub(/-security$/, "", $2) }
		$2 != codename && $2 !~ /^(old)*stable$/ { next }
		{ print "deb-src [signed-by=" key "] " $1, suite (security ? "-security" : ""), "main" }
		' | sort -u
}

debian_apt() {
	local tool=$1
	shift
	"$tool" -o Dir::Etc::SourceList="$DEBIAN_DIR/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State="$DEBIAN_DIR/state" -o Dir::Cache="$DEBIAN_DIR/cache" \
		-o Dir::State::status=/var/lib/dpkg/status \
		-o Acquire::Languages=none -o Acquire::Retries=3 \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

debian_update() {
	mkdir -p "$DEBIAN_DIR/state" "$DEBIAN_DIR/cache"
	command -v apt-get >/dev/null || die "no apt-get on this machine" \
		"name a 5.10.y kernel tree instead: KERNEL=PATH"
	[ -f "$DEBIAN_KEYRING" ] || die "no Debian archive keys at $DEBIAN_KEYRING" \
		"install the package debian-archive-keyring, or name a 5.10.y tree: KERNEL=PATH"
	debian_sources >"$DEBIAN_DIR/sources.list"
	[ -s "$DEBIAN_DIR/sources.list" ] || die \
		"apt's sources on this machine name no Debian mirror with component main" \
		"name a 5.10.y kernel tree instead: KERNEL=PATH"
	say "asking the Debian mirror of this machine for Linux 5.10 sources"
	# One server of several may fail; what counts is whether there are versions.
	debian_apt apt-get -q update >"$DEBIAN_DIR/update.log" 2>&1 || true
}

# The 5.10.y source package versions on the mirror, oldest first.
debian_versions() {
	debian_apt apt-cache showsrc --only-source linux 2>/dev/null |
		sed -n 's/^Version: \(5\.10\..*\)/\1/p' | sort -V -u
}

no_debian_version() {
	local have
	have=$(debian_versions | tr '\n' ' ')
	[ -n "$have" ] && die "the mirror has no Linux $1" "it has: $have"
	die "the mirror has no Linux 5.10" \
		"apt said (whole log: $DEBIAN_DIR/update.log):" \
		"$(grep -E '^(E|W|Err)' "$DEBIAN_DIR/update.log" | head -n 5)" \
		"name a 5.10.y kernel tree instead: KERNEL=PATH"
}

# debian_pick VERSION|newest: the package version on the mirror
debian_pick() {
	local pick
	pick=$(debian_versions | awk -v want="$1" '
	{ upstream = $1; sub(/-[^-]*$/, "", upstream) }
	want == "newest" || want == $1 || want == upstream { pick = $1 }
	END { print pick }')
	[ -n "$pick" ] || no_debian_version "$1"
	echo "$pick"
}

# debian_fetch PACKAGE-VERSION TARBALL
debian_fetch() {
	local dir=$CACHE/src/.fetch
	rm -rf "$dir"
	mkdir -p "$dir"
	say "fetching linux_$1 (about 120 MB; apt verifies it against the signed index)"
	(cd "$dir" && debian_apt apt-get -q source --download-only --tar-only \
		--only-source "linux=$1") >"$DEBIAN_DIR/fetch.log" 2>&1 ||
		die "fetching linux $1 failed, apt said (whole log: $DEBIAN_DIR/fetch.log):" \
			"$(grep -E '^(E|W|Err)' "$DEBIAN_DIR/fetch.log" | head -n 5)"
	[ -f "$dir/${2##*/}" ] || die "apt fetched no ${2##*/}" \
		"it fetched: $(ls "$dir")"
	mv "$dir/${2##*/}" "$2"
	rm -rf "$dir"
}
