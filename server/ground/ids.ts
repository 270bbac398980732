/** Makes identifiers and the random texts that serve as credentials. */
import { createHash, randomBytes, randomFillSync } from "node:crypto";
import { v7 } from "uuid";
import { nowMs } from "./clock.ts";

/** Drawing random bytes takes as long for one id as for these 256. */
const random = new Uint8Array(256 * 16);
let drawn = random.length;
/** Of the last id: its millisecond, and its place among those of the same one. */
let msecs = 0;
let seq = 0;

/** A new UUIDv7: unique anywhere, sorted by the time it was made, here even within a millisecond. */
export function newId(): string {
  if (drawn === random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  const bytes = random.subarray(drawn, (drawn += 16));
  const now = nowMs();
  if (now > msecs) {
    msecs = now;
    // The highest bit is left free to count in.
    seq = new DataView(bytes.buffer, bytes.byteOffset).getUint32(6) >>> 1;
  } else {
    seq += 1;
  }
  return v7({ random: bytes, msecs, seq });
}

/** Whether `text` has the form of a UUID of any version; ask before a text meets a `uuid` column. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

/** A new API key: `bb_` and 256 random bits in URL-safe text. */
export const newApiKey = (): string => `bb_${randomBytes(32).toString("base64url")}`;

/** The digest under which an API key is stored and looked up. 256 random bits need no slow hash. */
export const hashApiKey = (key: string): Buffer => createHash("sha256").update(key).digest();

/** What may be shown of an API key: enough to tell it from the others, too little to guess the rest. */
export const hintOfApiKey = (key: string): string => `${key.slice(0, 7)}…`;

/** The smallest UUIDv7 of a millisecond: ids sort by time, so it parts what was made before from what was made after. */
export function firstIdOf(timeMs: number): string {
  const hex = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
