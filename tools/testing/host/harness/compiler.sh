# SPDX-License-Identifier: GPL-2.0-only
# Sourced by harness.t. kernel-cc, on a kernel of a few lines.

made_up=$scratch/made-up
mkdir -p "$made_up"/{include/linux,init,arch/test/kvm} "$scratch/built/precompiled"
echo '#define CONFIG_A 1' >"$made_up/include/linux/kconfig.h"
echo '#define __user' >"$made_up/include/linux/compiler_types.h"
cat >"$made_up/include/linux/common.h" <<-'EOF'
	#ifndef COMMON_H
	#define COMMON_H
	#ifndef pr_fmt
	#define pr_fmt(text) "default " text
	#endif
	#ifdef OTHER
	#define common "another common.h"
	#else
	#define common "the common.h"
	#endif
	#endif
EOF
echo '#define rare "rare.h"' >"$made_up/include/linux/rare.h"
printf '#include <linux/%s.h>\n' kconfig compiler_types common >"$scratch/common_headers.h"

# -Os is what kbuild says here.
tail_of_file='
const char *const is[] = {
	common,
	pr_fmt("prefix"),
	KBUILD_MODNAME,
#ifdef __OPTIMIZE_SIZE__
	"as kbuild says",
#else
	"precompiled",
#endif
};'

# kbuild NAME [FLAG]...: compile what stdin has before the table of strings; what is said goes
# to the file said
kbuild()
{
	local name=$1

	shift
	{ cat; echo "$tail_of_file"; } >"$made_up/$name.c"
	mkdir -p "$scratch/built/${name%/*}"
	(cd "$scratch/built" &&
		"$here/kernel-cc" gcc -Wp,-MMD,"$name.d" -I "$made_up/include" -Wall \
			-include "$made_up/include/linux/kconfig.h" \
			-include "$made_up/include/linux/compiler_types.h" \
			"-DKBUILD_MODNAME=\"module ${name##*/}\"" -Os "$@" -c -o "$name.o" "$made_up/$name.c") \
		>"$scratch/said" 2>&1
}

# holds NAME STRING...: its object has these
holds()
{
	local name=$1 string

	shift
	for string; do
		grep -qaF "$string" "$scratch/built/$name.o" || { echo "no '$string' in $name.o"; return 1; }
	done
}

# compiled HOW NAME STRING... -- [FLAG]...: without a word, from stdin
compiled()
{
	local how=$1 name=$2 strings=()

	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		strings+=("$1")
		shift
	done
	kbuild "$name" "${@:2}" && [ ! -s "$scratch/said" ] && holds "$name" "$how" "${strings[@]}"
}

begins_with_main()
{
	cp "$scratch/common_headers.h" "$scratch/built/precompiled/"
	compiled precompiled init/main "the common.h" <<<'#include <linux/common.h>'
}

depends_on_headers()
{
	compiled precompiled init/depends <<<'#include <linux/common.h>' &&
		grep -q '/common\.h' "$scratch/built/init/depends.d" &&
		grep -q '/kconfig\.h' "$scratch/built/init/depends.d" &&
		grep -q '/depends\.c' "$scratch/built/init/depends.d" &&
		! grep -e '\.gch' -e stdin -e common_headers "$scratch/built/init/depends.d"
}

warned()
{
	kbuild init/warned <<<$'#include <linux/common.h>\nstatic int unused;' &&
		holds init/warned "as kbuild says" &&
		[ "$(grep -c "warning: 'unused' defined but not used\|warning: ‘unused’ defined but not used" "$scratch/said")" = 1 ]
}

refused()
{
	! kbuild init/refused <<<$'#include <linux/common.h>\nint a = missing;' &&
		[ "$(grep -c 'missing.*undeclared' "$scratch/said")" = 1 ]
}

no_headers()
{
	rm -f "$scratch"/built/precompiled/*
	echo '#include <linux/missing.h>' >"$scratch/built/precompiled/common_headers.h"
	kbuild init/main <<<'#include <linux/common.h>' &&
		grep -q 'linux/missing.h: No such file' "$scratch/said" && holds init/main "as kbuild says"
}

without_directory()
{
	rm -rf "$scratch/built/precompiled"
	compiled "as kbuild says" init/main <<<'#include <linux/common.h>'
}

ok "the common headers are precompiled with init/main.c, and used" begins_with_main
ok "a file knows its own module" \
	compiled precompiled init/one "module one" "default prefix" <<<'#include <linux/common.h>'
ok "and depends on all headers, but not on what was made of them" depends_on_headers
ok "it has its own prefix of messages" compiled precompiled init/prefix "my prefix" \
	<<<$'#define pr_fmt(text) "my " text\n#include <linux/common.h>'
ok "what it defines before a common header reaches that" \
	compiled "as kbuild says" init/defines "another common.h" <<<$'#define OTHER\n#include <linux/common.h>'
ok "what it defines before another one is in nobody's way" \
	compiled precompiled init/rare "the common.h" "rare.h" \
	<<<$'#include <linux/common.h>\n#define OTHER\n#include <linux/rare.h>\nconst char *r = rare;'
ok "what kbuild defines reaches a common header" \
	compiled "as kbuild says" init/flag "another common.h" -- -DOTHER <<<'#include <linux/common.h>'
ok "KVM is compiled as kbuild says" \
	compiled "as kbuild says" arch/test/kvm/stats "module stats" <<<'#include <linux/common.h>'
ok "what has a warning is compiled as kbuild says, and warned of once" warned
ok "what is wrong is refused, and said once" refused
ok "headers that cannot be precompiled are named, and kernels compiled without" no_headers
ok "so are those for which there is no place" without_directory
