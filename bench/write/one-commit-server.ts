/**
 * The reference for intake: a bare HTTP server that stores the same rows with the same SQL, one commit per request. It sends plain
 * statements over pg's pool, because Busbar's own connections prepare them, which is part of what is measured.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { newId } from "../../ground/ids.ts";
import { insertAcceptedWrites } from "../../server/store/operations/accept-writes.ts";
import type { DB } from "../../server/store/database/rows.gen.ts";

const [connectionString = "", projectId = "", installationId = ""] = process.argv.slice(2);
// As many connections as callers, so that no caller waits for one.
const queries = new Kysely<DB>({
  dialect: new PostgresDialect({ pool: new Pool({ connectionString, max: 64 }) }),
});

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { record } = JSON.parse(Buffer.concat(chunks).toString());
  const id = newId();
  const operation = {
    id,
    projectId,
    integrationId: installationId,
    installationId,
    configId: installationId,
    actionType: "write",
    objectName: "companies",
  };
  await insertAcceptedWrites(queries, [
    {
      operation,
      writeType: "create",
      sendOptions: { batch: false, allOrNone: false, headers: {}, onUnknownOutcome: "fail", grouped: false },
      records: [{ planned: { fields: record, withheld: [], ifEmpty: [] } }],
      recordKeys: [],
      // Never due, so they are never executed.
      dueMs: 86_400_000,
      retryMs: 3_600_000,
    },
  ]);
  response.setHeader("content-type", "application/json").end(JSON.stringify({ operationId: id }));
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
);
