/** Token refresh by processes that share nothing but the database, also when one of them is killed on the way. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { Client } from "pg";
import type { ChildBusbar } from "../harness/child-busbar.ts";
import { connectCustomer, type Customer } from "../harness/connect-customer.ts";
import { openProcessGroup, type ProcessGroup } from "../harness/process-group.ts";
import { refreshOnlyOnDemand } from "../harness/refresh-only-on-demand.ts";
import { until } from "../harness/until.ts";

/** Salesforce rotates refresh tokens and does not say when access tokens end; HubSpot the other way round. */
const CRMS = {
  salesforce: { object: "Contact", field: "LastName", path: "/services/data/v60.0/limits" },
  hubspot: { object: "contacts", field: "lastname", path: "/crm/v3/objects/contacts?limit=1" },
} as const;
type Crm = keyof typeof CRMS;

describe("token refresh by several processes", () => {
  let busbar: ProcessGroup;
  let [first, second]: (ChildBusbar | undefined)[] = [];
  let sql: Client;
  after(async () => {
    await sql.end();
    await busbar.stop();
  });
  beforeEach(async () => {
    first ??= await busbar.start();
  });
  afterEach(() => busbar.sandbox.clearFaults());
  before(async () => {
    busbar = await openProcessGroup();
    busbar.sandbox.hubspot.setLimits("off");
    sql = new Client({ connectionString: busbar.connectionString });
    await sql.connect();
    [first, second] = await Promise.all([busbar.start(), busbar.start()]);
    await refreshOnlyOnDemand(busbar.connectionString);
    for (const provider of Object.keys(CRMS)) {
      await first.inProject("POST", "/provider-apps", {
        provider,
        clientId: "c",
        clientSecret: "s",
        scopes: ["crm"],
      });
    }
  });

  /** A connected and installed customer whose access token has just ended. */
  async function expiredCustomer(crm: Crm, groupRef: string): Promise<Customer> {
    const objects = [CRMS[crm].object];
    const through = { ...running(second), sandbox: busbar.sandbox };
    const customer = await connectCustomer(through, {
      provider: crm,
      groupRef,
      objects,
      expiresInSeconds: 1,
    });
    busbar.sandbox[crm].expireTokens();
    busbar.sandbox.clearRequests();
    return customer;
  }

  /** `count` calls and writes at once, through all the processes in turn; their statuses. */
  const calls = (
    children: ChildBusbar[],
    { integration, groupRef }: Customer,
    count: number,
  ): Promise<number[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const child = children[index % children.length] ?? running(first);
        const { object, field, path } = CRMS[integration as Crm];
        const record = { [field]: `Late ${index}` };
        const answer =
          index % 4 === 3
            ? await child.write(integration, object, { groupRef, type: "create", record })
            : await child.proxied({ integration, groupRef }, path);
        return answer.status;
      }),
    );

  /** The refresh tokens that the provider has seen, in order. */
  const sentTokens = (): string[] =>
    busbar.sandbox
      .requests()
      .filter(({ path }) => path.endsWith("/token"))
      .flatMap(({ body }) => new URLSearchParams(body).get("refresh_token") ?? []);
  const readStatus = async ({ connectionId }: Customer) =>
    (await running(second).inProject("GET", `/connections/${connectionId}`)).body.status;
  const listEvents = async ({ connectionId }: Customer): Promise<string[]> => {
    const { rows } = await sql.query(
      "select type from events where data->>'connectionId' = $1 and type in ('connection.refreshed', 'connection.error')",
      [connectionId],
    );
    return rows.map(({ type }) => type);
  };
  const force = async (child: ChildBusbar, { connectionId }: Customer): Promise<number> =>
    (await child.inProject("GET", `/connections/${connectionId}?refresh=force`)).status;
  /** Until that many statements wait for a lock that somebody holds. */
  const waiting = (statement: string, count: number) =>
    until(async () => {
      const { rows } = await sql.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
        [statement],
      );
      return rows.length >= count;
    });
  /** Until a process that does not hold the lease of the refresh asks for it. */
  const asksForLease = async ({ connectionId }: Customer) => {
    const lock = new Client({ connectionString: busbar.connectionString });
    await lock.connect();
    await lock.query("begin");
    await lock.query("select 1 from connections where id = $1 for no key update", [connectionId]);
    await waiting("%connections%for no key update%", 1);
    await lock.end();
  };

  for (const crm of ["salesforce", "hubspot"] as const) {
    test(`${crm}: two hundred calls and writes on an expired token are one refresh, and none fails`, async () => {
      const customer = await expiredCustomer(crm, "many");
      // Long enough for all of them to meet the refresh.
      busbar.sandbox.addFault({ provider: crm, path: "/token$", delayMs: 400 });
      const statuses = await calls([running(first), running(second)], customer, 200);
      assert.deepEqual([...new Set(statuses)], [200]);
      assert.equal(sentTokens().length, 1);
      assert.deepEqual(await listEvents(customer), ["connection.refreshed"]);
      assert.equal(await force(running(first), customer), 200, "the grant was not taken away");
    });
  }

  test("refreshes that both processes are asked for, beside calls: no refresh token is seen twice, no call fails", async () => {
    const customers: Customer[] = [];
    for (const groupRef of ["a", "b", "c", "d"])
      customers.push(await expiredCustomer("salesforce", groupRef));
    const children = [running(first), running(second)];
    for (let round = 0; round < 4; round += 1) {
      const statuses = await Promise.all(
        customers.flatMap((customer) => [
          ...children.map((child) => force(child, customer)),
          calls(children, customer, 8),
        ]),
      );
      assert.deepEqual([...new Set(statuses.flat())], [200]);
    }
    const sent = sentTokens();
    assert.ok(sent.length >= customers.length * 4, `${sent.length} refreshes`);
    assert.equal(new Set(sent).size, sent.length);
  });

  test("a holder killed while the provider answers: those who wait refresh and are served", async () => {
    const customer = await expiredCustomer("hubspot", "killed");
    busbar.sandbox.addFault({ provider: "hubspot", path: "/token$", hang: true });
    const lost = calls([running(first)], customer, 8).catch(() => "lost");
    await until(() => sentTokens().length === 1);
    const kept = calls([running(second)], customer, 40);
    await asksForLease(customer);
    await killFirst();
    assert.deepEqual([...new Set(await kept)], [200]);
    assert.equal(await lost, "lost");
    assert.equal(sentTokens().length, 2);
    assert.notEqual(await readStatus(customer), "bad_credentials");
  });

  test("a holder killed before it sent a rotating token: the next one sends it, once", async () => {
    const customer = await expiredCustomer("salesforce", "unsent");
    // A process claims the refresh before it sends, and cannot while that table is locked.
    const lock = await lockRefreshes();
    const lost = calls([running(first)], customer, 8).catch(() => "lost");
    await waiting('insert into "token_refreshes"%', 1);
    const kept = calls([running(second)], customer, 40);
    await waiting("%connections%for no key update%", 1);
    await killFirst();
    await lock.end();
    assert.deepEqual([...new Set(await kept)], [200]);
    assert.equal(await lost, "lost");
    assert.equal(sentTokens().length, 1);
  });

  test("a holder killed after it sent a rotating token that was not used: another one sends it again, and the customer stays connected", async () => {
    const customer = await expiredCustomer("salesforce", "sent");
    busbar.sandbox.addFault({ provider: "salesforce", path: "/token$", hang: true });
    const lost = calls([running(first)], customer, 8).catch(() => "lost");
    await until(() => sentTokens().length === 1);
    const kept = calls([running(second)], customer, 8);
    await asksForLease(customer);
    await killFirst();
    assert.ok((await kept).every((status) => status < 300));
    assert.equal(await lost, "lost");
    assert.deepEqual(sentTokens(), [customer.refreshToken, customer.refreshToken]);
    assert.notEqual(await readStatus(customer), "bad_credentials");
  });

  async function lockRefreshes(): Promise<Client> {
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    await client.query("begin");
    await client.query("lock table token_refreshes in access exclusive mode");
    return client;
  }

  /** Kills the first process, like a power failure; the next test starts another one in its place. */
  async function killFirst(): Promise<void> {
    running(first).signal("SIGKILL");
    await running(first).exited;
    first = undefined;
  }
});

function running(child: ChildBusbar | undefined): ChildBusbar {
  assert.ok(child);
  return child;
}
