/** Requests at the addresses for pushes, and the endpoints of subscriptions. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { Client } from "pg";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { runCli } from "../../../tests/harness/command-line.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";
import { signedPush } from "../../../tests/harness/signed-push.ts";
import { until } from "../../../tests/harness/until.ts";

const SECRET = "the-apps-secret";
/** A free port: the public address must lead to the test's own server. Below those that the system gives away itself. */
const PORT = 20_000 + (process.pid % 12_000);
const PUBLIC_URL = `http://localhost:${PORT}`;
const PORTAL = 4100410;
const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: changes
          requiredFields: [{ fieldName: email }]
    subscribe:
      objects:
        - objectName: contacts
          destination: changes
          inheritFieldsAndMapping: true
          deleteEvent: { enabled: always }
`;

const busbar = await shareTestBusbar({ env: { BUSBAR_PUBLIC_URL: PUBLIC_URL, BUSBAR_PORT: String(PORT) } });

describe("pushes", () => {
  let customer: Customer;
  before(async () => {
    await busbar.inProject("POST", "/provider-apps", {
      provider: "hubspot",
      clientId: "app",
      clientSecret: SECRET,
      scopes: ["oauth"],
      metadata: { providerParams: { subscribeSource: "webhook" } },
    });
    customer = await connectCustomer(busbar, { provider: "hubspot", manifest, integration: "crm" });
    await until(async () => (await subscription()).reason !== undefined);
  });

  const installation = (): string => `/integrations/crm/installations/${customer.installationId}`;
  const subscription = async () => (await busbar.inProject("GET", `${installation()}/subscriptions`)).body[0];
  const at = (place: string): string => `/subscribe/v1/projects/default/${place}`;
  let nextId = 1000;
  const deletion = (more: object = {}): object => ({
    eventId: 1,
    subscriptionId: 2,
    portalId: PORTAL,
    occurredAt: Date.now(),
    subscriptionType: "contact.deletion",
    attemptNumber: 0,
    objectId: nextId++,
    ...more,
  });
  interface Pushed {
    place?: string;
    secret?: string;
    signedUrl?: string;
    timeMs?: number;
    headers?: Record<string, string>;
  }
  async function push(body: string, options: Pushed = {}): Promise<number> {
    const { place = "integrations/crm", secret = SECRET, timeMs, headers } = options;
    const path = at(place);
    const signed = signedPush(options.signedUrl ?? `${PUBLIC_URL}${path}`, body, secret, timeMs);
    const answer = await busbar.call("POST", path, body, { ...signed.headers, ...headers });
    if (answer.status !== 200) assert.ok(!answer.text.includes(secret), "a refusal shows the secret");
    else assert.equal(answer.text, "");
    return answer.status;
  }
  const received = async (): Promise<number> => (await subscription()).counts.received;
  /** Waits until so many events of pushes were counted: an accepted push is taken apart behind its answer. */
  const untilReceived = (count: number): Promise<boolean> => until(async () => (await received()) === count);

  test("a subscription without a destination waits for it, and says so", async () => {
    const { state, reason } = await subscription();
    assert.equal(state, "degraded");
    assert.match(reason, /`changes` does not exist/);
  });

  test("events are stored at all three addresses, with ids or names and any query", async () => {
    const before = await received();
    const places = [
      "integrations/crm",
      `integrations/crm/installations/${customer.installationId}`,
      "providers/hubspot",
    ];
    for (const place of places) assert.equal(await push(JSON.stringify([deletion()]), { place }), 200, place);
    // Escapes that HubSpot decodes before it signs.
    const signedUrl = `${PUBLIC_URL}${at("integrations/crm")}?x=: a,b%26`.replace(" ", "%20");
    const place = "integrations/crm?x=%3A%20a%2Cb%26";
    assert.equal(await push(JSON.stringify([deletion()]), { place, signedUrl }), 200);
    await untilReceived(before + places.length + 1);
  });

  test("the signature covers the public address, not the one that the request came to", async () => {
    const local = `http://127.0.0.1:${PORT}${at("integrations/crm")}`;
    assert.equal(await push("[]", { signedUrl: local }), 401);
    assert.equal(
      await push("[]", { headers: { "x-forwarded-host": "other.example", "x-forwarded-proto": "http" } }),
      200,
    );
  });

  test("unsigned, wrong and old signatures are refused, and unknown addresses like them", async () => {
    for (const body of ["[]", "{", "", "x".repeat(1000)]) {
      assert.equal((await busbar.call("POST", at("integrations/crm"), body)).status, 401);
    }
    assert.equal(await push("[]", { secret: "another" }), 401);
    assert.equal(await push("[]", { timeMs: Date.now() - 301_000 }), 401);
    // Not just above five minutes: on a busy machine the request may arrive seconds later.
    assert.equal(await push("[]", { timeMs: Date.now() + 600_000 }), 401);
    for (const place of ["integrations/unknown", "providers/unknown", "providers/salesforce"]) {
      assert.equal(await push("[]", { place }), 401, place);
    }
    const missing = "integrations/crm/installations/00000000-0000-7000-8000-000000000000";
    assert.equal(await push("[]", { place: missing }), 401);
  });

  test("size comes before the signature; media type and form come after it, and nothing is stored", async () => {
    const before = await received();
    const large = JSON.stringify([deletion({ note: "x".repeat(1_048_576) })]);
    assert.equal((await busbar.call("POST", at("integrations/crm"), large)).status, 413);
    assert.equal(
      await push(JSON.stringify([deletion()]), { headers: { "content-type": "text/plain" } }),
      415,
    );
    for (const body of ["{}", "[1]", "[", '"x"', "null", `[${JSON.stringify(deletion())}, 1]`]) {
      assert.equal(await push(body), 400, body);
    }
    assert.equal(await received(), before);
    assert.equal(await push("[]", { headers: { "content-type": "application/json; charset=utf-8" } }), 200);
  });

  test("more than a hundred events are taken; those without account, type or id are dropped alone", async () => {
    const before = await received();
    const many = Array.from({ length: 150 }, () => deletion());
    const broken = [{}, deletion({ portalId: undefined }), deletion({ objectId: "x" })];
    const unknown = [deletion({ portalId: 7 }), deletion({ subscriptionType: "deal.deletion" })];
    assert.equal(await push(JSON.stringify([...many, ...broken, ...unknown])), 200);
    await untilReceived(before + 150);
  });

  test("many wrong signatures change nothing", async () => {
    const before = await received();
    const one = async () => {
      for (let count = 0; count < 40; count++) {
        const place = count % 2 === 0 ? "integrations/crm" : `integrations/guess${count}`;
        assert.equal(await push('[{"objectId":1}]', { place, secret: "wrong" }), 401);
      }
    };
    await Promise.all(Array.from({ length: 20 }, one));
    assert.equal(await push(JSON.stringify([deletion()])), 200);
    await untilReceived(before + 1);
  });

  test("pushes of which none has the right signature are told in the setup and by doctor, until one has", async () => {
    const setup = async () =>
      (await busbar.inProject("GET", "/integrations/crm/subscribe-setup")).body.refusedPushes;
    const doctor = async () => {
      const env = { BUSBAR_URL: PUBLIC_URL, BUSBAR_API_KEY: busbar.apiKey, BUSBAR_PROJECT: "default" };
      return (await runCli(["doctor"], { env })).stdout;
    };
    // Noted behind the answer, as is an accepted push of a test before.
    const { since, detail } = await until(async () => {
      await push("[]", { secret: "wrong" });
      return setup();
    });
    assert.match(detail, /match no client secret of the project's provider apps for hubspot/);
    assert.match(await doctor(), /✗ pushes of hubspot: .*BUSBAR_PUBLIC_URL.*\(since 20/);
    await push("[]", { secret: "wrong" });
    assert.equal((await setup()).since, since);
    assert.equal(await push("[]"), 200);
    await until(async () => (await setup()) === undefined);
    assert.doesNotMatch(await doctor(), /pushes of/);
  });

  test("while too many pushes wait, others are refused for a while, and taken afterwards", async () => {
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    await client.query(
      `insert into received_pushes (project_id, provider, size_bytes, body, attempts, retry_time)
       select $1, 'hubspot', 2, '[]', 1, now() + interval '1 day' from generate_series(1, 50000)`,
      [busbar.projectId],
    );
    const body = JSON.stringify([deletion()]);
    await until(async () => (await push(body)) === 503);
    const { headers } = signedPush(`${PUBLIC_URL}${at("integrations/crm")}`, body, SECRET);
    const refused = await fetch(`${PUBLIC_URL}${at("integrations/crm")}`, { method: "POST", body, headers });
    assert.equal(refused.headers.get("retry-after"), "5");
    await client.query("delete from received_pushes where attempts = 1");
    await client.end();
    await until(async () => (await push(body)) === 200);
  });

  test("lists of events are filtered and paged", async () => {
    const path = `${installation()}/subscription-events`;
    const first = (await busbar.inProject("GET", `${path}?pageSize=2&objectName=contacts&outcome=queued`))
      .body;
    assert.equal(first.results.length, 2);
    assert.equal(first.results[0].outcome, "queued");
    const token = first.pagination.nextPageToken;
    const second = (await busbar.inProject("GET", `${path}?pageSize=2&pageToken=${token}`)).body;
    assert.ok(second.results[0].id < first.results[1].id);
    assert.deepEqual((await busbar.inProject("GET", `${path}?recordId=none`)).body.results, []);
    for (const outcome of ["delivered", "received", "given_up"])
      assert.deepEqual(
        (await busbar.inProject("GET", `${path}?outcome=${outcome}`)).body.results,
        [],
        outcome,
      );
    assert.equal((await busbar.inProject("GET", `${path}?outcome=coalesced`)).status, 400);
  });

  test("waiting events become messages when the destination comes, and none is called delivered while its receiver cannot be reached", async () => {
    await addWebhook(busbar, "changes", "http://127.0.0.1:9/none");
    await until(async () => {
      const { state, counts } = await subscription();
      assert.equal(counts.delivered, 0);
      const { results } = (
        await busbar.inProject("GET", `${installation()}/subscription-events?pageSize=200`)
      ).body;
      return (
        state === "active" && results.every((event: { outcome: string }) => event.outcome === "in_message")
      );
    });
  });
});
