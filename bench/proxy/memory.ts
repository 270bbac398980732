/** Measures how much a proxy's memory grows during 100 MB up and 100 MB down at once, each with a slow reader. */
import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";

interface MemoryResult {
  beforeBytes: number;
  growthBytes: number;
  durationMs: number;
}

const LARGE_BYTES = 100 * 1024 * 1024;
const PIECE = Buffer.alloc(1024 * 1024, "x");

/** `lines` are the header lines that a call needs; `child` answers every message with its memory. */
export async function measureMemory(
  port: number,
  lines: string[],
  child: ChildProcess,
): Promise<MemoryResult> {
  const beforeBytes = await readRss(child);
  let max = beforeBytes;
  const started = performance.now();
  const head = ["Host: proxy.test", ...lines].join("\r\n");
  const both = Promise.all([download(port, head), upload(port, head)]);
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  both.then(over, over);
  for (;;) {
    max = Math.max(max, await readRss(child));
    if (isOver) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await both;
  return { beforeBytes, growthBytes: max - beforeBytes, durationMs: performance.now() - started };
}

function readRss(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once("message", (message: { rssBytes: number }) => resolve(message.rssBytes));
  child.send("memory", (error) => error && reject(error));
  return promise;
}

/** Reads everything, with a pause after every piece. */
function download(port: number, head: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1");
  let received = 0;
  socket.write(`GET /large HTTP/1.1\r\n${head}\r\n\r\n`);
  socket.on("error", reject).on("close", () => reject(new Error("the download broke off")));
  socket.on("data", (chunk) => {
    received += chunk.length;
    if (received >= LARGE_BYTES) {
      resolve();
      return void socket.destroy();
    }
    socket.pause();
    setTimeout(() => socket.resume(), 1);
  });
  return promise;
}

/** Sends as fast as it is taken, and waits for the answer. */
function upload(port: number, head: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1");
  let left = LARGE_BYTES;
  const more = () => {
    while (left > 0) {
      left -= PIECE.length;
      if (!socket.write(PIECE)) return;
    }
  };
  socket.write(`POST /large HTTP/1.1\r\n${head}\r\nContent-Length: ${LARGE_BYTES}\r\n\r\n`);
  socket
    .on("drain", more)
    .on("error", reject)
    .on("close", () => reject(new Error("the upload broke off")));
  socket.once("data", () => {
    resolve();
    socket.destroy();
  });
  more();
  return promise;
}
