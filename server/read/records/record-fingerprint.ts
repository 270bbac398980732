/** Fingerprints what is delivered of a record, to recognize it when it is read again unchanged. Pure. */
import { hash } from "node:crypto";

const BYTES = 16;

/**
 * Returns 16 bytes that are the same for the same content (`writeContent`) and change time. The change time counts, because
 * a change may concern members of `raw` only.
 */
export function recordFingerprint(content: string, changeTime: Date | undefined): Buffer {
  // A buffer would take twice as long: it is allocated outside of the heap.
  const text = hash("sha256", `${changeTime?.getTime() ?? ""}\n${content}`, "hex");
  return Buffer.from(text.slice(0, 2 * BYTES), "hex");
}
