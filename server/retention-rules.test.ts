import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../tests/harness/database.ts";
import { bootstrapIfEmpty } from "./access/bootstrap.ts";
import { listRetentionRules } from "./retention-rules.ts";
import { readConfig } from "../ground/config.ts";
import { nowMs } from "../ground/clock.ts";
import { buildFirstId, newId } from "../ground/ids.ts";
import { createLog } from "../ground/log.ts";
import { sweep } from "./jobs/retention.ts";
import { endOperations, insertOperations } from "./store/operations/operations.ts";

test("ended operations go when they are old, those under way and the young stay", async (t) => {
  const database = await testDatabase(t);
  const made = await bootstrapIfEmpty(database, undefined);
  const longAgo = buildFirstId(nowMs() - 31 * 24 * 60 * 60_000).slice(0, 14);
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
  await sweep(createLog("silent"), listRetentionRules({ database, config: readConfig({}) }), () => false);
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
    const id = buildFirstId(nowMs() - days * 24 * 60 * 60_000).slice(0, 14) + newId().slice(14);
    await database.pool.query(
      `insert into consents (id, project_id, provider, provider_app_id, group_ref, consumer_ref, provider_metadata, begin_hash,
         expire_time, leave_time)
       values ($1, $2, 'p', $3, $4, 'ada', '{}', $5, now(), $6)`,
      [id, projectId, providerAppId, String(index), Buffer.from([index]), leaveTime],
    );
  }
  await sweep(createLog("silent"), listRetentionRules({ database, config: readConfig({}) }), () => false);
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
    const id = buildFirstId(nowMs() - days * 24 * 60 * 60_000).slice(0, 14) + newId().slice(14);
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
  await sweep(createLog("silent"), listRetentionRules({ database, config: readConfig({}) }), () => false);
  const left = await database.pool.query("select type from events order by id");
  assert.deepEqual(
    new Set(left.rows.map(({ type }) => type)),
    new Set(["young", "failed", "waiting", "unrouted", "event"]),
  );
  const { rows } = await database.pool.query("select count(*)::int as count from deliveries");
  assert.equal(rows[0]?.count, 4);
});
