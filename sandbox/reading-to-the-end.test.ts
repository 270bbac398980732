// A careful reader of the sandbox has the account's records in the end, whatever changes meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Data } from "./exchange.ts";
import { getAt, openCaller, readList, openSandbox, readText, type Call } from "./test-client.ts";

const sandbox = await openSandbox({ limits: "off" });
const START = Date.parse("2026-10-01T12:00:00Z");
const SECOND = 1_000;

/** Returns a generator of pseudo-random numbers, which are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

type Held = Map<string, Data>;

function dumped(provider: "hubspot" | "salesforce", object: string): Held {
  const all = [...sandbox[provider].account.dump(object, false)];
  return new Map(all.map((record) => [readText(record, "id"), record]));
}

async function readHubSpot(call: Call, held: Held, since: number, until: number): Promise<void> {
  const path = "/crm/v3/objects/contacts";
  for (let last = "0"; ;) {
    const filters = [
      {
        propertyName: "lastmodifieddate",
        operator: "BETWEEN",
        value: String(since),
        highValue: String(until),
      },
      { propertyName: "hs_object_id", operator: "GT", value: last },
    ];
    const sorts = [{ propertyName: "hs_object_id", direction: "ASCENDING" }];
    const body = { filterGroups: [{ filters }], sorts, properties: ["city"], limit: 200 };
    const page = readList((await call("POST", `${path}/search`, body)).json, "results");
    for (const record of page) held.set(readText(record, "id"), record);
    if (page.length === 0) break;
    last = readText(page.at(-1), "id");
  }
  for (let after = ""; ;) {
    const page = await call("GET", `${path}?archived=true&limit=100${after}`);
    for (const record of readList(page.json, "results")) held.delete(readText(record, "id"));
    if (!page.text.includes('"paging"')) break;
    after = `&after=${encodeURIComponent(readText(page.json, "paging.next.after"))}`;
  }
}

test("HubSpot: windows with an overlap longer than the lag, by key, and the archived list", async () => {
  const { account } = sandbox.hubspot;
  const call = openCaller(sandbox.hubspot.url, sandbox.hubspot.staticToken);
  sandbox.clock.set(START);
  const { firstId } = account.generate("contacts", {
    count: 1_000,
    changedFrom: START - 60 * SECOND,
    changedTo: START - 60 * SECOND,
    values: {},
  });
  account.set({ searchLagMs: 20 * SECOND });
  const next = numbers(7);
  const held: Held = new Map();
  let cursor = 0;
  const change = (): void => {
    for (let i = 0; i < 40; i++) {
      const id = String(Number(firstId) + Math.floor(next() * 1_000));
      const present = dumpedIds.has(id);
      if (next() < 0.1 && present) {
        account.archive("contacts", id);
        dumpedIds.delete(id);
      } else if (present) account.put("contacts", { id, values: { city: `City ${i}` }, stamp: true });
      else account.put("contacts", { values: { city: "New" }, stamp: true });
    }
  };
  const dumpedIds = new Set(dumped("hubspot", "contacts").keys());
  for (let round = 0; round < 6; round++) {
    const until = sandbox.clock.now();
    await readHubSpot(call, held, Math.max(0, cursor - 60 * SECOND), until);
    cursor = until;
    change();
    // The index shows the last changes after its lag.
    sandbox.clock.advance(round === 5 ? 21 * SECOND : 7 * SECOND);
  }
  await readHubSpot(call, held, cursor - 60 * SECOND, sandbox.clock.now());
  const expected = dumped("hubspot", "contacts");
  assert.deepEqual([...held.keys()].toSorted(), [...expected.keys()].toSorted());
  for (const [id, record] of held) {
    assert.equal(getAt(record, "properties.city") ?? undefined, getAt(expected.get(id), "values.city"), id);
  }
});

async function readSalesforce(call: Call, held: Held, since: number, until: number): Promise<void> {
  const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const soql = `SELECT Id, Title, IsDeleted FROM Contact WHERE SystemModstamp >= ${time(since)} AND SystemModstamp <= ${time(until)} ORDER BY SystemModstamp, Id`;
  let url = `/services/data/v60.0/queryAll?q=${encodeURIComponent(soql)}`;
  for (;;) {
    const page = await call("GET", url, undefined, { "sforce-query-options": "batchSize=200" });
    for (const record of readList(page.json, "records")) {
      if (record["IsDeleted"] === true) held.delete(readText(record, "Id"));
      else held.set(readText(record, "Id"), record);
    }
    if (getAt(page.json, "done") === true) return;
    url = readText(page.json, "nextRecordsUrl");
  }
}

test("Salesforce: windows with an overlap longer than a late commit, by locator, deleted ones included", async () => {
  const { account } = sandbox.salesforce;
  const call = openCaller(sandbox.salesforce.url, sandbox.salesforce.mintToken().accessToken);
  sandbox.clock.set(START);
  const span = { changedFrom: START - 90 * SECOND, changedTo: START - 60 * SECOND };
  account.generate("Contact", { count: 1_000, ...span, values: {} });
  const next = numbers(11);
  const held: Held = new Map();
  let cursor = 0;
  for (let round = 0; round < 6; round++) {
    const until = sandbox.clock.now();
    await readSalesforce(call, held, Math.max(0, cursor - 60 * SECOND), until);
    cursor = until;
    const ids = [...dumped("salesforce", "Contact").keys()];
    for (let i = 0; i < 40; i++) {
      const id = ids[Math.floor(next() * ids.length)] ?? "";
      const late = next() < 0.3 ? { changedAt: until - 20 * SECOND } : {};
      if (next() < 0.1) account.archive("Contact", id);
      else if (next() < 0.2) account.put("Contact", { values: { LastName: "New" }, stamp: true, ...late });
      else account.put("Contact", { id, values: { Title: `Title ${round} ${i}` }, stamp: true, ...late });
    }
    sandbox.clock.advance(7 * SECOND);
  }
  await readSalesforce(call, held, cursor - 60 * SECOND, sandbox.clock.now());
  const expected = dumped("salesforce", "Contact");
  assert.deepEqual([...held.keys()].toSorted(), [...expected.keys()].toSorted());
  for (const [id, record] of held) {
    assert.equal(record["Title"] ?? undefined, getAt(expected.get(id), "values.Title"), id);
  }
});
