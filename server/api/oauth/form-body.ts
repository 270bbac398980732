/** Reads the body of a form that a browser has sent. */

/** Enough for any form of ours and of a provider. */
export const FORM_LIMIT_BYTES = 64 * 1024;

/** Returns the parameters of a raw body; none without one. */
export const parseForm = (body: unknown): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(body) ? body.toString("utf8") : "");
