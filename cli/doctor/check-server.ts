/** Checks without a key that server and proxy are reachable, that the server is ready, and that the clocks agree. */
import type { IncomingMessage } from "node:http";
import { nowMs } from "../clock.ts";
import { Failure } from "../failures.ts";
import { parseJson, getTextAt, getValueAt } from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import { readBody, send } from "../http/send.ts";
import { findProxyOrigin } from "../settings/proxy-origin.ts";
import type { Connected } from "../settings/connect.ts";
import type { Target } from "../settings/target.ts";
import { reportBad, reportGood, type Finding } from "./finding.ts";

const IDLE_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Webhook signatures are refused after five minutes. A clock that NTP sets never deviates by this much. */
const MAX_SKEW_SECONDS = 30;

/** Throws `Unreachable` if the server does not answer. */
export async function checkServer({ origin }: Target): Promise<Finding[]> {
  const { answer, text } = await ask(origin, "/healthz");
  if (answer.headers["x-amp-error"]) {
    const cure = "Use the address of the API: its default port is 4000.";
    return [reportBad("server", `${origin} is the proxy of a Busbar, not its API.`, cure)];
  }
  // Busbar itself answers 200 here as long as it runs, so a 503 is that of the load balancer.
  if (answer.statusCode === 503) {
    const cure = "Run busbar doctor --server on the machine of a process: it checks the database, too.";
    return [
      reportBad("server", `${origin} answers HTTP 503: no process of Busbar behind it is ready.`, cure),
    ];
  }
  if (answer.statusCode !== 200 || getTextAt(parseJson(text), "status") !== "ok") {
    const cure = "Check the address and any reverse proxy in front of the server.";
    return [
      reportBad(
        "server",
        `${origin} answers HTTP ${answer.statusCode}, which is not the answer of a Busbar.`,
        cure,
      ),
    ];
  }
  return [reportGood("server", `${origin} answers`), ...compareClocks(answer), await checkReadiness(origin)];
}

async function ask(origin: string, path: string): Promise<{ answer: IncomingMessage; text: string }> {
  const headers = { accept: "application/json", "user-agent": "busbar-cli" };
  const answer = await send({ method: "GET", url: new URL(path, origin), headers, idleMs: IDLE_MS });
  return { answer, text: (await readBody(answer, MAX_ANSWER_BYTES)).toString() };
}

function compareClocks({ headers }: IncomingMessage): Finding[] {
  const serverMs = Date.parse(headers.date ?? "");
  if (Number.isNaN(serverMs)) return [];
  const aheadSeconds = Math.round((nowMs() - serverMs) / 1_000);
  if (Math.abs(aheadSeconds) <= MAX_SKEW_SECONDS) return [reportGood("clock", "agrees with the server's")];
  const where = aheadSeconds > 0 ? "ahead of" : "behind";
  return [
    reportBad(
      "clock",
      `this machine's clock is ${Math.abs(aheadSeconds)} seconds ${where} the server's`,
      "Set both clocks by NTP: webhook signatures and customer tokens depend on the time.",
    ),
  ];
}

async function checkReadiness(origin: string): Promise<Finding> {
  const { answer, text } = await ask(origin, "/readyz");
  const body = parseJson(text);
  if (answer.statusCode === 200 && getValueAt(body, "hasWorker") === false) {
    const cure = "Start one (BUSBAR_ROLES), or look at the log of the one that should run.";
    return reportBad(
      "worker",
      "no process has the role worker: nothing is read, delivered or written asynchronously",
      cure,
    );
  }
  if (answer.statusCode === 200) return reportGood("ready", "database and worker are in order");
  const detail = getTextAt(body, "detail") ?? `HTTP ${answer.statusCode}`;
  return reportBad("ready", detail, "Check the server's log and its database.");
}

/** Checks the address that was given, else the one that the server tells, else the default one. */
export async function checkProxy(server: Pick<Connected, "target" | "api">): Promise<Finding> {
  try {
    const at = await findProxyOrigin(server);
    // The proxy refuses a call without its headers, and marks the refusal as its own.
    const { answer } = await ask(at, "/");
    if (answer.headers["x-amp-error"]) return reportGood("proxy", `${at} answers`);
    const cure = "Check BUSBAR_PROXY_URL here, and BUSBAR_PROXY_PUBLIC_URL of the server.";
    return reportBad("proxy", `${at} answers, but not as the proxy of a Busbar`, cure);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const cure =
      error instanceof Refused
        ? "Check the server's log and its database."
        : "Give its address by BUSBAR_PROXY_URL, or log in with --proxy-url.";
    return reportBad("proxy", error.message, cure);
  }
}
