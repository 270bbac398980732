/** Checks each shard beside the main one: its state, its database, and its copies. */
import { reportBad, reportGood, type Finding } from "../../../cli/doctor/finding.ts";
import { MAIN_SHARD } from "../../store/database/database.ts";
import { listMoves, type CustomerMove } from "../../store/moves/customer-moves.ts";
import { listShards, OPEN_STATES, type RegisteredShard } from "../../store/shards/shard-registry.ts";
import { checkCopies } from "./check-copies.ts";
import { checkDatabase } from "./check-database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { describeAddress } from "../../../ground/database-addresses.ts";

interface CheckServices {
  readUrl(shard: RegisteredShard): string | undefined;
  /** Connections of a process to a database. */
  poolSize: number;
  control: ControlQueries;
  connectionString: string;
}

export async function checkShards(deps: CheckServices): Promise<Finding[]> {
  const shards = await listShards(deps.control);
  const findings = await Promise.all(shards.map((shard) => checkShard(deps, shard)));
  return [...findings.flat(), ...(await listMoves(deps.control)).map(checkMove)];
}

async function checkShard(deps: CheckServices, shard: RegisteredShard): Promise<Finding[]> {
  const check = `shard ${shard.name}`;
  const url = deps.readUrl(shard);
  if (url === undefined)
    return [
      reportBad(
        check,
        "the key that encrypted its address is missing",
        "Add it to BUSBAR_ENCRYPTION_KEYS from your backup, or add the shard again with its address.",
      ),
    ];
  const state = checkState(check, shard);
  if (!OPEN_STATES.includes(shard.state)) return [state];
  const { findings, facts } = await checkDatabase(
    { databaseConnections: deps.poolSize },
    url,
    `the server ${describeAddress(url)}`,
  );
  const { name, slot } = shard;
  const copies = facts
    ? await checkCopies(deps.connectionString, url, {
        slot,
        renewal: `busbar shards add ${name} URL`,
      })
    : [];
  // Changes wait in the outbox of the control database only.
  const own = [...findings.filter((finding) => finding.check !== "outbox"), ...copies];
  return [state, ...own.map((finding) => ({ ...finding, check: `${check}: ${finding.check}` }))];
}

const EFFECTS: Record<CustomerMove["state"], string> = {
  copying: "the other shard has copies of its rows",
  closing: "its requests are refused",
  switched: "the former shard has rows of it",
};

function checkMove({
  groupRef,
  projectId,
  toShard,
  state,
  detail,
  startTime,
  isRunning,
}: CustomerMove): Finding {
  const to = toShard ?? MAIN_SHARD;
  const text = `to ${to} since ${startTime.toISOString()}${detail === null ? "" : `: ${detail}`}`;
  const check = `move of ${groupRef}`;
  if (isRunning) return reportGood(check, text);
  const effect = EFFECTS[state];
  const lost = state === "switched" ? " (with --lost if the former shard is gone for good)" : "";
  const cure = `Complete it: busbar shards move ${groupRef} ${to} --project ${projectId}${lost}`;
  return reportBad(check, `broken off, ${effect}: ${text}`, cure);
}

function checkState(check: string, { name, state, stateTime, detail }: RegisteredShard): Finding {
  const since = `since ${stateTime.toISOString()}`;
  const text = `${state} ${since}${detail === null ? "" : `: ${detail}`}`;
  if (state === "active" || state === "draining") return reportGood(check, text);
  if (state === "removing") return reportBad(check, text, `Complete it: busbar shards remove ${name}`);
  const again = `Add it again (busbar shards add ${name} URL), or take it away (busbar shards remove ${name}).`;
  return reportBad(check, text, again);
}
