/** Defines every command with its options, as `busbar --help` shows them. */
import { Command } from "commander";
import { UsageFailure } from "./failures.ts";
import { addExamples } from "./examples.ts";
import self from "./package.json" with { type: "json" };
import type { Terminal } from "./terminal.ts";

/** A command of the server's own program, listed beside those of builders. */
export interface ServerCommand {
  name: string;
  usage: string;
  description: string;
  /** Flags and what they do, for the help. */
  options?: [flags: string, description: string][];
}

type Add = (program: Command, terminal: Terminal) => void;

/** A file of commands. It is loaded only if one of them is called, or all commands are listed. */
interface CommandFile {
  names: string[];
  load(): Promise<Add>;
  /** Loads all other files too. */
  needsAll?: boolean;
}

const defineCommandFile = (names: string, load: () => Promise<Add>): CommandFile => ({
  names: names.split(" "),
  load,
});

const GROUPS: [heading: string, files: CommandFile[]][] = [
  [
    "Manifests:",
    [
      defineCommandFile("init", async () => (await import("./commands/init.ts")).addInit),
      defineCommandFile("validate", async () => (await import("./commands/validate.ts")).addValidate),
      defineCommandFile("deploy", async () => (await import("./commands/deploy.ts")).addDeploy),
    ],
  ],
  [
    "Resources:",
    [
      defineCommandFile("list ls", async () => (await import("./commands/list.ts")).addList),
      defineCommandFile("get", async () => (await import("./commands/get.ts")).addGet),
      defineCommandFile("create", async () => (await import("./commands/create.ts")).addCreate),
      defineCommandFile("update", async () => (await import("./commands/update.ts")).addUpdate),
      defineCommandFile("delete", async () => (await import("./commands/delete.ts")).addDelete),
      defineCommandFile("retention", async () => (await import("./commands/retention.ts")).addRetention),
    ],
  ],
  [
    "Customers' data:",
    [
      defineCommandFile("connect", async () => (await import("./commands/connect.ts")).addConnect),
      defineCommandFile("install uninstall", async () => (await import("./commands/install.ts")).addInstall),
      defineCommandFile("read", async () => (await import("./commands/read.ts")).addRead),
      defineCommandFile("pause unpause", async () => (await import("./commands/pause.ts")).addPause),
      defineCommandFile("search", async () => (await import("./commands/search.ts")).addSearch),
      defineCommandFile("write", async () => (await import("./commands/write.ts")).addWrite),
      defineCommandFile("proxy", async () => (await import("./commands/proxy.ts")).addProxy),
      defineCommandFile("import", async () => (await import("./commands/import.ts")).addImport),
      defineCommandFile("export", async () => (await import("./commands/export.ts")).addExport),
      defineCommandFile("agents", async () => (await import("./commands/agents.ts")).addAgents),
    ],
  ],
  [
    "Operations and events:",
    [
      defineCommandFile("operations", async () => (await import("./commands/operations.ts")).addOperations),
      defineCommandFile("cancel check", async () => (await import("./commands/check.ts")).addCheck),
      defineCommandFile("trace", async () => (await import("./commands/trace.ts")).addTrace),
      defineCommandFile("find", async () => (await import("./commands/find.ts")).addFind),
      defineCommandFile("subscribe", async () => (await import("./commands/subscribe.ts")).addSubscribe),
      defineCommandFile("events", async () => (await import("./commands/events.ts")).addEvents),
      defineCommandFile("logs", async () => (await import("./commands/logs.ts")).addLogs),
      defineCommandFile("listen", async () => (await import("./commands/listen.ts")).addListen),
      defineCommandFile(
        "test resend rotate",
        async () => (await import("./commands/destinations.ts")).addDestinations,
      ),
    ],
  ],
  [
    "Access:",
    [
      defineCommandFile("login logout profiles", async () => (await import("./commands/login.ts")).addLogin),
      defineCommandFile("whoami", async () => (await import("./commands/whoami.ts")).addWhoami),
      defineCommandFile("doctor", async () => (await import("./commands/doctor.ts")).addDoctor),
      defineCommandFile("collection", async () => (await import("./commands/collection.ts")).addCollection),
      defineCommandFile("api", async () => (await import("./commands/api.ts")).addApi),
      {
        ...defineCommandFile(
          "completion",
          async () => (await import("./commands/completion.ts")).addCompletion,
        ),
        needsAll: true,
      },
    ],
  ],
];

/** Commands of the server's own program, which this command line lacks when it is built as one file. */
const SERVER_COMMANDS =
  "start migrate backup restore sandbox mock bootstrap invite sign-in-key keys shards".split(" ");

const AFTER = `
Which Busbar: --url and --key, else BUSBAR_URL and BUSBAR_API_KEY (AMP_API_URL and AMP_API_KEY are understood too), else
the server whose .busbar/ lies in this folder, else the last login.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the server cannot be reached.`;

const SERVER_AFTER = `
The server itself is configured by the environment; docs/guide/configuration.md lists it.`;

/** Loads only the file of the command in `called`, the command line. Without it loads all commands. */
export async function createProgram(
  terminal: Terminal,
  serverCommands: ServerCommand[],
  called: string[] = [],
): Promise<Command> {
  const program = createEmptyProgram(terminal);
  program.addHelpText("after", serverCommands.length > 0 ? `${AFTER}${SERVER_AFTER}` : AFTER);
  if (serverCommands.length > 0) {
    program.commandsGroup("Server:");
    for (const { name, usage, description, options = [] } of serverCommands) {
      const command = program.command(name).usage(usage).description(description);
      for (const [flags, purpose] of options) command.option(flags, purpose);
      command
        .addHelpText("after", SERVER_AFTER)
        // The caller runs it if it is the first argument.
        .action(() => {
          throw new UsageFailure(`Give ${name} first and its options after it: busbar ${name} ${usage}`);
        });
    }
  } else for (const name of SERVER_COMMANDS) addAbsent(program, name);
  const name = findCommand(program, called);
  const all = GROUPS.flatMap(([, files]) => files);
  const one = all.find(({ names }) => name !== undefined && names.includes(name));
  for (const [heading, files] of GROUPS) {
    const wanted = one && !one.needsAll ? files.filter((file) => file === one) : files;
    program.commandsGroup(heading);
    for (const add of await Promise.all(wanted.map(({ load }) => load()))) add(program, terminal);
  }
  addExamples(program);
  return program;
}

/** Adds a hidden command that says where it can be run. */
function addAbsent(program: Command, name: string): void {
  program
    .command(name, { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UsageFailure(
        `\`busbar ${name}\` runs the server or works on its data; this command line only calls the API.`,
        {
          remedy: `Run \`npm run busbar -- ${name}\` in the folder of Busbar, or \`npx busbar ${name}\` where its package is installed.`,
        },
      );
    });
}

const createEmptyProgram = (terminal: Terminal): Command =>
  new Command("busbar")
    .usage("[options] <command>")
    .description("Integrations with your customers' SaaS accounts.")
    .version(self.version)
    .option("--url <address>", "address of the Busbar")
    .option("-k, --key <key>", "its API key; BUSBAR_API_KEY is safer, because other users cannot see it")
    .option("-p, --project <idOrName>", "the project, if the key has several")
    .option("--json", "print results as JSON")
    .option("--wide", "print all columns of tables, uncut")
    .option("--quiet", "print results and errors only")
    .option("--verbose", "print which server is used and how it was found")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .showSuggestionAfterError()
    .showHelpAfterError("Run `busbar --help` for the commands.")
    .helpCommand("help [command]", "show the help of a command");

/** Returns the first word that is neither an option nor its value; for `list:projects` it is `list`. */
function findCommand(program: Command, args: string[]): string | undefined {
  const valued = program.options.filter(({ required }) => required);
  const takesValue = (arg: string) => valued.some(({ short, long }) => arg === short || arg === long);
  let isValue = false;
  for (const arg of args) {
    if (!isValue && !arg.startsWith("-")) return arg.split(":")[0];
    isValue = !isValue && takesValue(arg);
  }
  return undefined;
}
