/** Held messages: delivered on request, in order, as many as were asked for; dropped with a warning after their time. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { openDelivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { until } from "../../../tests/harness/until.ts";
import { listRetentionRules } from "../../retention-rules.ts";
import { readConfig } from "../../../ground/config.ts";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { sweep } from "../../jobs/retention.ts";
import { countHeld, deliverHeld, releaseHeld } from "../../store/deliveries/held-messages.ts";
import { insertOperations } from "../../store/operations/operations.ts";
import { commitReadPages } from "../../store/reads/read-pages.ts";
import { sql } from "kysely";

/** Id of a worker. */
const WORKER = 7;

const all = await openDelivering();
after(() => all.close());

const destination: { id: string; name: string } = await drawRoute(all.busbar, `${all.sink.url}/held`, []);
const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: companies
          mapToName: firm
          destination: ${destination.name}
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: name }]
          delivery: { mode: onRequest, pageSize: 50 }
        - objectName: contacts
          destination: ${destination.name}
          requiredFields: [{ fieldName: email }]
`;
const customer = { provider: "hubspot", manifest, integration: "crm", groupRef: "acme" } as const;
const { installationId } = await connectCustomer(all.busbar, customer);

describe("messages that are delivered on request", () => {
  let counter = 0;
  const message = () => ({
    id: newId(),
    projectId: all.busbar.projectId,
    type: "read",
    data: JSON.stringify({ action: "read", page: (counter += 1) }),
    destinationId: destination.id,
  });
  const messages = (count: number) => Array.from({ length: count }, message);
  const object = () => ({ installationId, objectName: "companies" });
  /** Commits a page of a run as its worker does, without releasing it; `worker` is the one that commits. */
  const holdPage = (held: ReturnType<typeof messages>, { operationId = newId(), worker = WORKER } = {}) =>
    all.database.queries.transaction().execute(async (transaction) => {
      const projectId = all.busbar.projectId;
      const operation = {
        id: operationId,
        projectId,
        integrationId: newId(),
        installationId,
        configId: newId(),
        claimedBy: WORKER,
      };
      await insertOperations(transaction, [{ ...operation, actionType: "read", objectName: "companies" }]);
      await sql`
        insert into read_runs (operation_id, project_id, installation_id, object_name, kind, claimed_by)
        values (${operationId}, ${projectId}, ${installationId}, 'companies', 'triggered', ${WORKER})
      `.execute(transaction);
      const stored = await commitReadPages(transaction, [
        {
          operationId,
          workerId: worker,
          untilTime: null,
          stage: "records",
          checkpoint: null,
          metadata: {},
          log: [],
          messages: held.map((one) => ({ ...one, held: true })),
          seen: [],
          fingerprints: [],
          forgotten: [],
          release: false,
          end: { status: "success", result: "" },
        },
      ]);
      // What the worker did not end is no work for the server of the test.
      if (stored.size === 0) await sql`delete from operations where id = ${operationId}`.execute(transaction);
      return stored;
    });
  const hold = async (held: ReturnType<typeof messages>, operationId?: string) => {
    await holdPage(held, operationId === undefined ? {} : { operationId });
    await releaseHeld(all.database.queries, object());
  };
  const request = (pages: number, objectName = "firm", groupRef = "acme") =>
    all.busbar.call(
      "POST",
      `/read/v1/projects/default/integrations/crm/objects/${objectName}:deliverResults`,
      {
        groupRef,
        pages,
      },
    );
  const held = () => countHeld(all.database.queries, object(), 1_000);
  /** Each page once: a message whose answer was late is sent again. */
  const pagesReceived = () => [
    ...new Set(all.sink.at("/held").map(({ message }) => (message as unknown as { page: number }).page)),
  ];

  test("held messages wait until they are requested; the oldest go first, the rest as they are read", async () => {
    await hold(messages(5));
    assert.equal(await held(), 5);
    assert.equal((await request(0)).status, 204);
    assert.equal(await held(), 5);
    assert.equal((await request(2)).status, 204);
    await until(() => pagesReceived().length === 2);
    assert.deepEqual(pagesReceived().toSorted(), [1, 2]);
    assert.equal((await request(4, "companies")).status, 204);
    await until(() => pagesReceived().length === 5);
    assert.equal(await held(), 0);
    // One page is left of the last request.
    await hold(messages(2));
    await until(() => pagesReceived().length === 6);
    assert.equal(await held(), 1);
    assert.deepEqual(pagesReceived().toSorted(), [1, 2, 3, 4, 5, 6]);
    assert.equal((await request(1)).status, 204);
    await until(() => pagesReceived().length === 7);
  });

  test("requests and messages at the same time: exactly as many are delivered as were asked for", async () => {
    const { queries } = all.database;
    const before = pagesReceived().length;
    await Promise.all([
      ...Array.from({ length: 10 }, () => deliverHeld(queries, object(), 2)),
      ...Array.from({ length: 10 }, () => hold(messages(3))),
    ]);
    assert.equal(await held(), 10);
    await until(() => pagesReceived().length === before + 20);
    await request(10);
    await until(() => pagesReceived().length === before + 30);
  });

  test("messages that were committed without a release are released by the sweep", async () => {
    const { queries } = all.database;
    const before = pagesReceived().length;
    await deliverHeld(queries, object(), 1);
    await holdPage(messages(1));
    assert.equal(await held(), 1);
    const rules = listRetentionRules({ database: all.database, config: readConfig({}) });
    await sweep(createLog("silent"), rules, () => false);
    await until(() => pagesReceived().length === before + 1);
  });

  test("a page of a run that another worker has by now holds nothing", async () => {
    const stored = await holdPage(messages(1), { worker: WORKER + 1 });
    assert.deepEqual([...stored], []);
    assert.equal(await held(), 0);
  });

  test("messages that nobody requests in time are dropped, and the operation's log warns", async () => {
    const { busbar, database } = all;
    const { queries } = database;
    const operationId = newId();
    await hold(messages(2), operationId);
    await sql`update held_messages set create_time = now() - interval '31 days'`.execute(queries);
    await hold(messages(1));
    const rules = listRetentionRules({ database, config: readConfig({}) });
    await sweep(createLog("silent"), rules, () => false);
    await until(async () => (await held()) === 1);
    const logs = await busbar.inProject("GET", `/operations/${operationId}/logs`);
    const { severity, message: text } = logs.body[0];
    assert.equal(severity, "WARNING", logs.text);
    assert.match(JSON.stringify(text), /2 held messages were dropped/);
    const withoutDelivery = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from events where destination_id is not null
          and not exists (select from deliveries where event_id = events.id)
      `.execute(queries);
      return rows[0]?.count;
    };
    await until(async () => (await withoutDelivery()) === 1);
  });

  test("an object without onRequest, an unknown object and an unknown group are refused", async () => {
    for (const [objectName, says] of [
      ["contacts", /delivered as they are read/],
      ["deals", /does not read `deals`/],
    ] as const) {
      const refused = await request(1, objectName);
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.body.detail, says);
      assert.equal(refused.body.issues[0].name, "objectName");
    }
    assert.equal((await request(1, "firm", "stranger")).status, 404);
    for (const pages of [-1, 1.5, 1e12]) assert.equal((await request(pages)).status, 400);
  });
});
