/** Lists the customers of all shards. Of a shard that is away, all but the health and the last activity is known. */
import {
  listGroups,
  listGroupsElsewhere,
  type GroupFilter,
  type GroupRange,
  type GroupRow,
} from "../../store/connections/customer-lists.ts";
import type { Database } from "../../store/database/database.ts";
import { askPresent } from "../../store/shards/ask-shards.ts";

export async function listCustomers(
  { control, data, shards }: Pick<Database, "control" | "data" | "shards">,
  filter: GroupFilter,
  range: GroupRange,
): Promise<{ rows: GroupRow[]; unavailable?: string[] }> {
  if (shards.length === 1) return { rows: await listGroups(data, filter, range) };
  const { answers, unavailable } = await askPresent({ shards }, (own) =>
    listGroups(own, { ...filter, isOwn: true }, range),
  );
  if (unavailable.length === 0) return { rows: merge(answers.flat(), range) };
  const [main] = shards;
  const present = shards
    .filter(({ shard }) => !unavailable.includes(shard))
    .map((one) => (one === main ? null : one.shard));
  const elsewhere =
    filter.healthStatus === undefined
      ? await listGroupsElsewhere(control, filter, range, { shards: present })
      : [];
  return { rows: merge([...answers.flat(), ...elsewhere], range), unavailable };
}

const merge = (rows: GroupRow[], { limit }: GroupRange): GroupRow[] =>
  rows.toSorted((one, other) => compareCodePoints(one.groupRef, other.groupRef)).slice(0, limit);

/** The order of code points is that of the bytes in UTF-8, as PostgreSQL compares them, and not that of JavaScript. */
const compareCodePoints = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
