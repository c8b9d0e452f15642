// Completion scripts for shells: they ask `PROGRAM __complete` for candidates, and complete files if there
// are none.

import { usageError } from "../errors.ts";

const bash = (
  program: string,
) => `# ${program} completion for bash: source this file, or put it into bash-completion's folder.
_${program}() {
  local line="\${COMP_LINE:0:COMP_POINT}" words current kept candidate
  # Readline's own words end at colons, which names of models hold.
  read -a words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  kept="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    # By its length: letters may be typed in another case.
    [[ -n $candidate ]] && COMPREPLY+=("\${candidate:\${#kept}}")
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _${program} ${program}
`;

const zsh = (program: string) => `#compdef ${program}
# ${program} completion for zsh: put this into a folder of $fpath as _${program}, or source it.
_${program}() {
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
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;

const fish = (
  program: string,
) => `# ${program} completion for fish: put this into ~/.config/fish/completions as ${program}.fish.
function __${program}_complete
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
complete -c ${program} -f -a '(__${program}_complete)'
`;

const scripts = { bash, zsh, fish };

/** Prints a completion script. @throws ProductError `COMMAND_USAGE` for an unsupported shell */
export function printCompletion(program: string, shell: string): void {
  const script = completionScript(program, shell);
  if (script === undefined) {
    throw usageError(
      `Completion for ${shell} is not supported.`,
      `Use one of ${Object.keys(scripts).join(", ")}.`,
    );
  }
  process.stdout.write(script);
}

/** Returns undefined for an unsupported shell. */
export function completionScript(program: string, shell: string): string | undefined {
  return Object.hasOwn(scripts, shell)
    ? scripts[shell as keyof typeof scripts](program)
    : undefined;
}
