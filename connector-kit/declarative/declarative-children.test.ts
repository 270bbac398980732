/** Lists of which there is one for each record of another object, and parents that have none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../testing/replay.ts";
import type { Checkpoint } from "../read-connector.ts";
import { describeConnector } from "./describe-connector.ts";

const { read } = describeConnector("Quill", {
  defaults: { records: "data", paging: { cursor: { from: "next", to: "query.after" } } },
  objects: {
    teams: { list: { path: "/teams" } },
    members: { parent: { object: "teams" }, list: { path: "/teams/{parent}/members" } },
  },
  errors: { message: ["error"] },
  sources: { documentation: "https://docs.quill.example", checked: "never" },
});
assert.ok(read);
const reader = read;

const PLAN = { objectName: "members", fields: [], filters: [], associations: [] };
const entries = (...ids: string[]) => ({ status: 200, body: { data: ids.map((id) => ({ id })) } });
const GONE = { status: 404, body: { error: "no such address" } };

/** Reads everything from a vendor with two pages of teams, of which these have a list of members. */
async function readMembers(teams: string[][], withList: string[]): Promise<string[]> {
  const { fetch } = replay(({ path }) => {
    const [, team] = /^\/teams\/(\w+)\/members/.exec(path) ?? [];
    if (team !== undefined) return withList.includes(team) ? entries(`member of ${team}`) : GONE;
    const number = Number(/after=(\d+)/.exec(path)?.[1] ?? 0);
    const page = entries(...(teams[number] ?? []));
    return number + 1 < teams.length ? { ...page, body: { ...page.body, next: String(number + 1) } } : page;
  });
  const ids: string[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page = await reader.readPage(PLAN, checkpoint, fetch);
    ids.push(...page.records.map(({ id }) => id));
    checkpoint = page.next && (JSON.parse(JSON.stringify(page.next)) as Checkpoint);
  } while (checkpoint);
  return ids;
}

test("a parent that was deleted meanwhile has no list, and the others are read", async () => {
  assert.deepEqual(await readMembers([["1", "2"], ["3"]], ["2"]), ["member of 2"]);
  assert.deepEqual(await readMembers([["1"]], []), []);
  assert.deepEqual(await readMembers([[]], []), []);
});

test("lists that the provider finds for no parent at all are not empty: the read fails and says so", async () => {
  const wanted = { kind: "not_found", message: /list of members of any of 3 records of teams/ };
  for (const teams of [[["1", "2", "3"]], [["1", "2"], ["3"]], [["1", "2", "3"], []]])
    await assert.rejects(readMembers(teams, []), wanted);
});
