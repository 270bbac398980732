/** Names new customers, whom weights place in the shards. */
import type { Client } from "../../harness/client.ts";

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
