/** The `busbar` command: what runs a server here, and beside it everything that builders do with one from outside. */
import type { ServerCommand } from "../../cli/program.ts";
import { StartError } from "../ground/errors.ts";

const SERVER_COMMANDS: ServerCommand[] = [
  {
    name: "start",
    usage: "[--processes N]",
    description: "the server: management, write and proxy listeners, served by one process or by N",
  },
  {
    name: "sandbox",
    usage: "[--port 4100] [--host 127.0.0.1]",
    description: "simulated HubSpot and Salesforce, for trying things out",
  },
  {
    name: "bootstrap",
    usage: "--org NAME --project NAME",
    description: "an organisation, a project and an API key in the database of DATABASE_URL",
  },
  {
    name: "sign-in-key",
    usage: "--project NAME",
    description:
      "an API key that signs the owner of the project's organisation in, should the last one be lost",
  },
  {
    name: "keys",
    usage: "status | rotate",
    description: "which encryption keys are in use; move everything to the first one",
  },
];

/** Each half is loaded when it is asked for: the server is large, and builders wait for their command. */
async function run([command = "", ...args]: string[]): Promise<void> {
  const wantsHelp = args.includes("--help") || args.includes("-h");
  if (SERVER_COMMANDS.some(({ name }) => name === command) && !wantsHelp) {
    const { runServerCommand } = await import("./server-commands.ts");
    return runServerCommand(command, args);
  }
  const [{ runCommand }, { thisTerminal }] = await Promise.all([
    import("../../cli/run.ts"),
    import("../../cli/terminal.ts"),
  ]);
  process.exitCode = await runCommand(process.argv.slice(2), thisTerminal(), SERVER_COMMANDS);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  // A person must mend this, so they get one line; anything else is a fault of ours and keeps its stack.
  const line = (text: string) => `busbar: ${text.trim().replaceAll(/\s*\n\s*/g, " ")}\n`;
  const mendable = error instanceof StartError;
  process.stderr.write(mendable ? line(error.message) : `${(error as Error).stack}\n`);
  process.exit(mendable ? error.exitCode : 1);
}
