/** Erases a customer, and looks for what still names it. */
import type { Client } from "../../harness/client.ts";
import { queryOnce } from "../../harness/database.ts";

/** Returns the rows that still name the customer, by table. The first of `urls` is that of the control database. */
export async function eraseCustomer(
  busbar: Client,
  groupRef: string,
  urls: readonly [control: string, ...others: string[]],
): Promise<Record<string, number>> {
  const named = await queryOnce(
    urls[0],
    `select unnest(array[groups.id, connections.id, installations.id]) as id
     from groups left join connections on connections.group_id = groups.id
       left join installations on installations.group_id = groups.id where group_ref = $1`,
    [groupRef],
  );
  const ids = named.map(({ id }) => id);
  for (let done = false; !done;) {
    const answer = await busbar.inProject("DELETE", `/groups/${groupRef}`);
    if (answer.status !== 200) throw new Error(`erase: ${answer.text}`);
    done = answer.body.done;
  }
  const left: Record<string, number> = {};
  for (const url of urls) {
    const columns = await queryOnce(
      url,
      `select table_name as name, column_name as member from information_schema.columns
       where table_schema = 'public' and column_name in ('group_id', 'connection_id', 'installation_id')`,
    );
    for (const { name, member } of columns) {
      const rows = await queryOnce(url, `select from ${name} where ${member}::text = any($1)`, [ids]);
      if (rows.length > 0) left[String(name)] = rows.length;
    }
  }
  return left;
}
