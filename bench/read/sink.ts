/** A receiver that only counts the records of the messages: prints its address, then answers `GET /` with the counts. */
import { createServer } from "node:http";

let records = 0;
let lastMs = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") return void response.end(JSON.stringify({ records, lastMs }));
  if (request.method === "DELETE") {
    records = 0;
    return void response.end();
  }
  let start = "";
  request.on("data", (chunk: Buffer) => {
    // The number stands before the records.
    if (start.length < 4_000) start += chunk.toString("latin1");
  });
  request.on("end", () => {
    records += Number(/"numRecords":(\d+)/.exec(start)?.[1] ?? 0);
    lastMs = performance.timeOrigin + performance.now();
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`http://127.0.0.1:${address?.port}`);
});
