/** Removal of old rows: by the rules of the configuration, by those of a project, and what looking for them costs. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { sql, type RawBuilder } from "kysely";
import { testDatabase } from "../tests/harness/database.ts";
import { bootstrapIfEmpty } from "./access/bootstrap.ts";
import { listRetentionRules } from "./retention-rules.ts";
import { readConfig } from "../ground/config.ts";
import { nowMs } from "../ground/clock.ts";
import { buildFirstId, newId } from "../ground/ids.ts";
import { createLog } from "../ground/log.ts";
import { sweep } from "./jobs/retention.ts";
import type { Database, Queries } from "./store/database/database.ts";
import { buildDeliveredDataRemoval, buildOldEventsRemoval } from "./store/deliveries/delivery-sweep.ts";
import { endOperations, insertOperations, matchOldOperations } from "./store/operations/operations.ts";
import { runPlannedByRows } from "./store/database/remove-rows.ts";
import { replaceOwnRetention, type OwnRetention } from "./store/access/project-retention.ts";

const DAY_MS = 24 * 60 * 60_000;

const removeOld = (database: Database) =>
  sweep(createLog("silent"), listRetentionRules({ database, config: readConfig({}) }), () => false);

test("ended operations go when they are old, those under way and the young stay", async (t) => {
  const database = await testDatabase(t);
  const made = await bootstrapIfEmpty(database, undefined);
  const longAgo = buildFirstId(nowMs() - 31 * DAY_MS).slice(0, 14);
  const operation = (isOld: boolean) => ({
    id: isOld ? longAgo + newId().slice(14) : newId(),
    projectId: made?.projectId ?? "",
    integrationId: newId(),
    installationId: newId(),
    configId: newId(),
    actionType: "write",
    objectName: "contacts",
    claimedBy: 1,
  });
  const [old, young, running] = [operation(true), operation(false), operation(true)];
  await insertOperations(database.queries, [old, young, running]);
  const log = [{ severity: "INFO" as const, msg: "done" }];
  for (const { id } of [old, young]) {
    await endOperations(database.queries, [{ id, status: "success", result: "", metadata: {}, log }]);
  }
  await removeOld(database);
  const { rows } = await database.pool.query<{ id: string }>("select id from operations order by id");
  assert.deepEqual(rows.map((row) => row.id).toSorted(), [young.id, running.id].toSorted());
});

test("idempotency keys go after the time that is configured", async (t) => {
  const database = await testDatabase(t);
  const made = await bootstrapIfEmpty(database, undefined);
  const projectId = made?.projectId ?? "";
  const hoursOld = [1, 3, 60];
  for (const hours of hoursOld) {
    await database.pool.query(
      `insert into idempotency_keys (project_id, key, request_hash, operation_id, claimed_by, create_time)
       values ($1, $2, '', gen_random_uuid(), 1, now() - make_interval(hours => $2::text::integer))`,
      [projectId, String(hours)],
    );
  }
  const left = async (env: Record<string, string>) => {
    await sweep(createLog("silent"), listRetentionRules({ database, config: readConfig(env) }), () => false);
    const { rows } = await database.pool.query<{ key: string }>(
      "select key from idempotency_keys order by key",
    );
    return rows.map(({ key }) => key);
  };
  assert.deepEqual(await left({ BUSBAR_IDEMPOTENCY_HOURS: "72" }), ["1", "3", "60"]);
  assert.deepEqual(await left({}), ["1", "3"]);
  assert.deepEqual(await left({ BUSBAR_IDEMPOTENCY_HOURS: "2" }), ["1"]);
});

test("consents go with the operations of their time; those that nobody continued go after a day", async (t) => {
  const database = await testDatabase(t);
  const projectId = (await bootstrapIfEmpty(database, undefined))?.projectId ?? "";
  const providerAppId = newId();
  await database.pool.query(
    `insert into provider_apps (id, project_id, provider, client_id, client_secret_sealed) values ($1, $2, 'p', 'c', 's')`,
    [providerAppId, projectId],
  );
  const consents = [
    { days: 0, leaveTime: null },
    { days: 2, leaveTime: new Date() },
    { days: 2, leaveTime: null },
    { days: 31, leaveTime: new Date() },
  ];
  for (const [index, { days, leaveTime }] of consents.entries()) {
    const id = buildFirstId(nowMs() - days * DAY_MS).slice(0, 14) + newId().slice(14);
    await database.pool.query(
      `insert into consents (id, project_id, provider, provider_app_id, group_ref, consumer_ref, provider_metadata, begin_hash,
         expire_time, leave_time)
       values ($1, $2, 'p', $3, $4, 'ada', '{}', $5, now(), $6)`,
      [id, projectId, providerAppId, String(index), Buffer.from([index]), leaveTime],
    );
  }
  await removeOld(database);
  const { rows } = await database.pool.query("select group_ref from consents order by group_ref");
  assert.deepEqual(
    rows.map((row) => row.group_ref),
    ["0", "1"],
  );
});

test("delivered data messages go after their days; those that are not delivered stay as long as events", async (t) => {
  const database = await testDatabase(t);
  const projectId = (await bootstrapIfEmpty(database, undefined))?.projectId ?? "";
  const [destinationId, deletedId] = [newId(), newId()];
  await database.pool.query(
    "insert into destinations (id, project_id, name, type, metadata, secrets_sealed) values ($1, $2, 'd', 'log', '{}', 's')",
    [destinationId, projectId],
  );
  const messages = [
    { type: "young", days: 1, state: "delivered", to: destinationId },
    { type: "delivered", days: 4, state: "delivered", to: destinationId },
    { type: "failed", days: 4, state: "failed", to: destinationId },
    { type: "waiting", days: 4, state: "waiting", to: destinationId },
    { type: "unrouted", days: 4, to: destinationId },
    { type: "nowhere", days: 4, state: "waiting", to: deletedId },
    { type: "event", days: 4, state: "delivered", to: null },
    { type: "lost", days: 31, state: "failed", to: destinationId },
  ];
  for (const { type, days, state, to } of messages) {
    const id = buildFirstId(nowMs() - days * DAY_MS).slice(0, 14) + newId().slice(14);
    await database.pool.query(
      "insert into events (id, project_id, type, data, destination_id) values ($1, $2, $3, '{}', $4)",
      [id, projectId, type, to],
    );
    if (!state) continue;
    await database.pool.query(
      "insert into deliveries (destination_id, event_id, state, due_time) values ($1, $2, $3, now())",
      [to ?? destinationId, id, state],
    );
  }
  await removeOld(database);
  const left = await database.pool.query("select type from events order by id");
  assert.deepEqual(
    new Set(left.rows.map(({ type }) => type)),
    new Set(["young", "failed", "waiting", "unrouted", "event"]),
  );
  const { rows } = await database.pool.query("select count(*)::int as count from deliveries");
  assert.equal(rows[0]?.count, 4);
});

describe("retention of projects", () => {
  let database: Database;
  let [mine, other] = ["", ""];
  const scope: (() => Promise<void>)[] = [];
  before(async () => {
    database = await testDatabase({ after: (callback) => void scope.push(callback) });
    const made = await bootstrapIfEmpty(database, undefined);
    const insert = "insert into projects (id, org_id, name, app_name) values ($1, $2, $3, 'App')";
    [mine, other] = [made?.projectId ?? "", newId()];
    await database.pool.query(insert, [other, made?.orgId, "other"]);
  });
  after(async () => {
    for (const callback of scope) await callback();
  });
  beforeEach(() => database.pool.query("truncate operations, events, deliveries, events_nowhere cascade"));

  const query = (text: string, values: unknown[] = []) => database.pool.query(text, values);
  const toIdBound = (days: number) => buildFirstId(nowMs() - days * DAY_MS).slice(0, 14) + newId().slice(14);
  const sweepWith = async (own: OwnRetention) => {
    await database.queries
      .transaction()
      .execute((transaction) => replaceOwnRetention(transaction, mine, own));
    await removeOld(database);
  };
  /** Returns the days of the rows that are left, of both projects. */
  const daysLeft = async (table: string, time: string) => {
    const { rows } = await query(
      `select project_id, array_agg(round(extract(epoch from now() - ${time}) / 86400)::int order by ${time}) as days
       from ${table} group by project_id`,
    );
    const of = (projectId: string): number[] => rows.find((row) => row.project_id === projectId)?.days ?? [];
    return { mine: of(mine), other: of(other) };
  };
  const ID_TIME = "to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0)";

  test("old rows of the project go; its young ones, those under way and those of other projects stay", async () => {
    for (const projectId of [mine, other]) {
      for (const days of [5, 6, 1]) await insertHistory(projectId, days);
      await insertOperation(projectId, toIdBound(8), "in_progress");
    }
    await sweepWith({ operations: 4, events: 4, proxyCalls: 4, refusedRequests: 4 });
    assert.deepEqual(await daysLeft("operations", ID_TIME), { mine: [8, 1], other: [8, 6, 5, 1] });
    for (const table of ["consents", "events", "refused_requests"]) {
      assert.deepEqual(await daysLeft(table, ID_TIME), { mine: [1], other: [6, 5, 1] }, table);
    }
    const nowhere = await daysLeft("events_nowhere", ID_TIME.replace("id::text", "event_id::text"));
    assert.deepEqual(nowhere, { mine: [1], other: [6, 5, 1] });
    assert.deepEqual(await daysLeft("proxy_usage", "time"), { mine: [1], other: [6, 5, 1] });
  });

  test("deliveries of the project go with their data messages", async () => {
    for (const projectId of [mine, other]) {
      const destinationId = await insertDestination(projectId);
      await insertMessage(projectId, destinationId, { days: 5, state: "failed" });
      await insertMessage(projectId, destinationId, { days: 2, state: "failed" });
    }
    await sweepWith({ events: 4 });
    assert.deepEqual(await daysLeft("events", ID_TIME), { mine: [2], other: [5, 2] });
    const { rows } = await query("select count(*)::int as count from deliveries");
    assert.equal(rows[0]?.count, 3);
  });

  test("data messages of the project go after its days if they were delivered", async () => {
    for (const projectId of [mine, other]) {
      const destinationId = await insertDestination(projectId);
      for (const state of ["delivered", "failed"]) {
        for (const days of [0, 2]) await insertMessage(projectId, destinationId, { days, state });
      }
    }
    await sweepWith({ dataMessages: 1 });
    assert.deepEqual(await daysLeft("events", ID_TIME), { mine: [2, 0, 0], other: [2, 2, 0, 0] });
  });

  test("looking for old rows of a project passes over none of another one, however many it has", async () => {
    const many = [other, toIdBound(6).slice(0, 14), await insertDestination(other)];
    await query(
      `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status)
       select overlay(gen_random_uuid()::text placing $2 from 1 for 14)::uuid, $1, $1, $1, $1, 'write', 'contacts', 'success'
       from generate_series(1, 3000) where $3 <> ''`,
      many,
    );
    await query(
      `insert into events (id, project_id, type, data, destination_id)
       select overlay(gen_random_uuid()::text placing $2 from 1 for 14)::uuid, $1, 'connection.created', '{}',
         case when nth % 2 = 0 then $3::uuid end
       from generate_series(1, 6000) nth`,
      many,
    );
    await query("analyze operations, events");
    const destinationId = await insertDestination(mine);
    await insertMessage(mine, destinationId, { days: 1, state: "delivered" });
    await insertHistory(mine, 1);
    const bound = { projectId: mine, time: new Date(), id: toIdBound(4) };
    const statements = {
      operations: sql`select id from operations where ${matchOldOperations(bound)} limit 1000`,
      events: buildOldEventsRemoval(bound, 1_000),
      messages: buildDeliveredDataRemoval({ beforeId: toIdBound(30), own: [bound] }, 1_000),
    };
    for (const [what, statement] of Object.entries(statements)) {
      const passed = await runPlannedByRows(database.queries, (queries) => rowsPassed(queries, statement));
      assert.ok(passed < 50, `${what}: ${passed} rows`);
    }
  });

  async function insertHistory(projectId: string, days: number): Promise<void> {
    const [id, longAgo] = [toIdBound(days), new Date(nowMs() - days * DAY_MS)];
    await insertOperation(projectId, id, "success");
    await query(
      "insert into events (id, project_id, type, data) values ($1, $2, 'connection.created', '{}')",
      [id, projectId],
    );
    await query("insert into events_nowhere (project_id, event_id, missing) values ($1, $2, 'topic')", [
      projectId,
      id,
    ]);
    await query(
      `insert into consents (id, project_id, provider, group_ref, consumer_ref, provider_metadata, begin_hash, expire_time,
         leave_time) values ($1, $2, 'p', 'g', 'c', '{}', $3, now(), now())`,
      [id, projectId, Buffer.from(id)],
    );
    await query(
      `insert into refused_requests (id, project_id, method, path, status, slug, detail)
       values ($1, $2, 'GET', '/', 400, 'invalid-request', '')`,
      [id, projectId],
    );
    await query(
      `insert into proxy_usage (time, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down)
       values ($1, $2, $2, 'GET', '/', 200, 1, 0, 0)`,
      [longAgo, projectId],
    );
  }

  const insertOperation = (projectId: string, id: string, status: string) =>
    query(
      `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status)
       values ($1, $2, $2, $2, $2, 'write', 'contacts', $3)`,
      [id, projectId, status],
    );

  async function insertDestination(projectId: string): Promise<string> {
    const id = newId();
    await query(
      "insert into destinations (id, project_id, name, type, metadata, secrets_sealed) values ($1, $2, $3, 'log', '{}', 's')",
      [id, projectId, id],
    );
    return id;
  }

  async function insertMessage(
    projectId: string,
    destinationId: string,
    { days, state }: { days: number; state: string },
  ): Promise<void> {
    const id = toIdBound(days);
    await query(
      "insert into events (id, project_id, type, data, destination_id) values ($1, $2, 'read.data', '{}', $3)",
      [id, projectId, destinationId],
    );
    await query(
      "insert into deliveries (destination_id, event_id, state, due_time) values ($1, $2, $3, now())",
      [destinationId, id, state],
    );
  }
});

interface PlanNode {
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

/** Returns the number of rows that the statement read and did not use. */
async function rowsPassed(queries: Queries, statement: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{
    "QUERY PLAN": [{ Plan: PlanNode }];
  }>`explain (analyze, timing off, format json) ${statement}`.execute(queries);
  const sum = ({ Plans = [], ...node }: PlanNode): number =>
    Plans.reduce(
      (total, plan) => total + sum(plan),
      (node["Rows Removed by Filter"] ?? 0) * node["Actual Loops"],
    );
  const [first] = rows;
  if (!first) throw new Error("no plan");
  return sum(first["QUERY PLAN"][0].Plan);
}
