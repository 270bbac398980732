/** What became of the writes that a drill made: each that was acknowledged must have ended, and its event delivered. */
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../harness/client.ts";
import type { Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";

export interface JudgedWrites {
  /** Writes that were answered with 200. */
  acknowledged: number;
  lost: string[];
  neverEnded: string[];
  failed: string[];
  unknownOutcomes: number;
}

const END_WITHIN_MS = 300_000;

/**
 * Waits until every write has ended. A 503 says that the shard of the write is away, not that the write is lost, so it is
 * asked again. `writes` has the name of each record by its operation.
 */
export async function judgeWrites(busbar: Client, writes: Map<string, string>): Promise<JudgedWrites> {
  const judged: JudgedWrites = {
    acknowledged: writes.size,
    lost: [],
    neverEnded: [],
    failed: [],
    unknownOutcomes: 0,
  };
  const deadline = performance.now() + END_WITHIN_MS;
  for (const [id, name] of writes) {
    let answer = await busbar.inProject("GET", `/operations/${id}`);
    while ((answer.status === 503 || answer.body.status === "in_progress") && performance.now() < deadline) {
      await wait(100);
      answer = await busbar.inProject("GET", `/operations/${id}`);
    }
    if (answer.status === 503) judged.neverEnded.push(`${name}: ${answer.text}`);
    else if (answer.status !== 200) judged.lost.push(name);
    else if (answer.body.status === "in_progress") judged.neverEnded.push(name);
    else if (String(answer.body.result).includes("unknown")) judged.unknownOutcomes += 1;
    else if (answer.body.status !== "success") judged.failed.push(`${name}: ${answer.body.result}`);
  }
  return judged;
}

/** Sends the end of every asynchronous write to the sink. */
export async function deliverTo(busbar: Client, sink: Sink): Promise<void> {
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await busbar.inProject("POST", path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
    return answer.body.id;
  };
  const topicId = await make("/topics", { name: "drill" });
  const metadata = { url: `${sink.url}/drill` };
  const destinationId = await make("/destinations", { name: "drill", type: "webhook", metadata });
  await make("/notification-event-topic-routes", { eventType: "write.async.done", topicId });
  await make("/topic-destination-routes", { topicId, destinationId });
}

/** Waits for the events of the writes with `asynchronous` in their name. Returns the names of those that did not come. */
export async function findMissingEvents(sink: Sink, writes: Map<string, string>): Promise<string[]> {
  const asynchronous = [...writes].filter(([, name]) => name.includes("asynchronous"));
  const missing = () => {
    const arrived = new Set(sink.received.map(({ body }) => findOperation(body)));
    return asynchronous.filter(([id]) => !arrived.has(id)).map(([, name]) => name);
  };
  await until(() => missing().length === 0, END_WITHIN_MS).catch(() => {});
  return missing();
}

const findOperation = (body: string): string | undefined => /"operationId":"([^"]+)"/.exec(body)?.[1];
