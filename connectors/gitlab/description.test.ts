/** GitLab's lists: what is asked for beside the filters, by GitLab's pages of projects and groups (18.5 and 17.1 or later). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["gitlab"] ?? {};
assert.ok(read);

const askedFor = async (object: string, since?: Date): Promise<URLSearchParams> => {
  const { fetch, requests } = replay({ status: 200, body: [] });
  await read.readPage({ ...planRead(object), ...(since && { since }) }, undefined, fetch);
  return new URL(requests[0]?.path ?? "", "https://gitlab.example").searchParams;
};

// "Include project statistics": changed projects have them as all projects have.
test("projects have their statistics, also where only changes are read", async () => {
  assert.equal((await askedFor("projects")).get("statistics"), "true");
  assert.equal((await askedFor("projects", new Date("2026-11-01T00:00:00Z"))).get("statistics"), "true");
});

// "Order groups by name, path, id, or similarity. Default is name": one that is renamed would move.
test("groups are listed by their id", async () => {
  assert.equal((await askedFor("groups")).get("order_by"), "id");
});
