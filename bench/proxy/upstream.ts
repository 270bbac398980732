/** The provider of the benchmark: reads requests by their length and answers prepared bytes, as cheaply as possible. */
import { createServer, type Socket } from "node:net";

const BODY = Buffer.from(JSON.stringify({ data: "x".repeat(1_024 - 11) }));
const ANSWER = Buffer.concat([
  Buffer.from(
    [
      "HTTP/1.1 200 OK",
      "Date: Thu, 06 Mar 2025 22:09:49 GMT",
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${BODY.length}`,
      "X-Request-Id: 01890000-0000-7000-8000-000000000000",
      "X-RateLimit-Remaining: 4999",
      "Cache-Control: no-store",
      "Connection: keep-alive",
      "",
      "",
    ].join("\r\n"),
  ),
  BODY,
]);

const server = createServer({ noDelay: true }, serve);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address) process.send?.({ port: address.port });
});
process.on("disconnect", () => process.exit());

/** A connection has one request at a time, so only the end of the current one must be found. */
function serve(socket: Socket): void {
  let buffer: Buffer | undefined;
  /** Bytes of the current body that have not arrived yet. */
  let missing = 0;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    if (missing > 0) {
      missing -= chunk.length;
      if (missing <= 0) socket.write(ANSWER);
      return;
    }
    buffer = buffer ? Buffer.concat([buffer, chunk]) : chunk;
    const end = buffer.indexOf("\r\n\r\n");
    if (end === -1) return;
    if (buffer.includes(" /large "))
      return serveLarge(socket, buffer.subarray(end + 4), buffer.includes("GET "));
    const length = /content-length: *(\d+)/i.exec(buffer.toString("latin1", 0, end))?.[1];
    missing = Number(length ?? 0) - (buffer.length - end - 4);
    buffer = undefined;
    if (missing <= 0) socket.write(ANSWER);
  });
}

const LARGE_BYTES = 100 * 1024 * 1024;
const PIECE = Buffer.alloc(1024 * 1024, "x");

/** Sends a large answer as fast as it is read, or reads a large body slowly. */
function serveLarge(socket: Socket, rest: Buffer, isDownload: boolean): void {
  socket.removeAllListeners("data");
  if (isDownload) {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${LARGE_BYTES}\r\n\r\n`);
    let left = LARGE_BYTES;
    const more = () => {
      while (left > 0) {
        left -= PIECE.length;
        if (!socket.write(PIECE)) return;
      }
    };
    socket.on("drain", more);
    return more();
  }
  let missing = LARGE_BYTES - rest.length;
  socket.on("data", (chunk) => {
    missing -= chunk.length;
    if (missing <= 0) return void socket.end(ANSWER);
    socket.pause();
    setTimeout(() => socket.resume(), 1);
  });
}
