/** A simulated vendor behaves as its facts say, over HTTP, whoever asks. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Facts, ListFact } from "../../connector-kit/facts/facts.ts";
import { startVendor, type RunningVendor } from "./start-vendor.ts";

const list: ListFact = {
  source: "docs",
  method: "GET",
  path: "/v1/pens",
  query: {
    limit: { type: "integer" },
    page: { type: "integer" },
    status: { enum: ["active", "sold"], separator: "," },
    sort: { enum: ["created", "updated"] },
    since: {},
    whole: { type: "boolean" },
  },
  headers: { "Pen-Version": { required: true, enum: ["2026-01-01"] } },
  success: [200],
  records: "data.pens",
  whenEmpty: "absent",
  paging: {
    kind: "page",
    to: "query.page",
    size: "query.limit",
    default: 3,
    largest: 4,
    oversize: "refused",
    more: "data.last",
    moreMeans: "last",
  },
  since: { to: "query.since", format: "rfc3339-seconds", inclusive: false, zone: "user" },
  sort: { default: "created", by: { "query.sort=updated": "changed" } },
  hidden: [{ what: "sold pens", shownBy: { "query.status": "active,sold" } }, { what: "lost pens" }],
  fields: { to: "query.include", onRequest: ["ink"] },
  onRequest: { "query.whole=true": "nib.width" },
};

const FACTS: Facts = {
  provider: "quill",
  sources: { docs: { kind: "vendor-docs", url: "https://quill.test", date: "2026-11-26" } },
  objects: {
    pens: {
      id: { path: "id", type: "integer" },
      changed: { path: "meta.updated", format: "rfc3339-seconds" },
      list,
      get: {
        source: "docs",
        method: "GET",
        path: "/v1/pens/{id}",
        query: { whole: { type: "boolean" } },
        success: [200],
        record: "data",
        onRequest: { "query.whole=true": "nib.width" },
      },
      create: {
        source: "docs",
        method: "POST",
        path: "/v1/pens",
        success: [201],
        wrap: "pen",
        record: "data",
        body: { "pen.name": { required: true, type: "string" }, "pen.nib": { type: "integer", maximum: 9 } },
        closedBody: true,
      },
      delete: { source: "docs", method: "DELETE", path: "/v1/pens/{id}", success: [204] },
      example: { name: "Ada" },
    },
    inks: {
      id: { path: "id", type: "uuid" },
      list: {
        ...list,
        path: "/v1/inks",
        headers: {},
        hidden: [],
        paging: { kind: "cursor", to: "query.after", from: "next", size: "query.limit", default: 4 },
      },
    },
  },
  errors: {
    source: "docs",
    body: { fault: { text: "REASON", code: "E1" } },
    message: "fault.text",
    code: "fault.code",
  },
};

describe("a simulated vendor", () => {
  let running: RunningVendor;
  before(async () => {
    running = await startVendor(FACTS);
  });
  after(() => running.close());
  beforeEach(() => running.vendor.clear());
  const put = (count: number, more = {}) =>
    Array.from({ length: count }, () => running.vendor.records.put("pens", more));
  const call = async (target: string, init: RequestInit = {}) => {
    const response = await fetch(running.url + target, {
      ...init,
      headers: { "pen-version": "2026-01-01", ...init.headers },
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const idsIn = async (target: string): Promise<string[]> =>
    ((await call(target)).body.data.pens ?? []).map(({ id }: { id: number }) => String(id));

  test("refuses addresses, methods, names and values that it does not know, with its own error body", async () => {
    const refusals: [string, RequestInit, number, RegExp][] = [
      ["/v2/pens", {}, 404, /no such address/],
      ["/v1/pens", { method: "PUT" }, 405, /no such method/],
      ["/v1/pens?colour=red", {}, 400, /query.colour: no such parameter/],
      ["/v1/pens?limit=many", {}, 400, /not an integer/],
      ["/v1/pens?limit=5", {}, 400, /more than 4/],
      ["/v1/pens?status=broken", {}, 400, /not one of active, sold/],
      ["/v1/pens?since=2026-01-01", {}, 400, /not a time of the form rfc3339-seconds/],
      ["/v1/pens", { headers: { "pen-version": "2025-01-01" } }, 400, /header.Pen-Version/],
      ["/v1/pens/77", {}, 404, /there is no pens 77/],
    ];
    for (const [target, init, status, reason] of refusals) {
      const answer = await call(target, init);
      assert.equal(answer.status, status, target);
      assert.match(answer.body.fault.text, reason);
      assert.equal(answer.body.fault.code, "E1");
    }
  });

  test("leaves the list out where there is nothing, and ends with the flag that is true on the last page", async () => {
    assert.deepEqual((await call("/v1/pens")).body, { data: { last: true } });
    put(4);
    assert.equal((await call("/v1/pens")).body.data.last, false);
    assert.equal((await call("/v1/pens?page=2")).body.data.pens.length, 1);
  });

  test("shows hidden rows to those who ask, and some to nobody", async () => {
    const [shown, sold, lost] = [put(1), put(1, { hidden: 0 }), put(1, { hidden: 1 })].map(
      ([record]) => record?.id ?? "",
    );
    assert.deepEqual(await idsIn("/v1/pens"), [shown]);
    assert.deepEqual(await idsIn("/v1/pens?status=sold,active"), [shown, sold]);
    assert.equal((await idsIn("/v1/pens?status=active,sold")).includes(lost ?? ""), false);
  });

  test("moves a record that changes to the end of a list that is sorted by the change", async () => {
    const [first, ...others] = put(4);
    assert.deepEqual(await idsIn("/v1/pens?sort=updated&limit=2"), [first?.id, others[0]?.id]);
    if (first) running.vendor.records.touch(first);
    assert.deepEqual(await idsIn("/v1/pens?sort=updated&limit=2&page=2"), [others[2]?.id, first?.id]);
    assert.deepEqual(await idsIn("/v1/pens?limit=2&page=2"), [others[1]?.id, others[2]?.id]);
  });

  test("reads a bound in the zone of its user, and leaves out what changed exactly then", async () => {
    const records = put(3);
    const local = new Date((records[0]?.changedMs ?? 0) - 8 * 3_600_000).toISOString().slice(0, 19);
    const answer = await call(`/v1/pens?since=${local}Z`);
    assert.equal(answer.body.data.pens.length, 3, "a bound with a zone is taken as it is");
    assert.equal(
      (await call(`/v1/pens?since=${new Date(records[0]?.changedMs ?? 0).toISOString().slice(0, 19)}Z`)).body
        .data.pens.length,
      2,
    );
  });

  test("gives fields on request alone, and ids of its type", async () => {
    put(1);
    const plain = (await call("/v1/pens")).body.data.pens[0];
    assert.equal(typeof plain.id, "number");
    assert.equal("ink" in plain, false);
    assert.equal((await call("/v1/pens?include=ink")).body.data.pens[0].ink, "on request");
    const single = `/v1/pens/${plain.id}`;
    for (const { nib } of [plain, (await call(single)).body.data]) assert.equal(nib?.width, undefined);
    assert.equal((await call("/v1/pens?whole=true")).body.data.pens[0].nib.width, "on request");
    assert.equal((await call(`${single}?whole=true`)).body.data.nib.width, "on request");
  });

  test("demands the wrapper and the members of a body, and refuses others", async () => {
    const post = (body: unknown, type = "application/json") =>
      call("/v1/pens", { method: "POST", body: JSON.stringify(body), headers: { "content-type": type } });
    assert.match((await post({ name: "Ada" })).body.fault.text, /body.pen: not an object/);
    assert.match((await post({ pen: { nib: 1 } })).body.fault.text, /body.pen.name: missing/);
    assert.match((await post({ pen: { name: "Ada", nib: "1" } })).body.fault.text, /not of the type integer/);
    assert.match(
      (await post({ pen: { name: "Ada", ink: "red" } })).body.fault.text,
      /body.pen.ink: no such member/,
    );
    assert.match((await post({ pen: { name: "Ada" } }, "text/plain")).body.fault.text, /not JSON/);
    const made = await post({ pen: { name: "Ada", nib: 2 } });
    assert.equal(made.status, 201);
    const read = await call(`/v1/pens/${made.body.data.id}`);
    assert.deepEqual([read.body.data.name, read.body.data.nib], ["Ada", 2]);
    assert.equal((await call(`/v1/pens/${made.body.data.id}`, { method: "DELETE" })).status, 204);
    assert.equal((await call(`/v1/pens/${made.body.data.id}`)).status, 404);
  });

  test("goes on behind an empty page and a short one where a cursor says so", async () => {
    for (let n = 0; n < 9; n += 1) running.vendor.records.put("inks");
    const sizes: number[] = [];
    let after: string | undefined;
    do {
      const { body } = await call(
        `/v1/inks?limit=4${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`,
      );
      sizes.push((body.data?.pens ?? []).length);
      after = body.next;
    } while (after !== undefined);
    assert.deepEqual(sizes, [4, 0, 2, 3]);
    assert.match((await call("/v1/inks?after=made-up")).body.fault.text, /no cursor of this vendor/);
  });
});
