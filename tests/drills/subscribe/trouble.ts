/** What goes wrong during the drill of subscriptions, and when. */
import { setTimeout as wait } from "node:timers/promises";
import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { RestartablePostgres } from "../../harness/restartable-postgres.ts";
import type { CustomerAccount } from "../read/customer-account.ts";
import type { DrillProcesses } from "../read/drill-processes.ts";
import type { ChangeMirror } from "./change-mirror.ts";
import type { Front } from "./front.ts";

interface TroubledWorld {
  seconds: number;
  kills: number;
  /** How often a process is suspended and continued. */
  suspensions: number;
  /** Whether providers refuse requests, replay ids expire and an overflow happens. */
  providersFail: boolean;
  /** How long pushes are refused. */
  refusedSeconds: number;
  restartsDatabase: boolean;
  sandbox: Sandbox;
  salesforce: CustomerAccount;
  mirror: ChangeMirror;
  front: Front;
  processes: DrillProcesses;
  database: Pick<RestartablePostgres, "restart" | "disconnect">;
  onProgress?: ((text: string) => void) | undefined;
}

/** Changes that no event reports. */
const UNREPORTED = 20;
/** Longer than a provider waits for the answer to a push, and than PostgreSQL waits for a transaction that takes pushes. */
const SUSPENDED_MS = 13_000;
const BREAKS = ["reset", "disconnect", "goaway", "status"] as const;

/** At a part of the time, from 0 to 1. */
type Trouble = [part: number, what: string, cause: () => unknown];

/** Ends when everything works again. */
export async function causeTrouble(world: TroubledWorld): Promise<void> {
  const durationMs = world.seconds * 1_000;
  const startMs = performance.now();
  const untilPart = (part: number) => wait(Math.max(0, startMs + part * durationMs - performance.now()));
  const refusals: Promise<void>[] = [];
  const plan = Array.from({ length: world.kills }, (_, index): Trouble => [
    (index + 1) / (world.kills + 1),
    `kill ${index + 1}`,
    () => kill(world, index + 1),
  ]);
  for (let nth = 1; nth <= world.suspensions; nth += 1) {
    const part = (nth - 0.5) / (world.suspensions + 1);
    plan.push([part, `suspension ${nth}`, () => suspend(world, nth)]);
  }
  if (world.providersFail) {
    plan.push([0.3, "replay ids expire", () => expirePositions(world)]);
    plan.push([0.7, "overflow", () => overflowQueue(world)]);
  }
  if (world.refusedSeconds > 0)
    plan.push([0.55, "pushes are refused", () => void refusals.push(refusePushes(world))]);
  if (world.restartsDatabase)
    plan.push([0.4, "PostgreSQL is killed", () => world.database.restart("kill", 1_000)]);
  for (const [part, what, cause] of plan.toSorted(([one], [other]) => one - other)) {
    await untilPart(part);
    await cause();
    const arrived = [...world.mirror.counts].map(([path, { entries }]) => `${entries} of ${path}`);
    world.onProgress?.(`${what}: ${arrived.join(", ")} arrived so far`);
  }
  await untilPart(1);
  await Promise.all(refusals);
  world.mirror.away = false;
}

/** Kills a process; at the same moment the stream breaks and providers may refuse, and sometimes the receiver is away. */
async function kill(
  { sandbox, mirror, processes, providersFail }: TroubledWorld,
  nth: number,
): Promise<void> {
  if (providersFail) {
    sandbox.addFault({ provider: "hubspot", preset: "hubspot.rate_limit", count: 1 });
    sandbox.addFault({ provider: "salesforce", preset: "salesforce.unavailable", count: 3 });
  }
  mirror.away = nth % 4 === 0;
  await processes.kill(nth % 2 === 0 ? "first" : "second");
  sandbox.salesforce.server.break(BREAKS[nth % BREAKS.length] ?? "reset");
}

/**
 * A process stands still while pushes arrive and events wait. Every second time its connections to PostgreSQL end meanwhile, so
 * that the other process takes over what it has claimed.
 */
async function suspend({ processes, database }: TroubledWorld, nth: number): Promise<void> {
  const suspended = processes.suspend(nth % 2 === 0 ? "first" : "second", SUSPENDED_MS);
  if (nth % 2 === 1) await database.disconnect();
  await suspended;
}

/** Changes happen while the stream is broken, and the provider does not have them any more when it is opened again. */
function expirePositions({ sandbox: { salesforce: org }, salesforce }: TroubledWorld): void {
  org.server.break("disconnect");
  for (let nth = 0; nth < UNREPORTED; nth += 1) salesforce.change({ merges: true });
  org.bus.forgetPositions();
}

/** One event stands for changes that were too many to report. */
function overflowQueue({ sandbox: { salesforce: org }, salesforce }: TroubledWorld): void {
  const { settings } = org.bus;
  org.bus.settings = { ...settings, hidden: ["Contact"] };
  for (let nth = 0; nth < UNREPORTED; nth += 1) salesforce.change({ merges: true });
  org.bus.settings = settings;
  org.bus.emit("Contact", "GAP_OVERFLOW", ["000000000000000AAA"]);
}

async function refusePushes({ front, refusedSeconds }: TroubledWorld): Promise<void> {
  front.refuses = true;
  await wait(refusedSeconds * 1_000);
  front.refuses = false;
}
