/** Adds a database as a shard. Each step can be repeated, so what a crash has left is completed by adding it again. */
import { setTimeout as wait } from "node:timers/promises";
import { elapsedMs } from "../../../ground/clock.ts";
import { StartError, readMessage } from "../../../ground/errors.ts";
import { renewReplication } from "../../store/maintenance/renew-replication.ts";
import { openClient, openDataClient } from "../../store/database/prepare-database.ts";
import { nameShardInErrors, pairShard } from "../../store/shards/pair-shard.ts";
import {
  beginShard,
  changeShard,
  listProcessesWithout,
  listShards,
  OPEN_STATES,
  placeShardUrl,
  setShardState,
  type RegisteredShard,
} from "../../store/shards/shard-registry.ts";
import { nameSlot } from "../../store/sides/pair-databases.ts";
import { readPublishedSlot, readSubscribedSlot } from "../../store/sides/replicate-shared.ts";
import { describeAddress } from "../../../ground/database-addresses.ts";
import { MAIN_SHARD } from "../../store/database/database.ts";
import type { ShardServices } from "./shard-commands.ts";

interface NewShard {
  name: string;
  url: string;
  /** Undefined: 1, or what it is already. */
  weight: number | undefined;
}

/** Throws `StartError`; before anything is made if the database cannot be a shard. Returns whether it was one already. */
export async function addShard(deps: ShardServices, shard: NewShard): Promise<{ wasThere: boolean }> {
  requireName(shard.name);
  const registered = await listShards(deps.database.control);
  const known = registered.find(({ name }) => name === shard.name);
  await requireNewDatabase(deps, shard, registered);
  const isOpen = known !== undefined && OPEN_STATES.includes(known.state);
  if (!isOpen) await makeShard(deps, shard, known);
  else {
    await requireSameDatabase(deps, shard, known);
    const { connectionString } = deps.database;
    // After a failover of the control database, its slot may be gone.
    await nameShardInErrors(shard, () =>
      renewReplication(
        { connectionString, dataUrl: shard.url, replicationUrl: deps.replicationUrl },
        known.slot,
      ),
    );
    const urlSealed = deps.sealer.seal(shard.url, placeShardUrl(known.id));
    const weight = shard.weight ?? known.weight;
    await changeShard(deps.database.control, shard.name, { urlSealed, weight });
    if (known.state === "draining") await setShardState(deps.database.control, shard.name, "active");
    if (known.state !== "opening") return { wasThere: true };
  }
  await awaitProcesses(deps, shard.name);
  return { wasThere: false };
}

const NAME = /^[a-z][a-z0-9-]{0,29}$/;

function requireName(name: string): void {
  if (name === MAIN_SHARD)
    throw new StartError(`"${MAIN_SHARD}" is the shard that every Busbar has: give the new one another name`);
  if (!NAME.test(name))
    throw new StartError(
      `the name of a shard has small letters, digits and hyphens, begins with a letter, and is not longer than 30 characters: not "${name}"`,
    );
}

/** Throws if the database belongs to this Busbar under another name. */
async function requireNewDatabase(
  deps: ShardServices,
  { name, url }: NewShard,
  registered: RegisteredShard[],
): Promise<void> {
  const others = registered.filter((other) => other.name !== name);
  const sameAddress = others.find((other) => isSameAddress(deps.readUrl(other), url));
  const { subscribed, published } = await readMarks(deps, url, name);
  const there = sameAddress ?? others.find(({ slot }) => slot === subscribed);
  if (there)
    throw new StartError(
      `the database is that of the shard ${there.name} already (${there.state}): name another one, or take that shard away first: ` +
        `busbar shards remove ${there.name}`,
    );
  if (subscribed !== undefined && subscribed === published)
    throw new StartError(
      "the database is that of BUSBAR_DATA_DATABASE_URL, which is the shard main: name an empty one",
    );
}

const isSameAddress = (one: string | undefined, other: string): boolean =>
  one !== undefined && describeAddress(one) === describeAddress(other);

/** Reads the slot that a database subscribes to, and the one that is the mark of two databases. */
async function readMarks(
  { database }: ShardServices,
  url: string,
  name: string,
): Promise<{ subscribed: string | undefined; published: string | undefined }> {
  const data = await openDataClient(url, `the shard ${name}`);
  try {
    const subscribed = await readSubscribedSlot(data);
    const control = await openClient(database.connectionString);
    const published = await readPublishedSlot(control).finally(() => control.end());
    return { subscribed, published: published === "" ? undefined : published };
  } finally {
    await data.end();
  }
}

/** Throws if the shard of this name is another database. */
async function requireSameDatabase(
  deps: ShardServices,
  { name, url }: NewShard,
  known: RegisteredShard,
): Promise<void> {
  if ((await readMarks(deps, url, name)).subscribed === known.slot) return;
  const address = deps.readUrl(known);
  throw new StartError(
    `there is a shard ${name} already, at ${address === undefined ? "another address" : describeAddress(address)}: give the new one ` +
      "another name (busbar shards list shows all)",
  );
}

async function makeShard(
  deps: ShardServices,
  shard: NewShard,
  known: RegisteredShard | undefined,
): Promise<void> {
  const { database, sealer, replicationUrl, log, progress } = deps;
  const { name, url } = shard;
  if (known) requireSameAttempt(deps, shard, known);
  const slot = known?.slot ?? nameSlot();
  const seal = (id: string) => sealer.seal(url, placeShardUrl(id));
  let hasBegun = known !== undefined;
  progress(`checking the database of the shard ${name}`);
  try {
    await pairShard({ connectionString: database.connectionString, replicationUrl, name, url, slot }, log, {
      async onBegin() {
        const weight = shard.weight ?? known?.weight ?? 1;
        await beginShard(database.control, { name, weight, slot, seal });
        hasBegun = true;
      },
      onTable: ({ table, done, all }) => progress(`copying ${table} (table ${done + 1} of ${all})`),
    });
  } catch (error) {
    if (hasBegun) await setShardState(database.control, name, "failed", readMessage(error));
    throw error;
  }
  await setShardState(database.control, name, "opening");
}

/** Throws if another database was to be the shard of this name, or if it is being removed. */
function requireSameAttempt(deps: ShardServices, { name, url }: NewShard, known: RegisteredShard): void {
  if (known.state === "removing")
    throw new StartError(
      `the shard ${name} is being removed: complete that first: busbar shards remove ${name}`,
    );
  const before = deps.readUrl(known);
  if (before === undefined || isSameAddress(before, url)) return;
  throw new StartError(
    `the shard ${name} was added in part, with the database ${describeAddress(before)}: name that one again, or take it away first: ` +
      `busbar shards remove ${name}`,
  );
}

const MAX_WAIT_MS = 30_000;
const ASK_EVERY_MS = 200;

/** Lets the shard get customers when all processes have opened it: one that does not know it would look for them in the main shard. */
async function awaitProcesses({ database, progress }: ShardServices, name: string): Promise<void> {
  const untilMs = elapsedMs() + MAX_WAIT_MS;
  for (;;) {
    const missing = await listProcessesWithout(database.control, name);
    if (missing.length === 0) break;
    const ids = missing.join(", ");
    const processesHave = missing.length === 1 ? `the process ${ids} has` : `the processes ${ids} have`;
    await setShardState(database.control, name, "opening", `waits until ${processesHave} opened it`);
    progress(`waiting until ${processesHave} opened the shard ${name}`);
    if (elapsedMs() > untilMs)
      throw new StartError(
        `the shard ${name} is ready, but ${processesHave} not opened it (a process of an earlier version cannot): ` +
          "it gets no customers before. Run the same command again when that is mended",
      );
    await wait(ASK_EVERY_MS);
  }
  await setShardState(database.control, name, "active");
}
