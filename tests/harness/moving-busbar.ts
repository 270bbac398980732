/** A Busbar with the shards a and b, whose customer `mover` a test moves while it is worked for. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Client } from "pg";
import { moveCustomer } from "../../server/commands/shards/move-customer.ts";
import { getPlacedGroup } from "../../server/commands/shards/require-move.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { deliverTo } from "../drills/acknowledged-writes.ts";
import { openTestBusbar } from "./busbar.ts";
import { createEmptyDatabase } from "./database.ts";
import { openSink } from "./deliveries/sink.ts";
import { log, shardServices } from "./shards.ts";

export type ShardName = "main" | "a" | "b";

export async function openMovingBusbar(t: TestContext, env: Record<string, string> = {}) {
  const last: (() => Promise<void>)[] = [];
  const scope = { after: (callback: () => Promise<void>) => void last.push(callback) };
  const urls = { a: await createEmptyDatabase(scope), b: await createEmptyDatabase(scope) };
  const sink = await openSink();
  const busbar = await openTestBusbar({
    isDivided: false,
    shards: urls,
    env: { BUSBAR_RETRY_BASE_SECONDS: "0.2", ...env },
  });
  const database = await openDatabase({ connectionString: busbar.connectionString, log, poolSize: 3 });
  const clients = new Map<ShardName, Client>();
  t.after(async () => {
    for (const client of clients.values()) await client.end();
    await database.close();
    await busbar.stop();
    await sink.close();
    for (const callback of last) await callback();
  });
  await deliverTo(busbar, sink);
  const move = async (to: string | null, onStep: (text: string) => void = () => {}) => {
    const deps = { ...shardServices(database), progress: onStep };
    return moveCustomer(deps, await getPlacedGroup(deps, "mover", undefined), to);
  };
  /** Begins a move that is killed when it reports a step. */
  const breakOff = (to: string | null, at: string) =>
    assert.rejects(
      move(to, (text) => {
        if (text.includes(at)) throw new Error("killed");
      }),
      /killed/,
    );
  const connect = async (shard: ShardName): Promise<Client> => {
    const known = clients.get(shard);
    if (known) return known;
    const client = new Client({ connectionString: shard === "main" ? busbar.connectionString : urls[shard] });
    clients.set(shard, client);
    await client.connect();
    return client;
  };
  return { busbar, sink, move, breakOff, connect };
}
