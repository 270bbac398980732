/** Checks that PostgreSQL replicates the shared tables from the control database into the data database. */
import { reportBad, reportGood, type Finding } from "../../../cli/doctor/finding.ts";
import { inspectCopies, type CopyFacts } from "../../store/maintenance/inspect-copies.ts";

/** Above it, the control database's disk may fill. */
const MAX_KEPT_BYTES = 1e9;

/** What is different for a shard. */
interface ShardMark {
  slot: string;
  /** Command that makes slot and copies again. */
  renewal: string;
}

/** Checks two databases that can be used; `shard` is given for a shard beside the main one. */
export async function checkCopies(
  connectionString: string,
  dataUrl: string,
  shard?: ShardMark,
): Promise<Finding[]> {
  const facts = await inspectCopies(connectionString, dataUrl, shard?.slot);
  const renewal = shard?.renewal ?? "busbar migrate";
  if (!facts.isPair) {
    const detail = "the two databases do not belong together";
    const cure = shard
      ? "Name the database that does, or take the shard away and add an empty one."
      : "Name the two that do. Before the first start: both must be empty, and the start makes them a pair.";
    return [reportBad("copies", detail, cure)];
  }
  return [checkVersions(facts), checkReplication(facts, renewal), checkSlot(facts, renewal)];
}

function checkVersions({ versions: { control, data } }: CopyFacts): Finding {
  if (control === data) return reportGood("versions of both databases", `PostgreSQL ${control}`);
  const detail = `PostgreSQL ${control} and ${data}`;
  return reportBad(
    "versions of both databases",
    detail,
    "Busbar does not start until both have the same major version.",
  );
}

const MEANWHILE = "Until then new customers' work waits, and nothing is lost.";

function checkReplication(facts: CopyFacts, renewal: string): Finding {
  const { isEnabled, isRunning, areComplete, awaitsStandbys, slot } = facts;
  const check = "copies";
  if (!slot || slot.isLost) return reportGood(check, "see their slot");
  if (!isEnabled) {
    // Enabling it may be wrong: after a renewal that broke off, the slot lacks changes.
    const cure = `Run ${renewal}, which makes the slot and the copies again. ${MEANWHILE}`;
    return reportBad(check, "replication is disabled", cure);
  }
  if (!isRunning) {
    const detail = "replication does not run: its worker cannot connect, or cannot apply a change";
    return reportBad(check, detail, `The log of the data database's server says why. ${MEANWHILE}`);
  }
  if (!awaitsStandbys)
    return reportBad(
      check,
      "an earlier version made them so that they do not wait for synchronous standbys: a promoted one could lack changes for ever",
      `Run ${renewal}, with a role that owns the subscription.`,
    );
  if (areComplete) return reportGood(check, "complete");
  return reportBad(check, "late by more than a second", `Look at the load of both servers. ${MEANWHILE}`);
}

function checkSlot({ slot }: CopyFacts, renewal: string): Finding {
  const check = "replication slot";
  if (!slot || slot.isLost) {
    const detail = slot
      ? `${slot.name} has lost changes that the data database still needs (max_slot_wal_keep_size)`
      : "the control database has none, as after a failover to a standby without it";
    return reportBad(
      check,
      `${detail}: copies do not change any more`,
      `Run ${renewal}, which makes the slot and the copies again.`,
    );
  }
  const kept = `keeps ${(slot.keptBytes / 1e6).toFixed(0)} MB of log on the control server`;
  if (slot.keptBytes < MAX_KEPT_BYTES) return reportGood(check, kept);
  return reportBad(check, kept, "Let replication go on before the disk is full.");
}
