/** Addresses that serve data that is too large for a message: sealed, so that they cannot be forged, and short-lived. */
import { nowMs } from "../../ground/clock.ts";
import { isJsonObject, type Json } from "../../ground/json.ts";
import type { Sealer } from "../../ground/seal.ts";

const LIFE_MS = 15 * 60 * 1000;

/** One member of an event's data. */
interface EventFile {
  eventId: string;
  member: string;
}

/** Names the purpose instead of a row, so that a token opens nowhere else. */
const PLACE = { table: "events", column: "file", rowId: "", projectId: "" };

/** Returns the address of a file, valid for 15 minutes. */
export function buildEventFileUrl(sealer: Sealer, publicUrl: string, file: EventFile): string {
  const token = sealer.seal(JSON.stringify({ ...file, untilMs: nowMs() + LIFE_MS }), PLACE);
  return `${publicUrl}/v1/event-files/${token}`;
}

/** Returns the file that a token names; undefined when the token is forged or expired. */
export function readEventFileToken(sealer: Sealer, token: string): EventFile | undefined {
  try {
    const file: Json = JSON.parse(sealer.open(token, PLACE));
    if (!isJsonObject(file) || typeof file["untilMs"] !== "number" || file["untilMs"] < nowMs())
      return undefined;
    const { eventId, member } = file;
    return typeof eventId === "string" && typeof member === "string" ? { eventId, member } : undefined;
  } catch {
    return undefined;
  }
}
