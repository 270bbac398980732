/**
 * Lists proxied calls of all shards. Their ids are numbers of one database, so that those of other shards than the main one are shown
 * with the shard's name, and a position in the list has the time, too.
 */
import type { Database } from "../database/database.ts";
import type { IdRange } from "../database/id-range.ts";
import {
  findProxyCallTime,
  listProjectProxyCalls,
  type CallPlace,
  type ListedProxyCall,
  type ProxyCallFilter,
} from "../operations/proxy-call-lists.ts";
import { type AskedShards, findInShards, listInShards } from "./ask-shards.ts";

type Shards = Pick<Database, "shards">;

/** Builds the id of a call for the API. */
export const showCallId = ({ shards }: Shards, { shard }: Pick<Database, "shard">, id: string): string =>
  shard === shards[0]?.shard ? id : `${shard}!${id}`;

/** Returns whether a text may be the id of a call. */
export const isCallId = (text: string): boolean => /^([a-z][a-z0-9-]{0,29}!)?[1-9]\d{0,17}$/.test(text);

/** Returns whether a text may be a position in the list of a project. With one database, it is the id of a call. */
export const isCallToken = (text: string): boolean => isCallId(text) || PLACE.test(text);

const PLACE = /^(\d{13})!([a-z][a-z0-9-]{0,29})!(\d{19})$/;

const readCallId = ({ shards }: Shards, shown: string): { shard: string; id: string } => {
  const [name = "", id] = shown.split("!");
  return id === undefined ? { shard: shards[0]?.shard ?? "", id: name } : { shard: name, id };
};

/** Returns texts whose order is that of the list, the last begun first: calls of the same millisecond by shard, then by id. */
const buildPosition = (shard: string, { time, id }: { time: Date; id: string }): string =>
  `${String(time.getTime()).padStart(13, "0")}!${shard}!${id.padStart(19, "0")}`;

/** `id` is as the API shows it. */
export interface CallOfShard extends ListedProxyCall {
  position: string;
}

interface CallPage {
  rows: CallOfShard[];
  continueBefore?: string;
  unavailable?: string[];
}

/** `among` are the shards that are asked. `range.before` is a position or an id, `range.after` an id. */
export async function listProxyCallsInShards(
  database: Shards,
  among: AskedShards<Database>,
  filter: ProxyCallFilter,
  range: IdRange,
): Promise<CallPage> {
  const before = range.before === undefined ? undefined : await findPlace(database, filter, range.before);
  const after = range.after === undefined ? undefined : await findPlace(database, filter, range.after);
  // The call is not there any more, and nothing behind it.
  if (range.before !== undefined && !before) return { rows: [] };
  const page = await listInShards<CallOfShard, Database>(
    among,
    async (data, { shard }): Promise<{ rows: CallOfShard[]; continueBefore?: string }> => {
      const { rows, stop } = await listProjectProxyCalls(data, filter, {
        since: range.since,
        until: range.until,
        limit: range.limit,
        ...(before && { before: placeIn(shard, before) }),
        ...(after && { after: after.shard === shard ? { id: after.id } : { time: after.time } }),
      });
      return {
        rows: rows.map((row) => ({
          ...row,
          id: showCallId(database, { shard }, row.id),
          position: buildPosition(shard, row),
        })),
        ...(stop && { continueBefore: buildPosition(shard, stop) }),
      };
    },
    {
      ...range,
      getPosition: ({ position }) => position,
      // A line that is moved gets another number.
      getKey: ({ id: _id, position: _position, ...line }) => JSON.stringify(line),
    },
  );
  return page as CallPage;
}

interface KnownPlace {
  time: Date;
  shard: string;
  id: string;
}

/** Returns the place that a position or an id names; undefined for a call that is not there. Throws a 503 Problem if its shard is away. */
async function findPlace(
  { shards }: Shards,
  { projectId }: ProxyCallFilter,
  token: string,
): Promise<KnownPlace | undefined> {
  const [, timeMs, shard = "", padded = ""] = PLACE.exec(token) ?? [];
  if (timeMs !== undefined) return { time: new Date(Number(timeMs)), shard, id: BigInt(padded).toString() };
  const named = readCallId({ shards }, token);
  const own = shards.filter((one) => one.shard === named.shard);
  const found = await findInShards({ shards: own }, (data) => findProxyCallTime(data, projectId, named.id));
  return found && { ...named, time: found.row };
}

/** Returns where the list of a shard goes on behind a place in the list of all. */
function placeIn(shard: string, { time, shard: ofCall, id }: KnownPlace): CallPlace {
  if (shard === ofCall) return { time, id };
  return { time, includesTime: `${shard}!` < `${ofCall}!` };
}
