/** Pages of SolarWinds Service Desk while records are deleted: the addresses in its `Link` header count pages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import type { Checkpoint } from "../../connector-kit/read-connector.ts";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["solarWindsServiceDesk"] ?? {};
assert.ok(read);

test("an incident that is deleted between two pages hides no other one", async () => {
  const listed = Array.from({ length: 250 }, (_, index) => ({
    id: index + 1,
    name: `Incident ${index + 1}`,
  }));
  const fetch: ProviderFetch = async ({ path }) => {
    const { searchParams } = new URL(path, "https://api.samanage.com");
    const [page, size] = [Number(searchParams.get("page") ?? 1), Number(searchParams.get("per_page") ?? 25)];
    const text = JSON.stringify(listed.slice((page - 1) * size, page * size));
    const next = `<https://api.samanage.com/incidents.json?layout=long&page=${page + 1}&per_page=${size}>; rel="next"`;
    // One of the records that were read is deleted.
    listed.shift();
    return { status: 200, headers: { link: page * size < 250 ? next : "" }, text };
  };
  const seen = new Set<string>();
  let checkpoint: Checkpoint | undefined;
  do {
    const { records, next } = await read.readPage(planRead("incidents"), checkpoint, fetch);
    for (const { id } of records) seen.add(id);
    checkpoint = next;
  } while (checkpoint);
  assert.equal(seen.size, 250);
});
