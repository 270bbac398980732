/** What a page of Resend's lists costs, by the limit that its answers tell. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["resend"] ?? {};
assert.ok(read);

/** "You can only make 2 requests per second": the words of its refusal, which holds for all that the team sends, and begins a page anew. */
const PER_SECOND = 2;
/** Requests of other services of the team can come at any moment: a page that takes longer may never be whole. */
const LONGEST_SECONDS = 6;

const COUNT = 100;
const ids = Array.from(
  { length: COUNT },
  (_, index) => `b6d24b8e-af0b-4c3c-be0c-${String(index).padStart(12, "0")}`,
);

for (const objectName of ["segments", "broadcasts", "templates", "domains"])
  test(`a page of whole ${objectName} costs no more requests than Resend allows in seconds`, async () => {
    const { fetch, requests } = replay(({ path }) => {
      const { pathname, searchParams } = new URL(path, "https://api.example.com");
      const id = pathname.split("/")[2];
      if (id !== undefined) return { status: 200, body: { id, name: "Pens" } };
      const from = ids.indexOf(searchParams.get("after") ?? "") + 1;
      const listed = ids.slice(from, from + Number(searchParams.get("limit") ?? 20));
      const body = {
        object: "list",
        has_more: from + listed.length < COUNT,
        data: listed.map((one) => ({ id: one })),
      };
      return { status: 200, body };
    });
    const found = [];
    let place;
    do {
      const before = requests.length;
      const page = await read.readPage(planRead(objectName), place, fetch);
      assert.ok(requests.length - before <= PER_SECOND * LONGEST_SECONDS);
      found.push(...page.records.map(({ id }) => id));
      place = page.next;
    } while (place);
    assert.deepEqual(found, ids);
  });
