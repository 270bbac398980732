/** The commands of the server's machine: start the server, start the sandbox, create keys, rotate encryption keys. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { printFindings } from "../../cli/doctor/finding.ts";
import { createOutput } from "../../cli/output/output.ts";
import { openTerminal } from "../../cli/terminal.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { bootstrap } from "../access/bootstrap.ts";
import { writeBackup, restore } from "./backup-command.ts";
import { withDatabase } from "./command-database.ts";
import type { BootstrapFile } from "../data-folder/data-folder.ts";
import { getCallersFolder, readConfig, type Config } from "../../ground/config.ts";
import { StartError, UsageError, readMessage } from "../../ground/errors.ts";
import { createLog } from "../../ground/log.ts";
import { runDoctor } from "./doctor/doctor-command.ts";
import { runKeysCommand } from "./keys-command.ts";
import { startMock } from "./mock-command.ts";
import { runMigrateCommand } from "./migrate-command.ts";
import { runShardsCommand } from "./shards-command.ts";
import { awaitStopped, markStopping } from "../postgres/stopping-owner.ts";
import { onStopSignal } from "./on-stop-signal.ts";
import { startBusbar } from "../main.ts";
import { READY, startProcesses } from "./processes.ts";
import { startProviderSandbox } from "./sandbox-command.ts";
import { printStart } from "./print-start.ts";
import { inviteOwner, makeSignInKey } from "./owner-access.ts";
import { createTerminalLog } from "./create-terminal-log.ts";
import { transactControl } from "../store/database/database.ts";

/** Throws `StartError` for what an operator must fix. */
export async function runServerCommand(command: string, args: string[]): Promise<void> {
  switch (command) {
    case "start":
      return start(args);
    case "sandbox":
      return runSandbox(args);
    case "mock":
      return runMock(args);
    case "bootstrap":
      return makeBootstrap(args);
    case "sign-in-key":
      return signInKey(args);
    case "invite":
      return invite(args);
    case "keys":
      return runKeys(args);
    case "migrate":
      return migrate(args);
    case "shards":
      return runShards(args);
    case "backup":
      return runBackup(args);
    case "restore":
      return restoreFile(args);
    case "doctor":
      return runDoctorCommand(args);
    default:
      throw new UsageError(`there is no command "${command}"; run busbar help`);
  }
}

async function start(args: string[]): Promise<void> {
  const processes = processCount(parse(args, { processes: { type: "string" } }, START_HINT).processes);
  const config = readConfig();
  const isForPerson = process.stdout.isTTY === true;
  const log = createLog(config.logLevel, isForPerson ? createTerminalLog(process.stdout) : undefined);
  const onFatal = (reason: string) => {
    log.fatal(reason);
    process.exit(1);
  };
  const interrupt = new AbortController();
  const deps = { config, log, onFatal, signal: interrupt.signal };
  const starting: Promise<{ urls?: BootstrapFile["urls"]; stop(): Promise<void> }> = awaitStopped(
    config.dataDir,
    deps,
  ).then(() => (processes === 1 ? startBusbar(deps) : startProcesses(processes, deps)));
  let isStarted = false;
  // From now on: a start that a signal ended by itself would leave the embedded PostgreSQL behind.
  onStopSignal(async () => {
    log.info(isStarted ? "stopping: requests in progress have up to 30 seconds" : "stopping the start");
    if (!isStarted) interrupt.abort(new StartError("the start was stopped"));
    await markStopping(config.dataDir);
    await (await starting.catch(() => undefined))?.stop();
    log.info("stopped");
  });
  const started = await starting.catch((error: unknown) => {
    if (!interrupt.signal.aborted) throw error;
  });
  if (!started || interrupt.signal.aborted) return;
  isStarted = true;
  // Only for the parent process of `--processes`.
  process.send?.(READY);
  if (isForPerson && !process.send) {
    await printStart(process.stdout, config, started.urls);
  }
}

const START_HINT =
  "ports and all other settings are variables, such as BUSBAR_PORT: docs/guide/configuration.md";

const processCount = (text = "1"): number => parseWholeNumber("--processes", text, 1, 64);

function parseWholeNumber(option: string, text: string, least: number, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= max) return number;
  throw new UsageError(`${option} must be a whole number from ${least} to ${max}, not "${text}"`);
}

async function runSandbox(args: string[]): Promise<void> {
  process.chdir(getCallersFolder() ?? ".");
  const [first] = args;
  const provider = first?.startsWith("-") === false ? first : undefined;
  const rest = provider === undefined ? args : args.slice(1);
  const {
    port = "4100",
    host,
    facts,
  } = parse(rest, { port: { type: "string" }, host: { type: "string" }, facts: { type: "string" } });
  if (facts !== undefined && provider === undefined)
    throw new UsageError("--facts is about a provider: busbar sandbox providers/x-quill.yaml --facts FILE");
  if (provider !== undefined) {
    const number = parseWholeNumber("--port", port, 0, 65_535);
    const where = { port: number, ...(host !== undefined && { host }) };
    const simulated = await openAt(number, "sandbox", () => startProviderSandbox(provider, where, facts));
    process.stdout.write(simulated.text);
    onStopSignal(() => simulated.close());
    return;
  }
  const at = { host, port: parseWholeNumber("--port", port, 0, 65_535) };
  const started = await openAt(at.port, "sandbox", () => startSandbox(at));
  process.stdout.write(
    `Sandbox CRMs at ${started.url}\n` +
      `  HubSpot     ${started.url}/hubspot\n` +
      `  Salesforce  ${started.url}/salesforce\n` +
      `  catalog overlay for BUSBAR_CATALOG: ${started.url}/sandbox/catalog\n`,
  );
  onStopSignal(() => started.close());
}

async function runMock(args: string[]): Promise<void> {
  const { port = "4020", host } = parse(args, { port: { type: "string" }, host: { type: "string" } });
  const at = { host, port: parseWholeNumber("--port", port, 0, 65_535) };
  const started = await openAt(at.port, "mock", () => startMock(at));
  process.stdout.write(
    `A Busbar that answers with recorded examples at ${started.url}: ${started.operations} operations\n` +
      "  any key or token is accepted; nothing is stored\n" +
      '  another answer by the header: Prefer: code=404, or Prefer: example="A batch"\n',
  );
  onStopSignal(() => started.close());
}

async function openAt<Started>(port: number, name: string, open: () => Promise<Started>): Promise<Started> {
  try {
    return await open();
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const inUse = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    if (inUse) throw new StartError(`port ${port} is in use by another program; give --port`, { cause });
    throw new StartError(`the ${name} cannot listen on port ${port}: ${String(cause)}`, { cause });
  }
}

/** These commands work on what is sealed as it is, or not at all; who runs them needs no keys. */
const readConfigWithoutKeys = (): Config => readConfig(undefined, { withoutKeys: true });

async function makeBootstrap(args: string[]): Promise<void> {
  const { org, project } = parse(args, { org: { type: "string" }, project: { type: "string" } });
  if (!org || !project) throw new UsageError("busbar bootstrap needs --org NAME and --project NAME");
  const config = readConfigWithoutKeys();
  if (!config.databaseUrl) throw new StartError("DATABASE_URL must be set for busbar bootstrap");
  const wanted = { org, project, apiKey: config.bootstrapApiKey, email: config.bootstrapEmail };
  const made = await withDatabase({ config, log: createLog("warn") }, (database) =>
    transactControl(database, (queries) => bootstrap(queries, wanted)),
  );
  process.stdout.write(`${JSON.stringify(made, null, 2)}\n`);
}

async function signInKey(args: string[]): Promise<void> {
  const { project } = parse(args, { project: { type: "string" } });
  if (!project) throw new UsageError("busbar sign-in-key needs --project NAME");
  const on = { config: readConfigWithoutKeys(), log: createLog("warn") };
  const apiKey = await withDatabase(on, (database) => makeSignInKey(database, project));
  process.stdout.write(`${JSON.stringify({ apiKey }, null, 2)}\n`);
}

async function invite(args: string[]): Promise<void> {
  const { project, email } = parse(args, { project: { type: "string" }, email: { type: "string" } });
  if (!project || !email?.includes("@")) {
    throw new UsageError("busbar invite needs --project NAME and --email ADDRESS");
  }
  const deps = { config: readConfigWithoutKeys(), log: createLog("warn") };
  const invited = await withDatabase(deps, (database) => inviteOwner(database, { project, email }));
  process.stdout.write(`${JSON.stringify(invited, null, 2)}\n`);
}

/** Exits with 1 while a value still needs another key than the first one. */
async function runKeys([action, ...args]: string[]): Promise<void> {
  parse(args, {});
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const done = await runKeysCommand(action, { config: readConfig(), log: createLog("warn"), print });
  if (!done) process.exitCode = 1;
}

async function migrate(args: string[]): Promise<void> {
  const { grant } = parse(args, { grant: { type: "string" } });
  const done = await runMigrateCommand({ config: readConfigWithoutKeys(), log: createLog("warn") }, grant);
  process.stdout.write(`${done}\n`);
}

/** Exits with 1 if the doctor has found a fault. */
async function runShards(args: string[]): Promise<void> {
  const { values, positionals } = parseAll(args, {
    weight: { type: "string" },
    project: { type: "string" },
    "dry-run": { type: "boolean" },
    lost: { type: "boolean" },
    json: { type: "boolean" },
  });
  const out = createOutput(openTerminal(), { json: values.json === true });
  const weight =
    values.weight === undefined ? undefined : parseWholeNumber("--weight", values.weight, 0, 1_000);
  const deps = { config: readConfig(), log: createLog("warn"), out };
  const options = { weight, project: values.project, isDry: values["dry-run"], isLost: values.lost };
  if (!(await runShardsCommand(positionals, options, deps))) process.exitCode = 1;
}

async function runBackup(args: string[]): Promise<void> {
  const file = requireFile("backup", args);
  await writeBackup({ config: readConfigWithoutKeys(), log: createLog("warn") }, file);
  process.stdout.write(`${file}\n`);
}

async function restoreFile(args: string[]): Promise<void> {
  const file = requireFile("restore", args);
  const { rows, time, version } = await restore({ config: readConfig(), log: createLog("warn") }, file);
  process.stdout.write(`Restored ${rows} rows of the backup of ${time} (Busbar ${version}).\n`);
}

function requireFile(command: string, [file, ...more]: string[]): string {
  if (file !== undefined && !file.startsWith("-") && more.length === 0) return fromCaller(file);
  throw new UsageError(`busbar ${command} needs the name of one file`);
}

/** Returns the file as the caller means it: npm has gone from their folder to that of the data. */
const fromCaller = (file: string): string => {
  const folder = getCallersFolder();
  return folder === undefined ? file : resolve(folder, file);
};

/** Exits with 1 if something is wrong. */
async function runDoctorCommand(args: string[]): Promise<void> {
  const json = args.includes("--json");
  parse(
    args.filter((arg) => arg !== "--json" && arg !== "--server"),
    {},
  );
  const findings = await runDoctor(readConfig);
  printFindings(findings, createOutput(openTerminal(), { json }));
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** Reads options and arguments. */
function parseAll<O extends Record<string, { type: "string" } | { type: "boolean" }>>(
  args: string[],
  options: O,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(`${readMessage(cause)} (busbar help)`, {
      cause,
    });
  }
}

type Options = Record<string, { type: "string" }>;

function parse<O extends Options>(
  args: string[],
  options: O,
  hint = "busbar help",
): { [Name in keyof O]?: string } {
  try {
    const { values } = parseArgs({ args, options, allowPositionals: false });
    return values as { [Name in keyof O]?: string };
  } catch (cause) {
    throw new UsageError(`${readMessage(cause)} (${hint})`, { cause });
  }
}
