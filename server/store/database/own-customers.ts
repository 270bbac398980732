/**
 * Restricts statements that begin at shared tables to the customers of the session's own database: copies of the customers of other
 * shards are there as well (docs/decisions/0045-shards-by-customer.md).
 */
import { sql, type RawBuilder } from "kysely";

/** Setting of a session with the name of its shard; not set for the main one. */
export const SHARD_SETTING = "busbar.shard";

/** Condition on the rows of `groups`. */
export const IS_OWN_GROUP = sql<boolean>`
  groups.shard is not distinct from nullif(current_setting(${sql.lit(SHARD_SETTING)}, true), '')`;

/** Condition on the rows of `installations`. */
export const IS_OWN_INSTALLATION = sql<boolean>`
  exists (select from groups where groups.id = installations.group_id and ${IS_OWN_GROUP})`;

/** Condition that work for an installation may begin in this database: its customer is not being moved to another one. */
export const isHere = (installationId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`is_customer_here(${installationId})`;
