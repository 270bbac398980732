/** `busbar listen`: receives events on this machine, verifies their signatures, prints and forwards them. */
import type { Command } from "commander";
import { Ended, Failure, UsageFailure } from "../failures.ts";
import { EVENT_TYPES } from "../listen/event-types.ts";
import { startReceiver, type Message } from "../listen/receiver.ts";
import {
  describeEgressRemedy,
  makeTemporaryDestination,
  findSigningKey,
  explainUnreachable,
  type TemporaryDestination,
} from "../listen/temporary-destination.ts";
import { findSignatureFault } from "../listen/verify-signature.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { parseWholeNumber } from "./resource-options.ts";
import { parseJson, getTextAt, getValueAt } from "../http/json.ts";
import type { Output } from "../output/output.ts";
import { escapeUnsafe, toPrintableLines } from "../output/printable.ts";
import { send } from "../http/send.ts";

interface ListenOptions {
  port: number;
  host: string;
  events?: string;
  destination?: string;
  publicUrl?: string;
  forwardTo?: string;
  count?: number;
}

export function addListen(program: Command, terminal: Terminal): void {
  program
    .command("listen")
    .description("receive events on this machine while you develop")
    .option("--port <n>", "port to listen on (default: a free one)", parseWholeNumber(0, 65_535), 0)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--events <types>", "event types, separated by commas (default: all)")
    .option("--destination <idOrName>", "use this destination instead of creating a temporary one")
    .option("--public-url <url>", "URL at which the server reaches this machine, for example of a tunnel")
    .option("--forward-to <url>", "forward each verified message and pass its answer back to the server")
    .option("--count <n>", "exit after this number of events", parseWholeNumber(1, 1_000_000))
    .addHelpText("after", `\nEvents: ${EVENT_TYPES.join(", ")}`)
    .action(async (options: ListenOptions, command: Command) => {
      const forwardTo =
        options.forwardTo === undefined ? undefined : toWebUrl("--forward-to", options.forwardTo);
      const publicUrl =
        options.publicUrl === undefined ? undefined : toWebUrl("--public-url", options.publicUrl);
      const events = chooseEvents(options.events);
      const server = await connect(command, terminal);
      await listen({ ...options, events, forwardTo, publicUrl }, server, terminal.catchInterrupt());
    });
}

type Wanted = Pick<ListenOptions, "port" | "host" | "destination" | "count"> & {
  events: string[];
  forwardTo: URL | undefined;
  publicUrl: URL | undefined;
};

async function listen(wanted: Wanted, deps: Connected, interrupted: AbortSignal): Promise<void> {
  let signingKey: string | undefined;
  // Before that, only the sample that tests the connection arrives.
  let ready = false;
  let left = wanted.count ?? Infinity;
  const enough = new AbortController();
  const receiver = await startReceiver(wanted, async (message) => {
    const { headers, body } = message;
    const fault =
      signingKey === undefined ? "the key is not known yet" : findSignatureFault(headers, body, signingKey);
    if (fault !== undefined) {
      deps.out.note(`refused a message: ${fault}`);
      return 401;
    }
    if (!ready) return 204;
    printMessage(message, deps.out);
    const status = wanted.forwardTo ? await forwardMessage(message, wanted.forwardTo, deps.out) : 204;
    left -= 1;
    if (left <= 0) enough.abort();
    return status;
  });
  let temporary: TemporaryDestination | undefined;
  try {
    if (wanted.destination === undefined) {
      const url = wanted.publicUrl ?? toLocalUrl(wanted.host, receiver.port);
      temporary = await makeTemporaryDestination(deps, url);
      signingKey = temporary.signingKey;
      await requireReachable(deps, temporary.name, url);
      ready = true;
      await temporary.route(wanted.events);
      if (wanted.forwardTo) deps.out.note(`the forwarded messages are signed with ${signingKey}`);
      deps.out.note(`listening at ${url.href} as ${temporary.name}; stop with Ctrl-C`);
    } else {
      signingKey = await findSigningKey(deps, wanted.destination);
      ready = true;
      deps.out.note(
        `listening on port ${receiver.port} for events of ${wanted.destination}; stop with Ctrl-C`,
      );
    }
    await untilAborted([interrupted, enough.signal]);
  } finally {
    await receiver.close();
    await temporary?.remove();
    if (temporary) deps.out.note(`removed ${temporary.name}`);
  }
  if (interrupted.aborted && wanted.count !== undefined) throw new Ended();
}

/** Returns the URL at which this machine reaches the listener. */
function toLocalUrl(host: string, port: number): URL {
  const everywhere: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const reachable = everywhere[host] ?? host;
  return new URL(`http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}/`);
}

async function requireReachable(deps: Connected, destination: string, url: URL): Promise<void> {
  const why = await explainUnreachable(deps, destination);
  if (why === undefined) return;
  const remedy = why.includes("BUSBAR_EGRESS_ALLOW")
    ? describeEgressRemedy(url)
    : "Check that this URL leads from the server to the port that `busbar listen` uses; --port chooses it.";
  throw new Failure(`The server cannot reach ${url.href}: ${why}.`, { remedy });
}

function chooseEvents(given: string | undefined): string[] {
  if (given === undefined) return EVENT_TYPES;
  const types = given.split(/[\s,]+/).filter(Boolean);
  const unknown = types.find((type) => !EVENT_TYPES.includes(type));
  if (types.length > 0 && unknown === undefined) return [...new Set(types)];
  throw new UsageFailure(
    `There is no event type "${unknown ?? ""}". Event types: ${EVENT_TYPES.join(", ")}.`,
  );
}

function toWebUrl(option: string, given: string): URL {
  if (URL.canParse(given) && /^https?:\/\//i.test(given)) return new URL(given);
  throw new UsageFailure(`${option} takes an http or https address, not "${given}".`);
}

/** Waits until one of the signals is aborted. */
const untilAborted = (signals: AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }
  });

/** Prints a verified message: readable, or with `--json` as one line of JSON. */
function printMessage({ headers, body }: Message, out: Output): void {
  const content = parseJson(body.toString());
  const [id, timestamp] = [String(headers["webhook-id"]), Number(headers["webhook-timestamp"])];
  if (out.json) return out.item({ id, timestamp, body: content ?? null });
  const { paint } = out;
  // A data message has no envelope.
  const event = getTextAt(content, "notificationType");
  const type = event ?? getTextAt(content, "action") ?? "";
  const time = new Date(timestamp * 1_000).toISOString().replace(".000Z", "Z");
  out.line(
    `${paint.dim(time)}  ${paint.bold(escapeUnsafe(type))}  ${paint.green("verified")}  ${paint.dim(escapeUnsafe(id))}`,
  );
  const data = JSON.stringify((event === undefined ? content : getValueAt(content, "data")) ?? null, null, 2);
  out.line(toPrintableLines(data).replaceAll(/^/gm, "    "));
}

/** Sends body and signature headers unchanged. Returns the status; the server retries the delivery if it is an error. */
async function forwardMessage({ headers, body }: Message, to: URL, out: Output): Promise<number> {
  const passed = Object.entries(headers).filter(([name]) =>
    /^(content-type|user-agent|webhook-.*|svix-.*)$/.test(name),
  );
  try {
    const answer = await send({
      method: "POST",
      url: to,
      headers: { ...Object.fromEntries(passed), "content-length": body.length },
      body,
    });
    answer.resume();
    const status = answer.statusCode ?? 502;
    out.note(`forwarded: ${status}`);
    return status;
  } catch (error) {
    out.note(`not forwarded: ${error instanceof Error ? error.message : String(error)}`);
    return 502;
  }
}
