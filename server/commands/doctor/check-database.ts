/** Checks the database of DATABASE_URL, or that of the data tables: reachable, recent, safe, with room, and migrated. */
import { reportBad, reportGood, type Finding } from "../../../cli/doctor/finding.ts";
import type { Config } from "../../../ground/config.ts";
import { inspectDatabase, type DatabaseFacts } from "../../store/maintenance/inspect-database.ts";

const OLDEST_VERSION = 140_000;
/** For notifications, deliveries and locks, beside the pool. */
const BESIDE_POOL = 5;
/** Above it, customer tokens and signatures that depend on the time begin to fail. */
const MAX_SKEW_MS = 5_000;
/** A transaction that is open for so long keeps PostgreSQL from removing dead rows of every table. */
const LONG_TRANSACTION_SECONDS = 3_600;
/** Twice the time after which an entry that could not be carried over is tried again. */
const LATE_CHANGE_SECONDS = 120;

/** Returns no facts if the database cannot be used. */
export async function checkDatabase(
  config: Pick<Config, "databaseConnections">,
  connectionString: string,
  variable = "DATABASE_URL",
): Promise<{ findings: Finding[]; facts?: DatabaseFacts }> {
  try {
    const facts = await inspectDatabase(connectionString);
    const findings = [
      checkVersion(facts),
      checkMigrations(facts),
      ...checkSettings(facts),
      checkConnections(facts, config.databaseConnections),
      checkTransactions(facts),
      compareClocks(facts),
      checkOutbox(facts),
    ];
    return { findings, facts };
  } catch (error) {
    // A failure of several addresses has no message of its own.
    const reason = error instanceof Error ? error.message || String(error) : String(error);
    const cure = `Check ${variable}, that PostgreSQL runs, and the network between the two.`;
    return { findings: [reportBad("database", `cannot be used: ${reason}`, cure)] };
  }
}

function checkVersion(facts: DatabaseFacts): Finding {
  const { versionNumber, isStandby, isEncrypted, role, sizeBytes } = facts;
  const what = `PostgreSQL ${facts.version}`;
  if (versionNumber < OLDEST_VERSION)
    return reportBad("database", `${what} is too old`, "Use PostgreSQL 14 or later.");
  if (isStandby) {
    const cure = "Name the primary, or all hosts with target_session_attrs=read-write.";
    return reportBad("database", `${what} is a standby, which takes no writes`, cure);
  }
  const path = isEncrypted ? "encrypted" : "not encrypted";
  const size = `${(sizeBytes / 1e6).toFixed(sizeBytes < 1e8 ? 1 : 0)} MB`;
  return reportGood("database", `${what}, connected as ${role}, ${path}, ${size}`);
}

function checkMigrations(facts: DatabaseFacts): Finding {
  const { missingMigrations, newerMigrations, mayMigrate, mayRead, role } = facts;
  const check = "migrations";
  const grant = `Run busbar migrate --grant ${role} as the owner of the tables.`;
  if (!mayRead) return reportBad(check, `${role} may not read Busbar's tables`, grant);
  if (newerMigrations.length > 0) {
    const detail = `a newer Busbar has migrated the database (${newerMigrations.join(", ")})`;
    return reportBad(check, detail, "Run that version, or restore a backup of before.");
  }
  const missing = missingMigrations.length;
  if (missing === 0) return reportGood(check, "all done");
  const detail = `${missing} to do, from ${missingMigrations[0]} on`;
  if (mayMigrate) return reportGood(check, `${detail}: the next start does them`);
  return reportBad(check, `${detail}, and ${role} cannot change the schema`, grant);
}

/** Why each setting must not be off. */
const MUST_BE_ON = {
  fsync: "acknowledged writes are lost when the machine loses power",
  full_page_writes: "tables can be damaged when the machine loses power",
  synchronous_commit: "writes are acknowledged before they are stored",
  autovacuum: "tables and indexes grow without end",
};

function checkSettings({ settings: values, synchronousStandbys }: DatabaseFacts): Finding[] {
  const faults = Object.entries(MUST_BE_ON).flatMap(([name, why]) =>
    values[name as keyof typeof MUST_BE_ON] === "off"
      ? [
          reportBad(
            "database settings",
            `${name} is off: ${why}`,
            `Set ${name} to on, in postgresql.conf or for the role.`,
          ),
        ]
      : [],
  );
  if (faults.length > 0) return faults;
  const standby = synchronousStandbys === "" ? "no synchronous standby" : "with a synchronous standby";
  return [reportGood("database settings", `safe, ${standby}`)];
}

function checkConnections({ maxConnections, usedConnections }: DatabaseFacts, poolSize: number): Finding {
  const check = "database connections";
  const left = maxConnections - usedConnections;
  const detail = `${usedConnections} of ${maxConnections} are open`;
  const needed = poolSize + BESIDE_POOL;
  if (left >= needed) return reportGood(check, detail);
  const cure = "Raise max_connections of PostgreSQL, or lower BUSBAR_DATABASE_CONNECTIONS.";
  return reportBad(check, `${detail}: a further process with up to ${needed} does not fit`, cure);
}

function checkTransactions({ oldestTransactionSeconds: seconds }: DatabaseFacts): Finding {
  const check = "transactions";
  if (seconds < LONG_TRANSACTION_SECONDS) return reportGood(check, "none is open for long");
  const hours = (seconds / 3_600).toFixed(1);
  const detail = `one is open for ${hours} hours, so dead rows cannot be removed and tables grow`;
  return reportBad(check, detail, "Find it in pg_stat_activity by xact_start, and end it.");
}

function compareClocks({ clockAheadMs }: DatabaseFacts): Finding {
  const seconds = (Math.abs(clockAheadMs) / 1_000).toFixed(1);
  if (Math.abs(clockAheadMs) <= MAX_SKEW_MS) return reportGood("clock", "agrees with the database's");
  const where = clockAheadMs > 0 ? "behind" : "ahead of";
  const detail = `this machine's clock is ${seconds} seconds ${where} the database's`;
  return reportBad(
    "clock",
    detail,
    "Set both clocks by NTP: due times, tokens and signatures depend on them.",
  );
}

function checkOutbox({ waitingChanges: count, waitingChangesSeconds: seconds }: DatabaseFacts): Finding {
  const check = "outbox";
  const what = count === 1 ? "1 change waits" : `${count} changes wait`;
  if (seconds < LATE_CHANGE_SECONDS) return reportGood(check, count === 0 ? "nothing waits" : what);
  const age = `${count === 1 ? "" : "the oldest "}for ${Math.round(seconds / 60)} minutes`;
  const detail = `${what}${count === 1 ? " " : ", "}${age}: its event, or its effect on reading, is missing`;
  const cure =
    "Run a process with the role worker. If one runs, its log says why: a change cannot be carried over. Nothing is lost meanwhile.";
  return reportBad(check, detail, cure);
}
