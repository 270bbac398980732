/** Begins a consent, prints and opens its page, and waits for the connection. */
import { nowMs, pause } from "../clock.ts";
import { Ended, Failure } from "../failures.ts";
import { listObjectsAt, requireObjects, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import { escapeUnsafe } from "../output/printable.ts";
import type { Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";

export interface Customer {
  provider: string;
  groupRef: string;
  consumerRef: string;
}

interface Wanted {
  /** Further members of the request. */
  more: JsonObject;
  opens: boolean;
  timeoutSeconds: number;
}

const PAUSE_MS = 1_000;

/** Returns the connection. Throws on a timeout and on Ctrl-C. */
export async function askConsent(
  deps: Connected,
  customer: Customer,
  { more, opens, timeoutSeconds }: Wanted,
  terminal: Terminal,
): Promise<JsonObject> {
  const before = await findConnection(deps, customer);
  const body = { projectIdOrName: await deps.project(), ...customer, ...more };
  const url = buildPageUrl(await deps.api("POST", "/v1/oauth-connect", { body }));
  // Printed with --quiet too, because the command cannot continue without it.
  terminal.stderr.write(`Open this page to give consent (valid for ten minutes, one use):\n${url.href}\n`);
  if (opens) terminal.openPage?.(url);
  const interrupted = terminal.catchInterrupt();
  const end = nowMs() + timeoutSeconds * 1_000;
  const consent = getTextAt(await findNewestConsent(deps, customer), "id");
  let failed = "";
  while (nowMs() < end) {
    if (!(await pause(PAUSE_MS, interrupted))) throw new Ended();
    const now = await findConnection(deps, customer);
    if (now && joinVersion(now) !== joinVersion(before)) return now;
    const latest = await findNewestConsent(deps, customer);
    if (getTextAt(latest, "id") !== consent || getTextAt(latest, "status") !== "failed") continue;
    const failure = `The consent failed (${getTextAt(latest, "reason")}): ${getTextAt(latest, "detail")}`;
    if (getValueAt(latest, "retryable") !== true) throw new Failure(failure, { remedy: REMEDY });
    if (failed !== getTextAt(latest, "endTime"))
      terminal.stderr.write(`${escapeUnsafe(failure)}\nThe page offers to try again; waiting for that.\n`);
    failed = getTextAt(latest, "endTime") ?? "";
  }
  throw new Failure(`There is no connection after ${timeoutSeconds} seconds.`, {
    remedy: "`busbar list consents` shows how far the customer came. Run the command again for a new page.",
  });
}

const REMEDY = "docs/guide/connections.md lists the reasons. Run the command again for a new page.";

/** Returns the customer's newest consent; undefined where the key may not list consents. */
async function findNewestConsent(
  { inProject }: Pick<Connected, "inProject">,
  { provider, groupRef }: Customer,
): Promise<JsonObject | undefined> {
  const query = { provider, groupRef, pageSize: "1" };
  const page = await inProject("GET", "/consents", { query }).catch(() => undefined);
  return listObjectsAt(page, "results")[0];
}

export async function findConnection(
  { inProject }: Pick<Connected, "inProject">,
  { provider, groupRef }: Pick<Customer, "provider" | "groupRef">,
): Promise<JsonObject | undefined> {
  const query = { provider, groupRef };
  return requireObjects(await inProject("GET", "/connections", { query }))[0];
}

/** Differs after a consent: a connected group keeps its connection, with new credentials. */
const joinVersion = (connection: JsonObject | undefined): string =>
  `${getTextAt(connection, "id")} ${getTextAt(connection, "updateTime")}`;

function buildPageUrl(answer: unknown): URL {
  const text = typeof answer === "string" ? answer : "";
  if (URL.canParse(text) && /^https?:/i.test(text)) return new URL(text);
  throw new Failure("The server did not return the address of a consent page.");
}
