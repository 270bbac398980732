/** Cuts the entries of a page into messages that keep the limits of size and number. Pure. */
/** Published limit of a webhook's body. */
export const MAX_MESSAGE_BYTES = 300_000;
const MAX_RECORDS = 1_000;

interface CutMessage {
  /** JSON text of the whole message, the records in `result`. */
  data: string;
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

/** Puts entries (JSON texts), in their order, into as few messages as the limits allow. `head`: their common members. */
export function cutMessages(
  head: object,
  entries: readonly string[],
  { pageSize = MAX_RECORDS, maxBytes = MAX_MESSAGE_BYTES }: MessageLimits = {},
): CutMessage[] {
  // Without its closing brace, because more members follow.
  const start = JSON.stringify(head).slice(0, -1);
  const maxRecords = Math.max(1, Math.min(pageSize, MAX_RECORDS));
  const freeBytes = Math.min(maxBytes, MAX_MESSAGE_BYTES) - Buffer.byteLength(wrap(start, maxRecords, [""]));
  const messages: CutMessage[] = [];
  let begin = 0;
  let usedBytes = 0;
  const close = (end: number, isLarge = false): void => {
    const numRecords = end - begin;
    if (numRecords === 0) return;
    messages.push({ data: wrap(start, numRecords, entries.slice(begin, end)), numRecords, isLarge });
    begin = end;
    usedBytes = 0;
  };
  for (let index = 0; index < entries.length; index += 1) {
    // With the comma behind it.
    const sizeBytes = Buffer.byteLength(entries[index] ?? "") + 1;
    if (usedBytes + sizeBytes > freeBytes + 1 || index - begin >= maxRecords) close(index);
    usedBytes += sizeBytes;
    if (sizeBytes > freeBytes + 1) close(index + 1, true);
  }
  close(entries.length);
  return messages;
}

/** Joins everything at once: a text that is put together from parts is copied once more when its bytes are needed. */
function wrap(start: string, numRecords: number, entries: readonly string[]): string {
  const texts = [...entries];
  texts[0] = `${start},"resultInfo":{"type":"inline","numRecords":${numRecords}},"result":[${texts[0]}`;
  texts[texts.length - 1] += "]}";
  return texts.join(",");
}
