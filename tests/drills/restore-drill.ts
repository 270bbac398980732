/**
 * The restore drill: a Busbar with an embedded database writes while `busbar backup` runs; the backup is restored into a new
 * data folder, and another Busbar starts on it. Every write that was acknowledged before the backup began must be there, the
 * waiting ones must end and be told, the customer's credentials must work, and it must be possible to erase the customer. With
 * `--shards`, main and two shards on servers of their own are backed up, with a customer in each, while one is away (which is refused)
 * and while all are there.
 *
 *     npm run drill -- restore [-- --seconds 20 --operations 200000 --shards]
 */
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { findRunningServer } from "../../server/postgres/find-running-server.ts";
import { endChildBusbar, runBusbar, startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import type { Customer } from "../harness/connect-customer.ts";
import { queryOnce } from "../harness/database.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";
import { deliverTo, findMissingEvents, judgeWrites, type JudgedWrites } from "./acknowledged-writes.ts";
import { eraseCustomer } from "./sides/erase-customer.ts";
import { connectPlaced } from "./sides/place-customers.ts";
import { MAIN, startShardServers, type ShardServers } from "./sides/shard-servers.ts";
import { describeFound, endDrill } from "./run-drill.ts";

interface RestoreReport extends JudgedWrites {
  /** Operations that were inserted before, so that the backup has a size. */
  operations: number;
  backup: { code: number | null; seconds: number; megabytes: number };
  restore: { code: number | null; seconds: number; output: string };
  /** The longest time of a write, in milliseconds: before the backup and during it. */
  slowestMs: { before: number; during: number };
  /** Asynchronous writes whose event came from neither. */
  notDelivered: string[];
  /** Answers of the restored Busbar, by customer. */
  statuses: Record<string, { write: number; proxied: number }>;
  /** Rows that name a customer after its erasure there. */
  notErased: Record<string, number>;
  /** What a backup said while a shard was away, and the files that it left. */
  whileAway?: { isRefused: boolean; output: string; left: string[] };
}

interface RestoreOptions {
  seconds: number;
  operations: number;
  /** Shards beside main. */
  shards?: readonly string[];
}

export async function restoreDrill({ shards = [], ...options }: RestoreOptions): Promise<RestoreReport> {
  const home = await mkdtemp(join(tmpdir(), "busbar-restore-"));
  const postgres = shards.length > 0 ? await startShardServers(home, shards) : undefined;
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1_000 });
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const sink = await openSink();
  const busbars = openBusbars(home, postgres?.env);
  try {
    return await backUpAndRestore({ home, postgres, sandbox, sink, ...busbars }, options);
  } finally {
    await busbars.stop();
    await Promise.all([sandbox.close(), sink.close()]);
    await postgres?.close();
    await rm(home, { recursive: true, force: true });
  }
}

type Which = "first" | "second";

interface Surroundings extends ReturnType<typeof openBusbars> {
  home: string;
  /** Undefined: the first Busbar has an embedded database. */
  postgres: ShardServers | undefined;
  sandbox: Sandbox;
  sink: Sink;
}

/** Opens what runs a Busbar and its commands in one of two folders. The first uses the `servers`, if there are any. */
function openBusbars(home: string, servers: Record<string, string> = {}) {
  const { BUSBAR_ENCRYPTION_KEYS: keys } = servers;
  const getEnv = (which: Which): Record<string, string> => ({
    BUSBAR_CATALOG: join(home, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    BUSBAR_DASHBOARD: "false",
    BUSBAR_LOG_LEVEL: "info",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
    BUSBAR_WEBHOOK_RETRY_SECONDS: Array.from({ length: 200 }, () => 1).join(","),
    ...(which === "first" ? servers : keys !== undefined && { BUSBAR_ENCRYPTION_KEYS: keys }),
  });
  let running: ChildBusbar | undefined;
  const stop = async (): Promise<void> => {
    await endChildBusbar(running, join(home, "nothing"));
    running = undefined;
  };
  return {
    getFolder: (which: Which) => join(home, which),
    start: async (which: Which) => (running = await startChildBusbar(join(home, which), getEnv(which))),
    stop,
    async command(args: string[], which: Which) {
      const startedMs = performance.now();
      const env = { ...getEnv(which), BUSBAR_DATA_DIR: join(home, which) };
      const { code, stdout, stderr } = await runBusbar(args, env).exited;
      const seconds = Math.round(performance.now() - startedMs) / 1_000;
      return { code, seconds, output: `${stdout}${stderr}`.trim() };
    },
  };
}

async function backUpAndRestore(
  open: Surroundings,
  { seconds, operations }: Omit<RestoreOptions, "shards">,
): Promise<RestoreReport> {
  const { home, postgres, sink, getFolder, command } = open;
  const first = await open.start("first");
  await postgres?.addShards();
  const customers = [...(await connectPlaced({ ...first, sandbox: open.sandbox }, postgres)).values()];
  await deliverTo(first, sink);
  const getFirstUrl = async () => postgres?.getUrl(MAIN) ?? (await findRunningServer(getFolder("first")));
  await insertOperations(await getFirstUrl(), first.projectId, operations);
  const whileAway = postgres && (await backUpWhileAway(open, postgres));
  const file = join(home, "busbar.backup");
  const written = await writeAround(first, customers, seconds, () => command(["backup", file], "first"));
  await open.stop();
  await mkdir(getFolder("second"));
  for (const name of [...(postgres ? [] : ["encryption-keys"]), "bootstrap.json"])
    await copyFile(join(getFolder("first"), name), join(getFolder("second"), name));
  const restored = await command(["restore", file], "second");
  const second = await open.start("second");
  const judged = await judgeWrites(second, written.writes);
  const notDelivered = await findMissingEvents(sink, written.writes);
  const statuses: RestoreReport["statuses"] = {};
  for (const customer of customers) {
    const { integration, groupRef } = customer;
    const call = await second.proxied({ integration, groupRef }, "/crm/v3/objects/companies?limit=1");
    const { status } = await write(second, customer, "after");
    statuses[groupRef] = { write: status, proxied: call.status };
  }
  const url = (await findRunningServer(getFolder("second"))) ?? "";
  const erased = customers.at(-1)?.groupRef ?? "";
  return {
    ...judged,
    operations,
    backup: {
      code: written.backup.code,
      seconds: written.backup.seconds,
      megabytes: Math.round((await stat(file)).size / 100_000) / 10,
    },
    restore: restored,
    slowestMs: written.slowestMs,
    notDelivered,
    statuses,
    notErased: await eraseCustomer(second, erased, [url]),
    ...(whileAway && { whileAway }),
  };
}

/** Backs up while the server of the last shard is away. */
async function backUpWhileAway(
  { home, command }: Surroundings,
  { servers }: ShardServers,
): Promise<RestoreReport["whileAway"]> {
  const [name = "", server] = Object.entries(servers).at(-1) ?? [];
  const bringBack = await server?.takeAway("kill");
  const { code, output } = await command(["backup", join(home, `without-${name}`)], "first");
  await bringBack?.();
  const left = (await readdir(home)).filter((file) => file.startsWith("without-"));
  return { isRefused: code === 1 && output.includes(`the shard ${name}`), output, left };
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
  customers: Customer[],
  seconds: number,
  backUp: () => Promise<Written["backup"]>,
): Promise<Written> {
  const writes = new Map<string, string>();
  const slowestMs = { before: 0, during: 0 };
  let phase: "before" | "during" = "before";
  const over = new AbortController();
  const loop = async (customer: Customer, mode: string) => {
    for (let n = 0; !over.signal.aborted; n++) {
      const during = phase;
      const startedMs = performance.now();
      const name = `drill ${customer.groupRef} ${mode} ${n}`;
      const { status, body } = await write(busbar, customer, name, mode);
      slowestMs[during] = Math.round(Math.max(slowestMs[during], performance.now() - startedMs));
      if (status === 200 && phase === "before") writes.set(body.operationId, name);
      await wait(10);
    }
  };
  const loops = customers.flatMap((customer) => [
    loop(customer, "asynchronous"),
    loop(customer, "synchronous"),
  ]);
  await wait((seconds * 1_000) / 2);
  // On a busy machine, the first writes take longer.
  await until(() =>
    customers.every(({ groupRef }) => [...writes.values()].some((name) => name.includes(groupRef))),
  );
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
async function insertOperations(
  connectionString: string | undefined,
  projectId: string,
  count: number,
): Promise<void> {
  await queryOnce(
    connectionString ?? "",
    `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status,
       result, log)
     select gen_random_uuid(), $1, $1, $1, $1, 'write', 'companies', 'success', 'Created record ' || nth,
       jsonb_build_array(jsonb_build_object('time', now(), 'severity', 'INFO', 'msg', repeat(md5(nth::text), 8)))
     from generate_series(1, $2::integer) nth`,
    [projectId, count],
  );
}

/** Returns the violations; empty if the drill passed. */
export const listFaults = (report: RestoreReport): string[] => [
  ...(["lost", "neverEnded", "failed", "notDelivered"] as const).flatMap((name) =>
    describeFound(name, report[name]),
  ),
  ...(report.acknowledged > 0 ? [] : ["nothing was written before the backup"]),
  ...(report.backup.code === 0 ? [] : [`busbar backup ended with ${report.backup.code}`]),
  ...(report.restore.code === 0 ? [] : [`busbar restore: ${report.restore.output}`]),
  ...Object.entries(report.statuses).flatMap(([groupRef, { write: written, proxied }]) =>
    written === 200 && proxied === 200
      ? []
      : [`on the restored database, of ${groupRef}: a write ${written}, a proxied call ${proxied}`],
  ),
  ...Object.keys(report.notErased).map((table) => `not erased from ${table}`),
  ...(report.whileAway && (!report.whileAway.isRefused || report.whileAway.left.length > 0)
    ? [`a backup while a shard was away: ${JSON.stringify(report.whileAway)}`]
    : []),
];

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "20" },
      operations: { type: "string", default: "200000" },
      shards: { type: "boolean", default: false },
    },
  });
  const report = await restoreDrill({
    seconds: Number(values.seconds),
    operations: Number(values.operations),
    shards: values.shards ? ["a", "b"] : [],
  });
  endDrill(report, listFaults(report));
}
