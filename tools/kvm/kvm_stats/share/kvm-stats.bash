# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completes kvm-stats commands and options in bash. The options are read from the help texts.

# Prints the options in lines such as "  -p, --pid=PID       only this process".
_kvm_stats_options()
{
	"$1" ${2:+"$2"} --help 2>/dev/null |
		sed -n 's/^ \{1,8\}\(-[^ ].*\)$/\1/p' |
		grep -oE '^-[[:alnum:]](, --[[:alnum:]-]+)?|^--[[:alnum:]-]+' | tr -d ' ' | tr ',' '\n'
}

_kvm_stats_commands()
{
	"$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# Prints the names of the columns of top: the list at the end of the description of --columns.
_kvm_stats_columns()
{
	"$1" top --help 2>/dev/null |
		sed -n '/--columns=/,/^ *-p,/{/^ *-p,/d; s/.*: //; p}' | tr -d ' ' |
		tr ',' '\n' | sed '/^$/d'
}

# Completes $word from the lines on standard input. compgen -W cannot do that: it would expand
# $(...) in the name of a guest.
_kvm_stats_choose()
{
	local line

	COMPREPLY=()
	while IFS= read -r line; do
		[[ $line != "$word"* ]] || COMPREPLY+=("$line")
	done
}

_kvm_stats()
{
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} last='' command='' before='' help=0

	[ "$COMP_CWORD" -lt 1 ] || last=${COMP_WORDS[COMP_CWORD - 1]}
	[ "$COMP_CWORD" -lt 2 ] || [[ ${COMP_WORDS[1]} == -* ]] || command=${COMP_WORDS[1]}
	[ "$command" != help ] || help=1
	# Bash splits "--pid=1" into three words.
	if [ "$word" = = ]; then
		word=
	elif [ "$last" = = ]; then
		last=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $last in
	-p | --pid)
		_kvm_stats_choose < <("$program" list 2>/dev/null | awk 'NR > 1 { print $1 }')
		return
		;;
	-g | --guest)
		# The sixth column is the name, which can contain spaces. In the value of -g, ",," is a comma in it.
		_kvm_stats_choose < <("$program" list 2>/dev/null |
			sed -E '1d; s/^ *([^ ]+ +){5}//; /^-$/d; s/,/,,/g')
		[ ${#COMPREPLY[@]} = 0 ] || mapfile -t COMPREPLY < <(printf '%q\n' "${COMPREPLY[@]}")
		return
		;;
	--from | -o | --output | -t | --textfile)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	--metrics)
		_kvm_stats_choose < <(printf '%s\n' all default minimal)
		return
		;;
	--sort | --columns)
		# --columns has a list: "cpu,ex" becomes "cpu,exits".
		[[ $word != *,* ]] || before=${word%,*},
		_kvm_stats_choose < <(_kvm_stats_columns "$program" | sed "s/^/$before/")
		return
		;;
	-f | --filter | --exclude | --names | --vcpu | -i | --interval | -c | --count)
		return
		;;
	esac
	if [ "$COMP_CWORD" = $((1 + help)) ] && [[ $word != -* ]]; then
		_kvm_stats_choose < <(_kvm_stats_commands "$program")
	else
		_kvm_stats_choose < <(_kvm_stats_options "$program" "$command")
	fi
}

complete -F _kvm_stats kvm-stats
