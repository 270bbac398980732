/** `busbar login`, `logout` and `profiles`: stores addresses with their API keys, and chooses the default one. */
import type { Command } from "commander";
import { Failure, UsageFailure } from "../failures.ts";
import { openApi } from "../http/api.ts";
import { requireObjects, getTextAt } from "../http/json.ts";
import { readBody } from "../http/send.ts";
import { createOutput, type Output } from "../output/output.ts";
import { ask, askHidden, canAsk } from "../prompt.ts";
import { readProfiles, writeProfiles } from "../settings/profiles.ts";
import { checkKey, readOrigin, type GlobalOptions } from "../settings/target.ts";
import type { Terminal } from "../terminal.ts";

const DEFAULT_ADDRESS = "http://127.0.0.1:4000";
const MAX_KEY_BYTES = 4096;

interface LoginOptions extends GlobalOptions {
  keyStdin?: boolean;
  proxyUrl?: string;
}

export function addLogin(program: Command, terminal: Terminal): void {
  program
    .command("login [address]")
    .description("remember an address and its API key")
    .option("--key-stdin", "read the API key from stdin instead of asking")
    .option("--proxy-url <address>", "address of this Busbar's proxy")
    .action(async (address: string | undefined, _: LoginOptions, command: Command) => {
      const options: LoginOptions = command.optsWithGlobals();
      await logIn(address ?? options.url, options, terminal, createOutput(terminal, options));
    });
  program
    .command("logout [address]")
    .description("forget an address and its API key")
    .option("--all", "forget all stored addresses")
    .action(async (address: string | undefined, _: { all?: boolean }, command: Command) => {
      const options: GlobalOptions & { all?: boolean } = command.optsWithGlobals();
      await logOut(
        address ?? options.url,
        options.all === true,
        terminal,
        createOutput(terminal, { ...options, json: false }),
      );
    });
  program
    .command("profiles")
    .description("list the stored addresses, or choose the default with --use")
    .option("--use <address>", "use this address when none is given")
    .action(async (_: { use?: string }, command: Command) => {
      const options: GlobalOptions & { use?: string } = command.optsWithGlobals();
      await changeProfiles(options.use, terminal, createOutput(terminal, options));
    });
}

async function logIn(
  address: string | undefined,
  options: LoginOptions,
  terminal: Terminal,
  out: Output,
): Promise<void> {
  const { env } = terminal;
  const before = await readProfiles(env);
  const given = address ?? env["BUSBAR_URL"] ?? env["AMP_API_URL"];
  if (!given && !canAsk(terminal)) throw new UsageFailure("The address is missing: busbar login <address>");
  const origin = readOrigin(
    given ?? (await ask(terminal, "Address of the Busbar", before.current ?? DEFAULT_ADDRESS)),
  );
  if (origin.startsWith("http:") && !isLoopback(origin)) {
    out.note("warning: plain http sends the API key unencrypted; use https");
  }
  const apiKey = checkKey(await askKey(options, terminal));
  const names = await listProjectNames(origin, apiKey);
  const project =
    options.project ?? env["BUSBAR_PROJECT"] ?? env["AMP_PROJECT"] ?? (await chooseProject(names, terminal));
  const proxyUrl = options.proxyUrl && readOrigin(options.proxyUrl);
  const all = new Map(before.all).set(origin, {
    apiKey,
    ...(project && { project }),
    ...(proxyUrl && { proxyUrl }),
  });
  const path = await writeProfiles(env, { current: origin, all });
  if (out.json) return out.data({ origin, project: project ?? null, path });
  out.line(`${out.paint.green("logged in")} to ${origin}${project ? `, project ${project}` : ""}`);
  out.note(`the key is in ${path}, readable by you only`);
}

async function askKey(options: LoginOptions, terminal: Terminal): Promise<string> {
  if (options.keyStdin) return (await readBody(terminal.stdin, MAX_KEY_BYTES)).toString();
  if (options.key) return options.key;
  // Asks even if the environment has a key, which may be that of another server.
  if (canAsk(terminal)) return askHidden(terminal, "API key (not shown)");
  const given = terminal.env["BUSBAR_API_KEY"] ?? terminal.env["AMP_API_KEY"];
  if (given) return given;
  throw new UsageFailure("There is no terminal to ask for the API key.", {
    remedy: "Pipe it in with --key-stdin.",
  });
}

/** Returns the names of the key's projects, and so checks address and key. */
async function listProjectNames(origin: string, apiKey: string): Promise<string[]> {
  const projects = requireObjects(await openApi({ origin, apiKey })("GET", "/v1/projects"));
  return projects.flatMap((project) => getTextAt(project, "name") ?? []);
}

async function chooseProject(names: string[], terminal: Terminal): Promise<string | undefined> {
  if (names.length <= 1) return names[0];
  if (!canAsk(terminal)) return undefined;
  for (;;) {
    const answer = await ask(terminal, `Project (${names.join(", ")})`, names[0]);
    if (names.includes(answer)) return answer;
  }
}

async function logOut(
  address: string | undefined,
  all: boolean,
  terminal: Terminal,
  out: Output,
): Promise<void> {
  const before = await readProfiles(terminal.env);
  const origins = all ? [...before.all.keys()] : [address ? readOrigin(address) : before.current];
  const known = origins.filter((origin) => origin !== undefined && before.all.has(origin));
  if (known.length === 0) throw new Failure("You are not logged in to this address.");
  const kept = new Map([...before.all].filter(([origin]) => !known.includes(origin)));
  const current = before.current && kept.has(before.current) ? before.current : undefined;
  await writeProfiles(terminal.env, { all: kept, ...(current && { current }) });
  for (const origin of known) out.line(`${out.paint.green("forgot")} ${origin}`);
}

async function changeProfiles(use: string | undefined, terminal: Terminal, out: Output): Promise<void> {
  const found = await readProfiles(terminal.env);
  const current = use === undefined ? found.current : readOrigin(use);
  if (current !== undefined && !found.all.has(current)) {
    throw new Failure(`You are not logged in to ${current}.`, { remedy: `Run \`busbar login ${current}\`.` });
  }
  if (use !== undefined) await writeProfiles(terminal.env, { all: found.all, ...(current && { current }) });
  const rows = [...found.all].map(([origin, { project, proxyUrl }]) => ({
    current: origin === current,
    origin,
    project: project ?? null,
    proxyUrl: proxyUrl ?? null,
  }));
  const columns = {
    "": (row: (typeof rows)[number]) => (row.current ? "*" : ""),
    ADDRESS: (row: (typeof rows)[number]) => row.origin,
    PROJECT: (row: (typeof rows)[number]) => row.project ?? "",
  };
  out.rows(rows, columns, "You are not logged in; run `busbar login`.");
}

const isLoopback = (origin: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname);
