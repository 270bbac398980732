/**
 * Measures intake of many customers, compared in turns with 16 quiet ones: 2,000 of which 50 a second get new tokens, and
 * 10,000. And updates of one record, which must follow one another.
 */
import { setTimeout as wait } from "node:timers/promises";
import { Client as Postgres } from "pg";
import { readProcessorMs } from "../processor-time.ts";
import { measureRate } from "./rate.ts";

interface CustomersBench {
  databaseUrl: string;
  origin: string;
  path: string;
  apiKey: string;
  /** A customer whose rows are copied. */
  installationId: string;
  /** Process id of the server that accepts. */
  pid: number | undefined;
  connections: number;
  roundMs: number;
  rounds: number;
  /** Customers in all, and those with renewals. */
  max: number;
  renewed: number;
}

const RENEWALS_PER_SECOND = 50;

export interface Intake {
  /** Accepted writes per second. */
  rate: number;
  /** CPU time of the accepting process for each, in microseconds. */
  nodeUs: number;
}

/** What was measured in each round; the first round, which fills the caches, is left out. */
interface CustomersResult {
  quiet: Intake[];
  renewed: Intake[];
  many: Intake[];
}

export async function measureCustomers(bench: CustomersBench): Promise<CustomersResult> {
  const database = new Postgres({ connectionString: bench.databaseUrl });
  database.on("error", () => {});
  await database.connect();
  await copyCustomers(database, bench.installationId, bench.max);
  // Every measurement begins with an empty queue.
  const clear = () => database.query("truncate writes, operations cascade");
  const result: CustomersResult = { quiet: [], renewed: [], many: [] };
  for (let round = 0; round <= bench.rounds; round++) {
    await clear();
    const quiet = await measureIntake(bench, 16);
    await clear();
    const renewals = startRenewals(database, bench.renewed);
    const renewed = await measureIntake(bench, bench.renewed);
    await renewals.stop();
    await clear();
    // In the first round each customer has a turn.
    const many = await measureIntake(bench, bench.max, round === 0 ? 10 * bench.max : undefined);
    if (round === 0) continue;
    result.quiet.push(quiet);
    result.renewed.push(renewed);
    result.many.push(many);
  }
  // Their credentials are sealed for the customer that was copied: a process that starts later would refuse them.
  await clear();
  await database.query("delete from installations where id in (select installation_id from copies)");
  await database.query("delete from groups where id in (select group_id from copies)");
  await database.end();
  return result;
}

async function measureIntake(bench: CustomersBench, customers: number, atLeast?: number): Promise<Intake> {
  const { origin, path, apiKey, connections, roundMs, pid } = bench;
  const record = { name: "Intake", city: "Berlin" };
  const before = readProcessorMs(pid);
  let asked = 0;
  const answered = await measureRate({
    origin,
    path,
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    connections,
    forMs: atLeast === undefined ? roundMs : 120_000,
    max: atLeast,
    buildBody(nth) {
      asked = nth + 1;
      return JSON.stringify({
        groupRef: `many-${(nth % customers) + 1}`,
        type: "create",
        mode: "asynchronous",
        record,
      });
    },
  });
  return { rate: answered, nodeUs: ((readProcessorMs(pid) - before) * 1_000) / asked };
}

/** Copies one customer with connection, installation and configuration; the API would need minutes for so many. */
async function copyCustomers(database: Postgres, installationId: string, count: number): Promise<void> {
  await database.query("create temp table copies as select nth from generate_series(1, $1::integer) nth", [
    count,
  ]);
  await database.query(
    `alter table copies add group_id uuid default gen_random_uuid(), add connection_id uuid default gen_random_uuid(),
      add installation_id uuid default gen_random_uuid()`,
  );
  await database.query(
    `insert into groups (id, project_id, group_ref, group_name)
      select copies.group_id, project_id, 'many-' || nth, 'Many' from copies, installations where id = $1`,
    [installationId],
  );
  await database.query(
    `insert into connections (id, project_id, provider, group_id, consumer_id, auth_scheme, status, credentials_sealed)
      select copies.connection_id, one.project_id, one.provider, copies.group_id, one.consumer_id, one.auth_scheme,
        one.status, one.credentials_sealed
      from copies, installations join connections one on one.id = installations.connection_id where installations.id = $1`,
    [installationId],
  );
  await database.query(
    `insert into installations (id, project_id, integration_id, group_id, connection_id, created_by)
      select copies.installation_id, project_id, integration_id, copies.group_id, copies.connection_id, created_by
      from copies, installations where id = $1`,
    [installationId],
  );
  await database.query(
    `insert into configs (id, project_id, installation_id, revision_id, content, created_by)
      select gen_random_uuid(), project_id, copies.installation_id, revision_id, content, created_by
      from copies, configs where configs.installation_id = $1`,
    [installationId],
  );
}

/** Changes connections as a token refresh does: this is what other processes hear of it. */
function startRenewals(database: Postgres, customers: number): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const renewing = (async () => {
    const { rows } = await database.query<{ connection_id: string }>(
      "select connection_id from copies where nth <= $1",
      [customers],
    );
    const started = performance.now();
    for (let nth = 0; !stopping.signal.aborted; nth++) {
      await database.query(
        "update connections set credentials_sealed = credentials_sealed, status = 'created', update_time = now() where id = $1",
        [rows[nth % rows.length]?.connection_id],
      );
      await wait(Math.max(0, started + ((nth + 1) * 1_000) / RENEWALS_PER_SECOND - performance.now()));
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await renewing;
    },
  };
}
