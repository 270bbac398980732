/** Writes the completion script for bash. */
import type { CompletedOption, Completion } from "./completions.ts";

export const writeBashCompletion = (
  all: Completion[],
): string => `# Completion of busbar for bash: source <(busbar completion bash)
function _busbar {
  local current=\${COMP_WORDS[COMP_CWORD]} at="" option="" values=0 word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
${readWord(all)}
  done
  local found=""
  if [[ $option ]]; then
    case "$at $option" in
${listChoices(all)
  .map(([pattern, words]) => `      ${pattern}) found="${words}" ;;`)
  .join("\n")}
    esac
  elif [[ $current == -* ]]; then
    case "$at" in
${all.map(({ path, options }) => `      "${path.join(" ")}") found="${listFlags(options)}" ;;`).join("\n")}
    esac
  elif ((values == 0)); then
    case "$at" in
${all
  .filter(({ words }) => words.length > 0)
  .map(
    ({ path, words }) => `      "${path.join(" ")}") found="${words.map(({ word }) => word).join(" ")}" ;;`,
  )
  .join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _busbar busbar
`;

/** Returns the `case` patterns of `$at $word` that name a command. */
export const writeCommandCases = (all: Completion[]): string =>
  all
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `"${path.slice(0, -1).join(" ")} ${path.at(-1)}"`)
    .join(" | ");

/** Returns the `case` patterns of `$at $option` for the options that `wanted` accepts. */
export const listCases = (all: Completion[], wanted: (option: CompletedOption) => boolean): string =>
  all
    .flatMap(({ path, options }) =>
      options.filter(wanted).flatMap(({ flags }) => flags.map((flag) => `"${path.join(" ")} ${flag}"`)),
    )
    .join(" | ");

/** Returns the `case` pattern and the values of each option with known values. */
export const listChoices = (all: Completion[]): [pattern: string, words: string][] =>
  all.flatMap(({ path, options }) =>
    options
      .filter((option) => option.choices.length > 0)
      .map(({ flags, choices: values }): [string, string] => [
        flags.map((flag) => `"${path.join(" ")} ${flag}"`).join(" | "),
        values.join(" "),
      ]),
  );

const listFlags = (options: CompletedOption[]): string =>
  options.flatMap(({ flags }) => flags.at(-1) ?? []).join(" ");

/** Returns lines for bash and zsh: they find out whether a word before the cursor is an option, its value, a command or another value. */
export const readWord = (all: Completion[]): string => `    if [[ -n $option ]]; then option=""; continue; fi
    if [[ $word == -* ]]; then
      case "$at $word" in
        ${listCases(all, ({ takesValue }) => takesValue)}) option=$word ;;
      esac
      continue
    fi
    case "$at $word" in
      ${writeCommandCases(all)}) at="\${at:+$at }$word" ;;
      *) values=$((values + 1)) ;;
    esac`;
