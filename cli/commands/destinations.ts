/** `busbar test`, `resend` and `rotate`: test a destination, resend deliveries, replace a signing key. */
import { Option, type Command } from "commander";
import { Ended, Failure, UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import {
  requireObject,
  requireObjects,
  requireText,
  getTextAt,
  getValueAt,
  type JsonObject,
} from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import { EVENT_TYPES } from "../listen/event-types.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { quoteWord } from "../output/shell-word.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { parseTimeOption } from "./time-option.ts";

export function addDestinations(program: Command, terminal: Terminal): void {
  program
    .command("test")
    .description("test a destination")
    .command("destination <idOrName>")
    .description("send a sample event now; exit code 1 if it is not delivered")
    .addOption(new Option("--event <type>", "the type of the sample").choices(EVENT_TYPES))
    .action(async (destination: string, { event }: { event?: string }, command: Command) =>
      testDestination(destination, event, await connect(command, terminal)),
    );
  program
    .command("resend [delivery...]")
    .description("deliver events again")
    .option("--destination <idOrName>", "to this destination (default: to each that has the delivery)")
    .option("--failed", "all deliveries to the destination that failed")
    .option("--undelivered", "those, and the deliveries that wait for a retry: they are attempted at once")
    .option(
      "--since <time>",
      "with one of these: events from then on, such as 2h, 3d or 2026-01-31T12:00:00Z",
    )
    .option("--until <time>", "with one of these: events before then")
    .action(async (deliveries: string[], options: ResendOptions, command: Command) => {
      const range = readRange(deliveries, options);
      const deps = await connect(command, terminal);
      if (range) await resendRange(range, deps);
      else for (const delivery of deliveries) await resendOne(delivery, options.destination, deps);
    });
  program
    .command("rotate")
    .description("replace a signing key")
    .command("destination <idOrName>")
    .description("replace the signing key of a webhook; messages are signed with both keys for 24 hours")
    .option("--include-secrets", "print the new key")
    .addHelpText("after", "\nThis also enables a disabled destination.")
    .action(async (destination: string, options: { includeSecrets?: boolean }, command: Command) =>
      rotate(destination, options.includeSecrets === true, await connect(command, terminal)),
    );
}

async function testDestination(
  destination: string,
  eventType: string | undefined,
  { inProject, out }: Connected,
): Promise<void> {
  const body: JsonObject = eventType === undefined ? {} : { eventType };
  const outcome = requireObject(
    await inProject("POST", `/destinations/${encodeStep(destination)}:test`, { body }),
  );
  const delivered = getValueAt(outcome, "delivered") === true;
  if (out.json) out.data(outcome);
  else {
    const status = getValueAt(outcome, "attempt.status");
    const took = `${String(getValueAt(outcome, "attempt.durationMs"))} ms`;
    const answered = status === undefined ? "" : ` HTTP ${String(status)}`;
    const why = getTextAt(outcome, "attempt.error");
    if (delivered) out.line(`${out.paint.green("delivered")}${answered} in ${took}`);
    else out.line(`${out.paint.red("not delivered")} after ${took}: ${escapeUnsafe(why ?? answered.trim())}`);
  }
  if (!delivered) throw new Ended();
}

interface ResendOptions {
  destination?: string;
  failed?: boolean;
  undelivered?: boolean;
  since?: string;
  until?: string;
}

interface Range {
  destination: string;
  status: "failed" | "undelivered";
  since: string;
  until?: string;
}

/** Returns the range to resend, or undefined if deliveries are named. Throws `UsageFailure` for neither and for both. */
function readRange(deliveries: string[], options: ResendOptions): Range | undefined {
  const { destination, failed, undelivered, since, until } = options;
  const narrows = failed || undelivered || since !== undefined || until !== undefined;
  if (deliveries.length > 0 && narrows)
    throw new UsageFailure("Name deliveries, or give --failed or --undelivered, not both.");
  if (deliveries.length > 0) return undefined;
  if (!destination || !(failed || undelivered))
    throw new UsageFailure("Name deliveries, or give --destination with --failed or --undelivered.");
  return {
    destination,
    status: undelivered ? "undelivered" : "failed",
    // All that the server still has.
    since: since === undefined ? new Date(0).toISOString() : parseTimeOption("--since", since),
    ...(until !== undefined && { until: parseTimeOption("--until", until) }),
  };
}

async function resendRange(
  { destination, status, since, until }: Range,
  { inProject, out }: Connected,
): Promise<void> {
  const body = { since, status, ...(until !== undefined && { until }) };
  const path = `/destinations/${encodeStep(destination)}/deliveries:resend`;
  const answer = requireObject(await inProject("POST", path, { body }));
  if (out.json) return out.data(answer);
  const count = Number(getValueAt(answer, "count"));
  out.line(`${out.paint.green("resending")} ${count} ${count === 1 ? "delivery" : "deliveries"}`);
}

/** Resends one message, which several destinations may have under the same id. */
async function resendOne(id: string, destination: string | undefined, deps: Connected): Promise<void> {
  const destinations = destination === undefined ? await listNames(deps) : [destination];
  let sent = 0;
  for (const name of destinations) {
    const path = `/destinations/${encodeStep(name)}/deliveries/${encodeStep(id)}:resend`;
    const answer = await deps.inProject("POST", path).catch((error: unknown) => {
      if (destination === undefined && error instanceof Refused && error.status === 404) return undefined;
      throw error;
    });
    if (answer === undefined) continue;
    sent += 1;
    if (deps.out.json) deps.out.item(answer);
    else deps.out.line(`${deps.out.paint.green("resending")} ${escapeUnsafe(id)} to ${escapeUnsafe(name)}`);
  }
  if (sent === 0) throw new Failure(`No destination of this project has the delivery \`${id}\`.`);
}

const listNames = async ({ inProject }: Connected): Promise<string[]> =>
  requireObjects(await inProject("GET", "/destinations")).map((one) => requireText(one, "name"));

async function rotate(destination: string, shows: boolean, { inProject, out }: Connected): Promise<void> {
  const query = { includeSecrets: shows ? "true" : undefined };
  const path = `/destinations/${encodeStep(destination)}:rotate`;
  const rotated: JsonObject = requireObject(await inProject("POST", path, { query }));
  if (out.json) return out.data(rotated);
  const name = escapeUnsafe(getTextAt(rotated, "name") ?? destination);
  out.line(`${out.paint.green("rotated")} the signing key of ${name}`);
  const key = getTextAt(rotated, "secrets.webhookSigningKey");
  if (key) out.line(escapeUnsafe(key));
  else out.note(`busbar get destination ${quoteWord(name)} --include-secrets shows the new key`);
}
