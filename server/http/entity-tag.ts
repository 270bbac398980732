/** Entity tags: a client that has the current answer already gets 304 instead of it. */
import { hash } from "node:crypto";

/** Returns the strong entity tag of a body. */
export const computeEntityTag = (body: string): string =>
  `"${hash("sha256", body, "base64url").slice(0, 22)}"`;

/** Returns whether the header `If-None-Match` names the tag: RFC 9110 section 13.1.2, by weak comparison. */
export const namesTag = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" || header.split(",").some((one) => one.trim().replace(/^W\//, "") === tag));
