/** The receiver of the guide (docs/guide/examples/receive-records.mjs): its copy ends equal to the customer's account. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { until } from "../harness/until.ts";

const RECEIVER = join(import.meta.dirname, "../../docs/guide/examples/receive-records.mjs");
const OBJECTS = [
  { provider: "hubspot", object: "contacts", field: "lastname" },
  { provider: "salesforce", object: "Contact", field: "LastName" },
] as const;

const manifest = `
specVersion: 1.0.0
integrations:${OBJECTS.map(
  ({ provider, object, field }) => `
  - name: ${provider}
    provider: ${provider}
    read:
      objects:
        - objectName: ${object}
          destination: copy
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: ${field}, mapToName: familyName }]
          backfill: { defaultPeriod: { fullHistory: true } }
          deletedRecords: always
    subscribe:
      objects:
        - objectName: ${object}
          destination: copy
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
          updateEvent: { enabled: always, watchFieldsAuto: all }
          deleteEvent: { enabled: always }`,
).join("")}
`;

describe("the receiver of the guide", () => {
  let busbar: TestBusbar;
  let folder = "";
  let receiver: { child: ChildProcess; port: number };
  let signingKey = "whsec_unknown";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "busbar-receiver-"));
    // Ten minutes are 200 ms here; HubSpot's deletions, which are looked up hourly, come after 1.2 s. Deliveries are
    // attempted until the receiver has started again, however slow the machine is.
    busbar = await openTestBusbar({
      env: {
        BUSBAR_MINUTE_MS: "20",
        BUSBAR_RETRY_BASE_SECONDS: "0.05",
        BUSBAR_WEBHOOK_RETRY_SECONDS: `0.1,0.1,0.1,0.5${",1".repeat(60)}`,
      },
    });
    for (const { provider } of OBJECTS) busbar.sandbox[provider].setLimits("off");
  });
  after(async () => {
    receiver?.child.kill("SIGKILL");
    await busbar?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function kill(): Promise<void> {
    const exited = once(receiver.child, "exit");
    receiver.child.kill("SIGKILL");
    await exited;
  }

  async function start(port = 0): Promise<typeof receiver> {
    const { PATH } = process.env;
    const env = { PATH, DATABASE: join(folder, "records.db"), PORT: String(port), SIGNING_KEY: signingKey };
    const child = spawn(process.execPath, [RECEIVER], { env, stdio: ["ignore", "pipe", "ignore"] });
    const [line] = await once(child.stdout, "data");
    return { child, port: Number(/\d+/.exec(String(line))?.[0]) };
  }

  /** Returns `id name` of every record in the copy. */
  function copied(object: string): string[] {
    const database = new DatabaseSync(join(folder, "records.db"), { readOnly: true, timeout: 60_000 });
    const rows = database
      .prepare(
        `SELECT id || ' ' || ifnull(record ->> '$.mappedFields.familyName', '') AS text FROM records
         WHERE object = ? AND record IS NOT NULL ORDER BY 1`,
      )
      .all(object);
    database.close();
    return rows.map(({ text }) => String(text));
  }

  const inAccount = ({ provider, object, field }: (typeof OBJECTS)[number]): string[] =>
    [...busbar.sandbox[provider].account.dump(object, false)]
      .map((record) => {
        const values = record["values"] as Record<string, unknown>;
        return `${String(record["id"])} ${String(values[field] ?? "")}`;
      })
      .toSorted();

  const untilEqual = (): Promise<unknown> =>
    until(() => OBJECTS.every((one) => copied(one.object).join() === inAccount(one).join()));

  test("starts with every record, follows changes and deletions, and misses nothing while it is away", async () => {
    receiver = await start();
    await addWebhook(busbar, "copy", `http://127.0.0.1:${receiver.port}/`);
    const { body } = await busbar.inProject("GET", "/destinations/copy?includeSecrets=true");
    signingKey = body.secrets.webhookSigningKey;
    await kill();
    receiver = await start(receiver.port);
    for (const { provider, object } of OBJECTS) {
      const yesterday = Date.now() - 86_400_000;
      const spec = { count: 300, changedFrom: yesterday, changedTo: yesterday, values: {} };
      busbar.sandbox[provider].account.generate(object, spec);
      await connectCustomer(busbar, {
        provider,
        manifest,
        integration: provider,
        content: buildConfig(object),
      });
    }
    await untilEqual();
    const changed = OBJECTS.map(({ provider, object, field }) => {
      const { account } = busbar.sandbox[provider];
      const [first, second] = [...account.dump(object, false)].map(({ id }) => String(id));
      account.put(object, { id: first, values: { [field]: "Changed" }, stamp: true });
      account.put(object, { values: { [field]: "Created" }, stamp: true });
      account.archive(object, String(second));
      return String(first);
    });
    await kill();
    for (const [index, { provider, object, field }] of OBJECTS.entries())
      busbar.sandbox[provider].account.put(object, {
        id: changed[index],
        values: { [field]: "Later" },
        stamp: true,
      });
    receiver = await start(receiver.port);
    await untilEqual();
    assert.ok(OBJECTS.every(({ object }) => copied(object).some((text) => text.endsWith(" Later"))));
  });

  test("ends equal whatever the order in which messages of reading and of subscribing come, each of them twice", async () => {
    const subscription = async (provider: string) => {
      const path = `/integrations/${provider}/installations`;
      const [{ id }] = (await busbar.inProject("GET", path)).body;
      return (await busbar.inProject("GET", `${path}/${id}/subscriptions`)).body[0];
    };
    for (const { provider, object, field } of OBJECTS) {
      await until(async () => (await subscription(provider))?.state === "active");
      const { account } = busbar.sandbox[provider];
      const [first, second] = [...account.dump(object, false)].map(({ id }) => String(id));
      for (const value of ["Once", "Twice", "Thrice"])
        account.put(object, { id: first, values: { [field]: value }, stamp: true });
      account.archive(object, String(second));
    }
    // Salesforce's stream tells them before or after the next scheduled read; HubSpot's changes are found by reading.
    await until(async () => (await subscription("salesforce")).counts.delivered > 0);
    await untilEqual();
    const wanted = OBJECTS.map(({ object }) => copied(object).join());
    const messages: string[] = [];
    const kinds = new Set<string>();
    let pageToken = "";
    do {
      const path = `/destinations/copy/deliveries?pageSize=200${pageToken && `&pageToken=${pageToken}`}`;
      const { results, pagination } = (await busbar.inProject("GET", path)).body;
      for (const { id, kind } of results) {
        const event = await busbar.inProject("GET", `/events/${id}`);
        assert.equal(event.status, 200, event.text);
        assert.ok(event.body.data, event.text.slice(0, 500));
        messages.push(JSON.stringify(event.body.data));
        kinds.add(kind);
      }
      pageToken = pagination?.nextPageToken ?? "";
    } while (pageToken !== "");
    assert.deepEqual([...kinds].toSorted(), ["read", "subscribe"]);
    await kill();
    await rm(join(folder, "records.db"));
    receiver = await start(receiver.port);
    // The newest first, then the oldest first: all that came in between is older than something that is there.
    for (const [index, payload] of [...messages, ...messages.toReversed()].entries()) {
      const [id, time] = [`msg_${index}`, new Date()];
      const answer = await fetch(`http://127.0.0.1:${receiver.port}/`, {
        method: "POST",
        body: payload,
        headers: {
          "webhook-id": id,
          "webhook-timestamp": String(Math.floor(time.getTime() / 1_000)),
          "webhook-signature": new Webhook(signingKey).sign(id, time, payload),
        },
      });
      assert.equal(answer.status, 204, await answer.text());
    }
    assert.deepEqual(
      OBJECTS.map(({ object }) => copied(object).join()),
      wanted,
    );
  });

  test("refuses a message that was signed long ago", async () => {
    const [id, time, body] = ["msg_old", new Date(Date.now() - 3_600_000), "{}"] as const;
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(time.getTime() / 1_000)),
      "webhook-signature": new Webhook(signingKey).sign(id, time, body),
    };
    const answer = await fetch(`http://127.0.0.1:${receiver.port}/`, { method: "POST", body, headers });
    assert.equal(answer.status, 401);
  });

  test("refuses a message that is not signed", async () => {
    const body = JSON.stringify({ action: "read", result: [{ id: "1", deleted: true }] });
    const answer = await fetch(`http://127.0.0.1:${receiver.port}/`, { method: "POST", body });
    assert.equal(answer.status, 401);
  });
});

const buildConfig = (object: string): object => ({
  read: { objects: { [object]: { objectName: object, selectedFields: {}, selectedFieldMappings: {} } } },
});
