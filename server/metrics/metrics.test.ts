/** The metrics that /metrics reports, and what they must not reveal. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client } from "pg";
import { nowMs } from "../../ground/clock.ts";
import { buildFirstId } from "../../ground/ids.ts";
import { openTestBusbar, shareTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { until } from "../../tests/harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hub
    provider: hubspot
    proxy: {enabled: true}
    write:
      objects:
        - objectName: companies
`;

const busbar = await shareTestBusbar({ env: { BUSBAR_METRICS: "true" } });

const customer = {
  provider: "hubspot",
  manifest: MANIFEST,
  integration: "hub",
  groupRef: "northwind",
} as const;
const { installationId } = await connectCustomer(busbar, customer);

describe("/metrics", () => {
  const scrape = async (): Promise<string> => (await busbar.call("GET", "/metrics", undefined, {})).text;
  const readValue = (text: string, line: string): number | undefined => {
    const found = text.split("\n").find((candidate) => candidate.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  };
  const proxied = async (key: string): Promise<number> => {
    const response = await fetch(`${busbar.server.urls.proxy}/crm/v3/objects/companies?limit=1`, {
      headers: {
        "x-api-key": key,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": busbar.projectId,
        "x-amp-installation-id": installationId,
      },
    });
    await response.arrayBuffer();
    return response.status;
  };

  test("counters that alerts watch are 0 before the first failure, so that Prometheus counts it", async () => {
    const text = await scrape();
    for (const series of [
      'busbar_delivery_attempts_total{state="failed"}',
      'busbar_operations_ended_total{status="failure"}',
      'busbar_token_refreshes_total{outcome="failed"}',
      'busbar_subscribe_pushes_refused_total{reason="signature"}',
    ]) {
      assert.equal(readValue(text, series), 0, series);
    }
  });

  test("counts proxied calls by class of status, and what the proxy itself refused by type", async () => {
    assert.equal(await proxied(busbar.apiKey), 200);
    assert.equal(await proxied("nobody's"), 401);
    const text = await until(async () => {
      const text = await scrape();
      return readValue(text, 'busbar_proxy_call_duration_seconds_count{status="2xx"}') === 1
        ? text
        : undefined;
    });
    assert.equal(readValue(text, 'busbar_proxy_refusals_total{type="unauthenticated"}'), 1);
    assert.equal(readValue(text, "busbar_proxy_usage_lines_dropped_total"), 0);
  });

  test("counts writes by mode and operations by outcome", async () => {
    const record = { name: "Northwind" };
    await busbar.write("hub", "companies", { groupRef: "northwind", type: "create", record });
    await busbar.write("hub", "companies", {
      groupRef: "northwind",
      type: "create",
      mode: "asynchronous",
      record,
    });
    const text = await until(async () => {
      const text = await scrape();
      const isOver = readValue(text, 'busbar_operations_ended_total{status="success"}') === 2;
      // Left out while the database is slow.
      return isOver && readValue(text, "busbar_writes_queued") === 0 ? text : undefined;
    });
    assert.equal(readValue(text, 'busbar_writes_accepted_total{mode="synchronous"}'), 1);
    assert.equal(readValue(text, 'busbar_writes_accepted_total{mode="asynchronous"}'), 1);
  });

  test("reports on the database and the process", async () => {
    const text = await until(async () => {
      const text = await scrape();
      return readValue(text, "busbar_database_up") === 1 ? text : undefined;
    });
    assert.ok((readValue(text, 'busbar_database_connections{state="idle"}') ?? 0) > 0);
    assert.ok((readValue(text, "process_resident_memory_bytes") ?? 0) > 0);
    assert.match(text, /nodejs_eventloop_lag_p99_seconds /);
  });

  test("reports what waits in the outbox and for how long, also what could not be carried over", async (t) => {
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    t.after(() => client.end());
    const readOutbox = async () => {
      const text = await until(async () => {
        const text = await scrape();
        return readValue(text, "busbar_database_up") === 1 ? text : undefined;
      });
      return ["busbar_outbox_entries_waiting", "busbar_outbox_entries_waiting_seconds"].map((name) =>
        readValue(text, name),
      );
    };
    assert.deepEqual(await readOutbox(), [0, 0]);
    await client.query(`insert into outbox (project_id, kind, content, create_time, retry_time)
      values (gen_random_uuid(), 'event', '{}', now() - interval '1 hour', now() + interval '1 day'),
        (gen_random_uuid(), 'event', '{}', now(), now() + interval '1 day')`);
    const [count, seconds = 0] = await readOutbox();
    await client.query("delete from outbox");
    assert.equal(count, 2);
    assert.ok(seconds >= 3_600 && seconds < 4_000, `${seconds}`);
  });

  test("reports for how long writes wait, and which installations are unhealthy, as stored", async (t) => {
    const client = new Client({ connectionString: busbar.dataUrl ?? busbar.connectionString });
    await client.connect();
    t.after(() => client.end());
    const lines = ["busbar_writes_queued_seconds", 'busbar_installations_unhealthy{reason="write"}'];
    const readLines = async () => {
      const text = await until(async () => {
        const text = await scrape();
        return readValue(text, "busbar_database_up") === 1 ? text : undefined;
      });
      return lines.map((line) => readValue(text, line));
    };
    assert.deepEqual(await readLines(), [0, 0]);
    // Otherwise the watcher of health takes back what it has not reported.
    await client.query("select pg_advisory_lock(hashtext('reported_health'))");
    const store = async (ageMs: number, attempts: number) => {
      const id = buildFirstId(nowMs() - ageMs);
      await client.query(
        `insert into operations select (jsonb_populate_record(null::operations, to_jsonb(operations)
           || jsonb_build_object('id', $1::text, 'status', 'in_progress'))).* from operations limit 1`,
        [id],
      );
      // Due later, so that no worker takes it.
      await client.query(
        `insert into writes (operation_id, installation_id, write_type, send_options, records, due_time, deadline, attempts)
         values ($1, $2, 'create', '{}', '[]', now() + interval '1 hour', now() + interval '1 day', $3)`,
        [id, installationId, attempts],
      );
    };
    await store(7_200_000, 0);
    assert.equal((await readLines())[0], 0, "one that is collected with others does not wait");
    await store(3_600_000, 2);
    await client.query("insert into reported_health (installation_id, reasons) values ($1, $2)", [
      installationId,
      ["write hubspot", "destination app failing"],
    ]);
    const [seconds = 0, unhealthy] = await readLines();
    assert.ok(seconds >= 3_600 && seconds < 4_000, `${seconds}`);
    assert.equal(unhealthy, 1);
    await client.query("delete from operations where id in (select operation_id from writes)");
    await client.query("delete from reported_health");
  });

  test("names no customer, project, connection or key", async () => {
    const text = await scrape();
    for (const name of ["northwind", busbar.projectId, installationId, busbar.apiKey, "hub", "companies"]) {
      assert.ok(!text.toLowerCase().includes(name.toLowerCase()), name);
    }
  });
});

test("/metrics answers at exactly this path, so that a reverse proxy can withhold it", async (t) => {
  const busbar = await openTestBusbar({ env: { BUSBAR_METRICS: "true" } });
  t.after(() => busbar.stop());
  for (const path of ["/metrics/", "/metrics//", "/%6detrics", "/metrics/?a"])
    assert.equal((await busbar.call("GET", path)).status, 404, path);
  assert.equal((await busbar.call("GET", "/metrics?a")).status, 200);
});

test("/metrics is off by default", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  assert.equal((await busbar.call("GET", "/metrics")).status, 404);
});
