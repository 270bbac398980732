/** Sends one prepared request after another on a number of connections, and counts the answers. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

interface Load {
  port: number;
  request: Buffer;
  connections: number;
  durationMs: number;
}

export interface LoadResult {
  answers: number;
  perSecond: number;
  /** Latency in microseconds. */
  p50: number;
  p99: number;
  /** Answers other than 200. */
  failed: number;
}

const MAX_SAMPLES = 200_000;

export async function load({ port, request, connections, durationMs }: Load): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const samples: number[] = [];
  let failed = 0;
  let answers = 0;
  let stopped = false;
  const started = performance.now();
  const finished = sockets.map(
    (socket) =>
      new Promise<void>((resolve, reject) => {
        let sentAt = 0;
        const send = () => {
          sentAt = performance.now();
          socket.write(request);
        };
        const reader = answerReader((ok) => {
          answers += 1;
          if (!ok) failed += 1;
          if (samples.length < MAX_SAMPLES) samples.push(performance.now() - sentAt);
          if (stopped) resolve();
          else send();
        });
        socket.on("data", reader);
        socket.on("close", () => reject(new Error("the server closed a connection under load")));
        send();
      }),
  );
  await new Promise((resolve) => setTimeout(resolve, durationMs));
  stopped = true;
  const elapsedMs = performance.now() - started;
  const counted = answers;
  await Promise.all(finished);
  for (const socket of sockets) socket.removeAllListeners("close").destroy();
  samples.sort((left, right) => left - right);
  const at = (share: number) => Math.round((samples[Math.floor(samples.length * share)] ?? 0) * 1_000);
  return {
    answers: counted,
    perSecond: Math.round(counted / (elapsedMs / 1_000)),
    p50: at(0.5),
    p99: at(0.99),
    failed,
  };
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  return socket;
}

/** Calls back for every whole answer with a `Content-Length` or in chunks. */
function answerReader(onAnswer: (ok: boolean) => void): (chunk: Buffer) => void {
  let buffer: Buffer | undefined;
  let missing = 0;
  let ok = true;
  return (chunk) => {
    if (missing > 0) {
      missing -= chunk.length;
      if (missing <= 0) onAnswer(ok);
      return;
    }
    buffer = buffer ? Buffer.concat([buffer, chunk]) : chunk;
    const end = buffer.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = buffer.toString("latin1", 0, end);
    const length = /content-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      if (!buffer.subarray(-5).equals(LAST_CHUNK)) return;
      missing = 0;
    } else {
      missing = Number(length) - (buffer.length - end - 4);
    }
    ok = head.startsWith("HTTP/1.1 200");
    buffer = undefined;
    if (missing <= 0) onAnswer(ok);
  };
}

const LAST_CHUNK = Buffer.from("0\r\n\r\n");
