/** Shortens the key by which an event is recognised when it comes again. Pure. */
import { hash } from "node:crypto";

/** Half of a SHA-256 tells events apart. */
const BYTES = 16;

export const dedupeHash = (key: string): Buffer =>
  Buffer.from(hash("sha256", key, "hex").slice(0, 2 * BYTES), "hex");
