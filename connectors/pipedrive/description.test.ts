/** Pipedrive's requests as its migration guide and its client for Node.js (32.2.1) show them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["pipedrive"] ?? {};
assert.ok(read);

const readIncluded = (path: string): string[] =>
  (new URL(path, "https://x.invalid").searchParams.get("include_fields") ?? "").split(",");

/** The guide lets only companies with the Campaigns app name the two; a request of another one is refused. */
test("fields of the marketing app are asked for only where they are read by name", async () => {
  const plain = readIncluded(read.preparePage(planRead("persons")).path);
  const other = readIncluded(read.preparePage(planRead("persons", { fields: ["name", "emails"] })).path);
  const marketing = readIncluded(
    read.preparePage(planRead("persons", { fields: ["name", "marketing_status", "doi_status"] })).path,
  );
  assert.ok(plain.includes("won_deals_count"));
  assert.ok(!plain.includes("marketing_status") && !plain.includes("doi_status"));
  assert.deepEqual(other, plain);
  assert.deepEqual(marketing, [...plain, "marketing_status", "doi_status"]);
});

test("a read of all fields leaves the fields of the marketing app out", () => {
  const isRead = (fieldName: string) =>
    read.isReadWithAll?.({
      fieldName,
      displayName: fieldName,
      valueType: "string",
      providerType: "varchar",
      readOnly: true,
      isCustom: false,
      isRequired: false,
    });
  assert.deepEqual(["name", "marketing_status", "doi_status"].map(isRead), [true, false, false]);
});

test("a single person has the same fields", async () => {
  const person = { id: 7, name: "Ada Quill", update_time: "2026-11-20T09:00:00Z" };
  const cases: [string[], boolean][] = [
    [[], false],
    [["marketing_status"], true],
  ];
  for (const [fields, named] of cases) {
    const { fetch, requests } = replay({ status: 200, body: { success: true, data: person } });
    await read.readByIds(planRead("persons", { fields }), ["7"], fetch);
    const [path = ""] = requests.map((request) => request.path);
    assert.equal(path.split("?")[0], "/api/v2/persons/7");
    assert.ok(readIncluded(path).includes("won_deals_count"));
    assert.equal(readIncluded(path).includes("marketing_status"), named);
  }
});
