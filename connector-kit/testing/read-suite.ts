/**
 * Guarantees that hold for every connector that reads; each connector's test calls `testReading` with an account at a
 * simulated provider.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProviderError } from "../calls/provider-error.ts";
import type { Checkpoint, DeletedRecord, ReadPage, ReadPlan, SourceRecord } from "../read-connector.ts";
import type { ReadingAccount } from "./reading-account.ts";
import { testBroken } from "./read-suite-broken.ts";

const HOUR_MS = 3_600_000;
const SMALL_PAGE = 50;

/** `open` returns an account without records of the object, a fresh one for each test. */
export function testReading(name: string, open: () => Promise<ReadingAccount>): void {
  describe(`${name} as a reading connector`, () => {
    testExamples(open);
    testInterruptions(open);
    testBounds(open);
    testLookups(open);
    testDeletions(open);
    testAssociations(open);
    testBroken(open);
  });
}

const buildPlan = (account: ReadingAccount, more: Partial<ReadPlan> = {}): ReadPlan => ({
  objectName: account.objectName,
  fields: [account.names.text],
  filters: [],
  associations: [],
  ...more,
});

/** Reads to the end, each page from a checkpoint that was stored. `between` runs before each page but the first. */
async function scan(
  { read, fetch }: ReadingAccount,
  plan: ReadPlan,
  between: (page: ReadPage) => void = () => undefined,
): Promise<{ records: SourceRecord[]; pages: ReadPage[] }> {
  const pages: ReadPage[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page = await read.readPage(plan, checkpoint, fetch);
    pages.push(page);
    checkpoint = page.next && toStored(page.next);
    if (checkpoint) between(page);
    assert.ok(pages.length < 2_000, "the scan does not end");
  } while (checkpoint);
  return { records: pages.flatMap(({ records }) => records), pages };
}

/** Returns a checkpoint as another process would read it, days later. */
function toStored(checkpoint: Checkpoint): Checkpoint {
  const text: Checkpoint = JSON.parse(JSON.stringify(checkpoint));
  assert.deepEqual(text, checkpoint);
  return text;
}

const listIds = (records: { id: string }[]): string[] => records.map(({ id }) => id);

const sortIds = (all: Iterable<string>): string[] => [...all].toSorted();

/** Each of `expected` exactly once, and nothing else. */
const assertOnce = (records: { id: string }[], expected: Iterable<string>): void =>
  assert.deepEqual(sortIds(listIds(records)), sortIds(expected));

function testExamples(open: () => Promise<ReadingAccount>): void {
  test("a scan has each record once, with its values, its change time and itself untouched", async () => {
    const account = await open();
    const time = subtractHours(account, 3);
    account.generate(430, time);
    account.put({ values: { [account.names.text]: "put" }, changedAt: time });
    const records = account.records();
    for (const more of [
      {},
      { pageSize: SMALL_PAGE },
      { since: subtractHours(account, 4), pageSize: SMALL_PAGE },
    ]) {
      const { records: found, pages } = await scan(account, buildPlan(account, more));
      assertOnce(found, records.keys());
      if (more.pageSize) assert.ok(pages.every((page) => page.records.length <= SMALL_PAGE));
      for (const record of found) {
        assert.equal(record.changeTime?.getTime(), time.getTime());
        assert.equal(record.values[account.names.text], records.get(record.id));
        assert.ok(Object.keys(record.raw).length > 0);
      }
      assert.ok(Math.abs((pages[0]?.providerTime?.getTime() ?? 0) - account.now().getTime()) < 5_000);
    }
  });

  test("25,000 records with one time stamp are each read once", { timeout: 120_000 }, async () => {
    const account = await open();
    const time = subtractHours(account, 2);
    account.generate(25_000, time);
    const { records } = await scan(account, buildPlan(account, { since: time, until: time }));
    assert.equal(records.length, 25_000);
    assert.equal(new Set(listIds(records)).size, 25_000);
  });

  test("changes between pages lose no record and repeat none that did not change", async () => {
    for (const isFull of [true, false]) {
      const account = await open();
      account.generate(400, subtractHours(account, 2));
      const untouched = new Set(account.records().keys());
      const all = [...untouched];
      const changed = new Set<string>();
      const bounds = isFull ? {} : { since: subtractHours(account, 3), until: account.now() };
      account.advance(HOUR_MS);
      const { records } = await scan(
        account,
        buildPlan(account, { ...bounds, pageSize: SMALL_PAGE }),
        (page) => {
          const last = all.indexOf(page.records.at(-1)?.id ?? "");
          if (last === -1) return;
          const nearby = all.slice(last, last + 2);
          const far = all.slice(last + 2).findLast((id) => !changed.has(id));
          for (const id of nearby) account.put({ id, values: { [account.names.text]: "changed" } });
          if (far !== undefined) account.purge(far);
          account.put({});
          for (const id of [...nearby, far ?? ""]) changed.add(id);
        },
      );
      const found = listIds(records);
      for (const id of untouched) {
        const times = found.filter((other) => other === id).length;
        if (!changed.has(id)) assert.equal(times, 1, `record ${id}`);
        else if (isFull && account.records().has(id)) assert.ok(times >= 1, `record ${id}`);
      }
    }
  });
}

function testInterruptions(open: () => Promise<ReadingAccount>): void {
  test("a scan goes on behind the last record when the provider has dropped its cursors", async () => {
    for (const more of [{}, { pageSize: SMALL_PAGE }, { since: new Date(0) }]) {
      const account = await open();
      account.generate(4_300, subtractHours(account, 2));
      const { records, pages } = await scan(account, buildPlan(account, more), () => account.expireCursors());
      assert.ok(pages.length > 2);
      assertOnce(records, account.records().keys());
    }
  });

  test("a page that is read again from its checkpoint has the same records", async () => {
    const account = await open();
    account.generate(4_100, subtractHours(account, 2));
    for (const more of [{}, { since: subtractHours(account, 3) }]) {
      const plan = buildPlan(account, more);
      const first = await account.read.readPage(plan, undefined, account.fetch);
      assert.ok(first.next);
      const once = await account.read.readPage(plan, toStored(first.next), account.fetch);
      const again = await account.read.readPage(plan, toStored(first.next), account.fetch);
      assert.deepEqual(listIds(again.records), listIds(once.records));
    }
  });

  test("an object without records is one page without records", async () => {
    const account = await open();
    for (const more of [{}, { since: subtractHours(account, 1) }]) {
      const { records, pages } = await scan(account, buildPlan(account, more));
      assert.deepEqual([records, pages.length], [[], 1]);
    }
  });
}

function testBounds(open: () => Promise<ReadingAccount>): void {
  test("both bounds of the change time are inclusive", async () => {
    const account = await open();
    const middle = new Date(Math.floor(account.now().getTime() / 1_000) * 1_000 - HOUR_MS);
    const at = (seconds: number) => new Date(middle.getTime() + seconds * 1_000);
    const [early, exact, late] = [-1, 0, 1].map((seconds) => account.put({ changedAt: at(seconds) }));
    const found = async (bounds: Partial<ReadPlan>) =>
      sortIds(listIds((await scan(account, buildPlan(account, bounds))).records));
    assert.deepEqual(await found({ since: middle, until: middle }), [exact]);
    assert.deepEqual(await found({ since: middle }), sortIds([exact ?? "", late ?? ""]));
    assert.deepEqual(await found({ until: middle }), sortIds([early ?? "", exact ?? ""]));
    assert.deepEqual(await found({ since: at(2) }), []);
  });

  test("filters select by equal values, whatever characters are in them", async () => {
    const account = await open();
    const metadata = await account.fields.describe(account.objectName, account.fetch);
    const { text, other } = account.names;
    const changedAt = subtractHours(account, 2);
    for (const value of [`O'Brien`, String.raw`a\b`, `"quoted"`, "50 % & more + ü", "%".repeat(3_900)]) {
      const both = account.put({ values: { [text]: value, [other]: "x" }, changedAt });
      const one = account.put({ values: { [text]: value, [other]: "y" }, changedAt });
      const filters = [{ fieldName: text, value }];
      for (const more of [{ metadata }, {}, { since: subtractHours(account, 3) }]) {
        const plan = buildPlan(account, { filters, ...more });
        assertOnce((await scan(account, plan)).records, [both, one]);
        assert.equal(await account.read.count(plan, account.fetch), 2);
      }
      const narrow = buildPlan(account, {
        filters: [...filters, { fieldName: other, value: "x" }],
        metadata,
      });
      assertOnce((await scan(account, narrow)).records, [both]);
    }
  });

  test("a filter by a field that does not exist is refused with its name", async () => {
    const account = await open();
    const filters = [{ fieldName: account.names.unknown, value: "x" }];
    const refused = { kind: "invalid", code: account.names.unknown };
    const plan = buildPlan(account, { filters });
    await assert.rejects(scan(account, plan), refused);
    await assert.rejects(account.read.search(plan, account.fetch), refused);
  });
}

function testLookups(open: () => Promise<ReadingAccount>): void {
  test("a count is that of the scan", async () => {
    const account = await open();
    account.generate(321, subtractHours(account, 2));
    account.generate(21, subtractHours(account, 9));
    const { read, fetch } = account;
    assert.equal(await read.count(buildPlan(account), fetch), 342);
    const plan = buildPlan(account, { since: subtractHours(account, 5) });
    assert.equal(await read.count(plan, fetch), 321);
    const { total } = await read.readPage(plan, undefined, fetch);
    assert.equal(total, 321);
  });

  test("a sample is one record, or the name of a field that does not exist", async () => {
    const account = await open();
    const { read, fetch, names } = account;
    const metadata = await account.fields.describe(account.objectName, fetch);
    assert.equal(await read.readSample(buildPlan(account, { metadata }), fetch), undefined);
    account.generate(3, subtractHours(account, 2));
    const sample = await read.readSample(buildPlan(account, { metadata }), fetch);
    assert.ok(sample && account.records().has(sample.id));
    const plan = buildPlan(account, { fields: [names.text, names.unknown], metadata });
    await assert.rejects(read.readSample(plan, fetch), { kind: "invalid", code: names.unknown });
  });

  test("records are read by their ids; malformed ones and those that do not exist are absent", async () => {
    const account = await open();
    account.generate(230, subtractHours(account, 2));
    const records = account.records();
    const [deleted = ""] = records.keys();
    account.delete(deleted);
    const wanted = [...records.keys(), ...records.keys(), "", "..", "a b", "1'"];
    const found = await account.read.readByIds(buildPlan(account), wanted, account.fetch);
    records.delete(deleted);
    assertOnce(found, records.keys());
    for (const { id, values } of found) assert.equal(values[account.names.text], records.get(id));
    assert.deepEqual(await account.read.readByIds(buildPlan(account), [], account.fetch), []);
  });

  test("a search has one page, and says whether there is more", async () => {
    const account = await open();
    account.generate(5_000, subtractHours(account, 2), { [account.names.other]: "many" });
    const one = account.put({ values: { [account.names.other]: "one" } });
    const searched = (value?: string) => {
      const filters = value === undefined ? [] : [{ fieldName: account.names.other, value }];
      return account.read.search(buildPlan(account, { filters }), account.fetch);
    };
    const many = await searched("many");
    assert.ok(many.truncated && many.records.length > 0 && many.records.length < 5_000);
    assert.ok((await searched()).truncated);
    const single = await searched("one");
    assert.deepEqual([listIds(single.records), single.truncated], [[one], false]);
    assert.deepEqual(await searched("none"), { records: [], truncated: false });
  });
}

function testDeletions(open: () => Promise<ReadingAccount>): void {
  test("deleted records of a period are found, restored and earlier ones are not", async () => {
    const account = await open();
    account.generate(300, subtractHours(account, 9));
    const [early = "", restored = "", purged = "", ...others] = account.records().keys();
    const gone = others.slice(0, 250);
    account.delete(early);
    account.advance(2 * HOUR_MS);
    const since = subtractHours(account, 1);
    for (const id of [restored, ...gone]) account.delete(id);
    account.restore(restored);
    account.purge(purged);
    account.advance(2 * 60_000);
    const found: DeletedRecord[] = [];
    let checkpoint: Checkpoint | undefined;
    let pages = 0;
    do {
      const period = { objectName: account.objectName, since, until: account.now() };
      const page = await account.read.readDeletions(period, checkpoint, account.fetch);
      found.push(...page.records);
      checkpoint = page.next && toStored(page.next);
      if (pages++ === 0) account.expireCursors();
    } while (checkpoint);
    assertOnce(
      found.filter(({ id }) => id !== purged),
      gone,
    );
    for (const { deletedTime } of found) assert.ok(deletedTime && deletedTime >= since);
  });
}

function testAssociations(open: () => Promise<ReadingAccount>): void {
  test("associated ids come with their record, also long lists", async () => {
    const account = await open();
    const metadata = await account.fields.describe(account.objectName, account.fetch);
    account.generate(120, subtractHours(account, 2));
    const [many = "", none = "", few = ""] = account.records().keys();
    const expected = new Map([
      [many, await account.associate(many, 23)],
      [few, await account.associate(few, 2)],
    ]);
    const associations = [account.association];
    const plan = buildPlan(account, { associations, metadata });
    const byIds = await account.read.readByIds(plan, [many, none, few], account.fetch);
    for (const records of [(await scan(account, plan)).records, byIds]) {
      for (const { id, associations: found } of records) {
        const targets = found?.[account.association];
        assert.deepEqual(
          targets && sortIds(listIds(targets)),
          expected.has(id) ? sortIds(expected.get(id) ?? []) : undefined,
        );
      }
    }
    const unknown = buildPlan(account, { associations: ["no such object"], metadata });
    await assert.rejects(
      scan(account, unknown),
      (error) => error instanceof ProviderError && error.kind === "invalid",
    );
    const misspelt = buildPlan(account, { associations: ["no_such_object"], metadata });
    const sample = account.read.readSample(misspelt, account.fetch);
    await assert.rejects(sample, { kind: "invalid" }, "a sample finds it, too");
  });
}

const subtractHours = (account: ReadingAccount, hours: number): Date =>
  new Date(Math.floor(account.now().getTime() / 1_000) * 1_000 - hours * HOUR_MS);
