// The completion scripts of the shells. Each asks `libretto complete` for the candidates, and knows no command itself.

import type { Shell } from './shells.ts';

/** Bash splits words also at = and :. The script joins these parts, and removes them from the candidates again. */
const bash = String.raw`# bash completion of libretto; "libretto completion --help" tells how to install it
_libretto() {
  local current="\${2#[\"\']}" mode line joined prefix i
  local -a words=() lines=() program
  for ((i = 1; i <= COMP_CWORD; i++)); do
    joined="\${COMP_WORDS[i]}"
    if ((\${#words[@]} > 0)) && [[ "$joined" == [=:]* || "\${COMP_WORDS[i-1]}" == [=:] ]]; then
      words[\${#words[@]}-1]+="$joined"
    else
      words+=("$joined")
    fi
  done
  for i in "\${!words[@]}"; do # without the quotes that the user typed
    joined="\${words[i]#[\"\']}"
    joined="\${joined%[\"\']}"
    words[i]="\${joined//\\/}"
  done
  prefix="\${words[\${#words[@]}-1]}"
  prefix="\${prefix%"$current"}"
  # an alias holds a command with arguments
  if [[ -n "\${BASH_ALIASES[$1]-}" ]]; then eval "program=(\${BASH_ALIASES[$1]})"; else program=("$1"); fi
  mapfile -t lines < <("\${program[@]}" complete -- "\${words[@]}" 2>/dev/null)
  mode="\${lines[0]-}"
  COMPREPLY=()
  case "$mode" in
    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
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
  local mode line value
  local -a lines candidates program options
  program=(\${(z)aliases[$words[1]]:-$words[1]})
  lines=("\${(@f)$("\${(@Q)program}" complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  mode=$lines[1]
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
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case '*'
            for line in $lines[2..-1]
                echo $line
            end
    end
end
complete -c libretto -f -a '(__libretto_complete)'
`;

export const scripts: Readonly<Record<Shell, string>> = {
  bash: unescaped(bash),
  zsh: unescaped(zsh),
  fish: unescaped(fish),
};

/** A template needs the backslash before a brace of the shell. */
function unescaped(text: string): string {
  return text.replaceAll(String.raw`\${`, '${');
}
