/** Keeps a copy of the customers' records in SQLite, equal to their accounts. Needs Node.js 22.13 or later, no packages. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";

const { DATABASE = "records.db", PORT = "3000", SIGNING_KEY } = process.env;
if (!SIGNING_KEY) throw new Error("SIGNING_KEY: set it to the destination's signing key, whsec_…");
const key = Buffer.from(SIGNING_KEY.replace(/^whsec_/, ""), "base64");
const database = new DatabaseSync(DATABASE);
database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS
  records (installation, object, id, time, record, PRIMARY KEY (installation, object, id))`);
// The later version wins. A deleted record keeps its row, so that an older version does not bring it back.
const upsert = database.prepare(`
  INSERT INTO records
    SELECT ?, ?, value ->> 'id', ?, iif(value ->> 'deleted', NULL, value) FROM json_each(?) WHERE true
    ON CONFLICT DO UPDATE SET time = excluded.time, record = excluded.record WHERE excluded.time >= time`);

const server = createServer(async (request, response) => {
  try {
    const body = await text(request);
    if (!isSigned(request.headers, body)) return void response.writeHead(401).end();
    const message = JSON.parse(body);
    // Other events, and the message of `busbar test destination`, may come to the same address.
    if (message.action === "read") {
      const records = message.result ?? (await fetchLarge(message.resultInfo.downloadUrl));
      const { installationId, objectName, operationTime } = message;
      upsert.run(installationId, objectName, operationTime, JSON.stringify(records));
    }
    response.writeHead(204).end();
  } catch (error) {
    // Busbar sends the message again.
    response.writeHead(500).end(String(error));
  }
});
server.listen(Number(PORT), () => process.stdout.write(`Receiving on port ${server.address().port}\n`));

function isSigned(headers, body) {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = Buffer.from(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  const signatures = String(headers["webhook-signature"])
    .split(" ")
    .map((one) => Buffer.from(one));
  return signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

/** A record that is too large for a message comes as an address. */
async function fetchLarge(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer.json();
}
