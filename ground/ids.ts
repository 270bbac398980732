/** Generates identifiers and the random texts that serve as credentials. */
import { hash, randomBytes, randomFillSync } from "node:crypto";
import { crc32 } from "node:zlib";
import { v7 } from "uuid";
import { nowMs } from "./clock.ts";

/** Random bytes for 256 ids cost as much as for one. */
const random = new Uint8Array(256 * 16);
let drawn = random.length;
/** The last id's millisecond, and its number within that millisecond. */
let msecs = 0;
let seq = 0;

/** Returns a new UUIDv7: unique, and sorted by creation time, in this process even within a millisecond. */
export function newId(): string {
  if (drawn === random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  const bytes = random.subarray(drawn, (drawn += 16));
  const now = nowMs();
  if (now > msecs) {
    msecs = now;
    // The highest bit stays free, so that the counter cannot overflow.
    seq = new DataView(bytes.buffer, bytes.byteOffset).getUint32(6) >>> 1;
  } else {
    seq += 1;
  }
  return v7({ random: bytes, msecs, seq });
}

/** Lower and higher than every id. */
export const FIRST_ID = "00000000-0000-0000-0000-000000000000";
export const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Returns whether `text` is a UUID of any version; check before comparing a text with a `uuid` column. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

/**
 * Returns a new API key: `bb_`, 256 random bits in URL-safe base64, and 7 digits of a checksum, by which scanners for
 * secrets tell a key from other texts. Keys of before the checksum stay valid.
 */
export function newApiKey(): string {
  const body = `bb_${newSecret()}`;
  return `${body}${computeChecksum(body)}`;
}

const KEY_WITH_CHECKSUM = /^(bb_[\w-]{43})([0-9a-z]{7})$/;

/** Returns whether a text has the form of an API key with a checksum, and a wrong one: it was mistyped or cut. */
export function isMistypedApiKey(text: string): boolean {
  const [, body, checksum] = KEY_WITH_CHECKSUM.exec(text) ?? [];
  return body !== undefined && checksum !== computeChecksum(body);
}

/** CRC-32 in base 36: a scanner can compute it without knowing us. */
const computeChecksum = (body: string): string => crc32(body).toString(36).padStart(7, "0");

/** Returns 256 random bits in URL-safe base64. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** Returns the hash under which an API key or another secret is stored and looked up. 256 random bits need no slow hash. */
export const hashSecret = (secret: string): Buffer => hash("sha256", secret, "buffer");

/** Returns the part of an API key that may be shown: enough to recognise it, too little to guess the rest. */
export const shortenApiKey = (key: string): string => `${key.slice(0, 7)}…`;

/** Returns the smallest UUIDv7 of a millisecond: it separates older ids from newer ones. */
export function buildFirstId(timeMs: number): string {
  const hex = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}

/** Returns the time at which a UUIDv7 was made: the beginning of the row that it names. */
export const readTimeOfId = (id: string): Date => new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
