/** Keeps Busbar from refreshing tokens by itself, for tests that count the refreshes which their calls cause. */
import { Client } from "pg";

/**
 * Stops refreshes ahead of expiry: no connection of this database is due for one any more. `alter table token_refreshes disable
 * trigger never_due` ends that.
 */
export async function refreshOnlyOnDemand(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(`
      create function never_due() returns trigger language plpgsql as $$
        begin
          new.due_time := null;
          return new;
        end
      $$;
      create trigger never_due before insert or update on token_refreshes
        for each row execute function never_due();
    `);
  } finally {
    await client.end();
  }
}
