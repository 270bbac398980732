/**
 * The restore drill: a Busbar with an embedded database writes while `busbar backup` runs; the backup is restored into a new
 * data folder, and another Busbar starts on it. Every write that was acknowledged before the backup began must be there, the
 * waiting ones must end, and the customer's credentials must work.
 *
 *     npm run drill -- restore [-- --seconds 20 --operations 200000]
 */
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { findRunningServer } from "../../server/postgres/find-running-server.ts";
import { endChildBusbar, runBusbar, startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import { connectCustomer, type Customer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";
import { judgeWrites, type JudgedWrites } from "./acknowledged-writes.ts";
import { endDrill } from "./run-drill.ts";

interface RestoreReport extends JudgedWrites {
  /** Operations that were inserted before, so that the backup has a size. */
  operations: number;
  backup: { code: number | null; seconds: number; megabytes: number };
  restore: { code: number | null; seconds: number; output: string };
  /** The longest time of a write, in milliseconds: before the backup and during it. */
  slowestMs: { before: number; during: number };
  /** Answers of the restored Busbar. */
  statuses: { write: number; proxied: number };
}

export async function restoreDrill(options: { seconds: number; operations: number }): Promise<RestoreReport> {
  const home = await mkdtemp(join(tmpdir(), "busbar-restore-"));
  const folders = { first: join(home, "first"), second: join(home, "second") };
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1_000 });
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const env = {
    BUSBAR_CATALOG: join(home, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    BUSBAR_DASHBOARD: "false",
    BUSBAR_LOG_LEVEL: "info",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
  };
  const command = async (args: string[], dataDir: string) => {
    const startedMs = performance.now();
    const { code, stdout, stderr } = await runBusbar(args, { ...env, BUSBAR_DATA_DIR: dataDir }).exited;
    const seconds = Math.round(performance.now() - startedMs) / 1_000;
    return { code, seconds, output: `${stdout}${stderr}`.trim() };
  };
  let running: { child: ChildBusbar; folder: string } | undefined;
  const start = async (folder: string) => {
    running = { child: await startChildBusbar(folder, env), folder };
    return running.child;
  };
  try {
    const first = await start(folders.first);
    const customer = await connectCustomer(
      { ...first, sandbox },
      { provider: "hubspot", objects: ["companies"] },
    );
    await insertOperations(folders.first, first.projectId, options.operations);
    const file = join(home, "busbar.backup");
    const written = await writeAround(first, customer, options.seconds, () =>
      command(["backup", file], folders.first),
    );
    await endChildBusbar(first, join(home, "nothing"));
    await mkdir(folders.second);
    for (const name of ["encryption-keys", "bootstrap.json"])
      await copyFile(join(folders.first, name), join(folders.second, name));
    const restored = await command(["restore", file], folders.second);
    const megabytes = Math.round((await stat(file)).size / 100_000) / 10;
    const second = await start(folders.second);
    const { integration, groupRef } = customer;
    return {
      ...(await judgeWrites(second, written.writes)),
      operations: options.operations,
      backup: { code: written.backup.code, seconds: written.backup.seconds, megabytes },
      restore: restored,
      slowestMs: written.slowestMs,
      statuses: {
        write: (await write(second, customer, "after")).status,
        proxied: (await second.proxied({ integration, groupRef }, "/crm/v3/objects/companies?limit=1"))
          .status,
      },
    };
  } finally {
    if (running) await endChildBusbar(running.child, running.folder);
    await sandbox.close();
    await rm(home, { recursive: true, force: true });
  }
}

interface Written {
  /** Those acknowledged before the backup began: name of each record by its operation. */
  writes: Map<string, string>;
  slowestMs: { before: number; during: number };
  backup: { code: number | null; seconds: number };
}

/** Writes without a pause, and backs up after half of the time. */
async function writeAround(
  busbar: ChildBusbar,
  customer: Customer,
  seconds: number,
  backUp: () => Promise<Written["backup"]>,
): Promise<Written> {
  const writes = new Map<string, string>();
  const slowestMs = { before: 0, during: 0 };
  let phase: "before" | "during" = "before";
  const over = new AbortController();
  const loop = async (mode: string) => {
    for (let n = 0; !over.signal.aborted; n++) {
      const during = phase;
      const startedMs = performance.now();
      const name = `drill ${mode} ${n}`;
      const { status, body } = await write(busbar, customer, name, mode);
      slowestMs[during] = Math.round(Math.max(slowestMs[during], performance.now() - startedMs));
      if (status === 200 && phase === "before") writes.set(body.operationId, name);
      await wait(10);
    }
  };
  const loops = [loop("asynchronous"), loop("synchronous")];
  await wait((seconds * 1_000) / 2);
  // On a busy machine, the first write takes longer.
  await until(() => writes.size > 0);
  phase = "during";
  const backup = await backUp();
  over.abort();
  await Promise.all(loops);
  return { writes, slowestMs, backup };
}

const write = (
  busbar: ChildBusbar,
  { integration, groupRef }: Customer,
  name: string,
  mode = "synchronous",
) => busbar.write(integration, "companies", { groupRef, type: "create", mode, record: { name } });

/** Inserts ended operations with a log each, past the API. */
async function insertOperations(dataDir: string, projectId: string, count: number): Promise<void> {
  const client = new Client({ connectionString: await findRunningServer(dataDir) });
  await client.connect();
  try {
    await client.query(
      `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status,
         result, log)
       select gen_random_uuid(), $1, $1, $1, $1, 'write', 'companies', 'success', 'Created record ' || nth,
         jsonb_build_array(jsonb_build_object('time', now(), 'severity', 'INFO', 'msg', repeat(md5(nth::text), 8)))
       from generate_series(1, $2::integer) nth`,
      [projectId, count],
    );
  } finally {
    await client.end();
  }
}

/** Returns the violations; empty if the drill passed. */
export const listFaults = (report: RestoreReport): string[] => [
  ...(["lost", "neverEnded", "failed"] as const).flatMap((name) =>
    report[name].length === 0 ? [] : [`${name}: ${report[name].length}, such as ${report[name][0]}`],
  ),
  ...(report.acknowledged > 0 ? [] : ["nothing was written before the backup"]),
  ...(report.backup.code === 0 ? [] : [`busbar backup ended with ${report.backup.code}`]),
  ...(report.restore.code === 0 ? [] : [`busbar restore: ${report.restore.output}`]),
  ...(report.statuses.write === 200 ? [] : [`a write on the restored database: ${report.statuses.write}`]),
  ...(report.statuses.proxied === 200
    ? []
    : [`a proxied call on the restored database: ${report.statuses.proxied}`]),
];

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "20" },
      operations: { type: "string", default: "200000" },
    },
  });
  const report = await restoreDrill({
    seconds: Number(values.seconds),
    operations: Number(values.operations),
  });
  endDrill(report, listFaults(report));
}
