// Scripts that let shells complete our command line: each asks `modelctl __complete` what may stand
// where the cursor is, and falls back on files where there is nothing.

const bash = `# modelctl completion for bash: source this file, or put it into bash-completion's folder.
_modelctl() {
  local line="\${COMP_LINE:0:COMP_POINT}" words current kept candidate
  # Readline's own words end at colons, which names of models hold.
  read -a words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  kept="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    [[ -n $candidate ]] && COMPREPLY+=("\${candidate#"$kept"}")
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _modelctl modelctl
`;

const zsh = `#compdef modelctl
# modelctl completion for zsh: put this into a folder of $fpath as _modelctl, or source it.
_modelctl() {
  local -a lines values texts
  local line
  lines=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    [[ -z $line ]] && continue
    values+=("\${line%%$'\\t'*}")
    texts+=("\${line/$'\\t'/  -- }")
  done
  if (( $#values )); then
    compadd -l -d texts -a values
  else
    _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _modelctl "$@"
else
  compdef _modelctl modelctl
fi
`;

const fish = `# modelctl completion for fish: put this into ~/.config/fish/completions as modelctl.fish.
function __modelctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l found ($program __complete -- $words "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c modelctl -f -a '(__modelctl_complete)'
`;

export const completionScripts: Readonly<Record<string, string>> = { bash, zsh, fish };
