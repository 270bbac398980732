/** Runs one command line and says with which exit code it ends. */
import { CommanderError } from "commander";
import { EXIT, Failure, type ExitCode } from "./failures.ts";
import { tellFailure } from "./output/tell-failure.ts";
import { createProgram, type ServerCommand } from "./program.ts";
import type { Terminal } from "./terminal.ts";

/** `serverCommands` are those that the caller has carried out itself; they are only listed here. */
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
    // The parser has printed what it has to say.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof Failure)) throw error;
    tellFailure(error, terminal, program.opts()["json"] === true);
    return error.exitCode;
  }
}
