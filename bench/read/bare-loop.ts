/**
 * Reads an account with a bare loop: fetches a page, makes the same entries, posts the same bodies, fetches the next page.
 * Stores nothing. Prints its figures as JSON.
 */
import { Pool } from "undici";

const [sandboxUrl = "", token = "", sinkUrl = "", fields = ""] = process.argv.slice(2);
const MAX_BYTES = 300_000;

interface Page {
  records: Record<string, unknown>[];
  nextRecordsUrl?: string;
}

const provider = new Pool(new URL(sandboxUrl).origin, { connections: 1 });
const sink = new Pool(sinkUrl, { connections: 1 });
const base = new URL(sandboxUrl).pathname.replace(/\/$/, "");

async function fetchPage(path: string): Promise<Page> {
  const answer = await provider.request({
    method: "GET",
    path: `${base}/salesforce${path}`,
    headers: { authorization: `Bearer ${token}` },
  });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
  return (await answer.body.json()) as Page;
}

async function post(entries: string[]): Promise<void> {
  const body = `{"action":"read","resultInfo":{"type":"inline","numRecords":${entries.length}},"result":[${entries.join(",")}]}`;
  const answer = await sink.request({
    method: "POST",
    path: "/bare",
    headers: { "content-type": "application/json" },
    body,
  });
  await answer.body.dump();
}

const names = fields.split(",");
const startedMs = performance.now();
const before = process.cpuUsage();
let records = 0;
let path: string | undefined =
  `/services/data/v60.0/query?q=${encodeURIComponent(`SELECT Id,${fields},SystemModstamp FROM Contact ORDER BY Id`)}`;
while (path !== undefined) {
  const page: Page = await fetchPage(path);
  let entries: string[] = [];
  let bytes = 0;
  for (const raw of page.records) {
    const shown = Object.fromEntries(names.map((name) => [name.toLowerCase(), raw[name]]));
    const entry = JSON.stringify({ id: raw["Id"], fields: shown, mappedFields: {}, raw });
    const size = Buffer.byteLength(entry) + 1;
    if (bytes + size > MAX_BYTES) {
      await post(entries);
      entries = [];
      bytes = 0;
    }
    entries.push(entry);
    bytes += size;
  }
  if (entries.length > 0) await post(entries);
  records += page.records.length;
  path = page.nextRecordsUrl;
}
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    records,
    seconds: (performance.now() - startedMs) / 1_000,
    cpuMs: (user + system) / 1_000,
  }),
);
await Promise.all([provider.close(), sink.close()]);
