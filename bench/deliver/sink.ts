/** A receiver that only counts: prints its address, then answers `GET /` with what arrived and when. */
import { createServer } from "node:http";

/** Arrival of each message by its id, in milliseconds of the wall clock, fraction included. */
let arrivals = new Map<string, number>();
let firstMs = 0;
let lastMs = 0;
let count = 0;

const clock = () => performance.timeOrigin + performance.now();

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const keepsIds = request.url === "/ids";
    const ids = keepsIds ? Object.fromEntries(arrivals) : undefined;
    response.end(JSON.stringify({ count, firstMs, lastMs, ids }));
    return;
  }
  if (request.method === "DELETE") {
    arrivals = new Map();
    count = firstMs = lastMs = 0;
    response.end();
    return;
  }
  request.resume();
  request.on("end", () => {
    lastMs = clock();
    firstMs ||= lastMs;
    count += 1;
    if (request.url === "/timed") arrivals.set(String(request.headers["webhook-id"]), lastMs);
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`http://127.0.0.1:${address?.port}`);
});
