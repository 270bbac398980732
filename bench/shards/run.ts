/**
 * Measures the processor time that a finished write costs Node and PostgreSQL, with 1, 2 and 4 processes and with one database or two
 * shards. See bench/README.md.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { deliverTo } from "../../tests/drills/acknowledged-writes.ts";
import { DrillProcesses } from "../../tests/drills/read/drill-processes.ts";
import { runBusbar } from "../../tests/harness/child-busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { openSink, type Sink } from "../../tests/harness/deliveries/sink.ts";
import { startServer } from "../../tests/harness/replicating-postgres.ts";
import { REPLICATING_ROLE } from "../../tests/harness/side-roles.ts";
import { until } from "../../tests/harness/until.ts";
import { readProcessorMs } from "../processor-time.ts";

const quick = process.argv.includes("--quick");
const WRITES = quick ? 300 : 3_000;
/** After one that warms up. */
const ROUNDS = quick ? 1 : 3;
const PROCESSES = [1, 2, 4];
const SHARDS = [["main"], ["main", "a"]];
const CUSTOMERS = 16;
const CALLERS = 32;

interface Cost {
  node: number;
  postgres: number;
}

interface Setup {
  home: string;
  shards: string[];
  urls: Record<string, string>;
  env: Record<string, string>;
  sandbox: Sandbox;
  sink: Sink;
}

/** Measures all numbers of processes on the same databases. */
async function measureShards(shards: string[]): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "busbar-bench-shards-"));
  // As root, the servers run as another user.
  await chmod(home, 0o711);
  const servers = await Promise.all(shards.map((name) => startServer(join(home, name))));
  const urls = Object.fromEntries(shards.map((name, index) => [name, servers[index]?.url ?? ""]));
  const replicationUrl = new URL(urls["main"] ?? "");
  replicationUrl.username = REPLICATING_ROLE.name;
  replicationUrl.password = REPLICATING_ROLE.password;
  const env = {
    DATABASE_URL: urls["main"] ?? "",
    BUSBAR_REPLICATION_URL: replicationUrl.href,
    BUSBAR_ENCRYPTION_KEYS: `drill:${Buffer.alloc(32, 7).toString("base64")}`,
    BUSBAR_DASHBOARD: "false",
  };
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1 });
  const sink = await openSink();
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const setup = { home, shards, urls, env, sandbox, sink };
  try {
    for (const [nth, count] of PROCESSES.entries()) await measureProcesses(setup, count, nth === 0);
  } finally {
    await Promise.all([sandbox.close(), sink.close()]);
    await Promise.all(servers.map((server) => server.close()));
    await rm(home, { recursive: true, force: true });
  }
}

async function measureProcesses(setup: Setup, count: number, isFirst: boolean): Promise<void> {
  const { home, shards, urls, env, sandbox, sink } = setup;
  const processes = new DrillProcesses(home, () => env);
  try {
    for (let nth = 0; nth < count; nth += 1) await processes.start(`process-${nth}`);
    if (isFirst) {
      for (const name of shards.slice(1)) {
        const added = await runBusbar(["shards", "add", name, urls[name] ?? ""], env).exited;
        if (added.code !== 0) throw new Error(added.stderr);
      }
      await deliverTo(processes.any, sink);
      for (let nth = 0; nth < CUSTOMERS; nth += 1)
        await connectCustomer(
          { ...processes.any, sandbox },
          { provider: "hubspot", objects: ["companies"], groupRef: `customer-${nth}` },
        );
    }
    const costs: Cost[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const cost = await measureRound(setup, processes);
      if (round > 0) costs.push(cost);
    }
    const show = (name: keyof Cost) => Math.round(median(costs.map((cost) => cost[name])));
    const places = `${shards.length === 1 ? "1 shard " : `${shards.length} shards`}`;
    console.log(
      `${places} | ${count} process${count === 1 ? "  " : "es"} | Node ${show("node")} µs | PostgreSQL ${show("postgres")} µs`,
    );
  } finally {
    await processes.stop();
  }
}

/** Has writes accepted, sent to the provider and told by a webhook; returns the microseconds of each. */
async function measureRound({ home, shards, sink }: Setup, { running }: DrillProcesses): Promise<Cost> {
  const children = [...running.values()];
  const servers = await Promise.all(
    shards.map(async (name) =>
      Number((await readFile(join(home, name, "postgres/data/postmaster.pid"), "utf8")).split("\n")[0]),
    ),
  );
  const read = () => ({
    node: readProcessorMs(...children.map(({ pid }) => pid)),
    postgres: readProcessorMs(...servers),
  });
  const before = read();
  const told = sink.received.length;
  let next = 0;
  const call = async () => {
    while (next < WRITES) {
      const nth = next;
      next += 1;
      const answer = await children[nth % children.length]?.write("hubspot", "companies", {
        groupRef: `customer-${nth % CUSTOMERS}`,
        type: "create",
        mode: "asynchronous",
        record: { name: `Cost ${nth}` },
      });
      if (answer?.status !== 200) throw new Error(answer?.text);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  await until(() => sink.received.length - told >= WRITES);
  const after = read();
  const toMicroseconds = (ms: number) => (ms * 1_000) / WRITES;
  return {
    node: toMicroseconds(after.node - before.node),
    postgres: toMicroseconds(after.postgres - before.postgres),
  };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

for (const shards of SHARDS) await measureShards(shards);
