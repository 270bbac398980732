/** When a write was accepted. */
import { sql } from "kysely";

/** The time in its id, because PostgreSQL before 18 has no function for it. For statements with `operation_id`. */
export const ACCEPTED_TIME = sql`to_timestamp(('x' || left(replace(operation_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;
