/** Writes the completion script for fish. */
import { listCases, writeCommandCases } from "./bash.ts";
import type { Completion, CompletedOption } from "./completions.ts";

export const writeFishCompletion = (
  all: Completion[],
): string => `# Completion of busbar for fish: busbar completion fish | source
function __busbar_at
  set -l at ""
  set -l option ""
  set -l values 0
  for word in (commandline -opc)[2..-1]
    if test -n "$option"
      set option ""
    else if string match -q -- '-*' "$word"
      switch "$at $word"
        case ${toFishPatterns(listCases(all, ({ takesValue }) => takesValue))}
          set option $word
      end
    else
      switch "$at $word"
        case ${toFishPatterns(writeCommandCases(all))}
          set at (string trim "$at $word")
        case '*'
          set values (math $values + 1)
      end
    end
  end
  test "$at" = "$argv[1]"; and begin
    test (count $argv) -eq 1; or test $values -eq 0
  end
end
complete -c busbar -e
${all
  .flatMap(({ path, words, options }) => [
    ...words.map(({ word, description }) => writeWordLine(path.join(" "), word, description)),
    ...options.map((option) => writeOptionLine(path.join(" "), option)),
  ])
  .join("\n")}
`;

/** Separates the alternatives of a `case` by spaces, as fish does. */
const toFishPatterns = (alternatives: string): string => alternatives.replaceAll(" | ", " ");

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Completes a word as the first argument only. */
const writeWordLine = (path: string, word: string, description: string): string =>
  [
    `complete -c busbar -f -n`,
    quote(`__busbar_at "${path}" first`),
    `-a`,
    word,
    ...describeOption(description),
  ].join(" ");

const writeOptionLine = (
  path: string,
  { flags, description, takesValue, choices }: CompletedOption,
): string =>
  [
    `complete -c busbar -n`,
    quote(`__busbar_at "${path}"`),
    ...flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)),
    ...(choices.length > 0 ? [`-x -a ${quote(choices.join(" "))}`] : takesValue ? ["-r"] : []),
    ...describeOption(description),
  ].join(" ");

const describeOption = (description: string): string[] =>
  description === "" ? [] : ["-d", quote(description)];
