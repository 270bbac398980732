/** `busbar completion bash`: prints a script that completes commands, options and known values; installs nothing. */
import { Argument, type Command } from "commander";
import { writeBashCompletion } from "../completion/bash.ts";
import { listCompletions } from "../completion/completions.ts";
import { writeFishCompletion } from "../completion/fish.ts";
import { writeZshCompletion } from "../completion/zsh.ts";
import { UsageFailure } from "../failures.ts";
import { listResourcesWith } from "../resources/resources.ts";
import type { Terminal } from "../terminal.ts";

const SHELLS = { bash: writeBashCompletion, zsh: writeZshCompletion, fish: writeFishCompletion };

/** Adds the command. `program` must already have all other commands. */
export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command("completion")
    .description("print a completion script for your shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .addHelpText(
      "after",
      "\nTo enable it in every shell, add the line of the example to your shell's start file.",
    )
    .action((shell: string) => {
      const script = Object.entries(SHELLS).find(([name]) => name === shell)?.[1];
      if (!script) throw new UsageFailure(`There is no completion for ${shell}.`);
      terminal.stdout.write(script(listCompletions(program, listArguments)));
    });
}

function listArguments(path: string): readonly string[] {
  if (path === "list") return listResourcesWith("list").map(({ plural }) => plural);
  if (path === "get") return listResourcesWith("get").map(({ singular }) => singular);
  if (path === "delete") return listResourcesWith("remove").map(({ singular }) => singular);
  if (path === "collection") return ["postman", "bruno"];
  return path === "completion" ? Object.keys(SHELLS) : [];
}
