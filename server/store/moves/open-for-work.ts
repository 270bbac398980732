/** Lets the new shard work for a customer who was moved. */
import type { ClientBase } from "pg";
import { matchCustomer, type MovedCustomer } from "./customer-tables.ts";
import { setGuard } from "./guard-customer.ts";

const WOKEN = [
  "writes",
  "read_runs",
  "subscriptions",
  "event_streams",
  "events",
  "read_syncs",
  "subscription_syncs",
];

/**
 * Has the workers of a shard begin with a customer. What has changed of its configuration meanwhile may have been announced to the
 * former shard, so all of it is looked at.
 */
export async function openForWork(to: ClientBase, customer: MovedCustomer): Promise<void> {
  await setGuard(to, customer.groupId, "arrived");
  for (const table of ["read_syncs", "subscription_syncs"])
    await to.query(
      `insert into ${table} (installation_id) select id from installations
       where ${matchCustomer(to, { by: "group", moves: "history" }, customer)} on conflict do nothing`,
    );
  await to.query(
    "select pg_notify('busbar_changes', json_build_object('table', name, 'id', '')::text) from unnest($1::text[]) as name",
    [WOKEN],
  );
}

const REASON = "The customer was moved from a shard that was lost, which may have stored changes.";

/** Looks for changes since a time again: the former shard may have stored some late. */
export const reconcileMoved = async (to: ClientBase, customer: MovedCustomer, since: Date): Promise<void> =>
  void (await to.query(
    `update subscriptions set due_time = now(),
       reconcile_reason = case when reconcile_since <= $1 then reconcile_reason else $2 end,
       reconcile_since = least(reconcile_since, $1)
     where state <> 'disabled' and ${matchCustomer(to, { by: "installation", moves: "frozen" }, customer)}`,
    [since, REASON],
  ));
