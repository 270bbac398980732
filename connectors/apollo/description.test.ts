/** Apollo's searches, which show 50,000 records at most: "100 records per page, up to 500 pages" (the vendor's OpenAPI file 1.0 of 2026-08). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import type { Checkpoint } from "../../connector-kit/read-connector.ts";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { isJsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["apollo"] ?? {};
assert.ok(read);

const SHOWN = 50_000;
const MOST = 100;

/** An account with so many records, of which a search shows the first. */
const openSearch = (object: string, count: number) => {
  const reached: number[] = [];
  const fetch: ProviderFetch = async ({ body }) => {
    assert.ok(body !== undefined && isJsonObject(body));
    const [page, size] = [Number(body["page"]), Number(body["per_page"])];
    assert.ok(size <= MOST, `${size} records of a page`);
    reached.push(page * size);
    const end = Math.min(page * size, SHOWN, count);
    const from = Math.min((page - 1) * size, end);
    const records = Array.from({ length: end - from }, (_, index) => ({
      id: (from + index).toString(16).padStart(24, "0"),
    }));
    const pagination = { page, per_page: size, total_entries: count, total_pages: Math.ceil(count / size) };
    return { status: 200, headers: {}, text: JSON.stringify({ [object]: records, pagination }) };
  };
  const scan = async (): Promise<Set<string>> => {
    const ids = new Set<string>();
    let checkpoint: Checkpoint | undefined;
    do {
      const page = await read.readPage(planRead(object), checkpoint, fetch);
      for (const { id } of page.records) ids.add(id);
      checkpoint = page.next;
    } while (checkpoint);
    return ids;
  };
  return { scan, reached };
};

for (const object of ["contacts", "accounts"]) {
  test(`all that a search of ${object} can show is read, a longer one fails, and nothing is asked for behind it`, async () => {
    const whole = openSearch(object, SHOWN - 50);
    assert.equal((await whole.scan()).size, SHOWN - 50);
    const larger = openSearch(object, SHOWN + 150);
    await assert.rejects(larger.scan(), /the list goes on after 500 pages/);
    assert.equal(Math.max(...whole.reached, ...larger.reached), SHOWN);
  });
}
