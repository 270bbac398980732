/** Runs one command line and returns its exit code. */
import { CommanderError } from "commander";
import { EXIT, Failure, type ExitCode } from "./failures.ts";
import { printFailure } from "./output/print-failure.ts";
import { createProgram, type ServerCommand } from "./program.ts";
import type { Terminal } from "./terminal.ts";

/** Runs a command of the command line. `serverCommands` are executed by the caller; here they are only listed in the help. */
export async function runCommand(
  args: string[],
  terminal: Terminal,
  serverCommands: ServerCommand[] = [],
): Promise<ExitCode> {
  const program = await createProgram(terminal, serverCommands, args);
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return EXIT.ok;
  } catch (error) {
    // The parser has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof Failure)) throw error;
    printFailure(error, terminal, program.opts()["json"] === true);
    return error.exitCode;
  }
}
