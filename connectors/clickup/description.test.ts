/** ClickUp's lists of tasks as its OpenAPI file, copied by Npab19/clickup-mcp (a1acefb), and AutoIDM/tap-clickup describe them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import type { Checkpoint } from "../../connector-kit/read-connector.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { Json } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["clickup"] ?? {};
assert.ok(read);

/** Archived entries are in a list only where it is asked for them, and then alone. */
const ENTRIES: Record<string, { open: Json[]; archived: Json[] }> = {
  "/api/v2/team/9/space": { open: [{ id: "s" }], archived: [] },
  "/api/v2/space/s/folder": { open: [{ id: "f" }], archived: [] },
  "/api/v2/folder/f/list": { open: [{ id: "open" }], archived: [{ id: "old" }] },
  "/api/v2/space/s/list": { open: [{ id: "loose" }], archived: [] },
  "/api/v2/list/open/task": {
    open: [{ id: "1", date_updated: "1763629200001" }],
    archived: [{ id: "2", date_updated: "1763629200002" }],
  },
  "/api/v2/list/old/task": {
    open: [{ id: "3", date_updated: "1763629200003" }],
    archived: [{ id: "4", date_updated: "1763629200004" }],
  },
  "/api/v2/list/loose/task": {
    open: [{ id: "5", date_updated: "1763629200005" }],
    archived: [{ id: "6", date_updated: "1763629200006" }],
  },
};

function answer({ path }: ProviderRequest) {
  const { pathname, searchParams } = new URL(path, "https://x.invalid");
  const entries = ENTRIES[pathname]?.[searchParams.get("archived") === "true" ? "archived" : "open"];
  const isFirst = (searchParams.get("page") ?? "0") === "0";
  return { status: 200, body: { [`${pathname.split("/").at(-1)}s`]: isFirst ? (entries ?? []) : [] } };
}

async function readIds(objectName: string): Promise<string[]> {
  const { fetch } = replay(answer);
  const ids: string[] = [];
  const plan = { ...planRead(objectName), account: { values: { teamId: "9" } } };
  let next: Checkpoint | undefined;
  do {
    const page = await read?.readPage(plan, next, fetch);
    ids.push(...(page?.records ?? []).map(({ id }) => id));
    next = page?.next;
  } while (next);
  return ids.toSorted();
}

test("archived tasks, and tasks of archived lists, are read from the lists of single lists", async () => {
  assert.deepEqual(await readIds("listTasks"), ["1", "2", "3", "4"]);
  assert.deepEqual(await readIds("folderlessListTasks"), ["5", "6"]);
});
