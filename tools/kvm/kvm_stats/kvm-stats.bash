# SPDX-License-Identifier: GPL-2.0-only
# Completion of kvm-stats for bash. What options there are, the help texts say.

# Options at the beginning of lines like "  -p, --pid=PID       only this process"
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

# Columns of kvm-stats list: 1, the process, or 6, the guest's name, which may have spaces
_kvm_stats_list()
{
	"$1" list 2>/dev/null | awk -v column="$2" 'NR > 1 {
		for (i = 1; i < column; i++)
			sub(/^ *[^ ]+ +/, "")
		if (column == 1)
			sub(/^ */, "")
		if (column == 1)
			sub(/ .*/, "")
		if ($0 != "-")
			print
	}'
}

_kvm_stats()
{
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} last= command= IFS=$'\n'

	[ "$COMP_CWORD" -lt 1 ] || last=${COMP_WORDS[COMP_CWORD - 1]}
	[ "$COMP_CWORD" -lt 2 ] || [[ ${COMP_WORDS[1]} == -* ]] || command=${COMP_WORDS[1]}
	# "--pid=1" are three words
	if [ "$word" = = ]; then
		word=
	elif [ "$last" = = ]; then
		last=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $last in
	-p | --pid)
		COMPREPLY=($(compgen -W "$(_kvm_stats_list "$program" 1)" -- "$word"))
		return
		;;
	-g | --guest)
		COMPREPLY=($(compgen -W "$(_kvm_stats_list "$program" 6)" -- "$word"))
		[ ${#COMPREPLY[@]} = 0 ] || COMPREPLY=($(printf '%q\n' "${COMPREPLY[@]}"))
		return
		;;
	-L | --log-to-file | --textfile)
		COMPREPLY=($(compgen -f -- "$word"))
		return
		;;
	-f | --filter | --fields | --vcpu | -i | --interval | -s | --set-delay | --count | -n)
		return
		;;
	esac
	if [ "$COMP_CWORD" = 1 ] && [[ $word != -* ]]; then
		COMPREPLY=($(compgen -W "$(_kvm_stats_commands "$program")" -- "$word"))
	else
		COMPREPLY=($(compgen -W "$(_kvm_stats_options "$program" "$command")" -- "$word"))
	fi
}

complete -F _kvm_stats kvm-stats
