/** Token refresh by processes that share nothing but the database, also when one of them is killed on the way. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { Client } from "pg";
import type { ChildBusbar } from "../harness/child-busbar.ts";
import { callChild, openProcessGroup, type ProcessGroup } from "../harness/process-group.ts";
import { until } from "../harness/until.ts";

/** Salesforce rotates refresh tokens and names no end of access tokens; HubSpot does neither. */
const CRMS = {
  salesforce: { object: "Contact", field: "LastName", path: "/services/data/v60.0/limits" },
  hubspot: { object: "contacts", field: "lastname", path: "/crm/v3/objects/contacts?limit=1" },
} as const;
type Crm = keyof typeof CRMS;

const MANIFEST = `specVersion: 1.0.0\nintegrations:${(Object.keys(CRMS) as Crm[])
  .map(
    (crm) => `
  - name: ${crm}
    provider: ${crm}
    write: { objects: [{ objectName: ${CRMS[crm].object} }] }
    proxy: { enabled: true }`,
  )
  .join("")}\n`;

describe("token refresh by several processes", () => {
  let on: ProcessGroup;
  let [first, second]: (ChildBusbar | undefined)[] = [];
  let sql: Client;
  after(async () => {
    await sql.end();
    await on.stop();
  });
  afterEach(() => on.sandbox.clearFaults());
  before(async () => {
    on = await openProcessGroup();
    on.sandbox.hubspot.setLimits("off");
    [first, second] = await Promise.all([on.start(), on.start()]);
    sql = new Client({ connectionString: on.connectionString });
    await sql.connect();
    const P = "/v1/projects/default";
    const deployed = await callChild(first, "PUT", `${P}/integrations:batch`, { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
    for (const provider of Object.keys(CRMS)) {
      await callChild(first, "POST", `${P}/provider-apps`, { provider, clientId: "c", clientSecret: "s" });
    }
  });

  /** A connected and installed customer whose access token has just ended. */
  async function expiredCustomer(crm: Crm, groupRef: string): Promise<string> {
    const { accessToken, refreshToken, expiresAt } = on.sandbox[crm].mintToken({
      expiresInSeconds: 1,
      clientId: "c",
    });
    const P = "/v1/projects/default";
    const made = await callChild(running(second), "POST", `${P}/connections:generate`, {
      provider: crm,
      groupRef,
      consumerRef: "ada",
      providerWorkspaceRef: "acme",
      oauth2AuthorizationCode: {
        accessToken: { token: accessToken, ...(crm === "hubspot" && { expiresAt }) },
        refreshToken: { token: refreshToken },
      },
    });
    assert.equal(made.status, 201, made.text);
    const config = { content: { provider: crm, proxy: { enabled: true } } };
    const path = `${P}/integrations/${crm}/installations`;
    const installed = await callChild(running(second), "POST", path, { groupRef, config });
    assert.equal(installed.status, 201, installed.text);
    on.sandbox[crm].expireTokens();
    on.sandbox.clearRequests();
    return made.body.id;
  }

  async function proxied(child: ChildBusbar, crm: Crm, groupRef: string): Promise<number> {
    const response = await fetch(`${child.file.urls.proxy}${CRMS[crm].path}`, {
      headers: {
        "x-api-key": child.file.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": child.file.projectId,
        "x-amp-integration-name": crm,
        "x-amp-group-ref": groupRef,
      },
    });
    await response.arrayBuffer();
    return response.status;
  }
  async function written(child: ChildBusbar, crm: Crm, groupRef: string, name: string): Promise<number> {
    const { object, field } = CRMS[crm];
    const path = `/write/v1/projects/default/integrations/${crm}/objects/${object}`;
    const record = { [field]: name };
    return (await callChild(child, "POST", path, { groupRef, type: "create", record })).status;
  }
  /** `count` calls and writes at once, through all the processes in turn. */
  const calls = (children: ChildBusbar[], crm: Crm, groupRef: string, count: number): Promise<number[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        const child = children[index % children.length] ?? running(first);
        const isWrite = index % 4 === 3;
        return isWrite ? written(child, crm, groupRef, `Late ${index}`) : proxied(child, crm, groupRef);
      }),
    );

  /** The refresh tokens that the provider has seen, in order. */
  const sentTokens = (): string[] =>
    on.sandbox
      .requests()
      .filter(({ path }) => path.endsWith("/token"))
      .flatMap(({ body }) => new URLSearchParams(body).get("refresh_token") ?? []);
  const stored = async (id: string) =>
    (await callChild(running(second), "GET", `/v1/projects/default/connections/${id}`)).body;
  /** Until that many statements wait for a lock that somebody holds. */
  const waiting = (statement: string, count: number) =>
    until(async () => {
      const { rows } = await sql.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
        [statement],
      );
      return rows.length >= count || undefined;
    });

  for (const crm of ["salesforce", "hubspot"] as const) {
    test(`${crm}: two hundred calls and writes on an expired token are one refresh, and none fails`, async () => {
      const id = await expiredCustomer(crm, "many");
      // Long enough for all of them to meet the refresh.
      on.sandbox.addFault({ provider: crm, path: "/token$", delayMs: 400 });
      const statuses = await calls([running(first), running(second)], crm, "many", 200);
      assert.deepEqual([...new Set(statuses)], [200]);
      assert.equal(sentTokens().length, 1);
      assert.notEqual((await stored(id)).status, "bad_credentials");
    });
  }

  test("a holder killed while the provider answers: those who wait refresh and are served", async () => {
    const id = await expiredCustomer("hubspot", "killed");
    on.sandbox.addFault({ provider: "hubspot", path: "/token$", hang: true });
    const lost = calls([running(first)], "hubspot", "killed", 8).catch(() => "lost");
    await until(async () => (sentTokens().length === 1 ? true : undefined));
    const kept = calls([running(second)], "hubspot", "killed", 40);
    await waiting("%connections%for no key update%", 1);
    await killFirst();
    assert.deepEqual([...new Set(await kept)], [200]);
    assert.equal(await lost, "lost");
    assert.equal(sentTokens().length, 2);
    assert.notEqual((await stored(id)).status, "bad_credentials");
  });

  test("a holder killed before it sent a rotating token: the next one sends it, once", async () => {
    const id = await expiredCustomer("salesforce", "unsent");
    // A process writes down that it is about to send, and cannot while somebody has that row.
    const lock = await lockRenewal(id);
    const lost = calls([running(first)], "salesforce", "unsent", 8).catch(() => "lost");
    await waiting('update "token_renewals"%', 1);
    const kept = calls([running(second)], "salesforce", "unsent", 40);
    await waiting("%connections%for no key update%", 1);
    await killFirst();
    await lock.end();
    assert.deepEqual([...new Set(await kept)], [200]);
    assert.equal(await lost, "lost");
    assert.equal(sentTokens().length, 1);
  });

  test("a holder killed after it sent a rotating token: nobody sends it again, and the customer has to connect anew", async () => {
    const id = await expiredCustomer("salesforce", "sent");
    on.sandbox.addFault({ provider: "salesforce", path: "/token$", hang: true });
    const lost = calls([running(first)], "salesforce", "sent", 8).catch(() => "lost");
    await until(async () => (sentTokens().length === 1 ? true : undefined));
    const kept = calls([running(second)], "salesforce", "sent", 8);
    await waiting("%connections%for no key update%", 1);
    await killFirst();
    assert.ok((await kept).every((status) => status === 401 || status === 422));
    assert.equal(await lost, "lost");
    assert.equal(sentTokens().length, 1);
    assert.equal((await stored(id)).status, "bad_credentials");
  });

  test("refreshes that both processes are asked for, beside calls: no refresh token is seen twice, no call fails", async () => {
    const groups = ["a", "b", "c", "d"];
    const ids: string[] = [];
    for (const groupRef of groups) ids.push(await expiredCustomer("salesforce", groupRef));
    const children = [running(first), running(second)];
    const force = async (child: ChildBusbar, id = "") =>
      (await callChild(child, "GET", `/v1/projects/default/connections/${id}?refresh=force`)).status;
    for (let round = 0; round < 4; round += 1) {
      const statuses = await Promise.all(
        groups.flatMap((groupRef, index) => [
          ...children.map((child) => force(child, ids[index])),
          calls(children, "salesforce", groupRef, 8),
        ]),
      );
      assert.deepEqual([...new Set(statuses.flat())], [200]);
    }
    const sent = sentTokens();
    assert.ok(sent.length >= groups.length * 4, `${sent.length} refreshes`);
    assert.equal(new Set(sent).size, sent.length);
  });

  async function lockRenewal(connectionId: string): Promise<Client> {
    const client = new Client({ connectionString: on.connectionString });
    await client.connect();
    await client.query("begin");
    await client.query("select 1 from token_renewals where connection_id = $1 for update", [connectionId]);
    return client;
  }

  /** As the machine's power going, and another one taking its place. */
  async function killFirst(): Promise<void> {
    running(first).signal("SIGKILL");
    await running(first).exited;
    first = await on.start();
  }
});

function running(child: ChildBusbar | undefined): ChildBusbar {
  assert.ok(child);
  return child;
}
