/** The `busbar` command: the commands of the server's machine, and those of the command line for builders. */
import type { ServerCommand } from "../../cli/program.ts";
import { getCallersFolder } from "../../ground/config.ts";
import { StartError } from "../../ground/errors.ts";

const SERVER_COMMANDS: ServerCommand[] = [
  {
    name: "start",
    usage: "[--processes N]",
    description: "start the server (management, write and proxy listeners) with one process or N",
    options: [["--processes <n>", "number of processes that serve and work, 1 to 64 (default: 1)"]],
  },
  {
    name: "sandbox",
    usage: "[provider or file] [--facts FILE] [--port 4100] [--host 127.0.0.1]",
    description: "start simulated HubSpot and Salesforce, or one provider as the facts about its API say",
    options: [
      ["--facts <file>", "facts about the API of your custom provider, of which the file is named"],
      ["--port <port>", "port to listen on (default: 4100)"],
      ["--host <address>", "address to listen on (default: 127.0.0.1)"],
    ],
  },
  {
    name: "mock",
    usage: "[--port 4020] [--host 127.0.0.1]",
    description: "answer every operation of the API with a recorded example, for work on pages",
    options: [
      ["--port <port>", "port to listen on (default: 4020)"],
      ["--host <address>", "address to listen on (default: 127.0.0.1)"],
    ],
  },
  {
    name: "bootstrap",
    usage: "--org NAME --project NAME",
    description: "create an organisation, a project and an API key in the database of DATABASE_URL",
  },
  {
    name: "sign-in-key",
    usage: "--project NAME",
    description: "create an API key with which the owner of the project's organisation can sign in",
  },
  {
    name: "invite",
    usage: "--project NAME --email ADDRESS",
    description: "invite a person as owner of the project's organisation; they sign in and accept",
  },
  {
    name: "migrate",
    usage: "[--grant ROLE]",
    description: "migrate the database, and let ROLE read and write its rows; start migrates too",
  },
  {
    name: "backup",
    usage: "FILE",
    description: "write all rows of the database to a new file, also while the server runs",
  },
  {
    name: "restore",
    usage: "FILE",
    description: "fill an empty database from a backup, of this version or an earlier one",
  },
  {
    name: "shards",
    usage:
      "add NAME URL [--weight N] | list | doctor | drain NAME | move GROUP SHARD [--project ID] [--lost] | rebalance [--dry-run] | remove NAME",
    description:
      "add, list, check, drain or take away databases that have the data of some customers, and move customers",
    options: [
      ["--weight <n>", "share of new customers that a shard is to get, 0 to 1000 (default: 1)"],
      ["--project <id>", "the customer's project, where several have one of this groupRef"],
      [
        "--lost",
        "end a move whose former shard is gone for good, without what was not carried over from there",
      ],
      ["--dry-run", "show how many customers would move, and move none"],
    ],
  },
  {
    name: "keys",
    usage: "status | rotate",
    description: "show which encryption keys are in use; re-encrypt everything with the first one",
  },
];

/** Loads only the half that is needed: the server is large, and a command of the command line should start fast. */
async function run([command = "", ...args]: string[]): Promise<void> {
  const wantsHelp = args.includes("--help") || args.includes("-h");
  const examinesServer = command === "doctor" && args.includes("--server");
  const isOurs = examinesServer || SERVER_COMMANDS.some(({ name }) => name === command);
  if (isOurs && !wantsHelp) {
    const { runServerCommand } = await import("./server-commands.ts");
    return runServerCommand(command, args);
  }
  process.chdir(getCallersFolder() ?? ".");
  const [{ runCommand }, { openTerminal }] = await Promise.all([
    import("../../cli/run.ts"),
    import("../../cli/terminal.ts"),
  ]);
  process.exitCode = await runCommand(process.argv.slice(2), openTerminal(), SERVER_COMMANDS);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  // A `StartError` is for the operator: one line. Anything else is a bug and keeps its stack.
  const line = (text: string) => `busbar: ${text.trim().replaceAll(/\s*\n\s*/g, " ")}\n`;
  const mendable = error instanceof StartError;
  process.stderr.write(mendable ? line(error.message) : `${(error as Error).stack}\n`);
  process.exit(mendable ? error.exitCode : 1);
}
