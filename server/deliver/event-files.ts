/** Addresses that serve what was too large for a message: sealed, so that nobody can make one, and short-lived. */
import { nowMs } from "../ground/clock.ts";
import { isJsonObject, type Json } from "../ground/json.ts";
import type { Sealer } from "../ground/seal.ts";

const LIFE_MS = 15 * 60 * 1000;

/** One member of an event's data. */
export interface EventFile {
  eventId: string;
  member: string;
}

/** Only names the use: a token is no row's value, so it opens nowhere else. */
const PLACE = { table: "events", column: "file", rowId: "", projectId: "" };

/** The address of the file, good for 15 minutes. */
export function eventFileUrl(sealer: Sealer, publicUrl: string, file: EventFile): string {
  const token = sealer.seal(JSON.stringify({ ...file, untilMs: nowMs() + LIFE_MS }), PLACE);
  return `${publicUrl}/v1/event-files/${token}`;
}

/** What an address names; undefined when it was not made here or its time is over. */
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
