/**
 * The compact form in which it is kept which records a message contains or a page left out, so that a record can be traced at a cost
 * of 16 bytes: 8 of the hash of its id, 6 of its change time in milliseconds (0: unknown), 2 of the reason why it was left out and of
 * whether it was deleted.
 * Pure.
 */

/** Why a record that was read is in no message. The number is stored: never change one. */
const LEFT_OUT = {
  unchanged: 1,
  overtaken: 2,
  restored: 3,
  ownWrite: 4,
} as const;

export type LeftOut = keyof typeof LEFT_OUT;

export interface SeenRecord {
  id: string;
  changeTime?: Date | undefined;
  /** Undefined: it is in the message. */
  leftOut?: LeftOut | undefined;
  /** It was seen as deleted. */
  deleted?: true;
}

/** Size of one record. */
export const ENTRY_BYTES = 16;
const TIME_AT = 8;
const REASON_AT = 14;
/** Added to the reason. */
const DELETED = 0x80_00;

/** Packs records one behind the other. */
export function packSeen(records: readonly SeenRecord[]): Buffer {
  const packed = Buffer.alloc(records.length * ENTRY_BYTES);
  records.forEach(({ id, changeTime, leftOut, deleted }, index) => {
    const at = index * ENTRY_BYTES;
    writeKey(packed, at, id);
    const ms = changeTime?.getTime() ?? 0;
    if (ms > 0) packed.writeUIntBE(Math.min(ms, LAST_MS), at + TIME_AT, 6);
    const reason = (leftOut ? LEFT_OUT[leftOut] : 0) + (deleted ? DELETED : 0);
    if (reason > 0) packed.writeUInt16BE(reason, at + REASON_AT);
  });
  return packed;
}

const LAST_MS = 2 ** 48 - 1;

/** Returns the bytes to look for. */
export function encodeSeenId(id: string): Buffer {
  const key = Buffer.alloc(TIME_AT);
  writeKey(key, 0, id);
  return key;
}

/** Unpacks the entries of one record, in order. Each entry gets the id that was searched for. */
export function unpackSeen(packed: Buffer, id: string): SeenRecord[] {
  const key = encodeSeenId(id);
  const found: SeenRecord[] = [];
  for (let at = packed.indexOf(key); at >= 0; at = packed.indexOf(key, at + 1)) {
    // The bytes of a key may also lie across two entries.
    if (at % ENTRY_BYTES !== 0) continue;
    const ms = packed.readUIntBE(at + TIME_AT, 6);
    const reason = packed.readUInt16BE(at + REASON_AT);
    const isDeleted = reason >= DELETED;
    const leftOut = REASONS.get(isDeleted ? reason - DELETED : reason);
    found.push({
      id,
      ...(ms > 0 && { changeTime: new Date(ms) }),
      ...(leftOut && { leftOut }),
      ...(isDeleted && { deleted: true as const }),
    });
  }
  return found;
}

const REASONS = new Map(
  (Object.entries(LEFT_OUT) as [LeftOut, number][]).map(([name, number]) => [number, name]),
);

/**
 * Writes 64 bits of hash: two multiplicative hashes of the UTF-16 units, mixed with each other. A cryptographic one would cost as
 * much as a tenth of reading the record.
 */
function writeKey(target: Buffer, at: number, id: string): void {
  let [first, second] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x9e3779b1);
    second = Math.imul(second ^ unit, 0x5f356495);
  }
  first = Math.imul(first ^ (first >>> 16), 0x85ebca6b) ^ Math.imul(second ^ (second >>> 13), 0xc2b2ae35);
  second = Math.imul(second ^ (second >>> 16), 0x85ebca6b) ^ Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  target.writeInt32BE(first, at);
  target.writeInt32BE(second, at + 4);
}
