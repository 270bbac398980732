/** The trace of a record: from the customer's account to the receiver, by reading, by subscription, and back by writes. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newId } from "../../../ground/ids.ts";
import { packSeen } from "../../../ground/pack-seen.ts";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { Client } from "pg";
import { connectBoth } from "../../../tests/harness/two-databases.ts";
import type { Answer } from "../../../tests/harness/client.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";
import { bearer, registerJwtKey } from "../../../tests/harness/customer-tokens.ts";
import { accept, openSink } from "../../../tests/harness/deliveries/sink.ts";
import { addPushedApp, signedPush } from "../../../tests/harness/signed-push.ts";
import { until } from "../../../tests/harness/until.ts";

const SECRET = "the-apps-secret";
const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: copy
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: email }, { fieldName: phone }]
          backfill: { defaultPeriod: { fullHistory: true } }
    subscribe:
      objects:
        - objectName: contacts
          destination: copy
          inheritFieldsAndMapping: true
          updateEvent: { enabled: always, requiredWatchFields: [phone] }
          deleteEvent: { enabled: always }
    write:
      objects:
        - objectName: contacts
`;

const SALESFORCE = `
specVersion: 1.0.0
integrations:
  - name: sales
    provider: salesforce
    read:
      objects:
        - objectName: Contact
          destination: copy
          requiredFields: [{ fieldName: Email }]
          backfill: { defaultPeriod: { fullHistory: true } }
    write:
      objects:
        - objectName: Contact
`;

const sink = await openSink();
const busbar = await shareTestBusbar({
  env: {
    BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "1",
    BUSBAR_MINUTE_MS: "200",
    BUSBAR_WEBHOOK_RETRY_SECONDS: "3600",
  },
});
after(() => sink.close());

describe("the trace of a record", () => {
  let customer: Customer;
  before(async () => {
    busbar.sandbox.hubspot.setLimits("off");
    await addPushedApp(busbar, SECRET);
    await addWebhook(busbar, "copy", `${sink.url}/copy`);
    customer = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "globex",
      manifest: MANIFEST,
      integration: "crm",
      content: { read: { objects: { contacts: {} } }, write: { objects: { contacts: {} } } },
    });
    await until(
      async () =>
        (await busbar.inProject("GET", `${installation()}/subscriptions`)).body[0]?.state === "active",
    );
  });

  const installation = (): string => `/integrations/crm/installations/${customer.installationId}`;
  const ask = (recordId: string, object = "contacts", headers?: Record<string, string>): Promise<Answer> =>
    busbar.inProject(
      "GET",
      `${installation()}/records/${object}/${encodeURIComponent(recordId)}`,
      undefined,
      headers,
    );
  const trace = async (recordId: string): Promise<Answer["body"]> => {
    const { status, body, text } = await ask(recordId);
    assert.equal(status, 200, text);
    return body;
  };
  /** Ids of the messages at the receiver that contain the record. */
  const arrived = (recordId: string, action: string): string[] =>
    sink
      .messagesAt("/copy")
      .filter(({ body }) => {
        const message: Answer["body"] = JSON.parse(body);
        return (
          message.action === action &&
          message.result.some(
            (entry: Answer["body"]) => (action === "read" ? entry.raw.id : entry.id) === recordId,
          )
        );
      })
      .map(({ headers }) => headers["webhook-id"] ?? "");

  test("a record of Salesforce is found by both forms of its id", async () => {
    const { installationId } = await connectCustomer(busbar, {
      provider: "salesforce",
      groupRef: "globex",
      manifest: SALESFORCE,
      integration: "sales",
      content: { read: { objects: { Contact: {} } }, write: { objects: { Contact: {} } } },
    });
    const path = `/integrations/sales/installations/${installationId}/records/Contact`;
    const long = await until(async () => {
      const answer = await busbar.inProject("GET", `${path}/003Sb0000000001IAA`);
      return answer.status === 200 && answer;
    });
    const short = await busbar.inProject("GET", `${path}/003Sb0000000001`);
    assert.equal(short.status, 200, short.text);
    assert.equal(short.body.recordId, "003Sb0000000001IAA");
    assert.equal(short.body.seen[0].operationId, long.body.seen[0].operationId);
    for (const id of ["003Sb0000000001", "003Sb0000000001IAA"]) {
      const { results } = (await busbar.inProject("GET", `/find?q=${id}`)).body;
      const [found] = results.filter(({ kind }: { kind: string }) => kind === "record");
      assert.deepEqual(
        [found?.id, found?.in, found?.healthStatus],
        ["003Sb0000000001IAA", installationId, "healthy"],
        id,
      );
    }
    const written = [];
    for (const id of ["003Sb0000000001", "003Sb0000000001IAA"]) {
      const update = { groupRef: "globex", type: "update", record: { id, Title: id } };
      const answer = await busbar.call(
        "POST",
        `/write/v1/projects/default/integrations/sales/objects/Contact`,
        update,
      );
      written.unshift(answer.body.operationId);
    }
    for (const id of ["003Sb0000000001", "003Sb0000000001IAA"]) {
      const { body } = await busbar.inProject("GET", `${path}/${id}`);
      assert.deepEqual(
        body.writes.map(({ operationId }: { operationId: string }) => operationId),
        written,
      );
      const { results } = (await busbar.inProject("GET", `/find?q=${id}`)).body;
      assert.deepEqual(
        results.flatMap((found: { kind: string; id: string }) =>
          found.kind === "operation" ? [found.id] : [],
        ),
        written,
      );
    }
  });

  test("a record that was read is in the message that the receiver got, with the provider's change time", async () => {
    await until(async () => (await ask("501")).body.seen?.at(-1)?.outcome === "delivered");
    const { seen, messages, writes, ...rest } = await trace("501");
    assert.deepEqual(rest, {
      installationId: customer.installationId,
      object: "contacts",
      recordId: "501",
      obstacles: [],
    });
    const first = seen.at(-1);
    assert.deepEqual(
      [first.by, first.outcome, first.messageId],
      ["read", "delivered", arrived("501", "read")[0]],
    );
    const records = sink.messagesAt("/copy").flatMap(({ body }): Answer["body"][] => JSON.parse(body).result);
    assert.equal(first.changeTime, records.find(({ raw }) => raw?.id === "501").raw.updatedAt);
    const { body: operation } = await busbar.inProject("GET", `/operations/${first.operationId}`);
    assert.equal(operation.metadata.read.readType, "backfill");
    // A message is no delivery: the counts of a read do not use that word.
    assert.ok(operation.metadata.read.inMessages > 0);
    assert.equal(operation.metadata.read.delivered, undefined);
    const message = messages.find((one: Answer["body"]) => one.messageId === first.messageId);
    assert.deepEqual([message.destination, message.status], ["copy", "delivered"]);
    assert.deepEqual(
      message.attempts.map(({ status }: Answer["body"]) => status),
      [200],
    );
    assert.deepEqual(writes, []);
    assert.deepEqual((await ask("501", "person")).body.seen.at(-1), first);
  });

  test("a record that a read leaves out says why", async () => {
    busbar.sandbox.hubspot.account.put("contacts", { id: "502", values: { phone: "+1 7" }, stamp: true });
    // The next runs look back over it.
    await until(async () =>
      (await trace("502")).seen.some(({ outcome }: Answer["body"]) => outcome === "repeated"),
    );
    const repeated = (await trace("502")).seen.find(({ outcome }: Answer["body"]) => outcome === "repeated");
    assert.equal(repeated.by, "read");
    assert.match(repeated.reason, /same state .* in a message already/);
    assert.equal(repeated.messageId, undefined);
  });

  test("a deletion that is found again says that its message is there already", async () => {
    const client = await connectBoth(busbar);
    await client.query(
      `insert into seen_records (id, installation_id, object_name, operation_id, is_message, entries)
       values ($1, $2, 'contacts', gen_random_uuid(), false, $3)`,
      [
        newId(),
        customer.installationId,
        packSeen([{ id: "505", changeTime: new Date(), leftOut: "unchanged", deleted: true }]),
      ],
    );
    await client.end();
    const [{ outcome, reason, messageId }] = (await trace("505")).seen;
    assert.deepEqual([outcome, messageId], ["repeated", undefined]);
    assert.equal(reason, "the deletion of the record is in a message already");
  });

  test("a change that is not delivered says which rule, and what a receiver refuses shows its answers", async () => {
    sink.answer = (_received, response) => void response.writeHead(503).end("no");
    await push([
      { subscriptionType: "contact.deletion", objectId: 90_001 },
      { subscriptionType: "contact.propertyChange", propertyName: "city", objectId: 90_002 },
    ]);
    await until(async () => (await ask("90001")).body.seen?.[0]?.outcome === "refused");
    const { seen, messages } = await trace("90001");
    assert.deepEqual(
      seen.map(({ by }: Answer["body"]) => by),
      ["subscribe"],
    );
    assert.equal(seen[0].reason, "the record was deleted at the provider");
    assert.equal(seen[0].messageId, messages[0].messageId);
    assert.equal(messages[0].status, "waiting");
    assert.equal(messages[0].attempts[0].status, 503);
    const other = (await trace("90002")).seen[0];
    assert.equal(other.outcome, "filtered");
    assert.match(other.reason, /changed city; watched phone/);
    sink.answer = accept;
  });

  test("a record that was read and reported has both, and the writes to it", async () => {
    const { result } = await customer.succeed("contacts", {
      type: "update",
      record: { id: "503", phone: "+1 9" },
    });
    assert.equal(result.recordId, "503");
    await push([{ subscriptionType: "contact.propertyChange", propertyName: "phone", objectId: 503 }]);
    await until(async () => {
      const { seen } = await trace("503");
      return new Set(seen.map(({ by }: Answer["body"]) => by)).size === 2;
    });
    const [write] = (await trace("503")).writes;
    assert.deepEqual([write.type, write.status], ["update", "success"]);
    const { body: operation } = await busbar.inProject("GET", `/operations/${write.operationId}`);
    assert.deepEqual(operation.metadata.successfulRecordIds, ["503"]);
    assert.equal(write.time, operation.createTime);
  });

  test("what is unknown is a 404 that says what: installation, object with the nearest name, record", async () => {
    assert.match((await ask("501", "contact")).body.detail, /no object `contact`.*Did you mean "contacts"/);
    assert.match((await ask("999999")).body.detail, /neither read, reported nor written/);
    assert.match((await ask("50")).body.detail, /`50`/);
    for (const answer of [
      await ask("501", "contact"),
      await ask("999999"),
      await ask("501".padEnd(400, "0")),
    ])
      assert.equal(answer.status, 404);
    const path = "/integrations/crm/installations/00000000-0000-7000-8000-000000000000/records/contacts/501";
    assert.equal((await busbar.inProject("GET", path)).status, 404);
  });

  test("a customer's token traces records of its own group only, and a key without the scope none", async () => {
    const signer = await registerJwtKey(busbar);
    const own = bearer(await signer.sign({ groupRef: "globex" }));
    const other = bearer(await signer.sign({ groupRef: "umbrella" }));
    assert.equal((await ask("501", "contacts", own)).status, 200);
    const refused = await ask("501", "contacts", other);
    assert.ok([403, 404].includes(refused.status), refused.text);
    assert.ok(!refused.text.includes("delivered"));
  });

  test("a search for the id of a record leads to it, also when it was only read", async () => {
    const { id: integrationId } = (await busbar.inProject("GET", "/integrations/crm")).body;
    const installation = `/integrations/crm/installations/${customer.installationId}`;
    // What the tests before have broken may heal between two requests.
    const { found, healthStatus } = await until(async () => {
      const { body } = await busbar.inProject("GET", "/find?q=504");
      const found = body.results.filter(({ kind }: Answer["body"]) => kind === "record");
      const { healthStatus } = (await busbar.inProject("GET", installation)).body;
      return found[0]?.healthStatus === healthStatus && { found, healthStatus };
    });
    assert.deepEqual(found, [
      {
        kind: "record",
        id: "504",
        name: "contacts of globex",
        in: customer.installationId,
        object: "contacts",
        integration: integrationId,
        healthStatus,
      },
    ]);
    const none = await busbar.inProject("GET", "/find?q=50499");
    assert.deepEqual(none.body.results, []);
  });

  test("a record costs at most 60 bytes, and its trace goes with the installation", async () => {
    const client = new Client({ connectionString: busbar.dataUrl ?? busbar.connectionString });
    await client.connect();
    const before = await client.query("select pg_total_relation_size('seen_records')::integer as bytes");
    const [pages, records] = [500, 100];
    await client.query(
      `insert into seen_records (id, installation_id, object_name, operation_id, is_message, entries)
       select gen_random_uuid(), $1, 'contacts', gen_random_uuid(), true, decode(repeat(md5(n::text), $2), 'hex')
       from generate_series(1, $3) as n`,
      [customer.installationId, records, pages],
    );
    const after = await client.query("select pg_total_relation_size('seen_records')::integer as bytes");
    const bytesEach = (after.rows[0].bytes - before.rows[0].bytes) / (pages * records);
    assert.ok(bytesEach <= 60, `${bytesEach} bytes`);
    assert.equal((await busbar.inProject("DELETE", installation())).status, 204);
    assert.equal((await ask("501")).status, 404);
    const left = await client.query(
      "select count(*)::integer as count from seen_records where installation_id = $1",
      [customer.installationId],
    );
    assert.equal(left.rows[0].count, 0);
    await client.end();
  });

  async function push(events: object[]): Promise<void> {
    const about = { subscriptionId: 2, portalId: 4_100_410, occurredAt: Date.now(), attemptNumber: 0 };
    const body = JSON.stringify(events.map((event, index) => ({ eventId: index, ...about, ...event })));
    const path = "/subscribe/v1/projects/default/integrations/crm";
    const signed = signedPush(new URL(busbar.server.urls.base).origin + path, body, SECRET);
    const { status, text } = await busbar.call("POST", path, signed.body, signed.headers);
    assert.equal(status, 200, text);
  }
});
