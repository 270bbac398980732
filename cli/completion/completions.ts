/** Collects the words, options and known values that complete each command. */
import type { Command, Option } from "commander";

export interface Completion {
  /** The command's words; empty for the program itself. */
  path: string[];
  /** Subcommands, or known values of the first argument. */
  words: Word[];
  options: CompletedOption[];
}

interface Word {
  word: string;
  description: string;
  /** Whether this is a subcommand, not an option. */
  isCommand: boolean;
}

export interface CompletedOption {
  flags: string[];
  description: string;
  takesValue: boolean;
  /** The allowed values, if they are known. */
  choices: readonly string[];
}

/** `listArguments` returns the known values of a command's first argument. */
export function listCompletions(
  program: Command,
  listArguments: (path: string) => readonly string[],
): Completion[] {
  const general = program.options.filter(isShown).map(toOption);
  const below = (command: Command, path: string[]): Completion[] => {
    const commands = command.createHelp().visibleCommands(command);
    const own = command === program ? [] : command.options.filter(isShown).map(toOption);
    const values = listArguments(path.join(" ")).map((word) => ({ word, description: "", isCommand: false }));
    const help = { flags: ["--help"], description: "show help", takesValue: false, choices: [] };
    const words = commands.map((one) => ({
      word: one.name(),
      description: one.description(),
      isCommand: true,
    }));
    return [
      { path, words: [...words, ...values], options: [...own, ...general, help] },
      ...commands.flatMap((one) => below(one, [...path, one.name()])),
    ];
  };
  return below(program, []);
}

const isShown = (option: Option): boolean => !option.hidden;

function toOption({ short, long, description, required, optional, argChoices }: Option): CompletedOption {
  const flags = [short, long].filter((flag) => flag !== undefined);
  return { flags, description, takesValue: required || optional, choices: argChoices ?? [] };
}
