/** `busbar shards add NAME URL | list | doctor | drain NAME | move GROUP SHARD | rebalance | remove NAME`: the databases that have the data of some customers. */
import { printFindings, reportGood } from "../../cli/doctor/finding.ts";
import type { Output } from "../../cli/output/output.ts";
import type { Config } from "../../ground/config.ts";
import { StartError, UsageError } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import { Sealer } from "../../ground/seal.ts";
import { readEncryptionKeys } from "../data-folder/encryption-keys.ts";
import { withDatabase } from "./command-database.ts";
import { addShard } from "./shards/add-shard.ts";
import { checkShards } from "./doctor/check-shards.ts";
import { listAllShards, type ListedMove, type ListedShard } from "./shards/list-all-shards.ts";
import { runMove, runRebalance } from "./shards/move-commands.ts";
import { drain } from "./shards/drain-shard.ts";
import { removeShard } from "./shards/remove-shard.ts";
import { openShardServices, requireDatabaseAddress, type ShardServices } from "./shards/shard-commands.ts";

interface CommandServices {
  config: Config;
  log: Log;
  out: Output;
}

/** Returns false if the doctor has found a fault. Throws `StartError` for what is refused. */
export async function runShardsCommand(
  [action, ...args]: string[],
  options: ShardOptions,
  { config, log, out }: CommandServices,
): Promise<boolean> {
  const run = findAction(action, args, options);
  if (config.databaseUrl === undefined)
    throw new StartError(
      "shards need a PostgreSQL of your own, which other servers can reach: set DATABASE_URL (the embedded one is for one machine)",
    );
  const sealer = new Sealer(await readEncryptionKeys(config));
  return withDatabase({ config, log }, async (database) => {
    const deps = openShardServices({ database, sealer, config, log, out });
    // Not at the end of a line of progress.
    return run(deps, out).finally(() => out.progress());
  });
}

interface ShardOptions {
  weight?: number | undefined;
  /** Id of the customer's project. */
  project?: string | undefined;
  isDry?: boolean | undefined;
  /** The shard that the customer leaves is gone for good. */
  isLost?: boolean | undefined;
}

type Run = (deps: ShardServices, out: Output) => Promise<boolean>;

/** Checks the arguments before anything is opened. */
function findAction(
  action: string | undefined,
  args: string[],
  { weight, project, isDry = false, isLost = false }: ShardOptions,
): Run {
  const [name = "", url = ""] = args;
  const count = { add: 2, list: 0, doctor: 0, drain: 1, move: 2, rebalance: 0, remove: 1 }[action ?? ""];
  if (count === undefined || args.length !== count)
    throw new UsageError(
      "busbar shards takes add NAME URL, list, doctor, drain NAME, move GROUP SHARD, rebalance or remove NAME (busbar shards --help)",
    );
  if (weight !== undefined && action !== "add") throw new UsageError("--weight belongs to busbar shards add");
  if (project !== undefined && action !== "move")
    throw new UsageError("--project belongs to busbar shards move");
  if (isLost && action !== "move") throw new UsageError("--lost belongs to busbar shards move");
  if (isDry && action !== "rebalance") throw new UsageError("--dry-run belongs to busbar shards rebalance");
  if (action === "add") {
    requireDatabaseAddress(url);
    return (deps, out) => add(deps, out, { name, url, weight });
  }
  if (action === "drain") return (deps, out) => runDrain(deps, out, name);
  if (action === "move")
    return (deps, out) => runMove(deps, out, { groupRef: name, shard: url, project, isLost });
  if (action === "rebalance") return (deps, out) => runRebalance(deps, out, { isDry });
  if (action === "remove") return (deps, out) => remove(deps, out, name);
  return action === "list" ? list : doctor;
}

async function add(
  deps: ShardServices,
  out: Output,
  shard: { name: string; url: string; weight: number | undefined },
): Promise<boolean> {
  const { wasThere } = await addShard(deps, shard);
  const made = (await listAllShards(deps)).find(({ name }) => name === shard.name);
  out.progress();
  if (out.json) out.data({ ...made, wasThere });
  else if (wasThere) out.line(`${shard.name} is a shard already, and its copies are complete.`);
  else
    out.line(
      `${shard.name} is a shard: every process has opened it, and it gets new customers by its weight.`,
    );
  return true;
}

async function runDrain(deps: ShardServices, out: Output, name: string): Promise<boolean> {
  await drain(deps, name);
  const drained = (await listAllShards(deps)).find((shard) => shard.name === name);
  if (out.json) out.data(drained ?? {});
  else
    out.line(
      `${name} gets no new customers, and serves the ${drained?.customers ?? 0} that it has. busbar shards rebalance moves them away.`,
    );
  return true;
}

async function remove(deps: ShardServices, out: Output, name: string): Promise<boolean> {
  const { removed, unreachable } = await removeShard(deps, name);
  out.progress();
  if (out.json) out.data({ name, removed, ...(unreachable !== undefined && { unreachable }) });
  else if (!removed) out.line(`There is no shard ${name}.`);
  else out.line(`${name} is no shard any more; its database keeps its tables and can be dropped.`);
  if (unreachable !== undefined && !out.json)
    out.note(
      `Its database could not be reached (${unreachable}): its subscription is still there and does nothing.`,
    );
  return true;
}

async function list(deps: ShardServices, out: Output): Promise<boolean> {
  out.rows<ListedShard>(
    await listAllShards(deps),
    {
      NAME: ({ name }) => name,
      STATE: { kind: "status", text: ({ state }) => state },
      SINCE: { kind: "time", text: ({ since }) => since ?? "" },
      WEIGHT: ({ weight }) => String(weight),
      CUSTOMERS: ({ customers }) => String(customers),
      DATABASE: ({ address }) => address,
      DETAIL: ({ detail, moves }) => [detail ?? [], ...moves.map(describeMove)].flat().join("; "),
    },
    "",
  );
  return true;
}

const describeMove = ({ groupRef, to, step, isRunning }: ListedMove): string =>
  `${groupRef} moves to ${to}: ${isRunning ? (step ?? "begun") : `broken off, repeat busbar shards move ${groupRef} ${to}`}`;

async function doctor(deps: ShardServices, out: Output): Promise<boolean> {
  const { control, connectionString } = deps.database;
  const found = await checkShards({ ...deps, control, connectionString });
  const findings = found.length > 0 ? found : [reportGood("shards", "main alone: it has all customers")];
  out.progress();
  printFindings(findings, out);
  return findings.every(({ ok }) => ok);
}
