/** Lists that go on by time, where many records have one time: which of them come is counted by hand. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import type { ObjectRules } from "./rules/description.ts";
import { numberIn, open, people, upTo, type Answer } from "./scan-fixture.ts";

const SIZE = 3;
const since = {
  to: "query.since",
  format: "unix",
  full: "1970-01-01T00:00:00Z",
  keyset: true,
} as const;

/** Records of one second, and some of later ones: those that change go to the end, those that are deleted go away. */
function openAccount(together: number, later: number) {
  const records: JsonObject[] = [
    ...people(1, together).map((one) => ({ ...one, changed: 1_000 })),
    ...people(together + 1, together + later).map((one, index) => ({ ...one, changed: 1_001 + index })),
  ];
  let latest = 5_000;
  return {
    touch(...ids: number[]) {
      for (const record of records) if (ids.includes(Number(record["id"]))) record["changed"] = latest += 1;
    },
    remove(...ids: number[]) {
      for (const id of ids)
        records.splice(
          records.findIndex((record) => record["id"] === String(id)),
          1,
        );
    },
    from: (bound: number) =>
      structuredClone(
        records
          .filter(({ changed }) => Number(changed) >= bound)
          .toSorted((a, b) => Number(a["changed"]) - Number(b["changed"])),
      ),
  };
}

type Account = ReturnType<typeof openAccount>;

interface Way {
  rules: Pick<ObjectRules, "paging" | "emptyWhen">;
  answer(found: JsonObject[], query: URLSearchParams): Answer;
}

/** The ways in which pages follow each other: by their number, or by a token or an address with a number of records in it. */
const NUMBERS: Way = {
  rules: { paging: { page: { to: "query.page", first: 1 } } },
  answer(found, query) {
    const from = (numberIn(query, "page", 1) - 1) * SIZE;
    return { body: { data: found.slice(from, from + SIZE) } };
  },
};
const TOKENS: Way = {
  rules: { paging: { cursor: { from: "next", to: "query.token" } } },
  answer(found, query) {
    const from = numberIn(query, "token");
    const data = found.slice(from, from + SIZE);
    return { body: { data, ...(from + SIZE < found.length && { next: String(from + SIZE) }) } };
  },
};
const ADDRESSES: Way = {
  rules: { paging: { nextUrl: { from: "next" } } },
  answer(found, query) {
    const from = numberIn(query, "skip");
    const next = new URLSearchParams(query);
    next.set("skip", String(from + SIZE));
    const data = found.slice(from, from + SIZE);
    return { body: { data, ...(from + SIZE < found.length && { next: `/people?${next}` }) } };
  },
};

/** Opens the list of an account. `between` is called behind each answer, with their number. */
function openList(
  t: TestContext,
  { rules, answer }: Way,
  account: Pick<Account, "from">,
  between: (answered: number) => void = () => {},
) {
  let answered = 0;
  return open(
    t,
    {
      list: { path: "/people", pageSize: { to: "query.size", most: SIZE } },
      changedPath: "changed",
      ...rules,
      since,
    },
    (query) => {
      const result = answer(account.from(numberIn(query, "since")), query);
      between((answered += 1));
      return result;
    },
  );
}

for (const [name, way] of Object.entries({ numbers: NUMBERS, tokens: TOKENS, addresses: ADDRESSES })) {
  test(`records of one time are all read while some of them change between pages (${name})`, async (t) => {
    for (const later of [0, 4]) {
      const account = openAccount(14, later);
      const { scan } = await openList(t, way, account, (answered) => {
        if (answered === 2) account.touch(1, 2);
        if (answered === 3) account.touch(5);
        if (answered === 4) account.touch(14);
      });
      assert.deepEqual(new Set(await scan()), new Set(upTo(14 + later)));
    }
  });

  test(`records of one time are all read while some of them are deleted between pages (${name})`, async (t) => {
    const account = openAccount(14, 2);
    const { scan } = await openList(t, way, account, (answered) => {
      if (answered === 2) account.remove(1);
      if (answered === 4) account.remove(6, 7, 8);
    });
    const ids = new Set(await scan());
    const left = upTo(16).filter((id) => !["1", "6", "7", "8"].includes(id));
    assert.deepEqual(
      left.filter((id) => !ids.has(id)),
      [],
    );
  });

  test(`records of one time come once where nothing changes (${name})`, async (t) => {
    const { scan, requests } = await openList(t, way, openAccount(14, 2));
    assert.deepEqual(await scan(), upTo(16));
    // 14 records of one time are on five pages, of which four are compared with what they were.
    assert.ok(requests.length <= 14, `${requests.length}`);
  });

  test(`all records of one time but the first page of them may leave it, and the list goes on (${name})`, async (t) => {
    const account = openAccount(10, 3);
    const { scan } = await openList(t, way, account, (answered) => {
      if (answered === 4) account.touch(4, 5, 6, 7, 8, 9, 10);
    });
    assert.deepEqual(new Set(await scan()), new Set(upTo(13)));
  });
}

test("a page that comes to have the records of the page behind it, because its own were deleted, is no page that repeats", async (t) => {
  const account = openAccount(8, 1);
  const { scan } = await openList(t, NUMBERS, account, (answered) => {
    if (answered === 4) account.remove(4, 5, 6);
  });
  assert.deepEqual(new Set(await scan()), new Set(upTo(9)));
});

test("a list whose records of one time never stand still goes on behind them, with a warning that names the time", async (t) => {
  let turn = 0;
  const records = people(1, 10).map((one) => ({ ...one, changed: 1_000 }));
  const later = people(11, 14).map((one) => ({ ...one, changed: 2_000 }));
  const moving = {
    from(bound: number) {
      // The order is another one in each request.
      turn += 1;
      const turned = [...records.slice(turn % 10), ...records.slice(0, turn % 10)];
      return [...turned, ...later].filter(({ changed }) => changed >= bound);
    },
  };
  const { scan, warnings } = await openList(t, TOKENS, moving);
  const ids = new Set(await scan());
  assert.deepEqual(
    upTo(14)
      .slice(10)
      .filter((id) => !ids.has(id)),
    [],
  );
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /people.*1970-01-01T00:16:40/);
});

test("an answer without content ends the records of one time, and they are compared all the same (Zoho: 204, Xero: 304)", async (t) => {
  const account = openAccount(6, 0);
  const refused: Way = {
    rules: { ...NUMBERS.rules, emptyWhen: "no more records" },
    answer: (found, query) =>
      found.length > (numberIn(query, "page", 1) - 1) * SIZE
        ? NUMBERS.answer(found, query)
        : { status: 404, body: { error: "no more records" } },
  };
  const { scan } = await openList(t, refused, account, (answered) => {
    if (answered === 2) account.remove(1, 2, 3);
  });
  const ids = await scan();
  assert.deepEqual(new Set(ids), new Set(upTo(6)));
});
