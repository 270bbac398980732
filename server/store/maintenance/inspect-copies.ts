/** Reads how the copies of the shared tables are doing, without changing anything. */
import { openClient, openDataClient } from "../database/prepare-database.ts";
import { openCopies, READ_POSITION } from "../sides/copies.ts";
import {
  OF_THIS_DATABASE,
  readPublishedSlot,
  readSubscribedSlot,
  REPLICATION,
  UNAWAITED_COMMITS,
} from "../sides/replicate-shared.ts";

export interface CopyFacts {
  /** Whether the two databases belong together. */
  isPair: boolean;
  /** Major versions. */
  versions: { control: number; data: number };
  isEnabled: boolean;
  /** Whether what is copied waits until it is on a synchronous standby. */
  awaitsStandbys: boolean;
  /** Whether a worker applies changes, or waits for them. */
  isRunning: boolean;
  /** Whether all that is committed in the control database is applied within a second. */
  areComplete: boolean;
  /** State of the slot in the control database; undefined: it has none. */
  slot?: { name: string; isLost: boolean; keptBytes: number };
}

/** Inspects two databases; `mark` is the slot of a shard. Throws if it cannot connect to one. */
export async function inspectCopies(
  connectionString: string,
  dataUrl: string,
  mark?: string,
): Promise<CopyFacts> {
  const control = await openClient(connectionString);
  const data = await openDataClient(dataUrl).catch(async (error: unknown) => {
    await control.end();
    throw error;
  });
  try {
    const published = mark ?? (await readPublishedSlot(control));
    const { rows: subscriptions } = await data.query<{
      enabled: boolean;
      running: boolean;
      awaits: boolean;
    }>(SUBSCRIPTION, [REPLICATION, UNAWAITED_COMMITS]);
    const { rows: slots } = await control.query<{ name: string; lost: boolean; kept: number }>(SLOT, [
      published,
    ]);
    const { rows: positions } = await control.query<{ position: string; version: number }>(
      `${READ_POSITION}, ${VERSION}`,
    );
    const { rows: versions } = await data.query<{ version: number }>(`select ${VERSION}`);
    const isRunning = subscriptions[0]?.running ?? false;
    const [slot] = slots;
    return {
      isPair: published !== undefined && published === (await readSubscribedSlot(data)),
      versions: { control: positions[0]?.version ?? 0, data: versions[0]?.version ?? 0 },
      isEnabled: subscriptions[0]?.enabled ?? false,
      awaitsStandbys: subscriptions[0]?.awaits ?? false,
      isRunning,
      areComplete: isRunning && (await openCopies(data).applied(positions[0]?.position ?? "")),
      ...(slot && { slot: { name: slot.name, isLost: slot.lost, keptBytes: slot.kept } }),
    };
  } finally {
    await control.end();
    await data.end();
  }
}

const VERSION = "current_setting('server_version_num')::integer / 10000 as version";

const SUBSCRIPTION = `
  select subenabled as enabled, subsynccommit <> all($2) as awaits, exists (
    select from pg_stat_subscription where subid = pg_subscription.oid and relid is null and pid is not null
  ) as running
  from pg_subscription where subname = $1 and ${OF_THIS_DATABASE}`;

const SLOT = `
  select slot_name as name, coalesce(wal_status = 'lost', false) as lost,
    coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as kept
  from pg_replication_slots where slot_name = $1 and database = current_database()`;
