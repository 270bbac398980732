/**
 * Guards a customer in the database of a shard: nobody claims work for it, and nobody begins any. Triggers do it, so that a process that
 * knows nothing of the move yet is stopped, too. They are made when a customer moves from or to this database for the first time.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { ClientBase } from "pg";
import { StartError } from "../../../ground/errors.ts";
import { isLockTimeout, LOCK_MS, LONG_LOCK_MS, MAX_TRIES, PAUSE_MS } from "../sides/lock-tables.ts";

type GuardState = "leaving" | "coming" | "arrived" | "away";

interface Guard {
  table: string;
  /** When the trigger fires. */
  event: string;
  when?: string;
  does: "skip" | "refuse";
  by: "installation" | "connection" | "event";
}

const IS_CLAIM = "new.claimed_by is not null and old.claimed_by is null";

/** Not because the row that it belongs to is deleted. */
const IS_ITSELF = "pg_trigger_depth() = 0";
const IS_WAITING = `old.claimed_by is null and ${IS_ITSELF}`;

const GUARDS: Guard[] = [
  { table: "operations", event: "insert", does: "refuse", by: "installation" },
  { table: "writes", event: "update", when: IS_CLAIM, does: "skip", by: "installation" },
  {
    table: "writes",
    event: "update of group_bytes",
    when: "new.group_bytes > old.group_bytes",
    does: "refuse",
    by: "installation",
  },
  { table: "read_runs", event: "update", when: IS_CLAIM, does: "skip", by: "installation" },
  { table: "subscriptions", event: "update", when: IS_CLAIM, does: "skip", by: "installation" },
  { table: "event_streams", event: "update", when: IS_CLAIM, does: "skip", by: "connection" },
  {
    table: "deliveries",
    event: "update",
    when: "new.state = 'sending' and old.state = 'waiting'",
    does: "skip",
    by: "event",
  },
  { table: "schema_baselines", event: "insert or update", does: "refuse", by: "installation" },
  // Work that waits is cancelled, or held messages are released, in the shard that has them. Work that was claimed before ends.
  { table: "writes", event: "delete", when: IS_WAITING, does: "refuse", by: "installation" },
  { table: "read_runs", event: "delete", when: IS_WAITING, does: "refuse", by: "installation" },
  { table: "held_messages", event: "delete", when: IS_ITSELF, does: "skip", by: "installation" },
];

/** Makes the triggers that are missing. Each needs a lock for a moment, and gives way to others. */
export async function prepareGuards(client: ClientBase): Promise<void> {
  for (const [nth, guard] of GUARDS.entries()) {
    const name = `guarded_${nth}`;
    const { rows } = await client.query(
      "select from pg_trigger where tgrelid = to_regclass($1) and tgname = $2",
      [guard.table, name],
    );
    if (rows.length === 0) await makeGuard(client, name, guard);
  }
}

async function makeGuard(
  client: ClientBase,
  name: string,
  { table, event, when, does, by }: Guard,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await client.query(`begin; set local lock_timeout = ${tries % 5 === 0 ? LONG_LOCK_MS : LOCK_MS}`);
    try {
      await client.query(
        `create or replace trigger ${name} before ${event} on ${table} for each row
         ${when === undefined ? "" : `when (${when})`} execute function guard_customer('${does}', '${by}')`,
      );
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback");
      if (!isLockTimeout(error)) throw error;
      if (tries === MAX_TRIES)
        throw new StartError(
          `the table ${table} has been locked all the time (pg_stat_activity shows by whom): repeat the command when it is not`,
        );
    }
    await wait(PAUSE_MS);
  }
}

/** Lets a session change rows of guarded customers. */
export const passGuards = async (client: ClientBase): Promise<void> =>
  void (await client.query("select set_config('busbar.mover', 'yes', false)"));

export const setGuard = async (client: ClientBase, groupId: string, state: GuardState): Promise<void> =>
  void (await client.query(
    `insert into moving_customers (group_id, state) values ($1, $2)
     on conflict (group_id) do update set state = excluded.state,
       lines = case when excluded.state = 'arrived' then moving_customers.lines else '{}' end`,
    [groupId, state],
  ));

export const removeGuard = async (client: ClientBase, groupId: string): Promise<void> =>
  void (await client.query("delete from moving_customers where group_id = $1", [groupId]));
