// `libretto completion SHELL`: prints the completion script of a shell.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';
import { shells, type Shell } from './shells.ts';

/** Bash splits words also at = and :. The script joins these parts, and removes them from the candidates again. */
const bash = String.raw`# bash completion of libretto; "libretto completion --help" tells how to install it
_libretto_plain() { # sets plain: the word without its quotes and backslashes
  local char quote='' i
  plain=''
  for ((i = 0; i < \${#1}; i++)); do
    char="\${1:i:1}"
    if [[ "$char" == "$quote" ]]; then
      quote=''
    elif [[ -z "$quote" && "$char" == [\"\'] ]]; then
      quote="$char"
    elif [[ "$char" == \\ && "$quote" != \' ]]; then
      ((++i))
      plain+="\${1:i:1}"
    else
      plain+="$char"
    fi
  done
}
_libretto() {
  local current plain mode line lead joined prefix i
  local -a words=() lines=() program
  for ((i = 1; i <= COMP_CWORD; i++)); do
    joined="\${COMP_WORDS[i]}"
    if ((\${#words[@]} > 0)) && [[ "$joined" == [=:]* || "\${COMP_WORDS[i-1]}" == [=:] ]]; then
      words[\${#words[@]}-1]+="$joined"
    else
      words+=("$joined")
    fi
  done
  for i in "\${!words[@]}"; do
    _libretto_plain "\${words[i]}"
    words[i]="$plain"
  done
  _libretto_plain "$2"
  current="$plain"
  prefix="\${words[\${#words[@]}-1]}"
  prefix="\${prefix%"$current"}"
  # an alias holds a command with arguments
  if [[ -n "\${BASH_ALIASES[$1]-}" ]]; then eval "program=(\${BASH_ALIASES[$1]})"; else program=("$1"); fi
  mapfile -t lines < <("\${program[@]}" complete -- "\${words[@]}" 2>/dev/null)
  mode="\${lines[0]-}"
  lead="\${mode#*$'\t'}"
  mode="\${mode%%$'\t'*}"
  [[ "$lead" == "$mode" ]] && lead=''
  lead="\${lead#"$prefix"}" # such as the -d of -dvar
  COMPREPLY=()
  case "$mode" in
    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -P "$lead" -f -- "\${current#"$lead"}") ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -P "$lead" -d -- "\${current#"$lead"}") ;;
    partial) compopt -o nospace 2>/dev/null ;;
  esac
  for line in "\${lines[@]:1}"; do
    line="\${line%%$'\t'*}"
    printf -v line %q "\${line#"$prefix"}"
    COMPREPLY+=("$line")
  done
}
complete -F _libretto libretto
`;

const zsh = String.raw`#compdef libretto
# zsh completion of libretto; "libretto completion --help" tells how to install it
_libretto() {
  local mode lead line value
  local -a lines candidates program options
  program=(\${(z)aliases[$words[1]]:-$words[1]})
  lines=("\${(@f)$("\${(@Q)program}" complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  mode=\${lines[1]%%$'\t'*}
  lead=\${\${lines[1]#$mode}#$'\t'}
  (( $#lead )) && compset -p $#lead # such as --data=
  case $mode in
    files) _files; return ;;
    folders) _files -/; return ;;
    partial) options=(-S '') ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$'\t'*}
    candidates+=("\${value//:/\\:}:\${line#*$'\t'}")
  done
  (( $#candidates )) && _describe -V libretto candidates $options
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _libretto "$@"; else compdef _libretto libretto; fi
`;

const fish = String.raw`# fish completion of libretto; "libretto completion --help" tells how to install it
function __libretto_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    set -l first (string split \t -- "$lines[1]")
    set -l lead "$first[2]"
    set -l name (string sub --start (math 1 + (string length -- "$lead")) -- "$current")
    switch "$first[1]"
        case files
            string replace --regex '^' -- "$lead" (__fish_complete_path "$name")
        case folders
            string replace --regex '^' -- "$lead" (__fish_complete_directories "$name")
        case '*'
            for line in $lines[2..-1]
                echo $line
            end
    end
end
complete -c libretto -f -a '(__libretto_complete)'
`;

/**
 * The completion scripts of the shells. Each asks `libretto complete` for the candidates, and knows no command itself.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: unescaped(bash),
  zsh: unescaped(zsh),
  fish: unescaped(fish),
};

/** A template needs the backslash before a brace of the shell. */
function unescaped(text: string): string {
  return text.replaceAll(String.raw`\${`, '${');
}

export function run({ stdout }: Context, { operands: [given] }: CommandInput): Promise<number> {
  const shell = shells.find((one) => one === given);
  if (shell === undefined)
    throw new UsageError(`There is no completion for ${JSON.stringify(given)}. Use one of: ${shells.join(', ')}.`);
  stdout.write(scripts[shell]);
  return Promise.resolve(0);
}
