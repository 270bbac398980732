/** Salesforce's deletions: the recycle bin, the log, and objects that have only one of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { Checkpoint, DeletedRecord } from "../../connector-kit/read-connector.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { read } from "./read.ts";

const PERIOD = {
  objectName: "Contact",
  since: new Date("2026-11-20T07:10:30Z"),
  until: new Date("2026-11-20T08:10:40Z"),
};
const [BINNED = "", GONE = "", RESTORED = ""] = [1, 2, 3].map((number) => `003Sb000000000${number}IAA`);

const query = (...records: JsonObject[]): Reply => ({
  status: 200,
  body: { totalSize: records.length, done: true, records },
});
const log = (...ids: string[]): Reply => ({
  status: 200,
  body: { deletedRecords: ids.map((id) => ({ id, deletedDate: "2026-11-20T07:30:00.000+0000" })) },
});
const refusal = (errorCode: string): Reply => ({ status: 400, body: [{ errorCode, message: "no" }] });

async function readAll(fetch: ProviderFetch, period = PERIOD): Promise<DeletedRecord[]> {
  const found: DeletedRecord[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page = await read.readDeletions(period, checkpoint, fetch);
    found.push(...page.records);
    checkpoint = page.next;
  } while (checkpoint);
  return found;
}
const NONE: ProviderRequest = { method: "GET", path: "", repeatable: true };
const shown = ({ path }: ProviderRequest): string => decodeURIComponent(path.replaceAll("+", " "));

test("the bin comes first, then from the log what is gone for good, without what exists again", async () => {
  const stamp = "2026-11-20T07:30:00.000+0000";
  const provider = replay(
    query({ Id: BINNED, IsDeleted: true, SystemModstamp: stamp }),
    log(BINNED, GONE, RESTORED.slice(0, 15)),
    query(
      { Id: BINNED, IsDeleted: true, SystemModstamp: stamp },
      { Id: RESTORED, IsDeleted: false, SystemModstamp: stamp },
    ),
  );
  const found = await readAll(provider.fetch);
  const deletedTime = new Date("2026-11-20T07:30:00Z");
  assert.deepEqual(
    found.map(({ id, deletedTime }) => ({ id, deletedTime })),
    [
      { id: BINNED, deletedTime },
      { id: GONE, deletedTime },
    ],
  );
  const [bin = "", logged = "", checked = ""] = provider.requests.map(shown);
  assert.match(
    bin,
    /queryAll.*IsDeleted = true AND SystemModstamp >= 2026-11-20T07:10:30Z AND .* ORDER BY Id LIMIT 2000$/,
  );
  assert.match(
    logged,
    /\/sobjects\/Contact\/deleted\/\?start=2026-11-20T07:10:00.00:00&end=2026-11-20T08:10:00.00:00$/,
  );
  assert.match(provider.requests[1]?.path ?? "", /%2B00%3A00/);
  assert.match(checked, /queryAll.*WHERE Id IN \('/);
});

/** Times of queries have seconds: what was deleted in the second of the bound is in the bin's pages, and told once. */
test("the log adds what the bin's pages did not have: by the second of the bound, not by its fraction", async () => {
  const period = { ...PERIOD, since: new Date("2026-11-20T07:10:30.600Z") };
  const stamped = (id: string, time: string) => ({
    Id: id,
    IsDeleted: true,
    SystemModstamp: `2026-11-20T${time}.000+0000`,
  });
  const provider = replay(
    query(stamped(BINNED, "07:10:30")),
    log(BINNED, GONE),
    // Deleted before the period by its stamp: the pages of the bin left it out, so that the log alone reports it.
    query(stamped(BINNED, "07:10:30"), stamped(GONE, "07:10:29")),
  );
  const found = await readAll(provider.fetch, period);
  assert.deepEqual(
    found.map(({ id }) => id),
    [BINNED, GONE],
  );
  assert.match(shown(provider.requests[0] ?? NONE), /SystemModstamp >= 2026-11-20T07:10:30Z/);
});

test("a full page of the bin goes on behind its last id", async () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => ({
    Id: `003Sb00000${String(index).padStart(5, "0")}IAA`,
    IsDeleted: true,
  }));
  const provider = replay(query(...rows), query(), log());
  const found = await readAll(provider.fetch);
  assert.equal(found.length, 2_000);
  assert.match(shown(provider.requests[1] ?? NONE), /Id > '003Sb0000001999IAA' AND/);
});

const more = (records: JsonObject[], total: number): Reply => ({
  status: 200,
  body: {
    totalSize: total,
    done: false,
    nextRecordsUrl: "/services/data/v60.0/query/0r8Sb00000AbCdE-1",
    records,
  },
});

/** "The actual number of returned records can be lower than the requested size" (REST API Developer Guide, Query Options Header). */
test("pages of the bin, and of the ids of the log, may be shorter than asked for", async () => {
  const stamp = "2026-11-20T07:30:00.000+0000";
  const bin = (id: string) => ({ Id: id, IsDeleted: true, SystemModstamp: stamp });
  const provider = replay(
    more([bin(BINNED)], 2),
    query(bin(GONE)),
    log(BINNED, GONE, RESTORED),
    more([bin(BINNED)], 3),
    more([bin(GONE)], 3),
    query({ Id: RESTORED, IsDeleted: false, SystemModstamp: stamp }),
  );
  const found = await readAll(provider.fetch);
  assert.deepEqual(
    found.map(({ id }) => id),
    [BINNED, GONE],
  );
});

test("an object without a bin is looked up in the log only, one without a log in the bin only", async () => {
  const noBin = replay(refusal("INVALID_FIELD"), log(GONE, RESTORED), query({ Id: RESTORED }));
  assert.deepEqual(
    (await readAll(noBin.fetch)).map(({ id }) => id),
    [GONE],
  );
  assert.match(shown(noBin.requests[2] ?? NONE), /query\?q=SELECT Id FROM Contact WHERE Id IN/);
  const noLog = replay(query({ Id: BINNED, IsDeleted: true }), refusal("INVALID_TYPE_FOR_OPERATION"));
  assert.deepEqual(
    (await readAll(noLog.fetch)).map(({ id }) => id),
    [BINNED],
  );
  const neither = replay(refusal("INVALID_FIELD"), refusal("NO_SUCH_LOG"));
  await assert.rejects(readAll(neither.fetch), { code: "NO_SUCH_LOG" });
});

test("a long period is looked up day by day, not further back than the log, and a full log in halves", async () => {
  const isLog = ({ path }: ProviderRequest) => path.includes("/deleted/");
  const days = replay((request) => (isLog(request) ? log() : query()));
  await readAll(days.fetch, { ...PERIOD, since: new Date(0) });
  assert.equal(days.requests.filter(isLog).length, 15);
  assert.match(shown(days.requests[1] ?? NONE), /start=2026-11-05T08:20:00/);

  const full = replay(query(), refusal("EXCEEDED_ID_LIMIT"), refusal("EXCEEDED_ID_LIMIT"), log());
  await readAll(full.fetch);
  const starts = full.requests.filter(isLog).map((request) => shown(request).slice(-67));
  assert.match(starts[2] ?? "", /start=2026-11-20T07:10:00.*end=2026-11-20T07:25:00/);
});

/** A customer whose account was away for longer than Salesforce keeps deletions. */
test("deletions from before the log's reach are a warning, once", async () => {
  const warningsSince = async (since: Date): Promise<string[]> => {
    const { fetch } = replay(({ path }) => (path.includes("/deleted/") ? log() : query()));
    const warnings: string[] = [];
    let checkpoint: Checkpoint | undefined;
    do {
      const page = await read.readDeletions({ ...PERIOD, since }, checkpoint, fetch);
      warnings.push(...(page.warning === undefined ? [] : [page.warning]));
      checkpoint = page.next;
    } while (checkpoint);
    return warnings;
  };
  const [warning = "", ...others] = await warningsSince(new Date("2026-10-31T12:00:00Z"));
  assert.match(warning, /Contact records between 2026-10-31T12:00:00.000Z and 2026-11-05T08:20:00.000Z/);
  assert.deepEqual(others, []);
  assert.deepEqual(await warningsSince(new Date("2026-11-05T12:00:00Z")), []);
});

/** REST API Developer Guide, sObject Get Deleted: more than 600,000 ids are refused with EXCEEDED_ID_LIMIT, also those of one minute. */
test("minutes of which the log cannot tell all deletions are left out with a warning, and the others are read", async () => {
  const mass = { from: Date.parse("2026-11-20T07:20:10Z"), to: Date.parse("2026-11-20T07:20:50Z") };
  const timeIn = (request: ProviderRequest, name: string) =>
    Date.parse(`${new RegExp(`${name}=([\\dT:-]+)`).exec(shown(request))?.[1]}Z`);
  const { fetch, requests } = replay((request) => {
    if (!request.path.includes("/deleted/")) return query();
    const [start, end] = [timeIn(request, "start"), timeIn(request, "end")];
    if (start < mass.to && end > mass.from) return refusal("EXCEEDED_ID_LIMIT");
    return start <= Date.parse("2026-11-20T07:30:00Z") && end > Date.parse("2026-11-20T07:30:00Z")
      ? log(GONE)
      : log();
  });
  const warnings: string[] = [];
  const ids: string[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page = await read.readDeletions(PERIOD, checkpoint, fetch);
    ids.push(...page.records.map(({ id }) => id));
    if (page.warning !== undefined) warnings.push(page.warning);
    checkpoint = page.next;
    assert.ok(requests.length < 60, "it ends");
  } while (checkpoint);
  assert.deepEqual([...new Set(ids)], [GONE]);
  assert.match(warnings.join(), /between 2026-11-20T07:20:00.000Z and 2026-11-20T07:21:00.000Z/);
  // A period of less than two minutes is refused, so that the minute behind is asked for together with this one.
  assert.ok(warnings.length <= 2, warnings.join());
});

/**
 * REST API Developer Guide, sObject Get Deleted: no more than 15 days, "or earlier if an administrator has purged the Recycle Bin"; SOAP API
 * Developer Guide, `getDeleted()`: then the answer is INVALID_REPLICATION_DATE (read 2026-11-27).
 */
test("a log that an administrator cut off is read from where it begins, with a warning", async () => {
  const begin = new Date("2026-11-20T07:41:00Z");
  const readStart = (request: ProviderRequest) =>
    new Date(/start=([\dT:-]+)/.exec(shown(request))?.[1] + "Z").getTime();
  const isLog = ({ path }: ProviderRequest) => path.includes("/deleted/");
  const answer = (from: Date) =>
    replay((request) => {
      if (!isLog(request)) return query();
      if (readStart(request) < from.getTime()) return refusal("INVALID_REPLICATION_DATE");
      return {
        status: 200,
        body: { deletedRecords: [{ id: GONE, deletedDate: "2026-11-20T07:50:00.000+0000" }] },
      };
    });
  const provider = answer(begin);
  const bin = await read.readDeletions(PERIOD, undefined, provider.fetch);
  const page = await read.readDeletions(PERIOD, bin.next, provider.fetch);
  assert.deepEqual(
    page.records.map(({ id }) => id),
    [GONE],
  );
  assert.match(page.warning ?? "", /between 2026-11-20T07:10:00.000Z and 2026-11-20T07:41:00.000Z/);
  assert.equal(page.next, undefined);
  assert.ok(provider.requests.length <= 12, `${provider.requests.length} requests`);

  const nothing = answer(PERIOD.until);
  assert.deepEqual(await readAll(nothing.fetch), []);
  assert.ok(nothing.requests.length <= 3);
});

/** SOAP API Developer Guide, GetDeletedResult (read 2026-11-27). */
test("deletions that were not committed yet are left to the next period", async () => {
  const covered = (latestDateCovered: string): Reply => ({
    status: 200,
    body: { deletedRecords: [], latestDateCovered },
  });
  const lastPage = async (...logs: Reply[]) => {
    const provider = replay(query(), ...logs);
    const since = new Date(PERIOD.until.getTime() - 25 * 3_600_000);
    let page = await read.readDeletions({ ...PERIOD, since }, undefined, provider.fetch);
    while (page.next) page = await read.readDeletions({ ...PERIOD, since }, page.next, provider.fetch);
    return page.coveredUntil;
  };
  const whole = covered("2026-11-20T07:10:00.000+0000");
  const late = new Date("2026-11-20T07:51:00Z");
  assert.deepEqual(await lastPage(whole, covered("2026-11-20T07:51:00.000+0000")), late);
  assert.equal(await lastPage(whole, covered("2026-11-20T08:10:00.000+0000")), undefined);
  // A day of before is not complete either.
  const early = covered("2026-11-19T20:00:00.000+0000");
  assert.deepEqual(
    await lastPage(early, covered("2026-11-20T07:51:00.000+0000")),
    new Date("2026-11-19T20:00:00Z"),
  );
});

test("an empty answer from something in between does not mean that deletions are not logged", async () => {
  for (const status of [404, 410])
    await assert.rejects(readAll(replay(query(), { status }).fetch), { status });
});

test("an answer that counts more records than it gives makes none deleted, and hides no deleted one", async () => {
  const cut = (...records: JsonObject[]): Reply => ({
    status: 200,
    body: { totalSize: records.length + 1, done: true, records },
  });
  await assert.rejects(readAll(replay(query(), log(GONE, RESTORED), cut()).fetch), { kind: "unavailable" });
  const stamp = "2026-11-20T07:30:00.000+0000";
  const binned = (Id: string): JsonObject => ({ Id, IsDeleted: true, SystemModstamp: stamp });
  const provider = replay(cut(binned(BINNED)), query(binned(GONE)), log());
  assert.deepEqual(
    (await readAll(provider.fetch)).map(({ id }) => id),
    [BINNED, GONE],
  );
});
