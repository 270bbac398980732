/** The reference for pushes: a bare HTTP server that commits the bytes of each request, and checks and reads nothing. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "pg";

const [connectionString = ""] = process.argv.slice(2);
// As many connections as callers, so that no caller waits for one.
const pool = new Pool({ connectionString, max: 64 });
await pool.query("create table if not exists bare_pushes (body text not null)");

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  await pool.query("insert into bare_pushes (body) values ($1)", [Buffer.concat(chunks).toString("utf8")]);
  response.end();
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
