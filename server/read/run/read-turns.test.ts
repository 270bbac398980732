/** The order in which reads are claimed: nobody waits behind the backfills of others. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { sql } from "kysely";
import { newId } from "../../../ground/ids.ts";
import { openInstallations } from "../../../tests/fixtures/installed-fixture.ts";
import { chooseRuns } from "./read-turns.ts";

async function openQueue(t: TestContext) {
  const busbar = await openInstallations(t, {});
  /** Queues reads of an installation, as those of this project, due for so many seconds. */
  async function queue(
    installationId: string,
    {
      kind,
      count = 1,
      ageSeconds,
      projectId = busbar.projectId,
    }: {
      kind: string;
      count?: number;
      ageSeconds: number;
      projectId?: string;
    },
  ): Promise<string[]> {
    const ids = Array.from({ length: count }, newId);
    await sql`
      with operation as (
        insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status)
        select id, ${busbar.projectId}::uuid, ${busbar.integrationId}::uuid, ${installationId}::uuid, id, 'read', 'o' || id, 'in_progress'
        from unnest(${ids}::uuid[]) id
      )
      insert into read_runs (operation_id, project_id, installation_id, object_name, kind, due_time)
      select id, ${projectId}::uuid, ${installationId}::uuid, 'o' || id, ${kind}, now() - ${ageSeconds} * interval '1 second'
      from unnest(${ids}::uuid[]) with ordinality as new (id, position) order by position`.execute(
      busbar.queries,
    );
    return ids;
  }
  return { ...busbar, queue, capacity: () => 4 };
}

test("1,000 due backfills of a project delay no read by schedule, and no backfill of another project", async (t) => {
  const { install, queue, queries } = await openQueue(t);
  const { id: busy, connectionId } = await install("busy");
  const { id: quiet } = await install("quiet");
  const backfills = await queue(busy, { kind: "backfill", count: 1_000, ageSeconds: 600 });
  const [own] = await queue(busy, { kind: "scheduled", ageSeconds: 1 });
  const projectId = newId();
  const [scheduled] = await queue(quiet, { kind: "scheduled", ageSeconds: 0, projectId });
  const [backfill] = await queue(quiet, { kind: "backfill", ageSeconds: 0, projectId });
  const chosen = await chooseRuns(queries, 6, () => 8);
  assert.deepEqual(new Set(chosen.slice(0, 2)), new Set([own, scheduled]));
  assert.ok(chosen.slice(2, 4).includes(backfill ?? ""), "the second project's first backfill has its turn");
  assert.ok(chosen.slice(2).every((id) => id === backfill || backfills.includes(id)));
  const full = await chooseRuns(queries, 6, (connection) => (connection === connectionId ? 0 : 8));
  assert.deepEqual(full, [scheduled, backfill]);
});

test("many due backfills of one customer leave turns to other customers of the project", async (t) => {
  const { install, queue, queries, capacity } = await openQueue(t);
  const { id: busy } = await install("busy");
  const { id: quiet } = await install("quiet");
  await queue(busy, { kind: "backfill", count: 1_000, ageSeconds: 600 });
  const [last] = await queue(quiet, { kind: "backfill", ageSeconds: 0 });
  const chosen = await chooseRuns(queries, 32, capacity);
  assert.equal(chosen.length, 5);
  assert.ok(chosen.slice(0, 2).includes(last ?? ""));
});

test("no more is chosen than there are places, and of a connection than there is capacity", async (t) => {
  const { install, queue, queries } = await openQueue(t);
  const { id } = await install("one");
  const ids = await queue(id, { kind: "triggered", count: 10, ageSeconds: 5 });
  assert.deepEqual(await chooseRuns(queries, 3, () => 9), ids.slice(0, 3));
  assert.deepEqual(await chooseRuns(queries, 9, () => 2), ids.slice(0, 2));
  assert.deepEqual(await chooseRuns(queries, 9, () => 0), []);
});
