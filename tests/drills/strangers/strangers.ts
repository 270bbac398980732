/**
 * The strangers, as a process of their own: sharing one with the callers who are measured would measure that process.
 * Started by `start-strangers.ts`; ends and reports when it is sent a message.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

const MB = 1024 * 1024;
const HALF_BODIES = 300;
const SILENT_UPLOADS = 24;
const PAUSE_MS = 20;
/** A refusal may come late on a busy machine. Shorter than a server that waits for the bodies would wait for them. */
const PATIENCE_MS = 60_000;

const stopping = new AbortController();
const stop = stopping.signal;

const count = (counts: Record<string, number>, name: number): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** A body whose first number is long: the one that costs a parser most. */
const LARGE_BODY = Buffer.from(`[1111111111111111${",1".repeat(4.9 * MB)}]`);

/** Goes on after the end until a refusal was read: a busy machine may break off every connection of a short drill. */
async function sendLarge(origin: string, answers: Record<string, number>): Promise<void> {
  let untilMs = Infinity;
  do {
    const status = await fetch(`${origin}/v1/oauth-connect`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: LARGE_BODY,
      signal: AbortSignal.timeout(30_000),
    }).then(
      async (response) => (await response.arrayBuffer(), response.status),
      () => 0,
    );
    count(answers, status);
    await wait(PAUSE_MS);
    if (stop.aborted) untilMs = Math.min(untilMs, performance.now() + PATIENCE_MS);
  } while (!stop.aborted || (!answers["401"] && performance.now() < untilMs));
}

/** Stands for the status of a request that was neither answered nor ended. */
const WAITING = -1;
const SPACES = Buffer.alloc(49 * MB, 32);

/** Announces 50 MB, sends some of them and stays silent. */
function openHalf(
  origin: string,
  method: string,
  path: string,
  sendBytes: number,
): { socket: Socket; status(): number } {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let head = "";
  socket.on("data", (chunk) => (head += String(chunk).slice(0, 100)));
  socket.on("error", () => {});
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${50 * MB}\r\n\r\n`,
  );
  socket.write(SPACES.subarray(0, sendBytes));
  return {
    socket,
    status: () => Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? (socket.closed ? 0 : WAITING)),
  };
}

const [origin = "", largeCallers = "0"] = process.argv.slice(2);
const large: Record<string, number> = {};
const sockets = [
  ...Array.from({ length: HALF_BODIES }, () => openHalf(origin, "POST", "/v1/oauth-connect", 1_000)),
  ...Array.from({ length: SILENT_UPLOADS }, () => openHalf(origin, "PUT", "/v1/uploads/nothing", 49 * MB)),
];
const senders = Array.from({ length: Number(largeCallers) }, () => sendLarge(origin, large));
process.send?.("started");

process.once("message", async () => {
  stopping.abort();
  await Promise.all(senders);
  const endMs = performance.now() + PATIENCE_MS;
  while (sockets.some(({ status }) => status() === WAITING) && performance.now() < endMs)
    await wait(PAUSE_MS);
  const halves: Record<string, number> = {};
  for (const { socket, status } of sockets) {
    count(halves, status());
    socket.destroy();
  }
  process.send?.({ large, half: halves });
  process.disconnect();
});
