/**
 * Moves a customer to another shard while everything runs. Each step can be repeated: the command that was killed is given again, and
 * goes on. Until `groups.shard` changes the old shard decides, afterwards the new one.
 */
import { DatabaseError, type Client } from "pg";
import { elapsedMs } from "../../../ground/clock.ts";
import { StartError } from "../../../ground/errors.ts";
import { openClient } from "../../store/database/prepare-database.ts";
import { MAIN_SHARD, transactControl } from "../../store/database/database.ts";
import { awaitQuiet, awaitTransactions } from "../../store/moves/await-quiet.ts";
import { carryRest, UnseenEvents } from "../../store/moves/carry-history.ts";
import { copyAhead } from "../../store/moves/copy-fingerprints.ts";
import { copyLiveRows } from "../../store/moves/copy-live-rows.ts";
import {
  beginMove,
  closeMove,
  endMove,
  hasSwitched,
  lockMove,
  noteMove,
  readdressEntries,
  switchShard,
  tryLockSide,
  type CustomerMove,
  type PlacedGroup,
} from "../../store/moves/customer-moves.ts";
import { findCustomer, type MovedCustomer } from "../../store/moves/customer-tables.ts";
import { passGuards, prepareGuards, removeGuard, setGuard } from "../../store/moves/guard-customer.ts";
import { ignoreAway, takeBack } from "../../store/moves/take-back.ts";
import { openForWork } from "../../store/moves/open-for-work.ts";
import { openCopies, READ_POSITION } from "../../store/sides/copies.ts";
import type { ShardServices } from "./shard-commands.ts";
import { findMove, mayTakeBack, openShardClient, refuseErased, requireTarget } from "./require-move.ts";

export interface MoveOptions {
  /** How long the customer may be refused until nothing is under way for it. */
  maxWaitMs?: number;
}

export type MovedTo = {
  groupRef: string;
  projectId: string;
  from: string;
  to: string;
  /** Rows that were copied while the customer was refused, and afterwards. */
  rows: number;
  history: number;
  /** How long requests of the customer were refused. */
  refusedMs: number;
};

/** Throws `StartError` for what is refused, and if the move had to be given up. `toShard` is a name as in `groups.shard`. */
export async function moveCustomer(
  deps: ShardServices,
  group: PlacedGroup,
  toShard: string | null,
  { maxWaitMs = MAX_WAIT_MS }: MoveOptions = {},
): Promise<MovedTo> {
  const opened: Client[] = [];
  const open = async (client: Promise<Client>) => {
    opened.push(await client);
    return client;
  };
  try {
    const control = await open(openClient(deps.database.connectionString));
    await lockMove(control, group);
    const move = await findMove(deps, group, toShard);
    if (!move) await requireTarget(deps, group, toShard);
    const { fromShard } = move ?? { fromShard: group.shard };
    const opening = open(openShardClient(deps, fromShard));
    const from = await holdSide(
      await opening.catch(move?.state === "switched" ? nameLost(move) : undefined),
      group,
    );
    const target = move ? move.toShard : toShard;
    const reaching = open(openShardClient(deps, target));
    if (move && mayTakeBack(move, toShard)) {
      const to = await reaching.catch(ignoreAway);
      await stay({ deps, control, from, to: to && (await holdSide(to, group)), group });
      const ended = describe({ group, fromShard, toShard: fromShard });
      return { ...ended, rows: 0, history: 0, refusedMs: 0 };
    }
    const to = await holdSide(await reaching, group);
    const moving: Moving = { deps, control, from, to, group, fromShard, toShard: target, maxWaitMs };
    if (move === undefined || move.state === "copying") await copyBefore(moving);
    const closedMs = elapsedMs();
    const rows = move?.state === "switched" ? 0 : await runOrGiveUp(moving, () => closeCopyAndSwitch(moving));
    await awaitCopies(moving);
    await report(moving, "opening the gate");
    await openForWork(to, await find(moving));
    const refusedMs = elapsedMs() - closedMs;
    const history = await finish(moving);
    return { ...describe(moving), rows, history, refusedMs: Math.round(refusedMs) };
  } finally {
    for (const client of opened.toReversed()) await client.end();
  }
}

interface Moving extends Pick<CustomerMove, "fromShard" | "toShard"> {
  deps: ShardServices;
  control: Client;
  from: Client;
  to: Client;
  group: PlacedGroup;
  maxWaitMs: number;
}

/** Says in the refusal how a move ends whose former shard never comes back. */
const nameLost =
  ({ groupRef, projectId, toShard }: CustomerMove) =>
  (error: unknown): never => {
    if (!(error instanceof StartError)) throw error;
    throw new StartError(
      `${error.message}. If it is gone for good: busbar shards move ${groupRef} ${toShard ?? MAIN_SHARD} --project ${projectId} --lost`,
      { cause: error },
    );
  };

/** Has no other process take the move back while this connection lasts, and lets it change the customer's rows. */
async function holdSide(client: Client, group: PlacedGroup): Promise<Client> {
  await lockMove(client, group, tryLockSide);
  await passGuards(client);
  return client;
}

const describe = ({
  group: { groupRef, projectId },
  fromShard,
  toShard,
}: Pick<Moving, "group" | "fromShard" | "toShard">) => ({
  groupRef,
  projectId,
  from: fromShard ?? MAIN_SHARD,
  to: toShard ?? MAIN_SHARD,
});

const MAX_WAIT_MS = 120_000;
const COPIES_MS = 30_000;

const find = ({ control, group }: Pick<Moving, "control" | "group">): Promise<MovedCustomer> =>
  findCustomer(control, { groupId: group.id, projectId: group.projectId, groupRef: group.groupRef });

/** Copies what the customer has many of, while it is served. */
async function copyBefore(moving: Moving): Promise<void> {
  const { deps, from, to, group, toShard } = moving;
  await report(moving, "making ready");
  for (const client of [from, to]) await prepareGuards(client);
  if (!(await beginMove(deps.database.control, group, toShard))) throw refuseErased(group);
  await runOrGiveUp(moving, async () => {
    await setGuard(to, group.id, "coming");
    await report(moving, "copying fingerprints");
    await awaitCopies(moving);
    await copyAhead(from, to, await find(moving));
  });
}

/** Takes back what a move has done that has not switched. */
const stay = async (
  moving: Pick<Moving, "deps" | "control" | "from" | "group"> & { to: Client | undefined },
): Promise<void> => takeBack(moving.deps.database, moving, await find(moving));

/**
 * After an error the customer is served where it was, unless the new shard decides already; an interrupted command leaves it as it is
 * until it is repeated.
 */
async function runOrGiveUp<Result>(moving: Moving, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    // What nobody expects leaves everything as it is, as if the command had been killed: a closed gate stays so until a process
    // takes the move back, or the command is repeated.
    const isKnown = error instanceof StartError || error instanceof DatabaseError;
    if (isKnown && !(await hasSwitched(moving.control, moving.group.id))) await stay(moving);
    throw error;
  }
}

/** Closes the gate, copies, and has the new shard decide. Returns the number of rows. */
async function closeCopyAndSwitch(moving: Moving): Promise<number> {
  const { deps, from, to, group, maxWaitMs } = moving;
  const { database } = deps;
  await report(moving, "closing the gate");
  await closeMove(database.control, group.id);
  await setGuard(to, group.id, "coming");
  await setGuard(from, group.id, "leaving");
  await report(moving, "waiting until nothing is under way");
  const untilMs = elapsedMs() + maxWaitMs;
  const left = [
    ...(await awaitTransactions(from, maxWaitMs)).map((name) => `the transaction ${name}`),
    ...(await awaitQuiet(from, await find(moving), untilMs - elapsedMs())),
  ];
  if (left.length > 0)
    throw new StartError(
      `${group.groupRef} stays in the shard ${moving.fromShard ?? MAIN_SHARD}: after ${maxWaitMs / 1_000} s there were still under way: ` +
        `${left.join(", ")}. Nothing has changed; repeat the command when that has ended`,
    );
  await awaitCopies(moving);
  await report(moving, "copying what is under way");
  const rows = await copyLiveRows({ from, to }, await find(moving));
  await report(moving, "switching");
  const customer = await find(moving);
  await transactControl(database, (queries) => switchShard(queries, customer, moving));
  return rows;
}

/** Moves what is left, until the old shard has nothing of the customer. Returns the number of rows. */
async function finish(moving: Moving): Promise<number> {
  const { deps, control, from, to, group } = moving;
  await report(moving, "waiting for what began before");
  // A push that was being taken apart has looked for subscriptions in both shards before and after.
  for (const client of [control, from])
    await requireEnded(await awaitTransactions(client, MAX_WAIT_MS), group);
  const customer = await find(moving);
  await transactControl(deps.database, (queries) => readdressEntries(queries, customer, moving));
  await report(moving, "moving what has ended");
  let count = 0;
  let shown = 0;
  const onRows = (rows: number): void => {
    count += rows;
    if (count - shown < SHOWN_ROWS) return;
    shown = count;
    deps.progress(`moving ${group.groupRef}: what has ended (${count} rows)`);
  };
  await carryRest({ from, to, events: new UnseenEvents(), onRows }, () => find(moving));
  await report(moving, "ending the move");
  await setGuard(from, group.id, "away");
  await removeGuard(to, group.id);
  await endMove(deps.database.control, group.id);
  return count;
}

const SHOWN_ROWS = 10_000;

async function requireEnded(left: string[], { groupRef }: PlacedGroup): Promise<void> {
  if (left.length > 0)
    throw new StartError(
      `${groupRef} is served by its new shard, but its rows in the old one cannot be removed before the transaction ` +
        `${left.join(", ")} has ended: repeat the command then`,
    );
}

async function report({ deps, group }: Moving, step: string): Promise<void> {
  await noteMove(deps.database.control, group.id, step);
  deps.progress(`moving ${group.groupRef}: ${step}`);
}

/** Waits until both shards have copies of all that is in the control database now. */
async function awaitCopies({ deps, control, from, to, fromShard, toShard }: Moving): Promise<void> {
  const { rows } = await control.query<{ position: string }>(READ_POSITION);
  const position = rows[0]?.position ?? "";
  for (const [client, shard] of [
    [from, fromShard],
    [to, toShard],
  ] as const) {
    if (shard === null && deps.database.dataUrl === undefined) continue;
    const copies = openCopies(client);
    const untilMs = elapsedMs() + COPIES_MS;
    while (!(await copies.applied(position)))
      if (elapsedMs() > untilMs)
        throw new StartError(
          `the copies in the shard ${shard ?? MAIN_SHARD} are late, or replication has stopped (busbar shards doctor says which): ` +
            "repeat the command when they are complete",
        );
  }
}
