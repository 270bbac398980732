/** Shortens the key by which an event is recognised when it comes again. Pure. */
import { createHash } from "node:crypto";

/** Half of a SHA-256 tells events apart. */
const BYTES = 16;

export const dedupeHash = (key: string): Buffer =>
  createHash("sha256").update(key).digest().subarray(0, BYTES);
