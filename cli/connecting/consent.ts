/** Takes a customer through the provider's consent page, and waits for the connection that it ends in. */
import { nowMs, pause } from "../clock.ts";
import { Ended, Failure } from "../failures.ts";
import { requireObjects, textAt, type JsonObject } from "../http/json.ts";
import type { Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";

export interface Customer {
  provider: string;
  groupRef: string;
  consumerRef: string;
}

interface Wanted {
  /** What the request holds besides. */
  more: JsonObject;
  opens: boolean;
  timeoutSeconds: number;
}

const PAUSE_MS = 1_000;

/** The connection. Throws when it takes too long or the person stops waiting. */
export async function askConsent(
  deps: Connected,
  customer: Customer,
  { more, opens, timeoutSeconds }: Wanted,
  terminal: Terminal,
): Promise<JsonObject> {
  const before = await findConnection(deps, customer);
  const body = { projectIdOrName: await deps.project(), ...customer, ...more };
  const url = pageOf(await deps.api("POST", "/v1/oauth-connect", { body }));
  // Even with --quiet: nothing goes on without it.
  terminal.stderr.write(`Agree on this page, good for ten minutes and one use:\n${url.href}\n`);
  if (opens) terminal.openPage?.(url);
  const interrupted = terminal.catchInterrupt();
  const end = nowMs() + timeoutSeconds * 1_000;
  while (nowMs() < end) {
    if (!(await pause(PAUSE_MS, interrupted))) throw new Ended();
    const now = await findConnection(deps, customer);
    if (now && versionOf(now) !== versionOf(before)) return now;
  }
  throw new Failure(`There is no connection after ${timeoutSeconds} seconds.`, {
    remedy: "The page says why, if somebody went through it. Run the command again for a new page.",
  });
}

export async function findConnection(
  { inProject }: Pick<Connected, "inProject">,
  { provider, groupRef }: Pick<Customer, "provider" | "groupRef">,
): Promise<JsonObject | undefined> {
  const query = { provider, groupRef };
  return requireObjects(await inProject("GET", "/connections", { query }))[0];
}

/** A group that is connected already keeps its connection, with new credentials. */
const versionOf = (connection: JsonObject | undefined): string =>
  `${textAt(connection, "id")} ${textAt(connection, "updateTime")}`;

function pageOf(answer: unknown): URL {
  const text = typeof answer === "string" ? answer : "";
  if (URL.canParse(text) && /^https?:/i.test(text)) return new URL(text);
  throw new Failure("The server did not answer with the address of a page.");
}
