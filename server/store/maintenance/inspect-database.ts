/** Reads the facts about a database that an operator should know, without changing anything. */
import { nowMs } from "../../../ground/clock.ts";
import { openDatabaseHosts, HostClient, tryHosts } from "../database/database-hosts.ts";
import {
  APPLIED_MIGRATIONS,
  listMigrationNames,
  listUnknownMigrations,
  type AppliedMigration,
} from "../database/migrate.ts";
import { CONNECT_TIMEOUT_MS } from "../database/pool.ts";
import { requireOwnSessions } from "../database/require-own-sessions.ts";

export interface DatabaseFacts {
  /** Version for display: "18.1". */
  version: string;
  versionNumber: number;
  isStandby: boolean;
  isEncrypted: boolean;
  role: string;
  /** Whether the role may migrate: it can create tables, and owns the existing ones. */
  mayMigrate: boolean;
  /** False for a role without rights on the tables of a migrated database. */
  mayRead: boolean;
  /** Migrations of this version that are missing, in order: all of them if the database is empty. */
  missingMigrations: string[];
  /** Migrations of a newer version. */
  newerMigrations: string[];
  sizeBytes: number;
  /** Connections that this role can open, and connections that are open now. */
  maxConnections: number;
  usedConnections: number;
  /** Values of settings with which acknowledged work can be lost, or tables grow without end. */
  settings: Record<"fsync" | "full_page_writes" | "synchronous_commit" | "autovacuum", string>;
  synchronousStandbys: string;
  /** Age of the oldest open transaction in this database. */
  oldestTransactionSeconds: number;
  /** How far the database's clock is ahead of this machine's; negative if it is behind. */
  clockAheadMs: number;
  /** Entries of the outbox that are not carried over, and the age of the oldest. */
  waitingChanges: number;
  waitingChangesSeconds: number;
}

/** Inspects a database. Throws if it cannot connect, and `StartError` for a pooler that does not keep sessions. */
export async function inspectDatabase(connectionString: string): Promise<DatabaseFacts> {
  const hosts = openDatabaseHosts(connectionString);
  const options = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: CONNECT_TIMEOUT_MS };
  const open = () =>
    tryHosts(hosts, async () => {
      const client = new HostClient(hosts, options);
      await client.connect();
      return client;
    });
  const client = await open();
  try {
    const second = await open();
    await requireOwnSessions(client, second).finally(() => second.end());
    return await read(client);
  } finally {
    await client.end();
  }
}

interface FactsRow {
  version: string;
  version_number: number;
  is_standby: boolean;
  is_encrypted: boolean;
  role: string;
  may_create: boolean;
  has_migrations: boolean;
  may_read: boolean;
  has_outbox: boolean;
  size_bytes: number;
  max_connections: number;
  used_connections: number;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  autovacuum: string;
  synchronous_standbys: string;
  oldest_seconds: number;
}

async function read(client: HostClient): Promise<DatabaseFacts> {
  const { rows } = await client.query<FactsRow>(FACTS);
  const [row] = rows;
  if (!row) throw new Error("the database answered nothing");
  const askedMs = nowMs();
  const clock = await client.query<{ ms: number }>(
    "select extract(epoch from clock_timestamp())::float8 * 1000 as ms",
  );
  const answeredMs = nowMs();
  const readable = row.has_migrations && row.may_read;
  const applied = readable ? (await client.query<AppliedMigration>(APPLIED_MIGRATIONS)).rows : [];
  const changes = row.has_outbox
    ? (await client.query<WaitingChangesRow>(WAITING_CHANGES)).rows[0]
    : undefined;
  const done = new Set(applied.map(({ name }) => name));
  const known = await listMigrationNames();
  return {
    version: row.version,
    versionNumber: row.version_number,
    isStandby: row.is_standby,
    isEncrypted: row.is_encrypted,
    role: row.role,
    mayMigrate: row.may_create,
    mayRead: row.may_read,
    missingMigrations: known.filter((name) => !done.has(name)),
    newerMigrations: listUnknownMigrations(applied, known),
    sizeBytes: row.size_bytes,
    maxConnections: row.max_connections,
    usedConnections: row.used_connections,
    settings: {
      fsync: row.fsync,
      full_page_writes: row.full_page_writes,
      synchronous_commit: row.synchronous_commit,
      autovacuum: row.autovacuum,
    },
    synchronousStandbys: row.synchronous_standbys,
    oldestTransactionSeconds: row.oldest_seconds,
    // The statement was executed at some time between both.
    clockAheadMs: Math.round((clock.rows[0]?.ms ?? askedMs) - (askedMs + answeredMs) / 2),
    waitingChanges: changes?.count ?? 0,
    waitingChangesSeconds: changes?.seconds ?? 0,
  };
}

interface WaitingChangesRow {
  count: number;
  seconds: number;
}

const WAITING_CHANGES = `
  select count(*)::integer as count, coalesce(extract(epoch from now() - min(create_time)), 0)::float8 as seconds
  from (select create_time from outbox order by position limit 100000) as oldest`;

const FACTS = `
  select split_part(current_setting('server_version'), ' ', 1) as version,
    current_setting('server_version_num')::integer as version_number,
    pg_is_in_recovery() as is_standby,
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as is_encrypted,
    current_user::text as role,
    has_schema_privilege(current_schema(), 'create')
      and coalesce((select pg_has_role(tableowner, 'usage') from pg_tables
                     where schemaname = current_schema() and tablename = 'migrations'), true) as may_create,
    to_regclass('migrations') is not null as has_migrations,
    coalesce(has_table_privilege(to_regclass('migrations'), 'select'), true) as may_read,
    coalesce(has_table_privilege(to_regclass('outbox'), 'select'), false) as has_outbox,
    pg_database_size(current_database())::float8 as size_bytes,
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
      as max_connections,
    (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as used_connections,
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('autovacuum') as autovacuum,
    current_setting('synchronous_standby_names') as synchronous_standbys,
    coalesce((select max(extract(epoch from now() - xact_start))::float8 from pg_stat_activity
               where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null), 0)
      as oldest_seconds`;
