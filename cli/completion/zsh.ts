/** Writes the completion script for zsh. */
import { listChoices, readWord } from "./bash.ts";
import type { Completion } from "./completions.ts";

export const writeZshCompletion = (all: Completion[]): string => `#compdef busbar
# Completion of busbar for zsh: source <(busbar completion zsh), after compinit
function _busbar {
  local current=$words[CURRENT] at="" option="" values=0 word i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
${readWord(all)}
  done
  if [[ -n $option ]]; then
    case "$at $option" in
${listChoices(all)
  .map(([pattern, words]) => `      ${pattern}) found=(${words}) ;;`)
  .join("\n")}
    esac
  elif [[ $current == -* ]]; then
    case "$at" in
${all
  .map(({ path, options }) => {
    const shown = options.map(({ flags, description }) => formatItem(flags.at(-1) ?? "", description));
    return `      "${path.join(" ")}") found=(${shown.join(" ")}) ;;`;
  })
  .join("\n")}
    esac
  elif ((values == 0)); then
    case "$at" in
${all
  .filter(({ words }) => words.length > 0)
  .map(({ path, words }) => {
    const shown = words.map(({ word, description }) => formatItem(word, description));
    return `      "${path.join(" ")}") found=(${shown.join(" ")}) ;;`;
  })
  .join("\n")}
    esac
  fi
  if (($#found)); then _describe busbar found; else _files; fi
}
compdef _busbar busbar
`;

/** Escapes colons, which separate word and description, and quotes. */
const formatItem = (word: string, description: string): string => {
  const text = description === "" ? word : `${word.replaceAll(":", "\\:")}:${description}`;
  return `'${text.replaceAll("'", "'\\''")}'`;
};
