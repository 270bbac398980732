/** The callers of the mixed drill: a steady load of every kind, and the outcome of each call. */
import { setTimeout as wait } from "node:timers/promises";
import { Agent, request } from "undici";
import type { World } from "./world.ts";

/** The kind of a call. */
export type Kind = "proxied" | "throttled" | "synchronous" | "asynchronous";

export interface Outcome {
  kind: Kind;
  startedMs: number;
  endedMs: number;
  /** Undefined if the connection ended before the answer was complete. */
  status: number | undefined;
  /** Whether the answer is marked as Busbar's own. */
  ours: boolean;
  /** What is wrong with the answer, apart from its status. */
  fault: string | undefined;
  error: string | undefined;
}

export interface Callers {
  outcomes: Outcome[];
  /** Asynchronous writes that were acknowledged. */
  acknowledged: Set<string>;
  /** Resolves when the last call has ended. */
  stop(): Promise<void>;
}

/** Number of callers of each kind, and their pause between calls. */
const CREW: Record<Kind, { callers: number; restMs: number }> = {
  proxied: { callers: 16, restMs: 80 },
  throttled: { callers: 2, restMs: 100 },
  synchronous: { callers: 3, restMs: 150 },
  asynchronous: { callers: 3, restMs: 150 },
};
const SIZES = [0, 200, 10_000, 300_000];
/** Longer than any call may take: after that time a request counts as lost. */
const PATIENCE_MS = 20_000;

export function startCallers(world: World): Callers {
  const agent = new Agent({ connections: 32, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  const outcomes: Outcome[] = [];
  const acknowledged = new Set<string>();
  const stopped = new AbortController();
  let count = 0;
  const call = async (kind: Kind): Promise<void> => {
    const startedMs = performance.now();
    const reported = { kind, startedMs, status: undefined, ours: false, fault: undefined, error: undefined };
    try {
      const answer = await callOnce(world, agent, kind, (count += 1));
      if (answer.acknowledged) acknowledged.add(answer.acknowledged);
      outcomes.push({ ...reported, ...answer, endedMs: performance.now() });
    } catch (error) {
      outcomes.push({ ...reported, error: describe(error), endedMs: performance.now() });
    }
  };
  const work = async (kind: Kind, restMs: number): Promise<void> => {
    while (!stopped.signal.aborted) {
      await call(kind);
      await wait(restMs * (0.5 + Math.random()));
    }
  };
  const running = Object.entries(CREW).flatMap(([kind, { callers, restMs }]) =>
    Array.from({ length: callers }, () => work(kind as Kind, restMs)),
  );
  return {
    outcomes,
    acknowledged,
    async stop() {
      stopped.abort();
      await Promise.all(running);
      await agent.destroy();
    },
  };
}

interface Answered {
  status: number;
  ours: boolean;
  fault: string | undefined;
  acknowledged?: string;
}

function callOnce(world: World, agent: Agent, kind: Kind, count: number): Promise<Answered> {
  if (kind === "proxied") return callProvider(world, agent, count);
  if (kind === "throttled") return callLimited(world, agent);
  return write(world, agent, kind, count);
}

async function callProvider(world: World, agent: Agent, count: number): Promise<Answered> {
  const size = SIZES[count % SIZES.length] ?? 0;
  const isUpload = count % 3 === 0;
  const { statusCode, headers, body } = await request(`${world.proxyUrl}/bytes/${size || 2}`, {
    dispatcher: agent,
    method: isUpload ? "POST" : "GET",
    headers: buildProxyHeaders(world),
    body: isUpload ? Buffer.alloc(size, "y") : null,
  });
  const text = await body.text();
  const ours = headers["x-amp-error"] === "true";
  if (statusCode !== 200) return { status: statusCode, ours, fault: findRefusalFault(ours, text) };
  const expected = isUpload ? text === String(size) : text.length === (size || 2);
  return { status: statusCode, ours, fault: expected ? undefined : `${text.length} bytes came back` };
}

async function callLimited(world: World, agent: Agent): Promise<Answered> {
  const { statusCode, headers, body } = await request(`${world.proxyUrl}/limited`, {
    dispatcher: agent,
    method: "GET",
    headers: { ...buildProxyHeaders(world), "x-amp-rate-limiter-mode": "throttle" },
  });
  const text = await body.text();
  const ours = headers["x-amp-error"] === "true";
  if (statusCode === 200) return { status: 200, ours, fault: undefined };
  const isReported = headers["x-amp-retry-after"] !== undefined && headers["x-amp-retryable"] === "true";
  const unreported = statusCode === 429 && !isReported ? "a 429 without a time" : undefined;
  // The provider's own 429 closed the gate.
  const passed = statusCode === 429 && !ours && text === "wait";
  return {
    status: statusCode,
    ours,
    fault: unreported ?? (passed ? undefined : findRefusalFault(ours, text)),
  };
}

async function write(world: World, agent: Agent, mode: Kind, count: number): Promise<Answered> {
  const path = "/write/v1/projects/default/integrations/hub/objects/companies";
  const { statusCode, body } = await request(`${world.apiUrl}${path}`, {
    dispatcher: agent,
    method: "POST",
    headers: { "x-api-key": world.apiKey, "content-type": "application/json" },
    body: JSON.stringify({ groupRef: "drill", type: "create", mode, record: { name: `drill ${count}` } }),
  });
  const text = await body.text();
  if (statusCode !== 200) return { status: statusCode, ours: true, fault: findRefusalFault(true, text) };
  const { operationId } = JSON.parse(text) as { operationId?: string };
  const fault = operationId ? undefined : "no operation";
  return {
    status: statusCode,
    ours: true,
    fault,
    ...(mode === "asynchronous" && { acknowledged: operationId }),
  };
}

const buildProxyHeaders = (world: World): Record<string, string> => ({
  "x-api-key": world.apiKey,
  "x-amp-proxy-version": "1",
  "x-amp-project-id": world.projectId,
  "x-amp-installation-id": world.installationId,
});

/** Checks that a refusal is marked as ours and says what to do. */
function findRefusalFault(ours: boolean, text: string): string | undefined {
  if (!ours) return `not marked as ours: ${text.slice(0, 200)}`;
  try {
    const { detail, requestId } = JSON.parse(text) as { detail?: string; requestId?: string };
    return detail && requestId ? undefined : `not a Problem: ${text.slice(0, 200)}`;
  } catch {
    return `not a Problem: ${text.slice(0, 200)}`;
  }
}

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? String(error.code) : error.message;
};
