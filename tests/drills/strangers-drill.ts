/**
 * The drill of strangers: callers without a credential send large bodies, slow bodies and uploads, while others call
 * `/healthz`, the proxy and the write API. The others' median latency may at most double and memory must not grow with
 * the strangers' bodies.
 *
 *     node tests/drills/strangers-drill.ts [--seconds 10]
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildCatalogOverlay } from "../../sandbox/catalog-overlay.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { startChildBusbar } from "../harness/child-busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { measureLatency, type Latency } from "./measure-latency.ts";
import { startStrangers } from "./strangers/start-strangers.ts";
import { endDrill } from "./run-drill.ts";

const LARGE_CALLERS = 16;
const PAUSE_MS = 20;

const CALLS = ["healthz", "proxied", "written"] as const;
type Kind = (typeof CALLS)[number];

interface StrangersReport {
  usual: Record<Kind, Latency>;
  besides: Record<Kind, Latency>;
  /** Answers to large bodies by status; 0: the connection broke before an answer. */
  large: Record<string, number>;
  /** Answers to half-sent bodies and silent uploads by status; 0: the connection ended, -1: neither. */
  half: Record<string, number>;
  memoryMiB: { usual: number; most: number; after: number };
}

/** What the drill calls; a test gives its own. */
interface StrangersWorld {
  origin: string;
  calls: Record<Kind, () => Promise<{ status: number }>>;
  pid: number;
}

export async function runStrangersDrill(
  world: StrangersWorld,
  { seconds, largeCallers = LARGE_CALLERS }: { seconds: number; largeCallers?: number },
): Promise<StrangersReport> {
  const usual = await measure(world, seconds);
  const memory = { usual: await readResidentMiB(world.pid), most: 0, after: 0 };
  const strangers = await startStrangers(world.origin, largeCallers);
  const watch = setInterval(() => {
    void readResidentMiB(world.pid).then((now) => (memory.most = Math.max(memory.most, now)));
  }, 250);
  const besides = await measure(world, seconds);
  clearInterval(watch);
  const { large, half } = await strangers.stop();
  await wait(2_000);
  memory.after = await readResidentMiB(world.pid);
  return { usual, besides, large, half, memoryMiB: memory };
}

/** Calls one of each kind after the other, again and again; an answer without success has failed. */
function measure({ calls }: StrangersWorld, seconds: number): Promise<Record<Kind, Latency>> {
  const checked = (kind: Kind) => async () => {
    const { status } = await calls[kind]();
    if (status !== 200) throw new Error(`answered ${status}`);
  };
  const all = { healthz: checked("healthz"), proxied: checked("proxied"), written: checked("written") };
  return measureLatency(all, { seconds, pauseMs: PAUSE_MS });
}

async function readResidentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Differences below this are noise of the machine. */
const FLOOR_MS = 15;
/** What sockets and the network's buffers may take; the strangers send more than 1.3 GB. */
const MAX_GROWTH_MIB = 256;

/** Returns the violations that any machine can show. */
export function listRefusalFaults({ usual, besides, large, half: halves }: StrangersReport): string[] {
  const failed = CALLS.flatMap((kind) =>
    usual[kind].failed + besides[kind].failed > 0 ? [`${kind}: calls failed`] : [],
  );
  // A connection may end before its caller has read the answer, if many are refused at once.
  const wrong = (answers: Record<string, number>) =>
    Object.keys(answers).filter((status) => !["401", "404", "0"].includes(status));
  if (wrong(large).length > 0) failed.push(`large bodies were answered ${wrong(large).join(", ")}`);
  if (wrong(halves).length > 0) failed.push(`half bodies were answered ${wrong(halves).join(", ")}`);
  if (!large["401"] || !halves["401"] || !halves["404"]) failed.push("a refusal was never read");
  return failed;
}

/** Returns all violations; empty if the drill passed. */
function listFaults(report: StrangersReport): string[] {
  const { usual, besides, memoryMiB } = report;
  const slow = CALLS.filter((kind) => besides[kind].p50Ms > 2 * usual[kind].p50Ms + FLOOR_MS);
  const grown = memoryMiB.most - memoryMiB.usual;
  return [
    ...listRefusalFaults(report),
    ...slow.map((kind) => `${kind}: ${besides[kind].p50Ms} ms instead of ${usual[kind].p50Ms} ms`),
    ...(grown > MAX_GROWTH_MIB ? [`memory grew by ${grown} MiB`] : []),
  ];
}

async function run(seconds: number): Promise<StrangersReport> {
  const dataDir = await mkdtemp(join(tmpdir(), "drill-strangers-"));
  const sandbox = await startSandbox({ limits: "off" });
  const catalog = `${dataDir}.json`;
  await writeFile(catalog, JSON.stringify(buildCatalogOverlay(sandbox.url)));
  const busbar = await startChildBusbar(dataDir, {
    BUSBAR_CATALOG: catalog,
    BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
    BUSBAR_LOG_LEVEL: "info",
  });
  try {
    const customer = await connectCustomer(
      { ...busbar, sandbox },
      { provider: "hubspot", objects: ["contacts"] },
    );
    let written = 0;
    const calls = {
      healthz: () => busbar.call("GET", "/healthz"),
      proxied: () => customer.proxied("/crm/v3/objects/contacts?limit=1"),
      written: () =>
        customer.write("contacts", {
          type: "create",
          record: { email: `drill-${(written += 1)}@example.com` },
        }),
    };
    return await runStrangersDrill({ origin: busbar.origin, pid: busbar.pid, calls }, { seconds });
  } finally {
    busbar.signal("SIGTERM");
    await busbar.exited;
    await sandbox.close();
    await rm(dataDir, { recursive: true, force: true });
    await rm(catalog, { force: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { seconds: { type: "string", default: "10" } } });
  const report = await run(Number(values.seconds));
  endDrill(report, listFaults(report));
}
