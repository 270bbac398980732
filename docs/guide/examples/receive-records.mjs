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
  records (installation, object, id, time, read_time, record, PRIMARY KEY (installation, object, id))`);
// The version that changed later wins, and of two of one time the one that was read later, whether it comes from reading or from
// subscribing. A deleted record keeps its row, so that an older version does not bring it back. Changes of associations have no record.
const upsert = database.prepare(`
  INSERT INTO records
    SELECT ?, ?, value ->> 'id', ifnull(value ->> 'changeTime', ''), value ->> 'readTime',
      iif(value -> 'raw' IS NULL OR value ->> 'deleted', NULL, value)
    FROM json_each(?) WHERE value -> 'fields' IS NOT NULL
    ON CONFLICT DO UPDATE SET time = excluded.time, read_time = excluded.read_time, record = excluded.record
      WHERE (excluded.time, excluded.read_time) >= (time, read_time)`);

const server = createServer(async (request, response) => {
  try {
    const body = await text(request);
    if (!isSigned(request.headers, body)) return void response.writeHead(401).end();
    const message = JSON.parse(body);
    // Other events, and the message of `busbar test destination`, may come to the same address.
    if (message.action === "read" || message.action === "subscribe") {
      const records = message.result ?? (await fetchLarge(message.resultInfo.downloadUrl));
      upsert.run(message.installationId, message.objectName, JSON.stringify(records));
    }
    response.writeHead(204).end();
  } catch (error) {
    // Busbar sends the message again.
    response.writeHead(500).end(String(error));
  }
});
server.listen(Number(PORT), () => process.stdout.write(`Receiving on port ${server.address().port}\n`));

/** Whether it comes from Busbar, and was sent in the last five minutes: an old message may be somebody's recording. */
function isSigned(headers, body) {
  if (!(Math.abs(Date.now() / 1000 - headers["webhook-timestamp"]) < 300)) return false;
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
