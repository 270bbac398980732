/** Names new customers, whom weights place in the shards. */
import type { Client } from "../../harness/client.ts";
import { connectCustomer, type Customer } from "../../harness/connect-customer.ts";
import { queryOnce } from "../../harness/database.ts";
import { MAIN, type ShardServers } from "./shard-servers.ts";

/** Returns how many of `count` customers were placed in each database, and one of each. `query` asks the control database. */
export async function placeCustomers(
  busbar: Client,
  count: number,
  query: (text: string) => Promise<Record<string, unknown>[]>,
): Promise<{ placed: Record<string, number>; customers: Map<string, string> }> {
  for (let nth = 0; nth < count; nth += 1) {
    const group = { groupRef: `customer-${nth}`, groupName: `${nth}` };
    const answer = await busbar.inProject("POST", "/groups", group);
    if (answer.status !== 201) throw new Error(`groups: ${answer.text}`);
  }
  const rows = await query(
    "select coalesce(shard, 'main') as shard, group_ref from groups order by group_ref",
  );
  const placed: Record<string, number> = {};
  const customers = new Map<string, string>();
  for (const { shard, group_ref: groupRef } of rows) {
    placed[String(shard)] = (placed[String(shard)] ?? 0) + 1;
    customers.set(String(shard), String(groupRef));
  }
  return { placed, customers };
}

/** Customers by the names of their shards. */
export type PlacedCustomers = Map<string, Customer>;

const CANDIDATES = 40;

/** Connects one customer of each shard, or one of the only database. */
export async function connectPlaced(
  busbar: Parameters<typeof connectCustomer>[0],
  shards: ShardServers | undefined,
): Promise<PlacedCustomers> {
  const groups = shards
    ? (await placeCustomers(busbar, CANDIDATES, (text) => queryOnce(shards.getUrl(MAIN), text))).customers
    : new Map([[MAIN, "acme"]]);
  const customers: PlacedCustomers = new Map();
  for (const [shard, groupRef] of groups)
    customers.set(
      shard,
      await connectCustomer(busbar, {
        provider: "hubspot",
        objects: ["companies"],
        groupRef,
        expiresInSeconds: 86_400,
      }),
    );
  return customers;
}
