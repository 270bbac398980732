/** Cuts the entries of a page into messages that keep the limits of size and number. Pure. */
/** Published limit of a webhook's body. */
export const MAX_MESSAGE_BYTES = 300_000;
const MAX_RECORDS = 1_000;

interface CutMessage {
  /** JSON text of the whole message in UTF-8, the records in `result`. */
  data: Buffer;
  numRecords: number;
  /** A single record above the limit: `result` is to be replaced by a URL when the message is delivered. */
  isLarge: boolean;
}

export interface MessageLimits {
  /** Maximum number of records in a message; at most and by default 1,000. */
  pageSize?: number | undefined;
  /** The destination's limit of a message; at most and by default that of a webhook. */
  maxBytes?: number | undefined;
}

/**
 * Puts entries (JSON texts), in their order, into as few messages as the limits allow. `head`: their common members. Each entry is
 * encoded once, into the place where it stands in its message; its size is known only then.
 */
export function cutMessages(
  head: object,
  entries: readonly string[],
  { pageSize = MAX_RECORDS, maxBytes = MAX_MESSAGE_BYTES }: MessageLimits = {},
): CutMessage[] {
  // Without its closing brace, because more members follow.
  const start = JSON.stringify(head).slice(0, -1);
  const maxRecords = Math.max(1, Math.min(pageSize, MAX_RECORDS));
  const freeBytes = Math.min(maxBytes, MAX_MESSAGE_BYTES) - joinMessage(start, maxRecords, "").length;
  const place = (scratch ??= Buffer.allocUnsafe(SCRATCH_BYTES));
  const messages: CutMessage[] = [];
  let numRecords = 0;
  let usedBytes = 0;
  const close = (): void => {
    if (numRecords === 0) return;
    const data = joinMessage(start, numRecords, place.subarray(0, usedBytes));
    messages.push({ data, numRecords, isLarge: false });
    numRecords = 0;
    usedBytes = 0;
  };
  for (const entry of entries) {
    // No text has fewer bytes than characters.
    const isLong = entry.length > freeBytes;
    const begin = numRecords === 0 ? 0 : usedBytes + 1;
    const end = isLong ? 0 : begin + place.write(entry, begin);
    if (isLong || end - begin > freeBytes) {
      close();
      messages.push({ data: joinMessage(start, 1, entry), numRecords: 1, isLarge: true });
      continue;
    }
    if (end > freeBytes || numRecords >= maxRecords) {
      close();
      place.copyWithin(0, begin, end);
      usedBytes = end - begin;
    } else {
      if (begin > 0) place[usedBytes] = COMMA;
      usedBytes = end;
    }
    numRecords += 1;
  }
  close();
  return messages;
}

const COMMA = ",".charCodeAt(0);

/** For a full message, and behind it an entry of as many characters of three bytes. */
const SCRATCH_BYTES = 4 * MAX_MESSAGE_BYTES + 1;
let scratch: Buffer | undefined;

const joinMessage = (start: string, numRecords: number, entries: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${start},"resultInfo":{"type":"inline","numRecords":${numRecords}},"result":[`),
    typeof entries === "string" ? Buffer.from(entries) : entries,
    Buffer.from("]}"),
  ]);
