/** Every command with its options: what `busbar --help` shows. */
import { Command } from "commander";
import { addCreate } from "./commands/create.ts";
import { addDelete } from "./commands/delete.ts";
import { addDeploy } from "./commands/deploy.ts";
import { addGet } from "./commands/get.ts";
import { addInit } from "./commands/init.ts";
import { addList } from "./commands/list.ts";
import { addListen } from "./commands/listen.ts";
import { addLogin } from "./commands/login.ts";
import { addLogs } from "./commands/logs.ts";
import { addOperations } from "./commands/operations.ts";
import { addProxy } from "./commands/proxy.ts";
import { addUpdate } from "./commands/update.ts";
import { addValidate } from "./commands/validate.ts";
import { addWrite } from "./commands/write.ts";
import { UsageFailure } from "./failures.ts";
import self from "./package.json" with { type: "json" };
import type { Terminal } from "./terminal.ts";

/** A command of the server's own program, listed beside those of builders. */
export interface ServerCommand {
  name: string;
  usage: string;
  description: string;
}

type Add = (program: Command, terminal: Terminal) => void;

const GROUPS: [heading: string, commands: Add[]][] = [
  ["Manifests:", [addInit, addValidate, addDeploy]],
  ["Resources:", [addList, addGet, addCreate, addUpdate, addDelete]],
  ["Customers' data:", [addWrite, addProxy]],
  ["What happened:", [addOperations, addLogs, addListen]],
  ["Access:", [addLogin]],
];

const AFTER = `
Which Busbar: --url and --key, else BUSBAR_URL and BUSBAR_API_KEY (AMP_API_URL and AMP_API_KEY are understood too), else
the server whose .busbar/ lies in this folder, else the last login.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the server cannot be reached.`;

const SERVER_AFTER = `
The server itself is configured by the environment; docs/guide/configuration.md lists it.`;

export function createProgram(terminal: Terminal, serverCommands: ServerCommand[]): Command {
  const program = new Command("busbar")
    .usage("[options] <command>")
    .description("Integrations with your customers' SaaS accounts.")
    .version(self.version)
    .option("--url <address>", "address of the Busbar")
    .option("-k, --key <key>", "its API key; better in BUSBAR_API_KEY, where other users cannot see it")
    .option("-p, --project <idOrName>", "the project, if there are several")
    .option("--json", "results for machines")
    .addHelpText("after", serverCommands.length > 0 ? `${AFTER}${SERVER_AFTER}` : AFTER)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .showSuggestionAfterError()
    .showHelpAfterError("With --help it says what it takes.")
    .helpCommand("help [command]", "tell more about a command");
  if (serverCommands.length > 0) {
    program.commandsGroup("Server:");
    for (const { name, usage, description } of serverCommands) {
      program
        .command(name)
        .usage(usage)
        .description(description)
        .addHelpText("after", SERVER_AFTER)
        // The caller runs it, and knows it by its coming first.
        .action(() => {
          throw new UsageFailure(`Give ${name} first and its options after it: busbar ${name} ${usage}`);
        });
    }
  }
  for (const [heading, commands] of GROUPS) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, terminal);
  }
  return program;
}
