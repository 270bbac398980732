/** Customers with rows in a shard, whom a test moves to another one. */
import assert from "node:assert/strict";
import { Client } from "pg";
import { newId } from "../../ground/ids.ts";
import { getPlacedGroup } from "../../server/commands/shards/require-move.ts";
import { moveCustomer } from "../../server/commands/shards/move-customer.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { insertDestination } from "../../server/store/deliveries/destinations.ts";
import { insertCustomerRows, readAllRows } from "./customer-rows.ts";
import { createEmptyDatabase, createTestDatabase, type Scope } from "./database.ts";
import { stockDatabase, type Stock } from "./proxy/stock-database.ts";
import { addOnce, log, shardServices } from "./shards.ts";
import { waitForCopies } from "./wait-for-copies.ts";

/** Opens a Busbar's databases with the shards a and b, and two customers with rows in main. */
export async function openMoveScene(scope: Scope, count = 3) {
  const urls: Record<string, string> = {};
  const closing: (() => Promise<unknown>)[] = [];
  let connectionString = "";
  scope.after(async () => {
    for (const close of closing) await close();
  });
  scope.after(() => addOnce(connectionString, urls).unpair());
  const created = await createTestDatabase({ isDivided: false });
  scope.after(created.drop);
  ({ connectionString } = created);
  for (const name of ["a", "b"]) urls[name] = await createEmptyDatabase(scope);
  const database = await openDatabase({ connectionString, log, poolSize: 5 });
  closing.push(() => database.close());
  const mover = await stockDatabase(database.queries, { projectName: "one" });
  const neighbour = await stockDatabase(database.queries, { projectName: "two" });
  const destinations = new Map<string, string>();
  for (const { projectId } of [mover, neighbour]) {
    const id = newId();
    destinations.set(projectId, id);
    const settings = { name: "d", type: "webhook", metadata: {}, secretsSealed: "" };
    await insertDestination(database.control, { id, projectId, ...settings });
  }
  await addOnce(connectionString, urls).add(database);
  for (const dataUrl of Object.values(urls)) await waitForCopies({ connectionString, dataUrl });
  const clients: Record<string, Client> = {};
  for (const [name, url] of Object.entries({ main: connectionString, ...urls })) {
    const client = new Client({ connectionString: url });
    await client.connect();
    closing.unshift(() => client.end());
    clients[name] = client;
  }
  const inShard = (name: string): Client => {
    const client = clients[name];
    if (!client) throw new Error(name);
    return client;
  };
  const insert = (stock: Stock) =>
    insertCustomerRows(
      inShard("main"),
      { ...stock, groupRef: "customer-1", destinationId: destinations.get(stock.projectId) ?? "" },
      count,
    );
  await insert(neighbour);
  const ids = await insert(mover);
  // Nobody delivers here.
  await inShard("main").query("delete from unrouted_events");
  const deps = shardServices(database);
  const find = (projectId = mover.projectId) => getPlacedGroup(deps, "customer-1", projectId);
  const move = async (to: string, options: { onStep?(text: string): void; maxWaitMs?: number } = {}) => {
    const { onStep: progress = () => {}, ...more } = options;
    return moveCustomer({ ...deps, progress }, await find(), to === "main" ? null : to, more);
  };
  /** Returns rows of the customer who moves, in each shard. */
  const read = async () => {
    const all: Record<string, Record<string, string[]>> = {};
    for (const name of ["main", "a", "b"])
      all[name] = Object.fromEntries(
        Object.entries(await readAllRows(inShard(name))).map(([table, lines]) => [
          table,
          lines.filter((line) => ids.some((id) => line.includes(id))),
        ]),
      );
    return all;
  };
  /** Begins a move that is killed when it reports a step. */
  const breakOff = (to: string, at: string) =>
    assert.rejects(
      move(to, {
        onStep(text) {
          if (text.includes(at)) throw new Error("killed");
        },
      }),
      /killed/,
    );
  return { database, deps, mover, neighbour, inShard, move, breakOff, find, read };
}
