/** Checks the server from outside: reachable, its clock, ready for work, the proxy. Needs no key. */
import type { IncomingMessage } from "node:http";
import { nowMs } from "../clock.ts";
import { Failure } from "../failures.ts";
import { parseJson, textAt } from "../http/json.ts";
import { readBody, send } from "../http/send.ts";
import { proxyOrigin } from "../settings/proxy-origin.ts";
import type { Target } from "../settings/target.ts";
import { bad, good, type Finding } from "./finding.ts";

const IDLE_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Signatures of webhooks are refused from five minutes on; a clock that is kept by NTP is never this far off. */
const MOST_SKEW_SECONDS = 30;

/** Throws `Unreachable` when there is no answer at all. */
export async function checkServer({ origin }: Target): Promise<Finding[]> {
  const { answer, text } = await ask(origin, "/healthz");
  if (answer.headers["x-amp-error"]) {
    const cure = "The API has an address of its own: port 4000 unless configured otherwise.";
    return [bad("server", `${origin} is the proxy of a Busbar, not its API.`, cure)];
  }
  if (answer.statusCode !== 200 || textAt(parseJson(text), "status") !== "ok") {
    const cure = "Check the address, and what stands in front of the server.";
    return [bad("server", `${origin} answers HTTP ${answer.statusCode}, not as a Busbar does.`, cure)];
  }
  return [good("server", `${origin} answers`), ...clock(answer), await readiness(origin)];
}

async function ask(origin: string, path: string): Promise<{ answer: IncomingMessage; text: string }> {
  const headers = { accept: "application/json", "user-agent": "busbar-cli" };
  const answer = await send({ method: "GET", url: new URL(path, origin), headers, idleMs: IDLE_MS });
  return { answer, text: (await readBody(answer, MAX_ANSWER_BYTES)).toString() };
}

function clock({ headers }: IncomingMessage): Finding[] {
  const serverMs = Date.parse(headers.date ?? "");
  if (Number.isNaN(serverMs)) return [];
  const aheadSeconds = Math.round((nowMs() - serverMs) / 1_000);
  if (Math.abs(aheadSeconds) <= MOST_SKEW_SECONDS) return [good("clock", "agrees with the server's")];
  const where = aheadSeconds > 0 ? "ahead of" : "behind";
  return [
    bad(
      "clock",
      `this machine's clock is ${Math.abs(aheadSeconds)} seconds ${where} the server's`,
      "Set both by NTP: signatures of webhooks and customers' tokens depend on the time.",
    ),
  ];
}

async function readiness(origin: string): Promise<Finding> {
  const { answer, text } = await ask(origin, "/readyz");
  if (answer.statusCode === 200) return good("ready", "database and worker are in order");
  const detail = textAt(parseJson(text), "detail") ?? `HTTP ${answer.statusCode}`;
  return bad("ready", detail, "Look into the server's log, and whether its database is up.");
}

export async function checkProxy({ origin, proxyUrl }: Target): Promise<Finding> {
  try {
    const at = proxyOrigin(proxyUrl, origin);
    // Without the headers that say whose account is meant it refuses every call, in its own way.
    const { answer } = await ask(at, "/");
    if (answer.headers["x-amp-error"]) return good("proxy", `${at} answers`);
    return bad("proxy", `${at} answers, but not as the proxy of a Busbar`, "Check BUSBAR_PROXY_URL.");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const cure = "Give its address by BUSBAR_PROXY_URL, or log in with --proxy-url.";
    return bad("proxy", error.message, cure);
  }
}
