/**
 * The reading drill: two processes read two accounts in full and then their changes, while records change, are deleted,
 * restored and written with earlier time stamps, the search index lags, providers refuse, cursors expire, the receiver is
 * away for a while, processes are killed (-9) and PostgreSQL is restarted. Afterwards a receiver that upserts and deletes
 * by id must be equal to both accounts.
 *
 *     node tests/drills/read-drill.ts [--records 200000] [--kills 10] [--seconds 600]
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { openRestartablePostgres } from "../harness/restartable-postgres.ts";
import { CustomerAccount, OBJECTS } from "./read/customer-account.ts";
import { DrillProcesses } from "./read/drill-processes.ts";
import { listFailedReads, installReads } from "./read/installed-reads.ts";
import { startMirror, type Mirror } from "./read/mirror.ts";
import { endDrill } from "./run-drill.ts";

interface ReadDrillOptions {
  /** In each account. */
  records: number;
  kills: number;
  /** How long records change. */
  seconds: number;
  /** Length of a minute of schedules, and of the hour after which a read is given up. */
  minuteMs: number;
  /** Restarts PostgreSQL once. */
  restartsDatabase: boolean;
  onProgress?(text: string): void;
}

interface ReadDrillReport {
  records: number;
  kills: number;
  /** What happened to the records of each object. */
  changes: Record<string, CustomerAccount["counts"]>;
  messages: number;
  entries: number;
  /** Entries that brought what the receiver had already. */
  repeated: number;
  failedOperations: string[];
  /** How the copies differ from the accounts. */
  differences: string[];
  seconds: number;
}

const STIR_EVERY_MS = 100;
const EQUAL_WITHIN_MS = 300_000;

export async function readDrill(options: ReadDrillOptions): Promise<ReadDrillReport> {
  const startedMs = performance.now();
  const home = await mkdtemp(join(tmpdir(), "busbar-read-"));
  const database = await openRestartablePostgres(join(home, "database"));
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 100 });
  const mirror = await startMirror();
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const processes = new DrillProcesses(home, () => ({
    DATABASE_URL: database.url,
    BUSBAR_MINUTE_MS: String(options.minuteMs),
  }));
  try {
    const accounts = OBJECTS.map((drilled) => new CustomerAccount(sandbox, drilled));
    accounts.forEach((account) => account.fill(options.records));
    sandbox.hubspot.account.set({ searchLagMs: 1_000 });
    await processes.start("first");
    await processes.start("second");
    await installReads(processes.any, sandbox, mirror.url);
    const stirring = stir(accounts, options.seconds * 1_000);
    await trouble({ options, sandbox, mirror, processes, database });
    await stirring;
    options.onProgress?.("records change no more; waiting until the copies are equal");
    const differences = await untilEqual(accounts, mirror);
    return {
      records: options.records,
      kills: options.kills,
      changes: Object.fromEntries(
        OBJECTS.map(({ path }, index) => [path, accounts[index]?.counts ?? noChanges()]),
      ),
      ...mirror.counts,
      failedOperations: await listFailedReads(processes.any),
      differences,
      seconds: Math.round((performance.now() - startedMs) / 1_000),
    };
  } finally {
    await processes.stop();
    await mirror.close();
    await sandbox.close();
    await database.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Returns the violations; empty if the drill passed. */
export const listFaults = ({ differences, failedOperations, changes }: ReadDrillReport): string[] => [
  ...differences.slice(0, 5),
  ...failedOperations.slice(0, 5).map((text) => `an operation failed: ${text}`),
  ...Object.entries(changes)
    .filter(([, counts]) => counts.changed === 0 || counts.archived === 0)
    .map(([path]) => `${path}: too little happened, so nothing was tried`),
];

const noChanges = (): CustomerAccount["counts"] => ({
  changed: 0,
  created: 0,
  archived: 0,
  restored: 0,
  backDated: 0,
  merged: 0,
});

async function stir(accounts: CustomerAccount[], durationMs: number): Promise<void> {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    for (const account of accounts) account.stir();
    await wait(STIR_EVERY_MS);
  }
}

/** Kills a process from time to time; in between cursors expire, providers refuse and the receiver is away. */
async function trouble(world: {
  options: ReadDrillOptions;
  sandbox: Sandbox;
  mirror: Mirror;
  processes: DrillProcesses;
  database: { restart(how: "kill", downMs: number): Promise<void> };
}): Promise<void> {
  const { options, sandbox, mirror, processes, database } = world;
  const pauseMs = (options.seconds * 1_000) / (options.kills + 2);
  await wait(pauseMs);
  for (let kill = 1; kill <= options.kills; kill += 1) {
    sandbox.addFault({ provider: "hubspot", preset: "hubspot.rate_limit", count: 1 });
    sandbox.addFault({ provider: "salesforce", preset: "salesforce.unavailable", count: 3 });
    if (kill % 2 === 0) sandbox.salesforce.account.expireCursors();
    if (kill % 3 === 0) sandbox.hubspot.account.expireCursors();
    mirror.away = kill % 4 === 0;
    await processes.kill(kill % 2 === 0 ? "first" : "second");
    if (options.restartsDatabase && kill === Math.ceil(options.kills / 2))
      await database.restart("kill", 1_000);
    options.onProgress?.(`kill ${kill}: ${mirror.counts.entries} entries arrived so far`);
    await wait(pauseMs);
    mirror.away = false;
  }
}

/** Returns what still differs when the time is over. */
async function untilEqual(accounts: CustomerAccount[], mirror: Mirror): Promise<string[]> {
  const endMs = performance.now() + EQUAL_WITHIN_MS;
  for (;;) {
    const differences = accounts.flatMap((account, index) =>
      account.differences(mirror.copies.get(OBJECTS[index]?.path ?? "")),
    );
    if (differences.length === 0 || performance.now() > endMs) return differences;
    await wait(1_000);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { records: { type: "string" }, kills: { type: "string" }, seconds: { type: "string" } },
  });
  const report = await readDrill({
    records: Number(values.records ?? 200_000),
    kills: Number(values.kills ?? 10),
    seconds: Number(values.seconds ?? 600),
    // Ten minutes of a schedule are five seconds.
    minuteMs: 500,
    restartsDatabase: true,
    onProgress: (text) => console.log(text),
  });
  endDrill({ ...report, differences: report.differences.length }, listFaults(report));
}
