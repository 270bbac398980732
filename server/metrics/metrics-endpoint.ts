/** GET /metrics, for Prometheus. With several processes, each of them answers for all, through their parent. */
import cluster, { type Worker } from "node:cluster";
import { AggregatorRegistry, type Registry } from "@prometheus-io/client";
import type { FastifyInstance } from "fastify";
import { Problem } from "../../ground/errors.ts";

interface Ask {
  metrics: "ask";
  scrape: number;
}

interface Answer {
  metrics: "answer";
  scrape: number;
  /** Undefined when not all processes answered in time. */
  text?: string;
}

/** Serves the metrics, for the operator's own network. They are not part of the API or its OpenAPI document. */
export function serveMetrics(api: FastifyInstance, registry: Registry): void {
  const read = cluster.isWorker ? readAll(registry) : () => registry.metrics();
  api.get("/metrics", async ({ originalUrl }, reply) => {
    // Reverse proxies withhold exactly this path, but the router also takes `/metrics/` and `/%6detrics` for it.
    if (!/^\/metrics(\?|$)/.test(originalUrl))
      throw new Problem("unknown-path", {
        detail: "There is no endpoint at this path. Metrics are at /metrics.",
      });
    return reply.type(registry.contentType).send(await read());
  });
}

/** Answers the processes' questions. Called in the parent, before it starts processes. */
export function answerScrapes(): void {
  const all = new AggregatorRegistry();
  cluster.on("message", async (worker: Worker, message: unknown) => {
    if (!isAbout<Ask>(message, "ask")) return;
    const text = await all.clusterMetrics().catch(() => undefined);
    if (worker.isConnected()) worker.send({ metrics: "answer", scrape: message.scrape, text });
  });
}

/** Returns a function that reads the metrics of all processes from the parent, and hands over this process's own. */
function readAll(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(registry);
  // The constructor subscribes to the parent's messages.
  void new AggregatorRegistry();
  const waiting = new Map<number, (text: string | undefined) => void>();
  let scrapes = 0;
  process.on("message", (message: unknown) => {
    if (!isAbout<Answer>(message, "answer")) return;
    waiting.get(message.scrape)?.(message.text);
    waiting.delete(message.scrape);
  });
  return async () => {
    const scrape = (scrapes += 1);
    const text = await new Promise<string | undefined>((resolve) => {
      waiting.set(scrape, resolve);
      process.send?.({ metrics: "ask", scrape });
    });
    if (text !== undefined) return text;
    throw new Problem("unavailable", { detail: "Not all processes sent their metrics in time. Try again." });
  };
}

const isAbout = <Message>(message: unknown, what: "ask" | "answer"): message is Message =>
  typeof message === "object" && message !== null && "metrics" in message && message.metrics === what;
