# SPDX-License-Identifier: GPL-2.0-only
# Sourced by check: reading the file `boots`.

manifest=${manifest:-$boot_dir/boots}

# boot_names: those of $ARCH, or all
boot_names()
{
	awk -v arch="${ARCH:-}" '$1 == "boot" && (arch == "" || $3 == arch) { print $2 }' "$manifest"
}

boot_arch()
{
	awk -v name="$1" '$1 == "boot" && $2 == name { print $3 }' "$manifest"
}

# boot_lines NAME: what stands below its line
boot_lines()
{
	awk -v name="$1" '
	/^#/ || !NF { next }
	$1 == "boot" { mine = $2 == name; next }
	mine { sub(/^[ \t]+/, ""); print }' "$manifest"
}

# boot_is_deep NAME: too long for make check
boot_is_deep()
{
	grep -qx deep <<<"$(boot_lines "$1")"
}

# boot_args NAME: sets args, an array for the script boot
boot_args()
{
	local name=$1 key value tests=() expected=$results/$1.must-fail allowed=$results/$1.log-allow
	local wanted=$results/$1.log-must setting

	args=(--arch "$(boot_arch "$name")" --name "$name")
	: >"$expected"
	: >"$allowed"
	: >"$wanted"
	while read -r key value; do
		case $key in
		config | variant | time) args+=("--$key" "$value") ;;
		tests) read -r -a tests <<<"$value" ;;
		demo) args+=(--demo) ;;
		deep) ;;
		env) for setting in $value; do args+=(--env "$setting"); done ;;
		must-fail) echo "$value" >>"$expected" ;;
		log-allow) echo "$value" >>"$allowed" ;;
		log-must) echo "$value" >>"$wanted" ;;
		*)
			[[ " $settable " == *" $key "* ]] ||
				die "boots: boot $name: '$key' means nothing here; its head tells what does"
			args+=(--set "$key=$value")
			;;
		esac
	done < <(boot_lines "$name")
	args+=(--must-fail "$expected" --log-allow "$allowed" --log-must "$wanted" "${tests[@]}")
}

# build_args NAME: sets args, an array for the script build
build_args()
{
	local key value variant=patched

	args=(--arch "$(boot_arch "$1")")
	while read -r key value; do
		case $key in
		config) args+=(--config "$value") ;;
		variant) variant=$value ;;
		esac
	done < <(boot_lines "$1")
	args+=("$variant")
}
