/** Executing reads: lying providers, an account without free calls, and installations that go while they are read. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { connectBoth } from "../../../tests/harness/two-databases.ts";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";
import { accept, openSink } from "../../../tests/harness/deliveries/sink.ts";
import { until } from "../../../tests/harness/until.ts";

const buildManifest = (
  provider: string,
  integration: string,
  object: string,
  { more, destination }: { more: string; destination: string },
) => `
specVersion: 1.0.0
integrations:
  - name: ${integration}
    provider: ${provider}
    read:
      objects:
        - objectName: ${object}
          destination: ${destination}
          requiredFields:
            - fieldName: email
          backfill:
            defaultPeriod:
              fullHistory: true
${more}`;

/** Returns the number once it is large enough. */
const reached = (number: number, least: number): number | undefined => (number >= least ? number : undefined);

const sink = await openSink();
const busbar = await shareTestBusbar({
  env: { BUSBAR_METRICS: "true", BUSBAR_MINUTE_MS: "50", BUSBAR_RETRY_BASE_SECONDS: "0.02" },
});
after(() => sink.close());

describe("executing reads", () => {
  let client: Awaited<ReturnType<typeof connectBoth>>;
  after(async () => {
    await client.end();
  });
  before(async () => {
    client = await connectBoth(busbar);
    await addWebhook(busbar, "sink", `${sink.url}/sink`);
  });
  beforeEach(() => {
    busbar.sandbox.reset();
    busbar.sandbox.hubspot.setLimits("off");
    busbar.sandbox.salesforce.setLimits("off");
  });

  let customers = 0;
  async function install(
    provider: "hubspot" | "salesforce",
    object: string,
    more = "",
    destination = "sink",
  ) {
    const integration = `crm${(customers += 1)}`;
    const { installationId, connectionId } = await connectCustomer(busbar, {
      provider,
      groupRef: integration,
      manifest: buildManifest(provider, integration, object, { more, destination }),
      integration,
      skipSampling: true,
      expiresInSeconds: 3_600,
      content: { read: { objects: { [object]: { objectName: object } } } },
    });
    const path = `/integrations/${integration}/installations/${installationId}`;
    const operation = async () =>
      (await busbar.inProject("GET", `${path}/operations`)).body.results[0] as
        | { id: string; status: string; result?: string; metadata: { read: { providerCalls: number } } }
        | undefined;
    const ended = () =>
      until(async () => {
        const found = await operation();
        return found && found.status !== "in_progress" && found;
      });
    const log = async () =>
      (await busbar.inProject("GET", `/operations/${(await operation())?.id}/logs`)).text;
    return { integration, installationId, connectionId, path, operation, ended, log };
  }
  const generated = (count: number) => {
    const changed = Date.now() - 3_600_000;
    return { count, changedFrom: changed, changedTo: changed, values: { LastName: "N {n}" } };
  };
  /** What the database still has of an installation. */
  async function listLeftovers(installationId: string): Promise<string[]> {
    const tables = ["read_objects", "read_runs", "read_fingerprints", "read_syncs", "held_messages"];
    const union = tables.map((name) => `select '${name}' as name from ${name} where installation_id = $1`);
    const { rows } = await client.query(union.join(" union "), [installationId]);
    return rows.map(({ name }) => name);
  }

  test("the log of a read has its range, its pages and its end", async () => {
    const { ended, log } = await install("hubspot", "contacts");
    const { status, id } = await ended();
    assert.equal(status, "success");
    const reported = await client.query("select data from events where type = 'read.backfill.done'");
    assert.deepEqual(
      reported.rows.map(({ data: { objectName, operationId, recordsRead, recordsInMessages } }) => [
        objectName,
        operationId,
        recordsRead,
        recordsInMessages,
      ]),
      [["contacts", id, 5, 5]],
    );
    const lines = JSON.parse(await log()) as { severity: string; message: { msg: string } }[];
    assert.deepEqual(
      lines.map(({ severity, message }) => [severity, message.msg.replaceAll(/\d{4}-[\d.:TZ-]+/g, "TIME")]),
      [
        ["INFO", "Reading records of the full history until TIME, 1 field"],
        ["DEBUG", "Page 1: 5 records"],
        ["INFO", "Ended: 5 records read in 1 page, 5 delivered, 0 unchanged, 0 deleted"],
      ],
    );
  });

  for (const provider of ["hubspot", "salesforce"] as const) {
    for (const alter of ["repeated_id", "endless_cursor", "wrong_shape", "huge"] as const) {
      test(`a read of ${provider} ends with a plain reason when pages lie: ${alter}`, async () => {
        const object = provider === "hubspot" ? "contacts" : "Contact";
        const path = provider === "hubspot" ? "/objects/contacts" : "/query";
        busbar.sandbox.addFault({ provider, path, alter, count: 1_000 });
        const { ended } = await install(provider, object);
        const { status, result, metadata } = await ended();
        assert.equal(status, "failure");
        assert.ok(metadata.read.providerCalls >= 3, "requests whose answer is of no use are counted, too");
        assert.match(result ?? "", /^\[\w+\] Error reading from provider: .{20,}/);
      });
    }
  }

  test("a backfill leaves the last part of an account's daily calls to others, and goes on when calls are free", async () => {
    // A run that waits looks again every half second and reads a page: this many pages last longer than the test looks.
    busbar.sandbox.salesforce.account.generate("Contact", generated(80_000));
    busbar.sandbox.salesforce.setLimits({ daily: 400, usedToday: 277 });
    const { operation, ended, log } = await install("salesforce", "Contact");
    await until(async () =>
      /of the account's 400 daily calls are used; backfill reads stop at 70 %/.test(await log()),
    );
    assert.equal((await operation())?.status, "in_progress");
    assert.ok(!/REQUEST_LIMIT_EXCEEDED/.test(await log()));
    const scrape = async () => (await busbar.call("GET", "/metrics", undefined, {})).text;
    const metrics = await scrape();
    assert.match(metrics, /busbar_read_waits_total\{reason="budget"\} [1-9]/);
    assert.match(metrics, /busbar_read_pages_total [1-9]/);
    // These are left out while the database is slow.
    await until(async () => /busbar_reads_under_way [1-9]/.test(await scrape()));
    await until(async () => /busbar_read_lag_seconds \d/.test(await scrape()));
    busbar.sandbox.salesforce.setLimits({ daily: 100_000 });
    const { status, result } = await ended();
    assert.equal(status, "success", result);
  });

  test("messages keep the limit of a queue, so that no record has to be fetched by its address", async () => {
    const queue = {
      name: "queue",
      type: "sqs",
      metadata: { region: "eu-west-1", queueUrl: `${sink.url}/1/queue`, endpointUrl: sink.url },
      secrets: { awsKeyId: "k", awsSecretKey: "s" },
    };
    const created = await busbar.inProject("POST", "/destinations", queue);
    assert.equal(created.status, 201, created.text);
    const values = { Email: `{n}${"x".repeat(1_000)}` };
    busbar.sandbox.salesforce.account.generate("Contact", { ...generated(400), values });
    const { ended } = await install("salesforce", "Contact", "", "queue");
    assert.equal((await ended()).status, "success");
    const { rows } = await client.query(
      "select octet_length(data::text) as size from events where destination_id = $1 order by size desc",
      [created.body.id],
    );
    assert.ok(rows.length >= 2);
    assert.ok(rows[0].size <= 256 * 1024 && rows[0].size > 200_000, `${rows[0].size}`);
  });

  test("a backfill sends single messages to a destination that fails, and goes on when one is taken, although earlier ones wait", async () => {
    const metadata = { url: `${sink.url}/outage` };
    const made = await busbar.inProject("POST", "/destinations", {
      name: "outage",
      type: "webhook",
      metadata,
    });
    assert.equal(made.status, 201, made.text);
    await client.query(
      `insert into deliveries (destination_id, event_id, state, due_time)
       select $1, gen_random_uuid(), 'waiting', now() + interval '2 hours' from generate_series(1, 250)`,
      [made.body.id],
    );
    await client.query("update destinations set failing_since = now() where id = $1", [made.body.id]);
    sink.answer = ({ path }, response) => void response.writeHead(path === "/outage" ? 500 : 200).end();
    busbar.sandbox.salesforce.account.generate("Contact", generated(20_000));
    const { operation, ended } = await install("salesforce", "Contact", "", "outage");
    // Counted at once: how many come later depends on how long this test is kept waiting.
    assert.ok((await until(() => reached(sink.idsAt("/outage").size, 2))) < 5);
    assert.equal((await operation())?.status, "in_progress");
    sink.answer = accept;
    assert.equal((await ended()).status, "success");
    const waiting = "select from deliveries where destination_id = $1 and state = 'waiting'";
    assert.ok((await client.query(waiting, [made.body.id])).rows.length >= 250);
  });

  test("while a destination is behind no page is requested, and each page that was is delivered", async () => {
    const metadata = { url: `${sink.url}/full` };
    const made = await busbar.inProject("POST", "/destinations", { name: "full", type: "webhook", metadata });
    assert.equal(made.status, 201, made.text);
    // Slow enough that the destination falls behind while a page is on its way.
    busbar.sandbox.addFault({ provider: "salesforce", path: "/query", delayMs: 100, count: 1_000 });
    // 20 pages of 2,000, with the contacts that the account has already.
    busbar.sandbox.salesforce.account.generate("Contact", generated(39_000));
    const { operation, ended } = await install("salesforce", "Contact", "", "full");
    const countRequests = () => busbar.sandbox.requests({ provider: "salesforce", path: "/query" }).length;
    await until(() => reached(countRequests(), 4));
    await client.query(
      `insert into deliveries (destination_id, event_id, state, due_time)
       select $1, gen_random_uuid(), 'waiting', now() + interval '2 hours' from generate_series(1, 5000)`,
      [made.body.id],
    );
    const before = countRequests();
    const waiting = async () =>
      (await operation())?.metadata.read as { waitsFor?: string; waitedMs?: number };
    const waitedMs = await until(async () => {
      const { waitsFor, waitedMs: soFar } = await waiting();
      return waitsFor === "destination" && soFar;
    });
    const requests = countRequests();
    // That it was not behind counts for 250 ms, and a page takes 100.
    assert.ok(requests <= before + 5, `${requests - before} more pages`);
    assert.equal((await operation())?.metadata.read.providerCalls, requests);
    // It looks again and again, and requests nothing.
    await until(async () => ((await waiting()).waitedMs ?? 0) > waitedMs + 100);
    assert.equal(countRequests(), requests);
    await client.query("delete from deliveries where destination_id = $1 and state = 'waiting'", [
      made.body.id,
    ]);
    const { status, metadata: done } = await ended();
    assert.equal(status, "success");
    assert.equal(done.read.providerCalls, countRequests());
    assert.equal(countRequests(), 20, "no page is requested twice");
  });

  test("an installation that is deleted while it is read ends its operation and leaves nothing", async () => {
    busbar.sandbox.salesforce.account.generate("Contact", generated(8_000));
    const more = "          delivery:\n            mode: onRequest\n            pageSize: 50\n";
    const { path, installationId, operation } = await install("salesforce", "Contact", more);
    await until(async () => (await listLeftovers(installationId)).includes("held_messages"));
    const { id } = (await operation()) ?? {};
    assert.equal((await busbar.inProject("DELETE", path)).status, 204);
    assert.deepEqual(await listLeftovers(installationId), []);
    const { rows } = await client.query("select status from operations where id = $1", [id]);
    assert.notEqual(rows[0].status, "in_progress");
    await until(async () => (await client.query("select from read_runs")).rows.length === 0);
    assert.deepEqual(await listLeftovers(installationId), []);
  });

  test("an integration that is deleted while it is read leaves nothing either", async () => {
    busbar.sandbox.addFault({ provider: "salesforce", path: "/query", delayMs: 50_000 });
    const { integration, installationId, operation } = await install("salesforce", "Contact");
    await until(async () => (await listLeftovers(installationId)).includes("read_runs"));
    const { id } = (await operation()) ?? {};
    const deleted = await busbar.inProject("DELETE", `/integrations/${integration}`);
    assert.equal(deleted.status, 204, deleted.text);
    assert.deepEqual(await listLeftovers(installationId), []);
    const { rows } = await client.query("select status, result from operations where id = $1", [id]);
    assert.deepEqual(rows, [
      { status: "failure", result: "[Contact] Stopped: the installation was deleted" },
    ]);
    // Until the page under way has arrived, and more: nothing is stored for it.
    busbar.sandbox.clearFaults();
    assert.equal((await (await install("salesforce", "Contact")).ended()).status, "success");
    const messages = "select from events where type = 'read' and data ->> 'installationId' = $1";
    assert.equal((await client.query(messages, [installationId])).rows.length, 0);
  });

  test("a read whose row PostgreSQL refuses ends with the reason, pauses its object and tells it, and others go on", async (t) => {
    await client.query(`
      create function refuse_read() returns trigger language plpgsql as $$ begin
        if new.type = 'read' and new.data::text like '%poison@%' then
          raise exception 'unsupported Unicode escape sequence' using errcode = '22P05';
        end if;
        return new;
      end $$;
      create trigger refuse_read before insert on events for each row execute function refuse_read()`);
    t.after(() => client.query("drop trigger refuse_read on events; drop function refuse_read()"));
    busbar.sandbox.salesforce.account.generate("Contact", {
      ...generated(5),
      values: { LastName: "N", Email: "poison@example.com" },
    });
    const { ended, installationId } = await install("salesforce", "Contact");
    const { status, result } = await ended();
    assert.equal(status, "failure");
    assert.match(
      result ?? "",
      /^\[Contact\] Busbar cannot store what was read, 3 times: .*unsupported Unicode/,
    );
    const reported = "select data from events where type = 'read.schedule.paused' and data::text like $1";
    assert.equal((await client.query(reported, [`%${installationId}%`])).rows.length, 1);
    assert.equal((await (await install("hubspot", "contacts")).ended()).status, "success");
  });

  test("an object that Busbar has paused goes on when its connection is renewed", async () => {
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/objects/contacts",
      alter: "wrong_shape",
      count: 3,
    });
    const { ended, connectionId, installationId } = await install("hubspot", "contacts");
    assert.equal((await ended()).status, "failure");
    const isPaused = async () =>
      (
        await client.query("select from read_objects where installation_id = $1 and pause is not null", [
          installationId,
        ])
      ).rows.length > 0;
    assert.ok(await isPaused());
    const again = await busbar.inProject("PATCH", `/connections/${connectionId}`, {
      updateMask: ["providerWorkspaceRef"],
      connection: { providerWorkspaceRef: "acme" },
    });
    assert.equal(again.status, 200, again.text);
    await until(async () => !(await isPaused()));
  });
});
